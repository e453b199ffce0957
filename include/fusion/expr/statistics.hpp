#pragma once
// Functions of rows, of columns and of everything that are made of reductions and element-wise operations:
// log_sum_exp and softmax, mean, variance and sd, inner products, norms and distances. Each exists as
// rowwise_NAME (rows x 1 or rows x cols), colwise_NAME and NAME. As they are plain expressions, schedules and
// derivatives know none of them.

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>

#include <fusion/expr/reductions.hpp>

namespace fusecl {
namespace detail {

/// `a` in floating point: integers become double.
template <sized_operand A>
auto floating_operand(A&& a) {
  if constexpr (is_floating(node_of<A>::type))
    return as_operation_cl(std::forward<A>(a));
  else
    return cast<double>(as_operation_cl(std::forward<A>(a)));
}

template <class A>
inline constexpr bool is_handle = std::is_same_v<typename A::operand_types, types<>>;
template <class A>
inline constexpr bool is_handle<shared_expression<A>> = true;
template <scalar_type Type, bool IsScalar, bool IsReduced, class... Leaves>
inline constexpr bool is_handle<erased<Type, IsScalar, IsReduced, Leaves...>> = true;

/// `a` for use in several places; leaves are their own handles.
template <node A>
auto reused(A a) {
  if constexpr (is_handle<A>)
    return a;
  else
    return shared(std::move(a));
}

template <class Op, ir::axis Axis, node A>
auto reduced(const char* function, A a) {
  return reduction<Op, Axis, A>(function, std::move(a));
}

/// What was reduced along an axis, repeated along it.
template <ir::axis Axis, node A>
auto repeated(A a) {
  if constexpr (Axis == ir::axis::row)
    return rowwise_broadcast(std::move(a));
  else if constexpr (Axis == ir::axis::column)
    return colwise_broadcast(std::move(a));
  else
    return a;
}

/// How many elements of `a` each result of a reduction is made of, less `Less` but at least one, as a number
/// of the type of `a`. Known when the statement is evaluated.
template <ir::axis Axis, std::int64_t Less, node A>
struct element_count : expression<element_count<Axis, Less, A>>,
                       converts_to_number<element_count<Axis, Less, A>, cpp_type<A::type>> {
  static constexpr scalar_type type = A::type;
  static constexpr bool is_scalar = true;
  const char* function;
  A a;
  std::uint64_t origin = new_origin();

  element_count(const char* name, A operand) : function(name), a(std::move(operand)) { value(); }
  std::int64_t rows() const { return free_size; }
  std::int64_t cols() const { return free_size; }
  /// Throws std::invalid_argument where a result is made of nothing.
  cpp_type<type> value() const {
    check_countable(function, a.rows(), a.cols());
    const std::int64_t results = Axis == ir::axis::row ? a.rows() : Axis == ir::axis::column ? a.cols() : 1;
    const auto each = (Axis == ir::axis::row ? 1.0 : static_cast<double>(a.rows())) *
                      (Axis == ir::axis::column ? 1.0 : static_cast<double>(a.cols()));
    if (each == 0 && results > 0) throw std::invalid_argument(std::string(function) + ": a has no elements");
    return static_cast<cpp_type<type>>(std::max(each - static_cast<double>(Less), 1.0));
  }
  void gather(binder& b) const { b.scalar(value(), origin); }
  ir::node_id lower(lowering& low) const { return low.scalar(type); }
};

/// sqrt with derivative 0 at 0, where that of sqrt is infinite.
template <node A>
auto length_of(A squares) {
  const auto s = reused(std::move(squares));
  return select(s == 0, 0, sqrt(s));
}

template <ir::axis Axis, expression_like A>
auto log_sum_exp_along(const char* function, A&& a) {
  const auto x = reused(floating_operand(std::forward<A>(a)));
  const auto largest = reused(reduced<op::max, Axis>(function, x));
  // where the largest is infinite or NaN, so is the sum without a shift
  const auto shift = reused(stop_gradient(select(isfinite(largest), largest, 0)));
  const auto total = reused(reduced<op::sum, Axis>(function, exp(x - repeated<Axis>(shift))));
  // the derivative is 0 where all elements are -infinity, as of states that cannot be reached
  return shift + log(select(total == 0, 0, total));
}

/// Less the largest element, which derivatives need not know: softmax does not change with a shift.
template <ir::axis Axis, expression_like A>
auto shifted_along(const char* function, A&& a) {
  const auto x = reused(floating_operand(std::forward<A>(a)));
  return x - repeated<Axis>(stop_gradient(reduced<op::max, Axis>(function, x)));
}

template <ir::axis Axis, expression_like A>
auto softmax_along(const char* function, A&& a) {
  const auto powers = shared(exp(shifted_along<Axis>(function, std::forward<A>(a))));
  // a reciprocal of the sum, which is at least 1, and a product an element
  return elt_multiply(powers, repeated<Axis>(inv(reduced<op::sum, Axis>(function, powers))));
}

template <ir::axis Axis, expression_like A>
auto log_softmax_along(const char* function, A&& a) {
  const auto shifted = shared(shifted_along<Axis>(function, std::forward<A>(a)));
  return shifted - repeated<Axis>(log(reduced<op::sum, Axis>(function, exp(shifted))));
}

template <ir::axis Axis, expression_like A>
auto mean_along(const char* function, A&& a) {
  const auto x = reused(floating_operand(std::forward<A>(a)));
  return reduced<op::sum, Axis>(function, x) / element_count<Axis, 0, node_of<decltype(x)>>(function, x);
}

template <ir::axis Axis, expression_like A>
auto variance_along(const char* function, A&& a) {
  const auto x = reused(floating_operand(std::forward<A>(a)));
  const auto centred = x - repeated<Axis>(mean_along<Axis>(function, x));
  return reduced<op::sum, Axis>(function, square(centred)) /
         element_count<Axis, 1, node_of<decltype(x)>>(function, x);
}

template <ir::axis Axis, expression_like A>
auto sd_along(const char* function, A&& a) {
  const auto x = reused(floating_operand(std::forward<A>(a)));
  // a mean that rounds must not make a constant vary; infinities stay NaN
  const auto range = reduced<op::max, Axis>(function, x) - reduced<op::min, Axis>(function, x);
  return select(range == 0, 0, sqrt(variance_along<Axis>(function, x)));
}

/// `a`, transposed where it is a vector that lies across `other`, which is asked for its size only.
template <node A, node B>
struct laid_along : expression<laid_along<A, B>> {
  using expression<laid_along<A, B>>::operator=;
  using operand_types = types<A>;
  static constexpr scalar_type type = A::type;
  static constexpr bool is_scalar = false;
  A a;
  B other;

