// The CSV reader: Boost.Tokenizer splits lines, everything is checked before it is used.

#include "read_table.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <boost/tokenizer.hpp>

namespace example {
namespace {

/// A text file read line by line that knows where it is.
class line_reader {
 public:
  explicit line_reader(std::string path) : path_(std::move(path)), in_(path_) {
    if (!in_) throw table_error("cannot open " + path_ + ": " + std::strerror(errno));
  }

  /// The next line that is not blank; false at the end of the file.
  bool next(std::string& line) {
    while (std::getline(in_, line)) {
      ++line_;
      if (!line.empty() && line.back() == '\r') line.pop_back();
      if (line.find_first_not_of(" \t") != std::string::npos) return true;
    }
    if (in_.bad()) throw table_error("cannot read " + path_);
    return false;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw table_error(path_ + ", line " + std::to_string(line_) + ": " + what);
  }
  /// Columns count from 0 here and from 1 in the message.
  [[noreturn]] void fail(std::size_t column, const std::string& what) const {
    throw table_error(path_ + ", line " + std::to_string(line_) + ", column " + std::to_string(column + 1) +
                      ": " + what);
  }

 private:
  std::string path_;
  std::ifstream in_;
  std::int64_t line_ = 0;
};

std::vector<std::string> split(const line_reader& file, const std::string& line) {
  try {
    const boost::tokenizer<boost::escaped_list_separator<char>> fields(line);
    return {fields.begin(), fields.end()};
  } catch (const boost::escaped_list_error& e) {
    file.fail(e.what());
  }
}

double number(const line_reader& file, const std::vector<std::string>& fields, std::size_t column) {
  const std::string& text = fields[column];
  const std::size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  if (first == std::string::npos) file.fail(column, "a number is missing");
  double value = 0;
  const char* end = text.data() + last + 1;
  const auto [stop, error] = std::from_chars(text.data() + first, end, value);
  if (error != std::errc() || stop != end || !std::isfinite(value))
    file.fail(column, "'" + text + "' is not a number");
  return value;
}

Eigen::Index count(const line_reader& file, const std::vector<std::string>& fields, std::size_t column,
                   Eigen::Index least) {
  const double value = number(file, fields, column);
  if (value != std::floor(value) || value < static_cast<double>(least) || value > 1e9)
    file.fail(column,
              "expected a count of at least " + std::to_string(least) + ", found '" + fields[column] + "'");
  return static_cast<Eigen::Index>(value);
}

std::vector<std::string> read_names(const std::string& table_path, Eigen::Index features) {
  const auto path = std::filesystem::path(table_path).replace_extension(".names");
  std::vector<std::string> names;
  if (std::filesystem::exists(path)) {
    line_reader file(path.string());
    for (std::string line; file.next(line);) names.push_back(line);
    if (static_cast<Eigen::Index>(names.size()) != features)
      file.fail("expected the names of " + std::to_string(features) + " features, found " +
                std::to_string(names.size()));
  } else {
    for (Eigen::Index j = 0; j < features; ++j) names.push_back("feature " + std::to_string(j + 1));
  }
  return names;
}

}  // namespace

table read_table(const std::string& path, outcome_type type) {
  line_reader file(path);
  std::string line;
  if (!file.next(line)) throw table_error(path + " is empty");
  const std::vector<std::string> head = split(file, line);
  const bool classes = type == outcome_type::two_classes;
  const std::string expected =
      classes ? "rows,features,name of class 0,name of class 1" : "rows,features,name of the outcome";
  if (head.size() != (classes ? 4 : 3))
    file.fail("expected '" + expected + "', found " + std::to_string(head.size()) +
              (head.size() == 1 ? " field" : " fields"));
  const Eigen::Index rows = count(file, head, 0, 2), features = count(file, head, 1, 1);
  const auto width = static_cast<std::size_t>(features) + 1;

  // The rows that are there decide how much is stored, not the number that the first line announces.
  std::vector<double> values;
  Eigen::Index row = 0;
  for (; file.next(line); ++row) {
    const std::vector<std::string> fields = split(file, line);
    if (row == rows)
      file.fail("the first line announces " + std::to_string(rows) + " rows, here is one more");
    for (std::size_t column = 0; column < std::min(width, fields.size()); ++column)
      values.push_back(number(file, fields, column));
    if (fields.size() != width)
      file.fail(std::min(width, fields.size()),
                "expected " + std::to_string(width) + " columns, found " + std::to_string(fields.size()));
    if (classes && values.back() != 0 && values.back() != 1)
      file.fail(width - 1, "expected the class, 0 or 1, found '" + fields.back() + "'");
  }
  if (row != rows)
    file.fail("the file ends after " + std::to_string(row) + " rows, the first line announces " +
              std::to_string(rows));

  using row_major = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Map<const row_major> numbers(values.data(), rows, features + 1);
  for (Eigen::Index j = 0; j < features; ++j)
    if (numbers.col(j).minCoeff() == numbers.col(j).maxCoeff())
      throw table_error(path + ", column " + std::to_string(j + 1) +
                        ": all rows hold the same value, so it cannot be standardised");
  if (numbers.col(features).minCoeff() == numbers.col(features).maxCoeff() && !classes)
    throw table_error(path + ": the outcome is the same in all rows");
  return {read_names(path, features),
          {head.begin() + 2, head.end()},
          numbers.leftCols(features),
          numbers.col(features)};
}

}  // namespace example
