// One place for option texts and for what happens to exceptions.

#include "program.hpp"

#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <new>
#include <stdexcept>
#include <system_error>

#include <fusion/fusion.hpp>

#include "text_file.hpp"

namespace example {
namespace {

CLI::Validator accepting(const char* expected, const char* type, bool (*accepts)(double)) {
  return {[=](std::string& text) {
            double value = 0;
            return parse(text, value) && accepts(value) ? "" : text + " is not " + expected;
          },
          type};
}

}  // namespace

CLI::Validator seed() {
  return {[](std::string& text) {
            std::uint64_t value = 0;
            return parse(text, value) ? ""
                                      : "'" + text + "' is not a whole number from 0 to 18446744073709551615";
          },
          ""};
}

CLI::Validator positive_number() {
  return accepting("a finite number above 0", "POSITIVE", [](double v) { return v > 0 && std::isfinite(v); });
}

CLI::Validator nonnegative_number() {
  return accepting("a finite number from 0 on", "NONNEGATIVE",
                   [](double v) { return v >= 0 && std::isfinite(v); });
}

CLI::Validator not_empty() {
  return {[](std::string& text) { return text.empty() ? "may not be empty" : ""; }, ""};
}

void refuse(const CLI::App& app, std::initializer_list<const char*> options, const std::string& why) {
  for (const char* option : options)
    if (app.count(option) > 0) throw CLI::ValidationError(option, why);
}

void describe_common(CLI::App& app, common_options& chosen, const std::string& format) {
  app.add_option("--data", chosen.data, format)->check(not_empty())->capture_default_str();
  app.add_option("--device", chosen.device,
                 "part of the name of the device to use; the best one if not given");
  app.add_option("--estimates", chosen.estimates, "also write the estimates to this CSV file")
      ->check(not_empty());
  app.add_flag("--check", chosen.check, "compare the gradient with differences first");
  app.footer("The exit code is 0 if all went well.");
}

void choose_device(const std::string& device) {
  if (!device.empty()) fusecl::select_device(device);
  say("device    " + fusecl::opencl_context.capabilities().name);
}

void require_writable(const std::string& path) {
  std::error_code ignored;
  const bool existed = std::filesystem::exists(path, ignored);
  if (!std::ofstream(path, std::ios::app))
    throw std::runtime_error("cannot write " + path + ": " + std::strerror(errno));
  if (!existed) std::filesystem::remove(path, ignored);
}

void say(const std::string& text) {
  std::printf("%s\n", text.c_str());
  std::fflush(stdout);
}

namespace {

int parse_and_run(CLI::App& app, int argc, char** argv, const std::function<void()>& run) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {  // --help is one, too
    return app.exit(e) == 0 ? 0 : 1;
  }
  try {
    run();
    return 0;
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "%s: not enough memory for this data and these options\n", app.get_name().c_str());
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s: %s\n", app.get_name().c_str(), e.what());
  }
  return 1;
}

/// Whether all that was printed has arrived, as it has not on a full disk.
bool all_is_printed() {
  std::cout.flush();
  const bool flushed = std::fflush(stdout) == 0;
  return flushed && std::ferror(stdout) == 0 && std::cout.good();
}

}  // namespace

int run_program(CLI::App& app, int argc, char** argv, const std::function<void()>& run) {
  const int code = parse_and_run(app, argc, argv, run);
  if (all_is_printed()) return code;
  std::fprintf(stderr, "%s: cannot write to the standard output\n", app.get_name().c_str());
  return code != 0 ? code : 1;
}

}  // namespace example
