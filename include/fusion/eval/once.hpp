#pragma once
// Expressions of data whose values are kept from one evaluation to the next.

#include <fusion/eval/index_contents.hpp>

namespace fusecl {
namespace detail {

/// The value of an expression on the device.
struct kept_value {
  matrix_base memory;
  matrix_operand operand;
};

/// The value of `e`, whose operands `bound` has: the one that is kept, or a new one. Null where it cannot be
/// told whether an operand has changed.
template <class E>
std::shared_ptr<const kept_value> value_to_keep(const E& e, const binder& bound) {
  contents_key key({&identity_of_type<kept_value>, &identity_of_type<E>});
  key.add(bound);
  if (!key.has_home()) return nullptr;
  if (auto known = key.known()) return std::static_pointer_cast<const kept_value>(std::move(known));
  matrix_cl<cpp_type<E::type>> value;
  evaluation::assign(value, e);
  // what could not be computed is not kept: the next statement tries, and fails, again
  const bool may_have_failed = !preparing && runtime::this_thread_queue().look_now();
  const auto kept = std::make_shared<const kept_value>(kept_value{
      static_cast<const matrix_base&>(value),
      {value.storage().get(), value.rows(), value.cols(), E::type, value.view(), value.storage()->padded()}});
  if (!preparing && !may_have_failed) key.keep(kept, 0);
  return kept;
}

}  // namespace detail

/// An expression whose value is computed once for the contents that its operands have. Made by `once`.
template <class A>
struct once_expression : expression<once_expression<A>>,
                         detail::number_conversion<once_expression<A>, A::type, A::is_scalar, A> {
  using expression<once_expression<A>>::operator=;
  using operand_types = detail::types<A>;
  static constexpr scalar_type type = A::type;
  static constexpr bool is_scalar = A::is_scalar;
  A a;

  explicit once_expression(A operand) : a(std::move(operand)) {}
  std::int64_t rows() const { return a.rows(); }
  std::int64_t cols() const { return a.cols(); }
  void gather(binder& b) const {
    if (const auto value = kept_for(b)) {
      b.choice(1);
      b.matrix(value->operand);
      b.keep(value);
    } else {
      b.choice(0);
      a.gather(b);
    }
  }
  ir::node_id lower(lowering& low) const {
    if (low.next_word() == 0) return a.lower(low);
    return is_scalar ? detail::lower_single(low) : low.matrix();
  }

 private:
  /// The value, unless it is to be a part of the statement.
  std::shared_ptr<const detail::kept_value> kept_for(const binder& b) const {
    const bool sized = is_scalar || (a.rows() >= 0 && a.cols() >= 0);
    if (b.is_formula() || !sized) return nullptr;
    binder own = b.for_part();
    a.gather(own);
    return own.has_derivatives() ? nullptr : detail::value_to_keep(a, own);
  }
};

namespace detail {
template <class A>
inline constexpr bool is_reduced<once_expression<A>> = is_reduced<A>;
template <class A>
inline constexpr bool may_be_number<once_expression<A>> = may_be_number<A>;
}  // namespace detail

/// The expression `e`, of data, with its value kept: a statement computes it before, in a kernel of its own,
/// where its operands are new or have been written to since, or its host numbers are others; else it reads
/// the value. That stays with the memory of the first matrix of `e`, so that it is found again wherever the
/// same expression is written; a matrix keeps the last eight. Where derivatives are taken by what `e` depends
/// on, or nobody can tell whether a matrix has changed (its `buffer()` was handed out), `e` is a part of the
/// statement as if it stood alone.
template <expression_like E>
auto once(E&& e) {
  return once_expression<node_of<E>>(as_operation_cl(std::forward<E>(e)));
}

}  // namespace fusecl
