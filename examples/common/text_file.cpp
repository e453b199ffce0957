// Nothing is kept of a file but the line that is read.

#include "text_file.hpp"

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

bool text_file::next(std::string& line) {
  while (std::getline(in_, line)) {
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
