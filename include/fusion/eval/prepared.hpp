#pragma once
// A plan with its compiled kernels. Shared by all threads; each thread keeps what it used last.

#include <atomic>
#include <memory>
#include <mutex>
#include <span>

#include <fusion/base/list_of.hpp>
#include <fusion/base/owned.hpp>
#include <fusion/eval/statement.hpp>
#include <fusion/kinds/kinds.hpp>
#include <fusion/runtime/kernel.hpp>

namespace fusecl::detail {

/// The kernels of one variant of a step.
struct compiled_step {
  schedule::variant variant;
  codegen::program_text text;
  owned<runtime::kernel> main;
  owned<runtime::kernel> finish;  ///< null where the variant needs none
  std::atomic<bool> used{false};  ///< by an evaluation

  FUSECL_INLINE void build() const {
    main->handle();
    if (finish) finish->handle();
  }
};

/// Sizes and memory that kernels were built for.
struct remembered_sizes {
  list_of<std::int64_t> extents;
  bool padded;
  bool distinct;
};

/// Events of the kernels of one evaluation, in the order of their launches. Released at the end.
struct timed_launches {
  timed_launches() = default;
  timed_launches(const timed_launches&) = delete;
  ~timed_launches();

  list_of<std::int64_t> extents;
  list_of<cl_event> events;
};

class prepared_plan {
 public:
  /// `written`: the graph of the statement before the passes. `folds`: host numbers are constants of it.
  prepared_plan(schedule::plan p, const schedule::device_shape& device, ir::graph written, bool folds);
  ~prepared_plan();

  const schedule::plan& plan() const { return plan_; }
  const ir::graph& written() const { return written_; }
  /// The view that a result gets. Passes know a single element as a number, which has none: that of a matrix
  /// with one element is as written, the same as that of more.
  matrix_cl_view view_of_result(std::size_t k) const {
    const ir::node& n = plan_.graph[plan_.graph.roots[k]];
    return n.is_scalar() ? written_[written_.roots[k]].view : n.view;
  }
  bool folds() const { return folds_; }
  const schedule::device_shape& device() const { return device_; }
  int width(std::size_t step) const { return widths_[step]; }
  /// The kernels for a geometry, built at most once for all threads.
  compiled_step& compiled(std::size_t step, const schedule::geometry& shape);
  /// Notes that new kernels were needed for these sizes.
  void remember(std::span<const std::int64_t> extents, bool padded, bool distinct);
  list_of<remembered_sizes> remembered();
  /// Keeps the events of the evaluation that ran last on a queue that has times.
  void ran(owned<timed_launches> launches);
  /// Seconds that each kernel took then; waits for it. Empty where it ran with other sizes or on queues
  /// without times only.
  list_of<double> seconds(std::span<const std::int64_t> extents);

 private:
  schedule::plan plan_;
  ir::graph written_;
  schedule::device_shape device_;
  bool folds_;
  list_of<int> widths_;
  std::mutex mutex_;
  list_of<remembered_sizes> remembered_;
  owned<timed_launches> last_;
  list_of<list_of<owned<compiled_step>>> steps_;
};

/// Geometry of a step for these sizes; `groups` is negative where the step does not fit them.
schedule::geometry geometry_of(const prepared_plan& prepared, std::span<const std::int64_t> extents,
                               std::size_t step, bool padded, bool distinct);

/// Some of the alternatives of a statement, a bit each.
using alternatives_mask = std::uint32_t;
constexpr alternatives_mask all_alternatives(bool wanted) { return wanted ? ~alternatives_mask{0} : 0; }

/// The plans of a statement, of which the sizes choose: the first one that fits them.
struct prepared_statement {
  prepared_statement();
  ~prepared_statement();

  list_of<owned<prepared_plan>> alternatives;

  /// `padded`: with these, every buffer may be touched up to the next whole vector. `distinct`: with these,
  /// no result shares memory with an operand.
  prepared_plan& choose(std::span<const std::int64_t> extents, alternatives_mask padded,
                        alternatives_mask distinct) const;
  const ir::graph& written() const { return alternatives[0]->written(); }
  bool folds() const { return alternatives[0]->folds(); }
  const schedule::device_shape& device() const { return alternatives[0]->device(); }
  /// All sizes that kernels were built for.
  list_of<remembered_sizes> remembered() const;
  /// Builds the kernels for all of these sizes.
  void build_for(const list_of<remembered_sizes>& all) const;
};

/// What schedules need to know of the selected device; FUSECL_SCHEDULE=cpu|gpu overrides its kind.
schedule::device_shape selected_device_shape();

/// Of one statement at most this many plans hold different host numbers as constants. Beyond, and after
/// `freeze()`, numbers that are not known yet are arguments.
inline constexpr int most_folded_plans = 16;

/// Whether host numbers with special values are in the key.
inline bool has_folded_numbers(const binder& bound) {
  for (const scalar_operand& s : bound.scalars())
    if (s.folded) return true;
  return false;
}
/// The word in the key that such a number has in a plan for any numbers.
inline std::uint32_t unfolded_word(const scalar_operand& s) {
  return scalar_word{scalar_use::argument, s.type, 0}.packed();
}
/// The key of that plan.
list_of<std::uint32_t> unfolded_key(const binder& bound);

/// The plans of a statement for its operands' pattern; made at most once for all threads.
/// `for_any`: the one for any values of host numbers.
prepared_statement& plan_for(const statement& s, const binder& bound, bool for_any = false);

inline std::span<const std::int64_t> sizes_of(const binder& bound) {
  return {bound.extents().data(), bound.extents().size()};
}

/// Whether whole vectors may be read past the end of every operand.
inline bool are_padded(const binder& bound) {
  for (const matrix_operand& m : bound.matrices())
    if (!m.padded) return false;
  return true;
}

}  // namespace fusecl::detail

#ifndef FUSECL_SPLIT
#include <fusion/eval/prepared.ipp>
#endif
