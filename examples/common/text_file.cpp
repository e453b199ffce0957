// Nothing is kept of a file but the line that is read.

#include "text_file.hpp"

#include <array>
#include <cerrno>
#include <cstring>

namespace example {

void fail_at(const std::string& path, std::int64_t line, const std::string& what) {
  throw table_error(path + ", line " + std::to_string(line) + ": " + what);
}

void fail_at(const std::string& path, std::int64_t line, std::size_t column, const std::string& what) {
  throw table_error(path + ", line " + std::to_string(line) + ", column " + std::to_string(column + 1) +
                    ": " + what);
}

text_file::text_file(std::string path) : path_(std::move(path)), in_(path_) {
  if (!in_) throw table_error("cannot open " + path_ + ": " + std::strerror(errno));
}

std::string text_file::first_line() {
  std::string line;
  if (!next(line)) throw table_error(path_ + " is empty");
  return line;
}

/// The next line as it is; false at the end of the file.
bool text_file::read_line(std::string& line) {
  constexpr std::size_t longest = std::size_t{64} << 20;
  std::array<char, 4096> part;
  line.clear();
  for (;;) {
    in_.getline(part.data(), part.size());
    const auto count = static_cast<std::size_t>(in_.gcount());
    line.append(part.data(), in_.good() ? count - 1 : count);  // without the end of the line
    if (!in_.fail()) return true;
    if (in_.eof() || in_.bad() || count == 0) return !line.empty();
    if (line.size() > longest) fail_at(path_, line_ + 1, "longer than 64 MiB");
    in_.clear();  // the line goes on
  }
}

bool text_file::next(std::string& line) {
  while (read_line(line)) {
    ++line_;
    if (constexpr std::string_view mark = "\xEF\xBB\xBF"; line_ == 1 && line.starts_with(mark))
      line.erase(0, mark.size());
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.find_first_not_of(" \t") != std::string::npos) return true;
  }
  if (in_.bad()) throw table_error("cannot read " + path_);
  return false;
}

}  // namespace example
