#pragma once
// Assignment of expressions to matrices. The templates gather operands; everything else is in evaluation,
// which is compiled once.

#include <atomic>
#include <utility>

#include <fusion/eval/statement.hpp>
#include <fusion/expr/assignable.hpp>
#include <fusion/matrix/matrix_base.hpp>

namespace fusecl {
namespace detail {

struct warm_plan;
struct warm_statement;

/// How often schedules were chosen anew: plans that a thread has kept from before are looked up again.
inline FUSECL_SHARED std::atomic<std::uint64_t> schedule_choices{0};

using runtime::preparing;
/// Sets it for its lifetime.
struct preparing_here {
  bool before = std::exchange(preparing, true);
  preparing_here() = default;
  preparing_here(const preparing_here&) = delete;
  ~preparing_here() { preparing = before; }
};
/// Runs what is asked for in its lifetime, also where statements are only prepared.
struct running_here {
  bool before = std::exchange(preparing, false);
  running_here() = default;
  running_here(const running_here&) = delete;
  ~running_here() { preparing = before; }
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

/// The same as the size of a result.
template <class E>
void set_size(result_slot& slot, const E& e) {
  slot.rows = result_rows(e);
  slot.cols = result_cols(e);
}
void set_size(result_slot& slot, const state_ref& matrix);

/// Collects the operands of the only expression of a statement, and its size.
template <class E>
void gather_result(const void* expression, binder& bound, result_slot& slot) {
  const E& e = *static_cast<const E*>(expression);
  set_size(slot, e.sized());
  e.gather(bound);
}

/// States where in their targets the results of a statement go; after the operands of its expressions.
void gather_places(binder& bound, result_slot* results, std::size_t count);
/// Whether an operand is in the memory of `m`.
bool reads(const binder& bound, const matrix_base& m);
/// Whether two matrices are one, or have elements in the same bytes of a buffer that the program knows.
bool share_memory(const matrix_base& a, const matrix_base& b);
/// Throws std::invalid_argument for two results of which that holds and one is a whole matrix.
[[noreturn]] void in_one_buffer(std::size_t first, std::size_t second);

}  // namespace detail

/// Runs statements: finds or makes the plan, binds operands, launches.
class evaluation {
 public:
  /// Evaluates; on an exception thrown before the first launch no target has changed.
  static void run(const detail::statement& s, const binder& bound);
  static void run_with(detail::warm_statement& known, const detail::statement& s, const binder& bound,
                       runtime::thread_queue& queue);
  template <class Action>
  static detail::warm_statement& with_plan(const detail::statement& s, const binder& bound,
                                           const Action& action);

  /// Builds all that `run` would need for these operands and targets, without running.
  static void prepare(const detail::statement& s, const binder& bound);

  /// Makes a result a matrix of zeros of its slot's size.
  static void fill_zero(const detail::result_slot& slot);

  template <class Target, class E>
  static void assign(Target& target, const E& e) {
    assign(target, Target::leaf_type, &e, detail::type_of_statement<Target, E>, detail::gather_result<E>,
           detail::lower_nth<E>);
  }

 private:
  /// The same without the types.
  static void assign(matrix_base& target, scalar_type type, const void* e, detail::statement_type& statement,
                     void (*gather)(const void*, binder&, detail::result_slot&),
                     ir::node_id (*lower)(const void* const*, std::size_t, lowering&));
  /// Whether a result may be written to the memory its target has; `safe` says of each operand slot whether
  /// the plan allows that. `distinct` becomes false where operands have that memory too.
  static bool in_place(const detail::result_slot& r, const binder& bound, const char* safe,
                       std::size_t safe_count, bool& distinct);
  /// Whether all results may be written up to the next whole vector, and none shares memory with an operand.
  struct memory_facts {
    bool padded = true, distinct = true;
  };
  static memory_facts memory_with(const detail::warm_plan& warm, const detail::statement& s,
                                  const binder& bound);
  static detail::warm_plan& choose(detail::warm_statement& known, const detail::statement& s,
                                   const binder& bound);
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
