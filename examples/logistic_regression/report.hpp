#pragma once
// What the program prints and writes.

#include <string>
#include <vector>

#include "comparison.hpp"
#include "newton.hpp"

namespace example {

/// One line per coefficient: estimate, standard error, 95 % interval.
void print_estimates(const std::vector<std::string>& names, const fit& fitted);
/// One line per way and size, with how many times faster the fused one is.
void print_comparisons(const std::vector<comparison>& comparisons);
/// Writes coefficient, estimate and standard error as CSV. Throws std::runtime_error.
void write_estimates(const std::string& path, const std::vector<std::string>& names, const fit& fitted);

}  // namespace example
