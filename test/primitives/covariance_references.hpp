#pragma once
// Lines of covariance_references.csv.

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <Eigen/Dense>

namespace fusecl::test {

struct covariance_reference {
  std::vector<Eigen::MatrixXd> matrices;

  const Eigen::MatrixXd& operator[](std::size_t k) const { return matrices[k]; }
  double number(std::size_t k) const { return matrices[k](0, 0); }
};

/// By the name of the function.
inline const std::multimap<std::string, covariance_reference>& covariance_references() {
  static const auto all = [] {
    std::multimap<std::string, covariance_reference> read;
    std::ifstream file(FUSECL_TEST_DIR "/primitives/covariance_references.csv");
    for (std::string line; std::getline(file, line);) {
      std::istringstream parts(line);
      std::string name, part;
      std::getline(parts, name, ',');
      covariance_reference row;
      while (std::getline(parts, part, ',')) {
        std::istringstream words(part);
        Eigen::Index rows = 0, cols = 0;
        words >> rows >> cols;
        Eigen::MatrixXd m(rows, cols);
        std::string word;
        for (Eigen::Index k = 0; k < m.size() && words >> word; ++k)
          m.data()[k] = std::strtod(word.c_str(), nullptr);
        row.matrices.push_back(m);
      }
      read.emplace(name, row);
    }
    return read;
  }();
  return all;
}

}  // namespace fusecl::test
