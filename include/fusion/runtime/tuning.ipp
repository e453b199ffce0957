#pragma once
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>

#include <fusion/base/environment.hpp>
#include <fusion/base/error.hpp>
#include <fusion/base/fill.hpp>
#include <fusion/runtime/tuning.hpp>

namespace fusecl::runtime {

/// A row is for devices with this kind whose name or vendor contains `part`; the last that fits counts.
struct tuning_row {
  bool gpu;
  std::string_view part;
  tuning_options options;
};

/// Against Eigen with one thread. The GPU's row is what the copies of pageable memory at 5 GB/s and launches
/// of 10 us leave, not a measurement.
inline constexpr tuning_row tuning_table[] = {
    {false, "", {8000000, 64000000, 512, 512}},
    {true, "", {8000000, 64000000, 512, 512}},
    {true, "NVIDIA", {2000000, 16000000, 320, 256}},
};

FUSECL_INLINE bool is_of(const tuning_row& row, const capabilities& device) {
  return row.gpu == device.gpu && (device.name.find(row.part) != std::string::npos ||
                                   device.vendor.find(row.part) != std::string::npos);
}

/// The three fields of a line; false for blank lines and comments.
struct tuning_line {
  std::string_view device, option;
  std::int64_t number = 0;
};

FUSECL_INLINE bool parse(std::string_view text, tuning_line& line, const std::string& file,
                         std::int64_t number) {
  if (text.empty() || text.front() == '#') return false;
  const std::size_t first = text.find('\t'), second = text.find('\t', first + 1);
  const bool has_fields = first != std::string_view::npos && second != std::string_view::npos;
  bool is_number = false;
  if (has_fields) {
    line.device = text.substr(0, first);
    line.option = text.substr(first + 1, second - first - 1);
    const std::string_view value = text.substr(second + 1);
    const auto [end, failure] = std::from_chars(value.data(), value.data() + value.size(), line.number);
    is_number = failure == std::errc() && end == value.data() + value.size() && line.number >= 0;
  }
  if (!is_number)
    throw error(
        text::fill("{}:{}: a line is device, option and number, with tabs between them; remove it, or "
                   "set FUSECL_TUNING=off",
                   {file, number}));
  return true;
}

FUSECL_INLINE std::string tuning_file() {
  const char* named = std::getenv("FUSECL_TUNING");
  if (named != nullptr && *named != '\0')
    return read_switch("FUSECL_TUNING") == environment_switch::off ? std::string() : std::string(named);
  const char* config = std::getenv("XDG_CONFIG_HOME");
  if (config != nullptr && *config != '\0') return std::string(config) + "/fusecl/tuning.tsv";
  const char* home = std::getenv("HOME");
  return home != nullptr && *home != '\0' ? std::string(home) + "/.config/fusecl/tuning.tsv" : std::string();
}

FUSECL_INLINE tuning_options tuned_for(const capabilities& device) {
  tuning_options options;
  for (const tuning_row& row : tuning_table)
    if (is_of(row, device)) options = row.options;
  const std::string file = tuning_file();
  if (file.empty()) return options;
  std::ifstream in(file);
  if (!in) {
    const char* named = std::getenv("FUSECL_TUNING");
    if (named != nullptr && *named != '\0')
      throw error(text::fill("FUSECL_TUNING: {} cannot be read", {file}));
    return options;
  }
  std::string text;
  tuning_line line;
  for (std::int64_t number = 1; std::getline(in, text); ++number)
    if (parse(text, line, file, number) && line.device == device.name)
      for (const tuning_name& known : tuning_names)
        if (line.option == known.name) options.*known.option = line.number;
  return options;
}

FUSECL_INLINE void write_tuning(const std::string& file, const capabilities& device,
                                const tuning_options& options) {
  std::string kept, text;
  {
    std::ifstream in(file);
    tuning_line line;
    for (std::int64_t number = 1; std::getline(in, text); ++number)
      if (!parse(text, line, file, number) || line.device != device.name) kept += text + "\n";
  }
  for (const tuning_name& each : tuning_names)
    kept += text::fill("{}\t{}\t{}\n", {device.name, each.name, options.*each.option});
  std::error_code ignored;
  const std::filesystem::path path(file);
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), ignored);
  std::ofstream out(file);
  out << kept << std::flush;
  if (!out) throw error(text::fill("{} cannot be written", {file}));
}

}  // namespace fusecl::runtime
