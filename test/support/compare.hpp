#pragma once
// One call compares what the device computes with the host interpreter, within the bounds of
// eval/error_bounds.hpp.

#include <cmath>
#include <source_location>
#include <tuple>

#include <support/operands.hpp>

#include <fusion/eval/prepared.hpp>
#include <fusion/ops/error_bounds.hpp>
#include <fusion/passes/pass.hpp>

namespace fusecl::test {

/// What a statement should give, with the largest error that its operations may make on each element.
struct expected_values {
  ir::host_matrix values;
  list_of<long double> errors;
  std::string text;  ///< the expression
};

namespace detail {

using fusecl::detail::carried_errors, fusecl::detail::distance, fusecl::detail::unit_of;
using fusecl::ir::graph, fusecl::ir::host_matrix;
using long_doubles = list_of<long double>;

/// Interprets the graph as the user wrote it, or after the passes, and carries errors along.
inline expected_values expect_statement(const fusecl::detail::statement& s, const binder& bound,
                                        bool passes) {
  fusecl::detail::check_results(s);
  graph g = fusecl::detail::lower_statement(s, bound);
  if (passes) g = fusecl::passes::run_pipeline(g);
  const ir::host_bindings bindings = fusecl::detail::read_operands(bound);
  const list_of<host_matrix> values = ir::interpret(g, bindings);
  const list_of<long_doubles> errors = carried_errors(g, values, bindings);
  const auto root = static_cast<std::size_t>(g.roots[0]);
  expected_values result{values[root], errors[root], ir::formula(g, g.roots[0])};
  const auto wanted = static_cast<std::size_t>(s.results[0].rows * s.results[0].cols);
  if (result.values.values.size() == 1 && wanted != 1) {
    result.values.values.assign(wanted, result.values.values[0]);
    result.errors.assign(wanted, result.errors[0]);
  }
  result.values.rows = s.results[0].rows;
  result.values.cols = s.results[0].cols;
  return result;
}

inline std::string place(const std::source_location& where) {
  return std::string(where.file_name()) + ":" + std::to_string(where.line());
}

inline void compare(const expected_values& expected, const host_matrix& actual,
                    const std::source_location& where) {
  const std::string context = place(where) + ", seed " + std::to_string(base_seed()) + ", " +
                              std::to_string(actual.rows) + " x " + std::to_string(actual.cols) + ": " +
                              expected.text;
  ASSERT_EQ(actual.rows, expected.values.rows) << context;
  ASSERT_EQ(actual.cols, expected.values.cols) << context;
  std::size_t wrong = 0, unbounded = 0;
  for (std::size_t k = 0; k < actual.values.size(); ++k) {
    if (std::isinf(expected.errors[k]) || std::isnan(expected.errors[k])) {
      ++unbounded;
      continue;
    }
    const long double want = expected.values.values[k], got = actual.values[k];
    if (distance(want, got) <= expected.errors[k]) continue;
    if (++wrong > 3) continue;
    const auto row = static_cast<std::int64_t>(k) % actual.rows,
               col = static_cast<std::int64_t>(k) / actual.rows;
    ADD_FAILURE() << context << "\n  element (" << row << ", " << col << ") is " << static_cast<double>(got)
                  << ", should be " << static_cast<double>(want) << " within "
                  << static_cast<double>(expected.errors[k]);
  }
  if (wrong > 3)
    ADD_FAILURE() << context << "\n  " << wrong << " elements of " << actual.values.size() << " are wrong";
  EXPECT_LE(2 * unbounded, actual.values.size()) << context << "\n  the operands leave nothing to compare";
}

template <class T>
host_matrix widened(const host<T>& values) {
  host_matrix result{values.rows(), values.cols(), {}};
  for (Eigen::Index k = 0; k < values.size(); ++k)
    result.values.push_back(static_cast<long double>(values.data()[k]));
  return result;
}

}  // namespace detail

/// What `expression` should give for its operands as they are now.
template <expression_like E>
expected_values expected(const E& expression, bool passes = false) {
  using Node = node_of<const E&>;
  const Node e = as_operation_cl(expression);
  const void* expressions[] = {&e};
  fusecl::detail::result_slot slot{nullptr, Node::type, e.rows(), e.cols(), "the result"};
  binder bound;
  e.gather(bound);
  return detail::expect_statement({nullptr, expressions, fusecl::detail::lower_nth<Node>, &slot, 1}, bound,
                                  passes);
}

/// Compares a matrix on the device with what it should be; integers and bool exactly.
template <class T>
void expect_matches(const matrix_cl<T>& actual, const expected_values& wanted,
                    std::source_location where = std::source_location::current()) {
  detail::compare(wanted, detail::widened(from_matrix_cl(actual)), where);
}

/// Evaluates on the device and compares with the host interpreter of the expression as written (`passes`
/// false) or as the passes leave it, which differs where a rewrite avoids an overflow.
template <expression_like E>
void expect_matches_reference(const E& expression, bool passes = false,
                              std::source_location where = std::source_location::current()) {
  const expected_values wanted = expected(expression, passes);
  const matrix_cl<value_type_of<const E&>> actual(as_operation_cl(expression));
  expect_matches(actual, wanted, where);
}

/// The same for expressions of one size that one statement evaluates together, with one kernel to build.
template <expression_like... Es>
void expect_all_match_reference_at(std::source_location where, const Es&... es) {
  std::tuple<matrix_cl<value_type_of<const Es&>>...> actual;
  const expected_values wanted[] = {expected(es)...};
  std::apply([&](auto&... targets) { results(targets...) = expressions(as_operation_cl(es)...); }, actual);
  std::size_t k = 0;
  std::apply([&](auto&... targets) { (expect_matches(targets, wanted[k++], where), ...); }, actual);
}
#define EXPECT_ALL_MATCH_REFERENCE(...) \
  ::fusecl::test::expect_all_match_reference_at(std::source_location::current(), __VA_ARGS__)

/// Element by element, NaN equal to NaN.
template <class T>
void expect_same(const host<T>& actual, const host<T>& wanted,
                 std::source_location where = std::source_location::current()) {
  const expected_values exact{detail::widened(wanted),
                              list_of<long double>(static_cast<std::size_t>(wanted.size())), "host values"};
  detail::compare(exact, detail::widened(actual), where);
}

}  // namespace fusecl::test
