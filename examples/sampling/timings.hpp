#pragma once
// How long a run took, in a file that programs read.

#include <string>

#include "runner.hpp"

namespace sampling {

/// Writes a JSON object: numbers of chains, warm-up and draws, the seconds that the slowest warm-up and the
/// slowest draws took, the evaluations of the model, the positions that these held, and the leapfrog steps of
/// the draws kept. Throws std::runtime_error where the file cannot be written.
void write_timings(const std::string& path, const settings& chosen, const run_result& run);

}  // namespace sampling