  laid_along(A operand, B along) : a(std::move(operand)), other(std::move(along)) {}
  bool is_turned() const {
    const std::int64_t rows = a.rows(), cols = a.cols();
    return rows != cols && (rows == 1 || cols == 1) && rows == other.cols() && cols == other.rows();
  }
  std::int64_t rows() const { return is_turned() ? a.cols() : a.rows(); }
  std::int64_t cols() const { return is_turned() ? a.rows() : a.cols(); }
  void gather(binder& b) const {
    a.gather(b);
    b.choice(is_turned() ? turned_vector | single_sizes_of(a.rows(), a.cols()) : 0u);
  }
  ir::node_id lower(lowering& low) const {
    const ir::node_id operand = a.lower(low);
    const std::uint32_t word = low.next_word();
    if (word == 0) return operand;
    state_single_sizes(low.graph(), operand, word & both_single);
    return ops::transposed(low.graph(), operand);
  }
};

/// The second operand of a function of all elements of two: vectors may lie either way.
template <ir::axis Axis, sized_operand A, sized_operand B>
auto second_operand(const char* function, const A& a, B&& b) {
  if constexpr (Axis == ir::axis::all && !node_of<A>::is_scalar && !node_of<B>::is_scalar) {
    check_pair(function, a.rows(), a.cols(), b.rows(), b.cols());
    return laid_along<operand_node<B>, operand_node<const A&>>(as_operand(std::forward<B>(b)), as_operand(a));
  } else {
    return as_operation_cl(std::forward<B>(b));
  }
}

template <ir::axis Axis, sized_operand A, sized_operand B>
auto dot_product_along(const char* function, A&& a, B&& b) {
  auto second = second_operand<Axis>(function, a, std::forward<B>(b));
  return reduced<op::sum, Axis>(function,
                                make_binary<op::multiply>(function, std::forward<A>(a), std::move(second)));
}

template <ir::axis Axis, expression_like A>
auto dot_self_along(const char* function, A&& a) {
  if constexpr (is_floating(node_of<A>::type)) {
    return reduced<op::sum, Axis>(function, square(std::forward<A>(a)));
  } else {
    const auto x = reused(as_operation_cl(std::forward<A>(a)));
    return reduced<op::sum, Axis>(function, elt_multiply(x, x));
  }
}

template <ir::axis Axis, expression_like A>
auto norm_along(const char* function, A&& a) {
  return length_of(dot_self_along<Axis>(function, floating_operand(std::forward<A>(a))));
}

template <ir::axis Axis, expression_like A>
auto norm1_along(const char* function, A&& a) {
  return reduced<op::sum, Axis>(function, fabs(std::forward<A>(a)));
}

template <ir::axis Axis, sized_operand A, sized_operand B>
auto squared_distance_along(const char* function, A&& a, B&& b) {
  auto second = floating_operand(second_operand<Axis>(function, a, std::forward<B>(b)));
  return dot_self_along<Axis>(
      function, make_binary<op::subtract>(function, floating_operand(std::forward<A>(a)), std::move(second)));
}

template <ir::axis Axis, sized_operand A, sized_operand B>
auto distance_along(const char* function, A&& a, B&& b) {
  return length_of(squared_distance_along<Axis>(function, std::forward<A>(a), std::forward<B>(b)));
}

}  // namespace detail

/// The functions of one operand, and of two; docs/operations.md says what each gives.
#define FUSECL_STATISTICS(X) \
  X(log_sum_exp) X(softmax) X(log_softmax) X(mean) X(variance) X(sd) X(dot_self) X(norm) X(norm1)
#define FUSECL_PAIR_STATISTICS(X) X(dot_product) X(squared_distance) X(distance)

#define FUSECL_STATISTIC_FUNCTIONS(NAME)                                                 \
  template <expression_like A>                                                           \
  auto rowwise_##NAME(A&& a) {                                                           \
    return detail::NAME##_along<ir::axis::row>("rowwise_" #NAME, std::forward<A>(a));    \
  }                                                                                      \
  template <expression_like A>                                                           \
  auto colwise_##NAME(A&& a) {                                                           \
    return detail::NAME##_along<ir::axis::column>("colwise_" #NAME, std::forward<A>(a)); \
  }                                                                                      \
  template <expression_like A>                                                           \
  auto NAME(A&& a) {                                                                     \
    return detail::NAME##_along<ir::axis::all>(#NAME, std::forward<A>(a));               \
  }
