#pragma once
// The command line of the program.

#include <string>

#include <CLI/CLI.hpp>

#include "../sampling/sampler.hpp"

namespace example {

struct process_options {
  std::string process = "regression";  ///< or co2
  std::string data;                    ///< empty: made, or the file of the examples
  std::string device;
  Eigen::Index n = 512;
  std::uint64_t data_seed = 1;
  int every = 1;
  bool on_host = false;
  bool kernel = false;
  std::string predictions;
  int months = 240;
  std::string timings;
};

/// Adds them to `app`.
void describe(CLI::App& app, process_options& chosen);

}  // namespace example
