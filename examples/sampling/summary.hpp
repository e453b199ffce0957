#pragma once
// What is said about a run at its end.

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "runner.hpp"

namespace sampling {

/// A table of lp__ and the first `most_rows` quantities: mean, its Monte Carlo standard error, standard
/// deviation, quantiles, effective numbers of draws and R-hat; then the worst of all quantities, divergences
/// and trajectories that were cut off. Where chains ended early, of the draws that all of them have, and it
/// says so. `meanings` of names stand at the ends of their rows.
std::string summary(const run_result& result, const std::vector<std::string>& names,
                    std::size_t most_rows = 50, const std::map<std::string, std::string>& meanings = {});

}  // namespace sampling
