#pragma once
// Reading a table of features and outcomes from a CSV file.

#include <cstdint>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "text_file.hpp"

namespace example {

/// What the last column of a table holds.
enum class outcome_type { two_classes, number };

/// Rows of features, each with an outcome.
struct table {
  std::vector<std::string> feature_names;
  std::vector<std::string> outcome_names;  ///< of class 0 and class 1, or of the number
  Eigen::MatrixXd features;                ///< rows x features
  Eigen::VectorXd outcome;                 ///< classes are 0 or 1
  std::string path;                        ///< where it was read
  std::vector<std::int64_t> lines;         ///< of the file, from 1, in which the rows are

  /// Throws table_error that names the place of an element in the file. Row and column count from 0; that of
  /// the outcome is after all features.
  [[noreturn]] void fail(Eigen::Index row, Eigen::Index column, const std::string& what) const;
};

/// Without the spaces around it.
std::string_view trimmed(std::string_view text);
/// The fields of a line that was read, which may be quoted.
std::vector<std::string> split(const text_file& file, const std::string& line);
/// A finite number, which may have spaces around it, in the field of a column.
double number(const text_file& file, const std::vector<std::string>& fields, std::size_t column);

/// Reads a file whose first line is `rows,features,name of class 0,name of class 1` or
/// `rows,features,name of the outcome`, and whose other lines are the features and the outcome of one row. A
/// file of the same name that ends in .names, if there is one, names the features, one a line. Throws
/// table_error, also where features cannot be standardised, of which the last `not_standardised` need not.
table read_table(const std::string& path, outcome_type type, Eigen::Index not_standardised = 0);

}  // namespace example