#define FUSECL_PAIR_FUNCTIONS(NAME)                                                                          \
  template <sized_operand A, sized_operand B>                                                                \
  requires(expression_like<A> || expression_like<B>) auto rowwise_##NAME(A&& a, B&& b) {                     \
    return detail::NAME##_along<ir::axis::row>("rowwise_" #NAME, std::forward<A>(a), std::forward<B>(b));    \
  }                                                                                                          \
  template <sized_operand A, sized_operand B>                                                                \
  requires(expression_like<A> || expression_like<B>) auto colwise_##NAME(A&& a, B&& b) {                     \
    return detail::NAME##_along<ir::axis::column>("colwise_" #NAME, std::forward<A>(a), std::forward<B>(b)); \
  }                                                                                                          \
  template <sized_operand A, sized_operand B>                                                                \
  requires(expression_like<A> || expression_like<B>) auto NAME(A&& a, B&& b) {                               \
    return detail::NAME##_along<ir::axis::all>(#NAME, std::forward<A>(a), std::forward<B>(b));               \
  }
FUSECL_STATISTICS(FUSECL_STATISTIC_FUNCTIONS)
FUSECL_PAIR_STATISTICS(FUSECL_PAIR_FUNCTIONS)
FUSECL_STATISTICS(FUSECL_REFUSE_OPERANDS)
FUSECL_PAIR_STATISTICS(FUSECL_REFUSE_OPERANDS)
#undef FUSECL_STATISTIC_FUNCTIONS
#undef FUSECL_PAIR_FUNCTIONS

/// The same as `norm`.
template <expression_like A>
auto norm2(A&& a) {
  return norm(std::forward<A>(a));
}
/// The names of Stan Math for what is done row by row and column by column.
template <sized_operand A, sized_operand B>
requires(expression_like<A> || expression_like<B>) auto rows_dot_product(A&& a, B&& b) {
  return rowwise_dot_product(std::forward<A>(a), std::forward<B>(b));
}
template <sized_operand A, sized_operand B>
requires(expression_like<A> || expression_like<B>) auto columns_dot_product(A&& a, B&& b) {
  return colwise_dot_product(std::forward<A>(a), std::forward<B>(b));
}
template <expression_like A>
auto rows_dot_self(A&& a) {
  return rowwise_dot_self(std::forward<A>(a));
}
template <expression_like A>
auto columns_dot_self(A&& a) {
  return colwise_dot_self(std::forward<A>(a));
}

}  // namespace fusecl
