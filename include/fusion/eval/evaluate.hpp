#pragma once
// Assignment of expressions to matrices. The templates gather operands; everything else is in evaluation,
// which is compiled once.

#include <atomic>

#include <fusion/expr/assignable.hpp>
#include <fusion/matrix/matrix_base.hpp>

namespace fusecl {
namespace detail {

/// How often schedules were chosen anew: plans that a thread has kept from before are looked up again.
inline std::atomic<std::uint64_t> schedule_choices{0};

/// One per type of statement: indexes the caches of plans.
struct statement_type {
  std::atomic<int> number{-1};
};

/// Size of what an expression evaluates to: one element where it is a scalar expression.
template <class E>
std::int64_t result_rows(const E& e) {
  return E::is_scalar && e.rows() < 0 ? 1 : e.rows();
}
template <class E>
std::int64_t result_cols(const E& e) {
  return E::is_scalar && e.cols() < 0 ? 1 : e.cols();
}

/// One result of a statement.
struct result_slot {
  matrix_base* target;
  scalar_type type;   ///< element type of the target
  std::int64_t rows;  ///< of the expression
  std::int64_t cols;
  const char* name;                     ///< in messages
  const element_place* part = nullptr;  ///< where in the target it goes; null where it becomes the target
};

/// States where in their targets the results of a statement go; after the operands of its expressions.
void gather_places(binder& bound, const result_slot* results, std::size_t count);
/// Whether an operand is in the memory of `m`.
bool reads(const binder& bound, const matrix_base& m);

/// A statement as the compiled part sees it.
struct statement {
  statement_type* type;
  const void* const* expressions;
  ir::node_id (*lower)(const void* const* expressions, std::size_t k, lowering& low);
  result_slot* results;
  std::size_t result_count;
  /// Turns the graph of the expressions into that of the statement, as differentiation does; the words it
  /// depends on are part of the key. Null where the expressions are the statement.
  ir::graph (*transform)(ir::graph g, const void* context) = nullptr;
  const void* context = nullptr;
  std::size_t expression_count = 0;  ///< where it differs from result_count, as it does with a transform
};

template <class E>
ir::node_id lower_one(const void* e, lowering& low) {
  return static_cast<const E*>(e)->lower(low);
}

template <class... Es>
ir::node_id lower_nth(const void* const* expressions, std::size_t k, lowering& low) {
  using lower_function = ir::node_id (*)(const void*, lowering&);
  static constexpr lower_function table[] = {lower_one<Es>...};
  return table[k](expressions[k], low);
}

/// `Tags` tells statements with the same expressions and different targets apart.
template <class... Tags>
inline statement_type type_of_statement;

}  // namespace detail

/// Runs statements: finds or makes the plan, binds operands, launches.
class evaluation {
 public:
  /// Evaluates; on an exception thrown before the first launch no target has changed.
  static void run(const detail::statement& s, const binder& bound);

  /// Makes a result a matrix of zeros of its slot's size.
  static void fill_zero(const detail::result_slot& slot);

  template <class Target, class E>
  static void assign(Target& target, const E& e) {
    const void* expressions[] = {&e};
    detail::result_slot slot{&target, Target::leaf_type, detail::result_rows(e), detail::result_cols(e),
                             "the result"};
    binder bound;
    e.gather(bound);
    run({&detail::type_of_statement<Target, E>, expressions, detail::lower_nth<E>, &slot, 1}, bound);
  }
};

/// Evaluates `e` into `target`, which takes its size and view. Throws std::invalid_argument if the size of
/// `e` is free.
template <class Target, node E>
void evaluate(Target& target, const E& e) {
  evaluation::assign(target, e);
}

}  // namespace fusecl

#ifndef FUSECL_SPLIT
#include <fusion/eval/evaluate.ipp>
#endif
