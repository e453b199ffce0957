#pragma once
#include <vector>

#include <fusion/autodiff/hessian.hpp>
#include <fusion/autodiff/value_and_gradient.ipp>
#include <fusion/passes/forward_differentiate.hpp>

namespace fusecl::detail {

/// From roots {value, directions ...} to {value, derivatives ..., products ...}.
inline ir::graph differentiate_twice(ir::graph g, const void* context) {
  const auto& used = *static_cast<const std::vector<passes::variable>*>(context);
  g = passes::ready_for_derivatives(g);
  const std::vector<ir::node_id> directions(g.roots.begin() + 1, g.roots.end());
  g.roots.resize(1);
  const ir::graph gradient = passes::differentiate(g, used);
  ir::graph result = passes::forward_differentiate(gradient, used, directions);
  result.roots.erase(result.roots.begin() + std::ssize(gradient.roots));  // the tangent of the value
  return result;
}

FUSECL_INLINE void evaluate_hessian_product(statement s, binder& bound, const gradient_variable* variables,
                                            const matrix_operand* directions, std::size_t count) {
  std::vector<std::int64_t> numbers;  // found before the directions become operands too
  for (std::size_t k = 0; k < count; ++k) numbers.push_back(number_of(variables[k], bound));
  std::vector<passes::variable> used;
  std::vector<result_slot> slots{s.results[0]}, products;
  for (std::size_t k = 0; k < count; ++k) {
    if (numbers[k] < 0) {
      evaluation::fill_zero(s.results[k + 1]);
      evaluation::fill_zero(s.results[count + k + 1]);
      continue;
    }
    used.push_back({variables[k].matrix != nullptr, numbers[k]});
    slots.push_back(s.results[k + 1]);
    products.push_back(s.results[count + k + 1]);
    bound.matrix(directions[k]);
  }
  // the key tells which operands are variables
  for (const passes::variable& v : used)
    bound.choice(static_cast<std::uint32_t>(v.number) << 1 | (v.matrix ? 1u : 0u));
  slots.insert(slots.end(), products.begin(), products.end());
  statement twice = s;
  twice.results = slots.data();
  twice.result_count = slots.size();
  twice.expression_count = 1 + used.size();
  twice.context = &used;
  twice.transform = differentiate_twice;
  evaluation::run(twice, bound);
}

}  // namespace fusecl::detail
