#pragma once
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string_view>

#include <fusion/base/environment.hpp>
#include <fusion/base/error.hpp>
#include <fusion/base/fill.hpp>
#include <fusion/runtime/disk_cache.hpp>
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

/// The three fields of a line.
struct tuning_line {
  std::string_view device, option;
  std::int64_t number = 0;
};

/// False for blank lines and comments. Throws where a line has no such fields.
FUSECL_INLINE bool parse(std::string_view text, tuning_line& line, const std::string& file,
                         std::int64_t number) {
  if (text.empty() || text.front() == '#') return false;
  const std::size_t first = text.find('\t'), second = text.find('\t', first + 1);
  const bool has_fields = first != std::string_view::npos && second != std::string_view::npos;
  bool is_number = false;
  if (has_fields) {
    line.device = text.substr(0, first);
    line.option = text.substr(first + 1, second - first - 1);
    const std::string value(text.substr(second + 1));
    char* end = nullptr;
    errno = 0;
    line.number = std::strtoll(value.c_str(), &end, 10);
    is_number = !value.empty() && end == value.c_str() + value.size() && errno == 0 && line.number >= 0;
    if (value == "never") {
      line.number = tuning_options::never;
      is_number = true;
    }
  }
  if (!is_number)
    throw error(
        text::fill("{}:{}: a line is device, option and number, with tabs between them; remove it, or "
                   "set FUSECL_TUNING=off",
                   {file, number}));
  return true;
}

/// Calls `each` with every line of a file and its number; false where there is no such file.
template <class Each>
bool for_each_line(const std::string& file, const Each& each) {
  std::FILE* const in = std::fopen(file.c_str(), "r");
  if (in == nullptr) return false;
  std::string text;
  for (int c; (c = std::fgetc(in)) != EOF;) text += static_cast<char>(c);
  const bool failed = std::ferror(in) != 0;  // a folder, for one
  std::fclose(in);
  if (failed) throw error(text::fill("{} cannot be read", {file}));
  std::int64_t number = 0;
  for (std::size_t begin = 0, end; begin < text.size(); begin = end + 1) {
    end = std::min(text.find('\n', begin), text.size());
    each(std::string_view(text).substr(begin, end - begin), ++number);
  }
  return true;
}

FUSECL_INLINE std::string tuning_file() {
  if (std::string named = environment_text("FUSECL_TUNING"); !named.empty())
    return read_switch("FUSECL_TUNING") == environment_switch::off ? std::string() : named;
  const std::string folder = user_folder("XDG_CONFIG_HOME", ".config");
  return folder.empty() ? folder : folder + "/tuning.tsv";
}

FUSECL_INLINE tuning_options tuned_for(const capabilities& device) {
  tuning_options options;
  for (const tuning_row& row : tuning_table)
    if (is_of(row, device)) options = row.options;
  const std::string file = tuning_file();
  if (file.empty()) return options;
  const bool exists = for_each_line(file, [&](std::string_view text, std::int64_t number) {
    tuning_line line;
    if (!parse(text, line, file, number) || line.device != device.name) return;
    const tuning_name* const known =
        std::find_if(std::begin(tuning_names), std::end(tuning_names),
                     [&](const tuning_name& each) { return line.option == each.name; });
    if (known == std::end(tuning_names))
      throw error(text::fill("{}:{}: there is no option {}; remove the line, or set FUSECL_TUNING=off",
                             {file, number, line.option}));
    options.*known->option = line.number;
  });
  if (!exists && !environment_text("FUSECL_TUNING").empty())
    throw error(text::fill("FUSECL_TUNING: {} cannot be read", {file}));
  return options;
}

FUSECL_INLINE void write_tuning(const std::string& file, const capabilities& device,
                                const tuning_options& options) {
  std::string lines;
  for_each_line(file, [&](std::string_view text, std::int64_t number) {
    tuning_line line;
    if (!parse(text, line, file, number) || line.device != device.name) lines += std::string(text) + "\n";
  });
  for (const tuning_name& each : tuning_names)
    lines += text::fill("{}\t{}\t{}\n", {device.name, each.name, options.*each.option});
  const std::size_t folder = file.find_last_of('/');
  if (folder != std::string::npos && folder > 0) make_directories(file.substr(0, folder));
  std::FILE* const out = std::fopen(file.c_str(), "w");
  const bool written = out != nullptr && std::fwrite(lines.data(), 1, lines.size(), out) == lines.size();
  if (out == nullptr || std::fclose(out) != 0 || !written)
    throw error(text::fill("{} cannot be written", {file}));
}

}  // namespace fusecl::runtime
