#pragma once
// Large expressions: beyond a number of nodes an operand is held behind one whose type no longer tells what
// is inside, so that types, and the code made for each, stay bounded however long an expression grows. The
// key then says what the type does not. Also the questions to a type that must have the same answer
// afterwards.

#include <cstdint>
#include <memory>

#include <fusion/expr/nodes.hpp>

namespace fusecl {
namespace detail {

/// Whether the size of an expression is that of a reduction's result.
template <class E>
inline constexpr bool is_reduced = E::is_scalar;
/// Whether some of `Operands` is a vector that a reduction made; scalars take the size of their neighbours.
template <class... Operands>
inline constexpr bool any_reduced = (Operands::is_scalar && ...) ||
                                    ((is_reduced<Operands> && !Operands::is_scalar) || ...);
template <class Op, ir::axis Axis, class A>
inline constexpr bool is_reduced<reduction<Op, Axis, A>> = true;
template <class Op, class A>
inline constexpr bool is_reduced<unary<Op, A>> = is_reduced<A>;
template <class Op, class A, class B>
inline constexpr bool is_reduced<binary<Op, A, B>> = any_reduced<A, B>;
template <class Op, class A, class B, class C>
inline constexpr bool is_reduced<ternary<Op, A, B, C>> = any_reduced<A, B, C>;
template <scalar_type Type, class A>
inline constexpr bool is_reduced<converted<Type, A>> = is_reduced<A>;
template <class A>
inline constexpr bool is_reduced<shared_expression<A>> = is_reduced<A>;

/// Number of nodes that the type of an expression spells out.
template <class E>
inline constexpr std::size_t node_count = 1;
template <class Children>
inline constexpr std::size_t node_count_of_all = 0;
template <class... Children>
inline constexpr std::size_t node_count_of_all<types<Children...>> = (std::size_t{0} + ... +
                                                                      node_count<Children>);
template <class E>
requires(!std::is_same_v<typename E::operand_types, types<>>) inline constexpr std::size_t node_count<E> =
    1 + node_count_of_all<typename E::operand_types>;

/// A handle counts as one: spelling its type again costs nothing.
template <class A>
inline constexpr std::size_t node_count<shared_expression<A>> = 1;

/// The first list with what is new in the second.
template <class Known, class More>
struct joined;
template <class... Known>
struct joined<types<Known...>, types<>> {
  using type = types<Known...>;
};
template <class... Known, class First, class... Rest>
struct joined<types<Known...>, types<First, Rest...>>
    : joined<
          std::conditional_t<(std::is_same_v<Known, First> || ...), types<Known...>, types<Known..., First>>,
          types<Rest...>> {};

/// The types of the leaves that derivatives may reach.
template <class E>
struct reached_leaves;
template <class Known, class Children>
struct leaves_of_all;
template <class Known>
struct leaves_of_all<Known, types<>> {
  using type = Known;
};
template <class Known, class First, class... Rest>
struct leaves_of_all<Known, types<First, Rest...>>
    : leaves_of_all<typename joined<Known, typename reached_leaves<First>::type>::type, types<Rest...>> {};
template <class E>
struct reached_leaves {
  static constexpr bool stops =
      !is_floating(E::type) || std::is_same_v<typename E::operation, op::stop_gradient>;
  static constexpr bool is_leaf = std::is_same_v<typename E::operand_types, types<>>;
  using type =
      typename leaves_of_all<types<>,
                             std::conditional_t<stops || is_leaf, types<>, typename E::operand_types>>::type;
};
template <class E>
requires(is_floating(E::type) &&
         std::is_same_v<typename E::operand_types, types<>>) struct reached_leaves<E> {
  using type = types<E>;
};

/// Whether derivatives may reach a variable of a tape.
template <class E>
struct reaches_tape;
template <class Children>
inline constexpr bool any_reaches_tape = false;
template <class... Children>
inline constexpr bool any_reaches_tape<types<Children...>> = (reaches_tape<Children>::value || ...);
template <class E>
struct reaches_tape
    : std::bool_constant<is_floating(E::type) && !std::is_same_v<typename E::operation, op::stop_gradient> &&
                         any_reaches_tape<typename E::operand_types>> {};
template <class E>
requires(E::is_on_tape) struct reaches_tape<E> : std::true_type {
};
/// An expression whose value, taken without its derivative, would lose one.
template <class E>
concept node_on_tape = node<E> && reaches_tape<E>::value;
/// A matrix variable of a tape by itself.
template <class E>
concept variable_node = requires {
  typename E::variable_element;
};

/// Whether every operation has derivatives. The compiler refuses those that have none where it sees them, so
/// they are not hidden from it.
template <class Operation>
inline constexpr bool has_derivatives = true;
template <class Operation>
requires requires { Operation::has_derivatives; }
inline constexpr bool has_derivatives<Operation> = Operation::has_derivatives;
template <class E>
struct differentiates;
template <class Children>
struct all_differentiate;
template <class... Children>
struct all_differentiate<types<Children...>> : std::bool_constant<(differentiates<Children>::value && ...)> {
};
template <class E>
struct differentiates : std::bool_constant<has_derivatives<typename E::operation> &&
                                           all_differentiate<typename E::operand_types>::value> {};

/// An expression of unknown type.
struct held_expression {
  held_expression() = default;
  held_expression(const held_expression&) = delete;
  held_expression& operator=(const held_expression&) = delete;
  virtual ~held_expression() = default;
  virtual void gather(binder& b) const = 0;
  virtual ir::node_id lower(lowering& low) const = 0;
  virtual std::int64_t rows() const = 0;
  virtual std::int64_t cols() const = 0;

