#pragma once
// The command line of the program.

#include <string>

#include "../common/sampling_program.hpp"

namespace example {

struct process_options : sampling_options {
  std::string process = "regression";  ///< or co2
  Eigen::Index n = 512;
  std::uint64_t data_seed = 1;
  int every = 1;
  std::string predictions;
  int months = 240;
};

/// Adds them to `app`.
void describe(CLI::App& app, process_options& chosen);

}  // namespace example
