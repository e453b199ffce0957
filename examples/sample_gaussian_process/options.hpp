#pragma once
// The command line of the program.

#include <string>

#include "../common/sampling_program.hpp"

namespace example {

struct process_options : sampling_options {
  std::string process = "regression";  ///< or co2
  std::string data;                    ///< empty: made, or the file of the examples
  Eigen::Index n = 512;
  std::uint64_t data_seed = 1;
  int every = 1;
  bool on_host = false;
  bool kernels = false;
  std::string predictions;
  int months = 240;
};

/// Adds them to `app`.
void describe(CLI::App& app, process_options& chosen);

}  // namespace example
