#pragma once
#include <stdexcept>
#include <string>
#include <vector>

#include <fusion/autodiff/derivation.hpp>
#include <fusion/autodiff/value_and_gradient.hpp>
#include <fusion/eval/explain.hpp>

namespace fusecl::detail {

/// Number of the operand or argument that a variable is in this statement, or -1. Throws
/// std::invalid_argument for a matrix that the statement uses with another view than it has.
inline std::int64_t number_of(const gradient_variable& v, const binder& bound) {
  if (v.matrix) {
    std::int64_t number = -1;
    for (std::size_t slot = 0; slot < bound.matrices().size(); ++slot) {
      const matrix_operand& m = bound.matrices()[slot];
      const bool same =
          m.storage == v.matrix->storage().get() && m.rows == v.matrix->rows() && m.cols == v.matrix->cols();
      if (!same) continue;  // others may be over the same memory of a user
      if (m.view != v.matrix->view())
        throw std::invalid_argument(std::string("value_and_gradient: the expression uses a variable as ") +
                                    std::string(view_name(m.view)) + ", whose view is " +
                                    std::string(view_name(v.matrix->view())) + " now");
      number = static_cast<std::int64_t>(slot);
    }
    return number;
  }
  for (std::size_t k = 0; k < bound.scalars().size(); ++k)
    if (bound.scalars()[k].identity == v.scalar) return static_cast<std::int64_t>(k);
  return -1;
}

/// The statement that computes a value and the derivatives with respect to the variables it uses.
class gradient_statement {
 public:
  gradient_statement(const statement& s, binder& bound, const gradient_variable* variables, std::size_t count)
      : derived_(s, bound, gradient_rule()) {
    derived_.add_result(s.results[0]);
    for (std::size_t k = 0; k < count; ++k) {
      const std::int64_t number = number_of(variables[k], bound);
      if (number < 0) {
        unused_.push_back(s.results[k + 1]);
        continue;
      }
      derived_.differentiate_by({variables[k].matrix != nullptr, number});
      derived_.add_result(s.results[k + 1]);
    }
    whole_ = &derived_.complete();
  }

  const statement& whole() const { return *whole_; }
  /// Slots of the variables that the statement does not use.
  const std::vector<result_slot>& unused() const { return unused_; }

 private:
  derived_statement derived_;
  const statement* whole_ = nullptr;
  std::vector<result_slot> unused_;
};

FUSECL_INLINE void evaluate_gradient(const statement& s, binder& bound, const gradient_variable* variables,
                                     std::size_t count) {
  const gradient_statement gradient(s, bound, variables, count);
  evaluation::run(gradient.whole(), bound);
  for (const result_slot& slot : gradient.unused()) evaluation::fill_zero(slot);
}

FUSECL_INLINE void prepare_gradient(const statement& s, binder& bound, const gradient_variable* variables,
                                    std::size_t count) {
  evaluation::prepare(gradient_statement(s, bound, variables, count).whole(), bound);
}

FUSECL_INLINE std::string source_of_gradient(const statement& s, binder& bound,
                                             const gradient_variable* variables, std::size_t count) {
  return kernel_source_of(gradient_statement(s, bound, variables, count).whole(), bound);
}

}  // namespace fusecl::detail
