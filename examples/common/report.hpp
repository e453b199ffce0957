#pragma once
// Estimates, printed as a table and written as CSV, and what is said about evaluations.

#include <functional>
#include <string>
#include <vector>

#include <fusion/autodiff/check_gradient.hpp>
#include <fusion/runtime/counters.hpp>

#include "newton.hpp"

namespace example {

/// One line per coefficient: estimate, standard error, 95 % interval.
void print_estimates(const std::vector<std::string>& names, const fit& fitted);
/// Writes coefficient, estimate and standard error as CSV. Throws std::runtime_error.
void write_estimates(const std::string& path, const std::vector<std::string>& names, const fit& fitted);

/// One line about a gradient that was compared with differences. Throws std::runtime_error if it is wrong.
void print_check(const fusecl::gradient_check& check);
/// What `evaluate` makes the device do once everything is built: calls it twice and counts the second time.
fusecl::counters cost_of(const std::function<void()>& evaluate);
/// Kernel launches and host waits of the log density, and of it with its gradient.
void print_costs(const fusecl::counters& value, const fusecl::counters& with_gradient);

}  // namespace example
