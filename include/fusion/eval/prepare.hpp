#pragma once
// Building ahead: everything a statement needs, without running it. What was prepared for the operands it
// will have builds nothing afterwards, also after `freeze()`.

#include <fusion/eval/results.hpp>

namespace fusecl {

/// Builds what `target = e` needs.
template <element T, expression_like E>
void prepare(matrix_cl<T>& target, const E& expression) {
  using Node = node_of<const E&>;
  const Node e = as_operation_cl(expression);
  const void* expressions[] = {&e};
  detail::result_slot slot{&target, scalar_type_v<T>, detail::result_rows(e), detail::result_cols(e),
                           "the result"};
  binder bound;
  e.gather(bound);
  evaluation::prepare(
      {&detail::type_of_statement<matrix_cl<T>, Node>, expressions, detail::lower_nth<Node>, &slot, 1},
      bound);
}

/// Builds what `part = e` needs.
template <element T, class Node, operand E>
void prepare(const assignable<T, Node>& part, const E& expression) {
  const detail::preparing_here here;
  part = expression;
}

/// Builds what a new matrix of the expression's element type, or the number that a scalar expression gives,
/// needs.
template <expression_like E>
void prepare(const E& expression) {
  matrix_cl<value_type_of<const E&>> target;
  prepare(target, expression);
}

/// Builds what `left = right` needs: `prepare(results(r, s), expressions(a, b))`.
template <class... Targets, class... Es>
void prepare(const result_list<Targets...>& left, const expression_list<Es...>& right) {
  left.prepare(right);
}

}  // namespace fusecl
