#pragma once
// What the programs that sample have in common: options, files, progress, Ctrl-C, the summary.

#include <functional>
#include <string>

#include <CLI/CLI.hpp>

#include "../sampling/runner.hpp"

namespace example {

/// Options of every program that samples.
struct sampling_options {
  sampling::settings chosen;
  std::string output = "draws";  ///< files are <output>_1.csv and so on
  std::string device;            ///< part of a device's name
  int columns = 0;               ///< chains that one statement evaluates; 0: as many as there are
  bool quiet = false;
  std::string timings;  ///< path of a JSON file to write
  /// Is given what was drawn where all draws were made, after the summary.
  std::function<void(const sampling::run_result&)> then;

  int columns_or_chains() const { return columns > 0 ? columns : chosen.chains; }
};

/// Adds them.
void describe_sampling(CLI::App& app, sampling_options& options);

/// Selects the device that was asked for, and says which one is used.
void choose_device(const sampling_options& options);

/// Samples, writes a file for each chain, prints the summary. Nothing is built on the device once all chains
/// have warmed up. The first Ctrl-C (or SIGTERM) ends the run after the present draws, with files and summary
/// of what there is; the second one ends the program. Returns the exit code: 0, or 130 after Ctrl-C. Throws
/// what ended a chain, once the summary is printed.
int sample(sampling::model& model, const std::string& name, const sampling_options& options);

/// run_program for programs whose `run` returns an exit code.
int run_sampling_program(CLI::App& app, int argc, char** argv, const std::function<int()>& run);

}  // namespace example
