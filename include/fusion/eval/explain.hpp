#pragma once
// What the compiler makes of an expression, without running it: graph before and after each pass, steps,
// kernels, bytes, operations and predicted time.

#include <string>
#include <vector>

#include <fusion/eval/check_cl.hpp>
#include <fusion/eval/results.hpp>

namespace fusecl {

/// One kernel of an explanation.
struct explained_kernel {
  std::string name;
  std::string source;           ///< OpenCL C of the program it is in
  std::string reason;           ///< why it is apart from the kernel before; empty for the first
  double measured_seconds = 0;  ///< when it ran last; 0 where that was not measured
};

struct explanation {
  std::vector<explained_kernel> kernels;                    ///< in launch order
  std::vector<std::pair<std::string, std::string>> graphs;  ///< stage ("as written", pass name), text
  std::string plan;
  std::string dot;  ///< Graphviz picture of the final graph
  std::int64_t bytes_read = 0;
  std::int64_t bytes_written = 0;
  double flops = 0;
  double predicted_seconds = 0;  ///< bytes over the device's measured copy bandwidth
  double measured_seconds = 0;   ///< of all kernels when they ran last with these sizes; 0 where not measured
  double bandwidth = 0;          ///< bytes per second of a plain copy, measured
  std::string device;
  std::string note;  ///< on numbers of type double among float operands; else empty

  /// Everything above except the picture, for a reader: first what it amounts to, and of the passes those
  /// that changed the graph.
  std::string text() const;
};
std::ostream& operator<<(std::ostream& out, const explanation& e);

namespace detail {
explanation explain_statement(const statement& s, const binder& bound);
/// As kernel_source_of (eval/results.hpp), with the comments that kernels have.
std::string commented_kernels_of(const statement& s, const binder& bound);
matrix_cl_view view_of_statement(const statement& s, const binder& bound);
}  // namespace detail

/// Explains the evaluation of an expression into a matrix of its element type.
template <expression_like E>
explanation explain(const E& expression) {
  using Node = node_of<const E&>;
  const Node e = as_operation_cl(expression);
  const void* expressions[] = {&e};
  matrix_cl<cpp_type<Node::type>> target;
  detail::result_slot slot{&target, Node::type, detail::result_rows(e), detail::result_cols(e),
                           "the expression"};
  binder bound;
  e.gather(bound);
  return detail::explain_statement({&detail::type_of_statement<matrix_cl<cpp_type<Node::type>>, Node>,
                                    expressions, detail::lower_nth<Node>, &slot, 1},
                                   bound);
}

/// The kernels that would evaluate `e` into `target`, without comments; `explain` has them with these.
template <class Target, node E>
std::string kernel_source(const Target& target, const E& e) {
  const void* expressions[] = {&e};
  detail::result_slot slot{const_cast<Target*>(&target), Target::leaf_type, detail::result_rows(e),
                           detail::result_cols(e), "the expression"};
  binder bound;
  e.gather(bound);
  return detail::kernel_source_of(
      {&detail::type_of_statement<Target, E>, expressions, detail::lower_nth<E>, &slot, 1}, bound);
}

/// The kernels that would look at the condition of a check.
template <class V, node C>
std::string kernel_source(const detail::check_target<V>& target, const C& condition) {
  detail::check_list list;
  list.add(target.check_of(condition));
  return kernel_source(matrix_cl<int>(), detail::first_failed(list.computed()));
}

/// The kernel that would write `e` to a part that it does not read.
template <element T, class Node, node E>
std::string kernel_source(const assignable<T, Node>& part, const E& e) {
  const void* expressions[] = {&e};
  const detail::matrix_place<T> elements = part.writable_elements();
  detail::check_part(part, detail::result_rows(e), detail::result_cols(e));
  detail::result_slot slot{elements.matrix, scalar_type_v<T>, part.rows(),
                           part.cols(),     "the expression", &elements.place};
  binder bound;
  e.gather(bound);
  detail::gather_places(bound, &slot, 1);
  return detail::kernel_source_of({&detail::type_of_statement<detail::part_tag, matrix_cl<T>, E>, expressions,
                                   detail::lower_nth<E>, &slot, 1},
                                  bound);
}

/// View that the result of `e` would have.
template <node E>
matrix_cl_view result_view(const E& e) {
  const void* expressions[] = {&e};
  detail::result_slot slot{nullptr, E::type, detail::result_rows(e), detail::result_cols(e),
                           "the expression"};
  binder bound;
  e.gather(bound);
  return detail::view_of_statement({nullptr, expressions, detail::lower_nth<E>, &slot, 1}, bound);
}

}  // namespace fusecl

#ifndef FUSECL_SPLIT
#include <fusion/eval/explain.ipp>
#endif
