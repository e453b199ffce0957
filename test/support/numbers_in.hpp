#pragma once
// Numbers in texts, as in the tables of references.

#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

namespace fusecl::test {

/// The numbers of a line, decimal or hexadecimal.
inline std::vector<double> numbers_in(const std::string& line, char separator = ' ') {
  std::vector<double> numbers;
  std::istringstream cells(line);
  for (std::string cell; std::getline(cells >> std::ws, cell, separator);)
    numbers.push_back(std::strtod(cell.c_str(), nullptr));
  return numbers;
}

}  // namespace fusecl::test
