#pragma once
#include <vector>

#include <fusion/autodiff/value_and_gradient.hpp>
#include <fusion/passes/differentiate.hpp>

namespace fusecl::detail {

/// Number of the operand or argument that a variable is in this statement, or -1.
inline std::int64_t number_of(const gradient_variable& v, const binder& bound) {
  if (v.matrix) {
    for (std::size_t slot = 0; slot < bound.matrices().size(); ++slot)
      if (bound.matrices()[slot].storage == v.matrix->storage().get()) return static_cast<std::int64_t>(slot);
    return -1;
  }
  for (std::size_t k = 0; k < bound.scalars().size(); ++k)
    if (bound.scalars()[k].identity == v.scalar) return static_cast<std::int64_t>(k);
  return -1;
}

FUSECL_INLINE void evaluate_gradient(statement s, binder& bound, const gradient_variable* variables,
                                     std::size_t count) {
  std::vector<passes::variable> used;
  std::vector<result_slot> slots{s.results[0]};
  for (std::size_t k = 0; k < count; ++k) {
    const std::int64_t number = number_of(variables[k], bound);
    if (number < 0) continue;
    used.push_back({variables[k].matrix != nullptr, number});
    slots.push_back(s.results[k + 1]);
  }
  // the key tells which operands are variables
  for (const passes::variable& v : used)
    bound.choice(static_cast<std::uint32_t>(v.number) << 1 | (v.matrix ? 1u : 0u));
  statement differentiated = s;
  differentiated.results = slots.data();
  differentiated.result_count = slots.size();
  differentiated.expression_count = 1;
  differentiated.context = &used;
  differentiated.transform = [](ir::graph g, const void* context) {
    return passes::differentiate(g, *static_cast<const std::vector<passes::variable>*>(context));
  };
  evaluation::run(differentiated, bound);
  for (std::size_t k = 0; k < count; ++k)
    if (number_of(variables[k], bound) < 0) evaluation::fill_zero(s.results[k + 1]);
}

}  // namespace fusecl::detail
