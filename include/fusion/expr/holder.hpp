#pragma once
// Expressions that own what they refer to: objects on the heap that live as long as any copy of the
// expression does.

#include <memory>
#include <tuple>

#include <fusion/expr/erased.hpp>

namespace fusecl {

/// An expression as it is, with objects that are deleted with its last copy.
template <class A>
struct holder_cl_ : expression<holder_cl_<A>> {
  using expression<holder_cl_<A>>::operator=;
  using operand_types = detail::types<A>;
  static constexpr scalar_type type = A::type;
  static constexpr bool is_scalar = A::is_scalar;
  A a;
  std::shared_ptr<const void> held;

  holder_cl_(A operand, std::shared_ptr<const void> owned) : a(std::move(operand)), held(std::move(owned)) {}
  std::int64_t rows() const { return a.rows(); }
  std::int64_t cols() const { return a.cols(); }
  void gather(binder& b) const { a.gather(b); }
  ir::node_id lower(lowering& low) const { return a.lower(low); }
};

namespace detail {
template <class A>
inline constexpr bool is_reduced<holder_cl_<A>> = is_reduced<A>;
}  // namespace detail

/// The expression `e` with objects made by `new`, of which it becomes the owner.
template <expression_like E, class... Objects>
auto holder_cl(E&& e, Objects*... objects) {
  auto owned =
      std::make_shared<std::tuple<std::unique_ptr<Objects>...>>(std::unique_ptr<Objects>(objects)...);
  return holder_cl_<node_of<E>>(as_operation_cl(std::forward<E>(e)), std::move(owned));
}

/// f(arguments...), an expression of objects of which those given as rvalues are moved to the heap first and
/// belong to it; others have to outlive it.
template <class F, class... Arguments>
auto make_holder_cl(const F& f, Arguments&&... arguments) {
  auto owned = std::make_shared<std::tuple<Arguments...>>(std::forward<Arguments>(arguments)...);
  auto e = as_operation_cl(std::apply(f, *owned));
  return holder_cl_<decltype(e)>(std::move(e), std::move(owned));
}

}  // namespace fusecl
