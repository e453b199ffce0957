// The CSV reader: Boost.Tokenizer splits lines, everything is checked before it is used.

#include "read_table.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <boost/tokenizer.hpp>

namespace example {

std::vector<std::string> split(const text_file& file, const std::string& line) {
  try {
    const boost::tokenizer<boost::escaped_list_separator<char>> fields(line);
    return {fields.begin(), fields.end()};
  } catch (const boost::escaped_list_error& e) {
    file.fail(e.what());
  }
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == std::string_view::npos ? std::string_view() : text.substr(first, last + 1 - first);
}

double number(const text_file& file, const std::vector<std::string>& fields, std::size_t column) {
  const std::string_view text = trimmed(fields[column]);
  if (text.empty()) file.fail(column, "a number is missing");
  double value = 0;
  if (!parse(text, value) || !std::isfinite(value))
    file.fail(column, "'" + fields[column] + "' is not a number");
  return value;
}

namespace {

Eigen::Index count(const text_file& file, const std::vector<std::string>& fields, std::size_t column,
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
    text_file file(path.string());
    for (std::string line; file.next(line);) names.push_back(line);
    if (static_cast<Eigen::Index>(names.size()) != features)
      file.fail("expected the " +
                (features == 1 ? "name of 1 feature" : "names of " + std::to_string(features) + " features") +
                ", found " + std::to_string(names.size()));
  } else {
    for (Eigen::Index j = 0; j < features; ++j) names.push_back("feature " + std::to_string(j + 1));
  }
  return names;
}

}  // namespace

table read_table(const std::string& path, outcome_type type, Eigen::Index not_standardised) {
  text_file file(path);
  const std::vector<std::string> head = split(file, file.first_line());
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
  std::vector<std::int64_t> lines;
  Eigen::Index row = 0;
  for (std::string line; file.next(line); ++row) {
    const std::vector<std::string> fields = split(file, line);
    if (row == rows)
      file.fail("the first line announces " + std::to_string(rows) + " rows, here is one more");
    for (std::size_t column = 0; column < std::min(width, fields.size()); ++column)
      values.push_back(number(file, fields, column));
    if (fields.size() != width)
      file.fail(std::min(width, fields.size()),
                "expected " + std::to_string(width) + " columns, found " + std::to_string(fields.size()));
    lines.push_back(file.line());
    if (classes && values.back() != 0 && values.back() != 1)
      file.fail(width - 1, "expected the class, 0 or 1, found '" + fields.back() + "'");
  }
  if (row != rows)
    file.fail("the file ends after " + std::to_string(row) + " rows, the first line announces " +
              std::to_string(rows));

  using row_major = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Map<const row_major> numbers(values.data(), rows, features + 1);
  for (Eigen::Index j = 0; j < features - not_standardised; ++j) {
    const double range = numbers.col(j).maxCoeff() - numbers.col(j).minCoeff();
    const std::string column = path + ", column " + std::to_string(j + 1);
    if (range == 0)
      throw table_error(column + ": all rows hold the same value, so it cannot be standardised");
    // the squares that a standard deviation sums
    if (!std::isfinite(range * range * static_cast<double>(rows)) ||
        !std::isnormal(range * range / static_cast<double>(rows)))
      throw table_error(column + ": its numbers are too far apart, or too close, to be standardised");
  }
  if (numbers.col(features).minCoeff() == numbers.col(features).maxCoeff() && !classes)
    throw table_error(path + ": the outcome is the same in all rows");
  return {read_names(path, features),
          {head.begin() + 2, head.end()},
          numbers.leftCols(features),
          numbers.col(features),
          path,
          std::move(lines)};
}

void table::fail(Eigen::Index row, Eigen::Index column, const std::string& what) const {
  fail_at(path, lines[static_cast<std::size_t>(row)], static_cast<std::size_t>(column), what);
}

}  // namespace example
