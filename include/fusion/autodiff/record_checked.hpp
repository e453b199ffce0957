#pragma once
// Entries of the tape of scalar expressions with checks.

#include <fusion/autodiff/record.hpp>
#include <fusion/eval/checked.hpp>

namespace fusecl::detail {

/// A scalar expression and the number of the first of its checks that fails, as the two expressions of a
/// statement.
template <class E>
struct value_and_check {
  const E& value;
  first_failed check;

  static void gather(const void* e, binder& b) {
    static_cast<const value_and_check*>(e)->value.gather(b);
    static_cast<const value_and_check*>(e)->check.gather(b);
  }
  static ir::node_id lower(const void* const* e, std::size_t k, lowering& low) {
    const auto& own = *static_cast<const value_and_check*>(e[k]);
    return k == 0 ? own.value.lower(low) : own.check.lower(low);
  }
};

template <class E>
scalar_entry* record_checked(const E& e, const check_list& checks) {
  checks.throw_if_known();
  if (checks.computed().empty()) return record_scalar(e);
  static_assert(is_floating(E::type), "a var needs a floating-point expression");
  static_assert(check_tape_derivatives<E>());
  const scalar_checks always{checks.computed(), {}};
  const value_and_check<E> both{e, first_failed(always.always)};
  return this_thread_tape().record<scalar_statement>(
      recorded_expression{&type_of_statement<reverse_tag, value_and_check<E>>, value_and_check<E>::gather,
                          value_and_check<E>::lower},
      &both, E::type, &always);
}

}  // namespace fusecl::detail
