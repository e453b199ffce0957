#pragma once
#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string>

#include <fusion/autodiff/derivation.hpp>
#include <fusion/autodiff/value_and_gradient.hpp>
#include <fusion/base/fill.hpp>
#include <fusion/base/list_of.hpp>
#include <fusion/eval/explain.hpp>

namespace fusecl::detail {

/// Appends the uses of variable `number` of `wrt`. Operands over the same memory with other sizes or another
/// element type are other matrices, over the buffer of a user. Throws std::invalid_argument where there is
/// none and the variable is not optional.
inline void find_uses(const char* function, const gradient_variable& v, std::size_t number,
                      const binder& bound, list_of<passes::variable>& uses) {
  const std::size_t before = uses.size();
  if (v.matrix) {
    const void* const owner = v.matrix->owner();
    for (std::size_t slot = 0; slot < bound.matrices().size(); ++slot) {
      const matrix_operand& m = bound.matrices()[slot];
      if (m.storage == v.matrix->storage().get() && m.rows == v.matrix->rows() &&
          m.cols == v.matrix->cols() && m.type == v.type && m.owner == owner)
        uses.push_back({true, static_cast<std::int64_t>(slot), uses.size() > before});
    }
  } else {
    for (std::size_t k = 0; k < bound.scalars().size(); ++k)
      if (bound.scalars()[k].identity == v.scalar) uses.push_back({false, static_cast<std::int64_t>(k)});
  }
  if (uses.size() > before || v.optional) return;
  const std::string what =
      v.matrix ? text::fill("a {} x {} matrix", {v.matrix->rows(), v.matrix->cols()}) : "a parameter";
  throw std::invalid_argument(text::fill(
      "{}: the expression does not use variable {} of wrt(...), {}; what is evaluated where it is "
      "called, as v(0) and matrix_power(a, 2) are, has no derivative, nor has the copy that a function "
      "takes of a matrix, as [](auto x), and not const auto& x; to get zeros for it, write "
      "optional(x) there in the place of x",
      {function, number + 1, what.c_str()}));
}

/// The statement that computes a value and the derivatives with respect to the variables it uses, and checks
/// where it has one result more.
class gradient_statement {
 public:
  gradient_statement(const statement& s, binder& bound, const gradient_variable* variables, std::size_t count)
      : derived_(s, bound, gradient_rule()) {
    const bool checked = s.result_count > count + 1;
    derived_.values = checked ? 2 : 1;
    derived_.add_result(s.results[0]);
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t before = derived_.variables.size();
      find_uses("value_and_gradient", variables[k], k, bound, derived_.variables);
      if (derived_.variables.size() == before)
        unused_.push_back(s.results[k + 1]);
      else
        derived_.add_result(s.results[k + 1]);
    }
    if (checked) derived_.add_result(s.results[count + 1]);
    whole_ = &derived_.complete();
  }

  const statement& whole() const { return *whole_; }
  /// Slots of the variables that the statement does not use.
  const list_of<result_slot>& unused() const { return unused_; }

 private:
  derived_statement derived_;
  const statement* whole_ = nullptr;
  list_of<result_slot> unused_;
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
  return commented_kernels_of(gradient_statement(s, bound, variables, count).whole(), bound);
}

FUSECL_INLINE explanation explain_gradient(const statement& s, binder& bound,
                                           const gradient_variable* variables, std::size_t count) {
  return explain_statement(gradient_statement(s, bound, variables, count).whole(), bound);
}

FUSECL_INLINE void check_one_element(const char* function, std::int64_t rows, std::int64_t cols) {
  check_countable(function, rows, cols);
  if (rows != 1 || cols != 1)
    throw std::invalid_argument(text::fill(
        "{}: the expression is {} x {}, and gradients are of one number; write sum(e), or what else "
        "makes it one",
        {function, rows, cols}));
}

/// Whether some element of host memory belongs to both.
inline bool overlap(const gradient_place& a, const gradient_place& b) {
  const auto elements = [](const gradient_place& p) {
    list_of<const char*> all;
    for (std::int64_t j = 0; j < p.cols; ++j)
      for (std::int64_t i = 0; i < p.rows; ++i) all.push_back(p.first + i * p.by_row + j * p.by_col);
    std::sort(all.begin(), all.end());
    return all;
  };
  if (a.rows * a.cols == 0 || b.rows * b.cols == 0) return false;
  if (a.last() < b.lowest() || b.last() < a.lowest()) return false;
  const list_of<const char*> of_a = elements(a), of_b = elements(b);
  list_of<const char*> common;
  std::set_intersection(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(), std::back_inserter(common));
  return !common.empty();
}

FUSECL_INLINE void check_distinct(const gradient_place* places, std::size_t count) {
  for (std::size_t k = 1; k < count; ++k)
    for (std::size_t other = 0; other < k; ++other) {
      const gradient_place &a = places[other], &b = places[k];
      if (a.object == b.object || (a.memory && b.memory && a.memory->overlaps(*b.memory)) || overlap(a, b))
        throw std::invalid_argument(
            text::fill("value_and_gradient_into: gradients {} and {} share memory", {other + 1, k + 1}));
    }
}

}  // namespace fusecl::detail
