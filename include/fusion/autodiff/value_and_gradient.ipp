#pragma once
#include <vector>

#include <fusion/autodiff/value_and_gradient.hpp>
#include <fusion/eval/explain.hpp>
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

/// The statement that computes a value and the derivatives with respect to the variables it uses.
class gradient_statement {
 public:
  gradient_statement(const statement& s, binder& bound, const gradient_variable* variables, std::size_t count)
      : slots_{s.results[0]}, differentiated_(s) {
    for (std::size_t k = 0; k < count; ++k) {
      const std::int64_t number = number_of(variables[k], bound);
      if (number < 0) {
        unused_.push_back(s.results[k + 1]);
        continue;
      }
      used_.push_back({variables[k].matrix != nullptr, number});
      slots_.push_back(s.results[k + 1]);
    }
    // the key tells which operands are variables
    for (const passes::variable& v : used_)
      bound.choice(static_cast<std::uint32_t>(v.number) << 1 | (v.matrix ? 1u : 0u));
    differentiated_.results = slots_.data();
    differentiated_.result_count = slots_.size();
    differentiated_.expression_count = 1;
    differentiated_.context = &used_;
    differentiated_.transform = [](ir::graph g, const void* context) {
      return passes::differentiate(passes::ready_for_derivatives(g),
                                   *static_cast<const std::vector<passes::variable>*>(context));
    };
  }
  gradient_statement(const gradient_statement&) = delete;

  const statement& differentiated() const { return differentiated_; }
  /// Slots of the variables that the statement does not use.
  const std::vector<result_slot>& unused() const { return unused_; }

 private:
  std::vector<passes::variable> used_;
  std::vector<result_slot> slots_, unused_;
  statement differentiated_;
};

FUSECL_INLINE void evaluate_gradient(const statement& s, binder& bound, const gradient_variable* variables,
                                     std::size_t count) {
  const gradient_statement whole(s, bound, variables, count);
  evaluation::run(whole.differentiated(), bound);
  for (const result_slot& slot : whole.unused()) evaluation::fill_zero(slot);
}

FUSECL_INLINE std::string source_of_gradient(const statement& s, binder& bound,
                                             const gradient_variable* variables, std::size_t count) {
  const gradient_statement whole(s, bound, variables, count);
  return kernel_source_of(whole.differentiated(), bound);
}

}  // namespace fusecl::detail
