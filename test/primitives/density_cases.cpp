// The list of densities, and densities.csv, which tools/density_table.py writes.

#include <fstream>
#include <map>

#include <support/numbers_in.hpp>

#include <primitives/density_cases.hpp>

namespace fusecl::test {

const std::vector<density_case>& density_cases() {
#define FUSECL_CASE(NAME) case_of<density::NAME>(),
#define FUSECL_CASES(NAME) case_of<density::NAME##_lcdf>(), case_of<density::NAME##_lccdf>(),
  static const std::vector<density_case> cases = {FUSECL_DENSITIES(FUSECL_CASE)
                                                      FUSECL_DISTRIBUTIONS(FUSECL_CASES)};
#undef FUSECL_CASES
#undef FUSECL_CASE
  return cases;
}

namespace {

std::map<std::string, std::vector<density_row>> read_rows() {
  std::map<std::string, std::vector<density_row>> rows;
  std::ifstream file(FUSECL_TEST_DIR "/primitives/densities.csv");
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(','), second = line.find(',', first + 1);
    density_row row{numbers_in(line.substr(first + 1, second - first - 1)), {}};
    const std::vector<double> numbers = numbers_in(line.substr(second + 1));
    for (std::size_t k = 0; k + 1 < numbers.size(); k += 2)
      row.results.push_back({numbers[k], numbers[k + 1]});
    rows[line.substr(0, first)].push_back(row);
  }
  return rows;
}

}  // namespace

const std::vector<density_row>& density_rows(const std::string& name) {
  static std::map<std::string, std::vector<density_row>> rows = read_rows();
  return rows[name];
}

}  // namespace fusecl::test
