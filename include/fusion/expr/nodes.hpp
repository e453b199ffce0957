#pragma once
// The nodes of the typed AST: element-wise operations of one to three operands, casts, broadcasts,
// reductions, index and constant leaves, and shared sub-expressions.

#include <memory>

#include <fusion/expr/expression.hpp>
#include <fusion/expr/kept_size.hpp>
#include <fusion/ops/arithmetic.hpp>

namespace fusecl {
namespace detail {

/// Result type of an operation, by its type rule (the graph applies the same rule).
constexpr scalar_type result_type(ir::type_rule rule, scalar_type a, scalar_type b = scalar_type::boolean,
                                  scalar_type c = scalar_type::boolean) {
  using ir::type_rule;
  const scalar_type all = a < b ? (b < c ? c : b) : (a < c ? c : a);
  switch (rule) {
    case type_rule::arithmetic:
      return promoted(all, all);
    case type_rule::floating:
      return floating(all);
    case type_rule::selection:
      return b == scalar_type::boolean && c == scalar_type::boolean ? b : promoted(b, c);
    case type_rule::scaled:
      return floating(a);
    default:
      return scalar_type::boolean;
  }
}

/// Size shared by operands of which scalars fit any.
template <class A, class B>
std::int64_t common_rows(const A& a, const B& b) {
  if constexpr (A::is_scalar) return B::is_scalar && a.rows() > 0 ? a.rows() : b.rows();
  if constexpr (B::is_scalar) return a.rows();
  const std::int64_t rows = a.rows();
  return rows < 0 ? b.rows() : rows;
}
template <class A, class B>
std::int64_t common_cols(const A& a, const B& b) {
  if constexpr (A::is_scalar) return B::is_scalar && a.cols() > 0 ? a.cols() : b.cols();
  if constexpr (B::is_scalar) return a.cols();
  const std::int64_t cols = a.cols();
  return cols < 0 ? b.cols() : cols;
}

/// A bit for each operand that is a matrix, from the first one on; `ids` are their nodes. A number that has
/// the type of a matrix, as an argument of a density may, is none: its size is free or that of what it stands
/// for.
template <class... Operands>
std::uint32_t matrices_among(lowering& low, const ir::node_id* ids, const Operands&... operands) {
  std::uint32_t matrices = 0, bit = 1;
  const auto add = [&](bool is_scalar, const auto& a) {
    if (!is_scalar && (!low.graph()[*ids].is_scalar() || (a.rows() == 1 && a.cols() == 1))) matrices |= bit;
    bit <<= 1;
    ++ids;
  };
  (add(Operands::is_scalar, operands), ...);
  return matrices;
}

/// What a matrix is to the expressions that name it (matrix/matrix_state.hpp).
class state_ref;
/// Whether an expression has at any time the size of one matrix that it names.
template <class E>
concept sized_by_matrix = std::is_same_v<decltype(std::declval<const E&>().sized()), const state_ref&>;

/// Throws std::invalid_argument unless the sizes of two expressions, or of two matrices that they name,
/// agree.
template <class A, class B>
void check_same_shape(const char* function, const char* name_a, const A& a, const char* name_b, const B& b) {
  check_same_shape(function, name_a, a.rows(), a.cols(), name_b, b.rows(), b.cols());
}
void check_same_shape(const char* function, const char* name_a, const state_ref& a, const char* name_b,
                      const state_ref& b);
template <class A, class B>
void check_sizes(const char* function, const char* name_a, const A& a, const char* name_b, const B& b) {
  if constexpr (!A::is_scalar && !B::is_scalar)
    check_same_shape(function, name_a, a.sized(), name_b, b.sized());
}

}  // namespace detail

template <class Op, class A>
struct unary;
template <class Op, class A, class B>
struct binary;
template <class Op, class A, class B, class C>
struct ternary;
template <scalar_type Type, class A>
struct converted;
template <class A>
struct shared_expression;

namespace detail {

template <class Op, class A>
inline constexpr bool may_be_number<unary<Op, A>> = may_be_number<A>;
template <class Op, class A, class B>
inline constexpr bool may_be_number<binary<Op, A, B>> = may_be_numbers<A, B>;
template <class Op, class A, class B, class C>
inline constexpr bool may_be_number<ternary<Op, A, B, C>> = may_be_numbers<A, B, C>;
template <scalar_type Type, class A>
inline constexpr bool may_be_number<converted<Type, A>> = may_be_number<A>;
template <class A>
inline constexpr bool may_be_number<shared_expression<A>> = may_be_number<A>;

}  // namespace detail

namespace detail {

/// The node that stands for `x` inside of a larger expression (expr/erased.hpp).
template <operand T>
auto as_operand(T&& x);
/// Tag of constructors that are given what the user wrote, and make each operand in its place: moved once,
/// whatever its size.
struct from_operands {};

}  // namespace detail

template <class Op, class A>
struct unary
    : expression<unary<Op, A>>,
      detail::number_conversion<unary<Op, A>, detail::result_type(Op::types, A::type), A::is_scalar, A> {
  using expression<unary<Op, A>>::operator=;
  using operand_types = detail::types<A>;
  using operation = Op;
  static constexpr scalar_type type = detail::result_type(Op::types, A::type);
  static constexpr bool is_scalar = A::is_scalar;
  A a;

  template <class X>
  unary(detail::from_operands, X&& operand) : a(detail::as_operand(std::forward<X>(operand))) {}
  std::int64_t rows() const { return a.sized().rows(); }
  std::int64_t cols() const { return a.sized().cols(); }
  const auto& sized() const { return a.sized(); }
  void gather(binder& b) const { a.gather(b); }
  ir::node_id lower(lowering& low) const { return low.apply(Op::record(), a.lower(low)); }
};

template <class Op, class A, class B>
struct binary : expression<binary<Op, A, B>>,
                detail::number_conversion<binary<Op, A, B>, detail::result_type(Op::types, A::type, B::type),
                                          A::is_scalar && B::is_scalar, A, B> {
  using expression<binary<Op, A, B>>::operator=;
  using operand_types = detail::types<A, B>;
  using operation = Op;
  static constexpr scalar_type type = detail::result_type(Op::types, A::type, B::type);
  static constexpr bool is_scalar = A::is_scalar && B::is_scalar;
  A a;
  B b;

  template <class X, class Y>
  binary(detail::from_operands, const char* function, X&& first, Y&& second)
      : a(detail::as_operand(std::forward<X>(first))), b(detail::as_operand(std::forward<Y>(second))) {
    if constexpr (!A::is_scalar && !B::is_scalar)
      detail::check_same_shape(function, "a", a.sized(), "b", b.sized());
  }
  std::int64_t rows() const { return detail::common_rows(a, b); }
  std::int64_t cols() const { return detail::common_cols(a, b); }
  const auto& sized() const {
    if constexpr (A::is_scalar && !B::is_scalar)
      return b.sized();
    else if constexpr ((B::is_scalar && !A::is_scalar) || detail::sized_by_matrix<A>)
      return a.sized();
    else
      return *this;
  }
  void gather(binder& bound) const {
    a.gather(bound);
    b.gather(bound);
  }
  ir::node_id lower(lowering& low) const {
    const ir::node_id operands[] = {a.lower(low), b.lower(low)};
    return low.apply(Op::record(), operands, detail::matrices_among(low, operands, a, b));
  }
};

namespace detail {

/// What messages call the operands of an operation of three: as its pages do.
template <class Op>
inline constexpr const char* operand_names[] = {"a", "b", "c"};
template <>
inline constexpr const char* operand_names<op::select>[] = {"c", "x", "y"};

}  // namespace detail

template <class Op, class A, class B, class C>
struct ternary : expression<ternary<Op, A, B, C>>,
                 detail::number_conversion<ternary<Op, A, B, C>,
                                           detail::result_type(Op::types, A::type, B::type, C::type),
                                           A::is_scalar && B::is_scalar && C::is_scalar, A, B, C> {
  using expression<ternary<Op, A, B, C>>::operator=;
  using operand_types = detail::types<A, B, C>;
  using operation = Op;
  static constexpr scalar_type type = detail::result_type(Op::types, A::type, B::type, C::type);
  static constexpr bool is_scalar = A::is_scalar && B::is_scalar && C::is_scalar;
  A a;
  B b;
  C c;

  template <class X, class Y, class Z>
  ternary(detail::from_operands, const char* function, X&& first, Y&& second, Z&& third)
      : a(detail::as_operand(std::forward<X>(first))),
        b(detail::as_operand(std::forward<Y>(second))),
        c(detail::as_operand(std::forward<Z>(third))) {
    const auto& names = detail::operand_names<Op>;
    detail::check_sizes(function, names[0], a, names[1], b);
    detail::check_sizes(function, names[0], a, names[2], c);
    detail::check_sizes(function, names[1], b, names[2], c);
  }
  std::int64_t rows() const {
    if constexpr (A::is_scalar) return detail::common_rows(b, c);
    const std::int64_t own = a.rows();
    return own < 0 && !(B::is_scalar && C::is_scalar) ? detail::common_rows(b, c) : own;
  }
  std::int64_t cols() const {
    if constexpr (A::is_scalar) return detail::common_cols(b, c);
    const std::int64_t own = a.cols();
    return own < 0 && !(B::is_scalar && C::is_scalar) ? detail::common_cols(b, c) : own;
  }
  void gather(binder& bound) const {
    a.gather(bound);
    b.gather(bound);
    c.gather(bound);
  }
  ir::node_id lower(lowering& low) const {
    const ir::node_id operands[] = {a.lower(low), b.lower(low), c.lower(low)};
    return low.apply(Op::record(), operands, detail::matrices_among(low, operands, a, b, c));
  }
};

template <scalar_type Type, class A>
struct converted : expression<converted<Type, A>>,
                   detail::number_conversion<converted<Type, A>, Type, A::is_scalar, A> {
  using expression<converted<Type, A>>::operator=;
  using operand_types = detail::types<A>;
  static constexpr scalar_type type = Type;
  static constexpr bool is_scalar = A::is_scalar;
  A a;

  explicit converted(A operand) : a(std::move(operand)) {}
  std::int64_t rows() const { return a.rows(); }
  std::int64_t cols() const { return a.cols(); }
  void gather(binder& b) const { a.gather(b); }
  ir::node_id lower(lowering& low) const { return low.graph().cast(Type, a.lower(low)); }
};

/// Repeats one row (Colwise), one column (Rowwise) or one element (both) as often as its user needs, or to
/// the sizes given. `Optional` broadcasts only where the operand has size one.
template <bool Colwise, bool Rowwise, bool Optional, class A>
struct broadcasted : expression<broadcasted<Colwise, Rowwise, Optional, A>> {
  using expression<broadcasted<Colwise, Rowwise, Optional, A>>::operator=;
  using operand_types = detail::types<A>;
  static constexpr scalar_type type = A::type;
  static constexpr bool is_scalar = false;
  A a;
  std::int64_t rows_;
  std::int64_t cols_;

