#pragma once
// Reading a table of labelled rows from a CSV file.

#include <stdexcept>
#include <string>
#include <vector>

#include <Eigen/Core>

namespace example {

/// A file that cannot be read or does not hold what it should; the message names file, line and column.
class table_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Rows of features, each with the class it belongs to.
struct labelled_table {
  std::vector<std::string> feature_names;
  std::string class_names[2];
  Eigen::MatrixXd features;  ///< rows x features
  Eigen::VectorXd classes;   ///< 0 or 1
};

/// Reads a file whose first line is `rows,features,name of class 0,name of class 1` and whose other lines are
/// the features and the class of one row. A file of the same name that ends in .names, if there is one, names
/// the features, one a line. Throws table_error.
labelled_table read_table(const std::string& path);

}  // namespace example
