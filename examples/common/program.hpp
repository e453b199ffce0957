#pragma once
// What the example programs have in common on the command line: options, messages and exit codes.

#include <functional>
#include <initializer_list>
#include <string>

#include <CLI/CLI.hpp>

namespace example {

/// Options that every program has.
struct common_options {
  std::string data;       ///< path of the table; preset to the program's own
  std::string device;     ///< part of a device's name
  std::string estimates;  ///< path of a CSV file to write
  bool check = false;     ///< whether the gradient is compared with differences
};

/// Accepts whole numbers from 0 to 2^64 - 1, of which CLI11 alone wraps negative ones and cuts larger ones
/// off.
CLI::Validator seed();
/// Accepts finite numbers above 0, or also 0; CLI11's PositiveNumber takes nan.
CLI::Validator positive_number();
CLI::Validator nonnegative_number();
/// Accepts all texts but the empty one, which names no file.
CLI::Validator not_empty();

/// Throws CLI::ValidationError, `why`, for each of these options that was given: for callbacks of programs
/// some of whose options go without each other.
void refuse(const CLI::App& app, std::initializer_list<const char*> options, const std::string& why);

/// Adds them; `format` says what the data file holds.
void describe_common(CLI::App& app, common_options& chosen, const std::string& format);

/// Selects the device whose name `device` is a part of, the best one where that is empty, and says which one
/// is used.
void choose_device(const std::string& device);

/// Throws std::runtime_error, with the system's reason, unless a file at `path` can be written: what comes
/// after a long run is better refused before it. What the file holds stays; where there is none, none is
/// left.
void require_writable(const std::string& path);

/// Prints a line at once, through pipes too.
void say(const std::string& text);

/// Reads the arguments, then calls `run`. Exceptions become one line on stderr and the exit code 1, and so
/// does a standard output that did not take everything.
int run_program(CLI::App& app, int argc, char** argv, const std::function<void()>& run);

}  // namespace example