  broadcasted(const char* function, A operand, std::int64_t rows = free_size, std::int64_t cols = free_size)
      : a(std::move(operand)), rows_(rows), cols_(cols) {
    if constexpr (!A::is_scalar && !Optional) {
      if ((Colwise && a.rows() != 1) || (Rowwise && a.cols() != 1))
        detail::refuse_repeated(function, a.rows(), a.cols(), Colwise, Rowwise);
    }
  }
  bool repeats_rows() const { return Colwise && (!Optional || a.rows() == 1); }
  bool repeats_cols() const { return Rowwise && (!Optional || a.cols() == 1); }
  std::int64_t rows() const { return A::is_scalar || repeats_rows() ? rows_ : a.rows(); }
  std::int64_t cols() const { return A::is_scalar || repeats_cols() ? cols_ : a.cols(); }
  void gather(binder& b) const {
    a.gather(b);
    if constexpr (Optional) b.choice((repeats_rows() ? 1u : 0u) | (repeats_cols() ? 2u : 0u));
    b.extents(rows(), cols());
  }
  ir::node_id lower(lowering& low) const {
    const ir::node_id operand = a.lower(low);
    bool repeat_rows = Colwise, repeat_cols = Rowwise;
    if constexpr (Optional) {
      const std::uint32_t choice = low.next_word();
      repeat_rows = choice & 1u;
      repeat_cols = choice & 2u;
    }
    const ir::extent rows = low.extents();
    low.graph().unify(repeat_rows ? ir::one : rows, low.graph()[operand].rows);
    low.graph().unify(repeat_cols ? ir::one : rows + 1, low.graph()[operand].cols);
    if (!repeat_rows && !repeat_cols) return operand;
    return low.graph().broadcast(operand, rows, rows + 1);
  }
};

/// 0-based number of the row (or column) of each element, as int.
template <bool Row>
struct index_leaf : expression<index_leaf<Row>> {
  using expression<index_leaf<Row>>::operator=;
  static constexpr scalar_type type = scalar_type::int32;
  static constexpr bool is_scalar = false;
  std::int64_t rows_;
  std::int64_t cols_;

