#pragma once
// Estimates, printed as a table and written as CSV.

#include <string>
#include <vector>

#include "newton.hpp"

namespace example {

/// One line per coefficient: estimate, standard error, 95 % interval.
void print_estimates(const std::vector<std::string>& names, const fit& fitted);
/// Writes coefficient, estimate and standard error as CSV. Throws std::runtime_error.
void write_estimates(const std::string& path, const std::vector<std::string>& names, const fit& fitted);

}  // namespace example
