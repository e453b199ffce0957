#pragma once
// Evaluation of an expression on the host, by the interpreter of its graph: slow, and the reference for what
// the device computes.

#include <fusion/eval/evaluate.hpp>
#include <fusion/eval/read_operands.hpp>
#include <fusion/matrix/matrix_cl.hpp>

namespace fusecl {
namespace detail {

/// Value of the statement's only result, in extended precision; `passes` runs the pipeline first.
ir::host_matrix reference_value(const statement& s, const binder& bound, bool passes);

}  // namespace detail

/// The value of an expression as the host interpreter computes it, rounded to its element type at every
/// operation. `passes` false interprets the expression as written.
template <expression_like E>
auto reference(const E& expression, bool passes = true) {
  using Node = node_of<const E&>;
  const Node e = as_operation_cl(expression);
  const void* expressions[] = {&e};
  detail::result_slot slot{nullptr, Node::type, e.rows(), e.cols(), "the result"};
  binder bound;
  e.gather(bound);
  const detail::statement s{nullptr, expressions, detail::lower_nth<Node>, &slot, 1};
  const ir::host_matrix value = detail::reference_value(s, bound, passes);
  Eigen::Matrix<cpp_type<Node::type>, Eigen::Dynamic, Eigen::Dynamic> result(value.rows, value.cols);
  for (Eigen::Index k = 0; k < result.size(); ++k)
    result.data()[k] = static_cast<cpp_type<Node::type>>(value.values[static_cast<std::size_t>(k)]);
  return result;
}

}  // namespace fusecl

#ifndef FUSECL_SPLIT
#include <fusion/eval/reference.ipp>
#endif
