#pragma once
// A text file read line by line, and errors that say where in it they are.

#include <charconv>
#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace example {

/// A file that cannot be read or does not hold what it should; the message names file, line and column.
class table_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws table_error: `path, line 3: what`.
[[noreturn]] void fail_at(const std::string& path, std::int64_t line, const std::string& what);
/// `path, line 3, column 2: what`; columns count from 0 here and from 1 in the message.
[[noreturn]] void fail_at(const std::string& path, std::int64_t line, std::size_t column,
                          const std::string& what);

/// A text file that knows how far it was read. Blank lines are passed over; carriage returns at the end of
/// lines and a byte order mark, which some spreadsheets write, are dropped. Lines of more than 64 MiB are
/// refused, as those of /dev/zero, which have no end. All throw table_error.
class text_file {
 public:
  explicit text_file(std::string path);

  /// The first line. Fails where there is none.
  std::string first_line();
  /// The next line; false at the end of the file.
  bool next(std::string& line);
  /// The number of the last line that was read, from 1.
  std::int64_t line() const { return line_; }
  /// About that line.
  [[noreturn]] void fail(const std::string& what) const { fail_at(path_, line_, what); }
  [[noreturn]] void fail(std::size_t column, const std::string& what) const {
    fail_at(path_, line_, column, what);
  }

 private:
  bool read_line(std::string& line);

  std::string path_;
  std::ifstream in_;
  std::int64_t line_ = 0;
};

/// Whether all of `text` is a number, which is then in `value`.
template <class Number>
bool parse(std::string_view text, Number& value) {
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && stop == text.data() + text.size();
}

}  // namespace example
