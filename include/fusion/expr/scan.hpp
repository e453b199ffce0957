#pragma once
// Scans: each element becomes what those up to it in its row or column amount to.

#include <fusion/expr/structure.hpp>
#include <fusion/ops/scan.hpp>

namespace fusecl {

/// A scan of every row, of every column, or along a vector whichever way it lies (axis::all).
template <class Op, ir::axis Axis, class A>
struct scanned : expression<scanned<Op, Axis, A>> {
  using expression<scanned<Op, Axis, A>>::operator=;
  using operand_types = detail::types<A>;
  static constexpr scalar_type type = promoted(A::type, A::type);
  static constexpr bool is_scalar = false;
  A a;

  scanned(const char* function, A operand) : a(std::move(operand)) {
    detail::check_known_size(function, a.rows(), a.cols());
    if constexpr (Axis == ir::axis::all) detail::check_vector(function, a.rows(), a.cols());
  }
  std::int64_t rows() const { return a.rows(); }
  std::int64_t cols() const { return a.cols(); }
  void gather(binder& b) const {
    if constexpr (Axis == ir::axis::all) detail::check_vector(Op::record().name.data(), a.rows(), a.cols());
    a.gather(b);
    b.choice(detail::single_sizes_of(a.rows(), a.cols()));
  }
  ir::node_id lower(lowering& low) const {
    const ir::node_id operand = a.lower(low);
    const std::uint32_t singles = low.next_word();
    detail::state_single_sizes(low.graph(), operand, singles);
    const bool column = singles & detail::single_cols;
    const ir::axis axis = Axis != ir::axis::all ? Axis : column ? ir::axis::column : ir::axis::row;
    return low.graph().scan(Op::record(), axis, false, operand);
  }
};

namespace detail {
template <class Op, ir::axis Axis, class A>
inline constexpr bool is_reduced<scanned<Op, Axis, A>> = is_reduced<A>;
}  // namespace detail

/// `NAME` of a vector, `rowwise_NAME` and `colwise_NAME` of the rows and columns of a matrix; all of the size
/// of `a`. A NaN stays in all that follow it; integers wrap. `NAME` throws std::invalid_argument for a matrix
/// with several rows and columns.
#define FUSECL_SCAN_FUNCTIONS(NAME)                                                                  \
  template <expression_like A>                                                                       \
  requires(!node_of<A>::is_scalar) auto rowwise_##NAME(A&& a) {                                      \
    return scanned<op::NAME, ir::axis::row, node_of<A>>("rowwise_" #NAME,                            \
                                                        as_operation_cl(std::forward<A>(a)));        \
  }                                                                                                  \
  template <expression_like A>                                                                       \
  requires(!node_of<A>::is_scalar) auto colwise_##NAME(A&& a) {                                      \
    return scanned<op::NAME, ir::axis::column, node_of<A>>("colwise_" #NAME,                         \
                                                           as_operation_cl(std::forward<A>(a)));     \
  }                                                                                                  \
  template <expression_like A>                                                                       \
  requires(!node_of<A>::is_scalar) auto NAME(A&& a) {                                                \
    return scanned<op::NAME, ir::axis::all, node_of<A>>(#NAME, as_operation_cl(std::forward<A>(a))); \
  }
FUSECL_SCANS(FUSECL_SCAN_FUNCTIONS)
#undef FUSECL_SCAN_FUNCTIONS

}  // namespace fusecl