  kept_size size;
};

/// Its address stands for a type, within this process. Not const: linkers may merge constants.
template <class E>
inline char identity_of_type = 0;

template <class A>
struct held final : held_expression {
  A a;

  explicit held(A operand) : a(std::move(operand)) {}
  void gather(binder& b) const override {
    b.identity(&identity_of_type<A>);
    a.gather(b);
  }
  ir::node_id lower(lowering& low) const override {
    low.skip_identity();
    return a.lower(low);
  }
  std::int64_t rows() const override { return a.rows(); }
  std::int64_t cols() const override { return a.cols(); }
};

}  // namespace detail

/// An expression whose type tells its element type, whether it is a scalar, whether its size is that of a
/// reduction, and the types of the leaves that derivatives may reach. Copies share what is inside.
template <scalar_type Type, bool IsScalar, bool IsReduced, class... Leaves>
struct erased : expression<erased<Type, IsScalar, IsReduced, Leaves...>>,
                detail::number_conversion<erased<Type, IsScalar, IsReduced, Leaves...>, Type, IsScalar> {
  using expression<erased<Type, IsScalar, IsReduced, Leaves...>>::operator=;
  using operand_types = detail::types<Leaves...>;
  static constexpr scalar_type type = Type;
  static constexpr bool is_scalar = IsScalar;
  std::shared_ptr<const detail::held_expression> a;

  explicit erased(std::shared_ptr<const detail::held_expression> operand) : a(std::move(operand)) {}
  std::int64_t rows() const { return a->size.rows(*a); }
  std::int64_t cols() const { return a->size.cols(*a); }
  void gather(binder& b) const {
    if (b.first_visit(a.get())) a->gather(b);
  }
  ir::node_id lower(lowering& low) const { return low.shared(*a); }
};

namespace detail {

template <scalar_type Type, bool IsScalar, bool IsReduced, class... Leaves>
inline constexpr bool is_reduced<erased<Type, IsScalar, IsReduced, Leaves...>> = IsReduced;
/// Operands with more nodes are held behind an `erased`; a statement with fewer allocates nothing for it.
inline constexpr std::size_t most_spelled_nodes = 64;
/// The same for operands that contain an `erased`: once there is one, shorter types cost less.
inline constexpr std::size_t most_further_nodes = 16;

template <scalar_type Type, bool IsScalar, bool IsReduced, class... Leaves>
inline constexpr std::size_t node_count<erased<Type, IsScalar, IsReduced, Leaves...>> =
    most_spelled_nodes - most_further_nodes;
template <scalar_type Type, bool IsScalar, bool IsReduced, class... Leaves>
struct reached_leaves<erased<Type, IsScalar, IsReduced, Leaves...>> {
  using type = types<Leaves...>;
};

template <class E, class Leaves>
struct erased_with;
template <class E, class... Leaves>
struct erased_with<E, types<Leaves...>> {
  using type = erased<E::type, E::is_scalar, is_reduced<E>, Leaves...>;
};

/// An expression that says nothing of its type.
template <operand E>
std::shared_ptr<const held<node_of<E>>> held_of(E&& e) {
  return std::make_shared<const held<node_of<E>>>(as_operation_cl(std::forward<E>(e)));
}

/// The node that stands for `x` inside of a larger expression.
template <operand T>
auto as_operand(T&& x) {
  using Node = node_of<T>;
  if constexpr (node_count < Node >> most_spelled_nodes && differentiates<Node>::value) {
    using Erased = typename erased_with<Node, typename reached_leaves<Node>::type>::type;
    return Erased(held_of(std::forward<T>(x)));
  } else if constexpr (node<T>) {
    return Node(std::forward<T>(x));
  } else {
    return as_operation_cl(std::forward<T>(x));
  }
}
template <class T>
using operand_node = decltype(as_operand(std::declval<T>()));

}  // namespace detail
}  // namespace fusecl
