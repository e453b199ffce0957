#pragma once
// How long a run took, in a file that programs read.

#include <string>

#include "runner.hpp"

namespace sampling {

/// Writes a JSON object: `seconds` from the start of the program to its end, as the caller measured them,
/// those of the slowest chain's warm-up and draws, the evaluations of the model, the positions that these
/// held, and the leapfrog steps of the draws kept. Throws std::runtime_error where the file cannot be
/// written.
void write_timings(const std::string& path, const settings& chosen, const run_result& run, double seconds);

}  // namespace sampling
