#pragma once
// The table of reference values (reference.csv, made by tools/accuracy_table.py) and the test that compares
// one function of the library with it. Files of this folder add cases: a function, a type and how to evaluate
// it.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <fusion/fusion.hpp>
#include <fusion/ops/registry.hpp>

namespace fusecl::test {

/// One line of the table. Errors are counted in units in the last place of `scale`.
struct reference_row {
  long double operands[3];
  long double value;
  long double scale;
};

/// The lines of a function, in the order of the table; empty where it has none.
const std::vector<reference_row>& reference_rows(std::string_view function);
/// The functions of the table.
std::vector<std::string> referenced_functions();

/// The lines whose operands are normal numbers of type T or special values.
template <class T>
std::vector<reference_row> rows_exact_in(std::string_view function);

/// Compares device results, one for each row, with the table: special values and zeros exactly, others within
/// the accuracy of the record. Results that T cannot hold must be infinite; float results below its normal
/// range may be flushed to zero.
template <class T>
void expect_accurate(const ir::operation& op, const std::vector<reference_row>& rows,
                     const std::vector<T>& results);

/// "log(0x1.8p+1)".
std::string call_text(const ir::operation& op, const reference_row& row);

/// Operand `k` of all rows, on the device.
template <class T, class Element = T>
matrix_cl<Element> operand(const std::vector<reference_row>& rows, int k) {
  Eigen::Matrix<Element, Eigen::Dynamic, 1> column(static_cast<Eigen::Index>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i)
    column[static_cast<Eigen::Index>(i)] = static_cast<Element>(rows[i].operands[k]);
  return matrix_cl<Element>(column);
}

/// Evaluates an expression of the rows' operands on the device and compares.
template <class T, class Expression>
void expect_accurate_on_device(const ir::operation& op, const std::vector<reference_row>& rows,
                               const Expression& expression) {
  const auto column = from_matrix_cl(expression);
  expect_accurate<T>(op, rows, std::vector<T>(column.data(), column.data() + column.size()));
}

/// A function at one element type.
struct accuracy_case {
  std::string name;
  bool in_double;
  void (*check)();
};
inline void PrintTo(const accuracy_case& c, std::ostream* out) { *out << c.name; }

/// Runs one case.
class Accuracy : public ::testing::TestWithParam<accuracy_case> {};

/// Case NAME_TYPE of a function; the expression is made of operands a, b, c.
#define FUSECL_ACCURACY_CASE(NAME, TYPE, ...)                                                    \
  cases.push_back({#NAME "_" #TYPE, std::is_same_v<TYPE, double>, [] {                           \
                     using T = TYPE;                                                             \
                     const auto& op = op::NAME::record();                                        \
                     const std::vector<reference_row> rows = rows_exact_in<T>(op.name);          \
                     ASSERT_FALSE(rows.empty()) << "no reference values: add them to the table"; \
                     expect_accurate_on_device<T>(op, rows, __VA_ARGS__);                        \
                   }});
#define FUSECL_ACCURACY_CASES(NAME, ...)          \
  FUSECL_ACCURACY_CASE(NAME, double, __VA_ARGS__) \
  FUSECL_ACCURACY_CASE(NAME, float, __VA_ARGS__)

#define FUSECL_INSTANTIATE_ACCURACY(KIND, CASES)                         \
  INSTANTIATE_TEST_SUITE_P(KIND, Accuracy, ::testing::ValuesIn(CASES()), \
                           [](const auto& test) { return test.param.name; });

}  // namespace fusecl::test
