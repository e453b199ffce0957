// Reading the table, and the comparison itself.

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <limits>
#include <map>
#include <sstream>

#include <accuracy/reference.hpp>
#include <support/operands.hpp>

namespace fusecl::test {
namespace {

using table = std::map<std::string, std::vector<reference_row>, std::less<>>;

long double number(const std::string& text) { return std::strtold(text.c_str(), nullptr); }

table read_table() {
  table result;
  std::ifstream file(FUSECL_TEST_DIR "/accuracy/reference.csv");
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    std::string function, cell[5];
    std::getline(cells, function, ',');
    for (std::string& text : cell) std::getline(cells, text, ',');
    const long double value = number(cell[3]);
    result[function].push_back({{number(cell[0]), number(cell[1]), number(cell[2])},
                                value,
                                cell[4].empty() ? value : number(cell[4])});
  }
  return result;
}

const table& whole_table() {
  static const table rows = read_table();
  return rows;
}

/// Distance between neighbouring numbers of type T at |x|.
template <class T>
long double unit_in_the_last_place(long double x) {
  using limits = std::numeric_limits<T>;
  if (std::fabs(x) < limits::min()) return limits::denorm_min();
  return std::ldexp(1.0L, std::ilogb(x) - limits::digits + 1);
}

/// Error in units in the last place; infinite where a special value is missed.
template <class T>
long double error_in_ulp(const reference_row& row, T got) {
  using limits = std::numeric_limits<T>;
  const auto right = [](bool condition) {
    return condition ? 0 : std::numeric_limits<long double>::infinity();
  };
  if (std::isnan(row.value)) return right(std::isnan(got));
  const bool overflows = std::fabs(row.value) > limits::max();
  if (overflows) return right(std::isinf(got) && std::signbit(got) == std::signbit(row.value));
  if (row.value == 0) return right(got == 0);
  if (!std::isfinite(got)) return right(false);
  const long double error = std::fabs(got - row.value);
  // OpenCL lets a device flush float results below the normal range to zero; double results must be kept.
  if (std::is_same_v<T, float> && std::fabs(row.value) < limits::min() && error <= limits::min()) return 0;
  return error / unit_in_the_last_place<T>(row.scale);
}

bool exact_in_float(long double x) {
  const auto rounded = static_cast<float>(x);
  return std::isnan(x) || (rounded == x && (x == 0 || std::fabs(x) >= std::numeric_limits<float>::min()));
}

}  // namespace

const std::vector<reference_row>& reference_rows(std::string_view function) {
  static const std::vector<reference_row> none;
  const auto found = whole_table().find(function);
  return found == whole_table().end() ? none : found->second;
}

std::vector<std::string> referenced_functions() {
  std::vector<std::string> names;
  for (const auto& [name, rows] : whole_table()) names.push_back(name);
  return names;
}

template <class T>
std::vector<reference_row> rows_exact_in(std::string_view function) {
  std::vector<reference_row> result;
  for (const reference_row& row : reference_rows(function)) {
    bool exact = true;
    if constexpr (std::is_same_v<T, float>)
      for (long double x : row.operands) exact = exact && exact_in_float(x);
    if (exact) result.push_back(row);
  }
  return result;
}

std::string call_text(const ir::operation& op, const reference_row& row) {
  std::ostringstream text;
  text << op.name << "(" << std::setprecision(17);
  for (int k = 0; k < op.arity; ++k) text << (k > 0 ? ", " : "") << row.operands[k];
  text << ")";
  return text.str();
}

template <class T>
void expect_accurate(const ir::operation& op, const std::vector<reference_row>& rows,
                     const std::vector<T>& results) {
  ASSERT_EQ(rows.size(), results.size());
  constexpr int shown = 10;
  int wrong = 0;
  long double worst = 0;
  std::ostringstream list;
  list << std::setprecision(std::numeric_limits<T>::max_digits10 + 1);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const long double error = error_in_ulp(rows[i], results[i]);
    worst = std::max(worst, error);
    if (error <= op.ulp || ++wrong > shown) continue;
    list << "  " << call_text(op, rows[i]) << " is " << results[i] << ", expected " << rows[i].value
         << ", error " << error << " ulp\n";
  }
  ::testing::Test::RecordProperty("worst_ulp", std::to_string(worst));
  EXPECT_EQ(wrong, 0) << op.name << " in " << cpp_name(scalar_type_of<T>::value) << ", of " << rows.size()
                      << " values, with " << op.ulp << " ulp allowed:\n"
                      << list.str();
}

template std::vector<reference_row> rows_exact_in<double>(std::string_view);
template std::vector<reference_row> rows_exact_in<float>(std::string_view);
template void expect_accurate(const ir::operation&, const std::vector<reference_row>&,
                              const std::vector<double>&);
template void expect_accurate(const ir::operation&, const std::vector<reference_row>&,
                              const std::vector<float>&);

TEST_P(Accuracy, IsThatOfTheRecord) {
  FUSECL_SKIP_WITHOUT_DOUBLE_IF(GetParam().in_double);
  GetParam().check();
}

}  // namespace fusecl::test