  index_leaf(std::int64_t rows, std::int64_t cols) : rows_(rows), cols_(cols) {}
  std::int64_t rows() const { return rows_; }
  std::int64_t cols() const { return cols_; }
  void gather(binder& b) const { b.extents(rows_, cols_); }
  ir::node_id lower(lowering& low) const {
    const ir::extent rows = low.extents();
    return Row ? low.graph().row_index(rows, rows + 1) : low.graph().col_index(rows, rows + 1);
  }
};

/// A complete reduction per row, per column or of everything; the last is a scalar expression. A size that
/// the operand does not state comes from the other expressions of its statement.
template <class Op, ir::axis Axis, class A>
struct reduction
    : expression<reduction<Op, Axis, A>>,
      detail::number_conversion<reduction<Op, Axis, A>, promoted(A::type, A::type), Axis == ir::axis::all> {
  using expression<reduction<Op, Axis, A>>::operator=;
  using operand_types = detail::types<A>;
  static constexpr scalar_type type = promoted(A::type, A::type);
  static constexpr bool is_scalar = Axis == ir::axis::all;
  A a;

  reduction(const char* function, A operand) : a(std::move(operand)) {
    detail::check_countable(function, a.rows(), a.cols(), true);
  }
  std::int64_t rows() const { return Axis == ir::axis::row ? a.rows() : 1; }
  std::int64_t cols() const { return Axis == ir::axis::column ? a.cols() : 1; }
  void gather(binder& b) const { a.gather(b); }
  ir::node_id lower(lowering& low) const { return low.graph().reduce(Op::record(), Axis, a.lower(low)); }
};

/// A handle to a sub-expression: however often it is used, it is walked and computed once.
template <class A>
struct shared_expression : expression<shared_expression<A>>,
                           detail::number_conversion<shared_expression<A>, A::type, A::is_scalar, A> {
  using expression<shared_expression<A>>::operator=;
  using operand_types = detail::types<A>;
  static constexpr scalar_type type = A::type;
  static constexpr bool is_scalar = A::is_scalar;
  std::shared_ptr<const A> a;

  explicit shared_expression(A operand) {
    const auto owner = std::make_shared<const held>(std::move(operand));
    a = std::shared_ptr<const A>(owner, &owner->operand);
    size_ = &owner->size;
  }
  std::int64_t rows() const { return size_->rows(*a); }
  std::int64_t cols() const { return size_->cols(*a); }
  void gather(binder& b) const {
    if (b.first_visit(a.get())) a->gather(b);
  }
  ir::node_id lower(lowering& low) const { return low.shared(*a); }

 private:
  struct held {
    explicit held(A given) : operand(std::move(given)) {}
    A operand;
    detail::kept_size size;
  };
  const detail::kept_size* size_;  // lives as long as what `a` points to
};

}  // namespace fusecl
