#pragma once
// What the programs that sample have in common: options, files, progress, Ctrl-C, the summary.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

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
  std::string data;     ///< path of the data; what it may be says the program
  bool kernels = false;
  bool on_host = false;                         ///< whether the program's model on the host is sampled
  std::map<std::string, std::string> meanings;  ///< of names that are written: said in the summary
  /// Is given what was drawn where all draws were made, after the summary.
  std::function<void(const sampling::run_result&)> then;

  int columns_or_chains() const { return columns > 0 ? columns : chosen.chains; }
};
/// Adds them but for --columns and --on-host. `data` says what the file of data holds, no --data without;
/// `kernels` says which ones are printed.
void describe_sampling(CLI::App& app, sampling_options& options, const std::string& data = "",
                       const std::string& kernels = "print the kernels for one chain, too");
/// Says what beta.1, beta.2 and so on are of.
void name_slopes(sampling_options& options, const std::vector<std::string>& features);
/// Adds --columns, for programs whose statements evaluate several chains.
void describe_columns(CLI::App& app, sampling_options& options);
/// Adds --on-host, for programs that have a model on the host.
void describe_on_host(CLI::App& app, sampling_options& options);

/// Throws std::invalid_argument where `path`, given by `option`, is that of a chain's draws or of the data,
/// and what require_writable throws.
void require_output(const std::string& path, const std::string& option, const sampling_options& options);

/// Samples, writes a file for each chain, but none over the data (std::invalid_argument), prints the summary
/// and, where wanted, the model's kernels. Nothing is built on the device once all chains have warmed up. The
/// first Ctrl-C (or SIGTERM) ends the run after the present draws, with files and summary of what there is;
/// the second one ends the program. Returns the exit code: 0, or 130 after Ctrl-C. Throws what ended a chain,
/// once the summary is printed.
int sample(sampling::model& model, const std::string& name, const sampling_options& options);

/// run_program for programs whose `run` returns an exit code.
int run_sampling_program(CLI::App& app, int argc, char** argv, const std::function<int()>& run);

}  // namespace example
