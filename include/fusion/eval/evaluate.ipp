#pragma once

#include <fusion/base/list_of.hpp>
#include <fusion/base/owned.hpp>
#include <fusion/eval/host_numbers.ipp>
#include <fusion/eval/launcher.ipp>
#include <fusion/eval/validate.hpp>

namespace fusecl {
namespace detail {

/// Whether an operand's memory, null where it is not yet known, may share elements with other memory.
inline bool may_overlap(const void* operand, const runtime::storage& memory) {
  return operand != nullptr &&
         &static_cast<const runtime::storage*>(operand)->identity() == &memory.identity();
}

FUSECL_INLINE void in_one_buffer(std::size_t first, std::size_t second) {
  throw std::invalid_argument(
      text::fill("results = expressions: results {} and {} are matrices over one buffer",
                 {std::min(first, second) + 1, std::max(first, second) + 1}));
}

/// Throws std::invalid_argument where two results, of which one is a whole matrix, would be written to the
/// same bytes: neither is the later one.
inline void check_not_in_one_place(const statement& s, std::size_t first, std::size_t second,
                                   runtime::storage& of_first, runtime::storage& of_second) {
  if ((s.results[first].part && s.results[second].part) || !of_first.overlaps(of_second)) return;
  in_one_buffer(first, second);
}

inline bool has_free_results(const statement& s) {
  for (std::size_t k = 0; k < s.result_count; ++k)
    if (s.results[k].rows < 0 || s.results[k].cols < 0) return true;
  return false;
}

/// The size that a symbol of the graph has, or free_size.
inline std::int64_t known_size(const ir::graph& g, ir::extent of, const binder& bound) {
  const auto sizes = sizes_of(bound);
  if (g.resolve(of) == ir::one) return 1;
  for (std::size_t e = 0; e < sizes.size(); ++e)
    if (sizes[e] >= 0 && g.resolve(static_cast<ir::extent>(e)) == g.resolve(of)) return sizes[e];
  return free_size;
}

/// A check of what has the size of the expression around it.
inline void run_sized_check(const operand_check& c, const statement& s, const binder& bound) {
  const ir::graph& g = find_warm_plan(s, bound).prepared->written();
  const std::int64_t rows = known_size(g, c.sizes, bound), cols = known_size(g, c.sizes + 1, bound);
  if (rows < 0 || cols < 0)
    throw std::invalid_argument(
        std::string("evaluation: ") + (rows < 0 ? "rows" : "columns") +
        " of indices are not determined by the expression; give them a size, as in row_index(rows, cols)");
  c.run(c.what, rows, cols);
}

/// A statement some of whose results, reductions along an axis of what has no size, have sizes that only its
/// graph knows: those of what the others reduce.
struct sized_statement {
  list_of<result_slot> slots;
  statement whole;

  /// Throws std::invalid_argument where the graph does not know them either.
  sized_statement(const statement& s, const binder& bound)
      : slots(s.results, s.results + s.result_count), whole(s) {
    whole.results = slots.data();
    if (s.derived || s.result_count < 2) check_results(s);
    const ir::graph& g = find_warm_plan(s, bound).prepared->written();
    for (std::size_t k = 0; k < s.result_count; ++k) {
      if (slots[k].rows < 0) slots[k].rows = known_size(g, g[g.roots[k]].rows, bound);
      if (slots[k].cols < 0) slots[k].cols = known_size(g, g[g.roots[k]].cols, bound);
    }
    check_results(whole);
  }
};

FUSECL_HOT_INLINE void set_size(result_slot& slot, const state_ref& matrix) {
  const matrix_state& now = matrix.now();
  slot.rows = now.rows;
  slot.cols = now.cols;
}

}  // namespace detail

inline bool evaluation::in_place(const detail::result_slot& r, const binder& bound, const char* safe,
                                 std::size_t safe_count, bool& distinct) {
  const matrix_base& target = *r.target;
  if (r.number >= 0) return true;  // nobody else has that memory
  if (r.part) {                    // whoever writes a part has seen to it
    distinct = distinct && !detail::reads(bound, target);
    return true;
  }
  bool own = target.can_keep_memory(r.rows, r.cols);
  const runtime::storage* const memory = own ? target.storage().get() : nullptr;
  for (std::size_t slot = 0; own && slot < bound.matrices().size(); ++slot) {
    const matrix_operand& m = bound.matrices()[slot];
    if (!detail::may_overlap(m.storage, *memory)) continue;
    own = m.storage == memory && slot < safe_count && safe[slot] && size_of(m.type) == size_of(r.type);
    distinct = false;
  }
  return own;
}

/// Of the memory that results would have with a plan.
inline evaluation::memory_facts evaluation::memory_with(const detail::warm_plan& warm,
                                                        const detail::statement& s, const binder& bound) {
  memory_facts all;
  for (std::size_t k = 0; k < s.result_count; ++k) {
    const detail::result_slot& r = s.results[k];
    const list_of<char>& safe = warm.prepared->plan().safe_in_place[k];
    const bool own = in_place(r, bound, safe.data(), safe.size(), all.distinct);
    for (std::size_t other = 0; own && r.number < 0 && other < k; ++other)
      all.distinct = all.distinct &&
                     !detail::may_overlap(s.results[other].target->storage().get(), *r.target->storage());
    all.padded = all.padded && (!own || r.target->storage()->padded());
  }
  return all;
}

/// The plan for these sizes and for the memory that each plan would run with: a target that a plan keeps
/// keeps what may be written past its end, and may be what an operand is in.
inline detail::warm_plan& evaluation::choose(detail::warm_statement& known, const detail::statement& s,
                                             const binder& bound) {
  if (known.alternatives.size() == 1) [[likely]]
    return known.alternatives[0];
  detail::alternatives_mask padded = 0, distinct = 0;
  const bool read_padded = detail::are_padded(bound);
  for (std::size_t a = 0; read_padded && a < known.alternatives.size(); ++a) {
    const memory_facts own = memory_with(known.alternatives[a], s, bound);
    if (own.padded) padded |= detail::alternatives_mask{1} << a;
    if (own.padded && own.distinct) distinct |= detail::alternatives_mask{1} << a;
  }
  return known.choose(bound, padded, distinct);
}

/// Does something with the statement's plan, or, where that is not built for these sizes and nothing is built
/// any more, with the one for any values of the numbers that are constants there. The plan that did.
template <class Action>
detail::warm_statement& evaluation::with_plan(const detail::statement& s, const binder& bound,
                                              const Action& action) {
  detail::warm_statement& known = detail::find_warm_plan(s, bound);
  try {
    action(known);
    return known;
  } catch (const frozen_error&) {
    if (!known.prepared->folds()) throw;
  }
  detail::warm_statement& any = detail::find_warm_plan(s, bound, true);
  action(any);
  return any;
}

FUSECL_INLINE void evaluation::prepare(const detail::statement& s, const binder& bound) {
  if (s.result_count == 0) return;
  if (detail::has_free_results(s)) return prepare(detail::sized_statement(s, bound).whole, bound);
  if (detail::compute_on_host(s, bound)) return;
  runtime::thread_queue& queue = runtime::this_thread_queue();
  detail::warm_statement& known = with_plan(s, bound, [&](detail::warm_statement& own) {
    detail::warm_plan& warm = choose(own, s, bound);
    const memory_facts memory = memory_with(warm, s, bound);
    detail::launcher(warm, bound, nullptr, queue).build(memory.padded, memory.distinct);
  });
  if (!detail::preparing) return;
  for (std::size_t k = 0; k < s.result_count; ++k) {
    const detail::result_slot& r = s.results[k];
    if (r.has_place()) continue;
    bool ignored = true;
    detail::matrix_state& target = r.target->state();
    target.hold(in_place(r, bound, nullptr, 0, ignored)
                    ? target.storage
                    : runtime::make_storage(bytes_of(r.rows, r.cols, size_of(r.type))),
                r.rows, r.cols, known.alternatives[known.chosen].prepared->view_of_result(k));
  }
}

FUSECL_HOT_INLINE void evaluation::assign(matrix_base& target, scalar_type type, const void* e,
                                          detail::statement_type& statement,
                                          void (*gather)(const void*, binder&, detail::result_slot&),
                                          ir::node_id (*lower)(const void* const*, std::size_t, lowering&)) {
  detail::result_slot slot{&target, type, 0, 0, "the result"};
  binder bound;
  gather(e, bound, slot);
  run({&statement, &e, lower, &slot, 1}, bound);
}

FUSECL_HOT_INLINE void evaluation::run(const detail::statement& s, const binder& bound) {
  if (s.result_count == 0) return;
  if (detail::preparing) [[unlikely]]
    return prepare(s, bound);
  for (const operand_check& c : bound.checks())
    if (c.sizes < 0) c.run(c.what, free_size, free_size);
  if (detail::has_free_results(s)) [[unlikely]]
    return run(detail::sized_statement(s, bound).whole, bound);
  for (const operand_check& c : bound.checks())
    if (c.sizes >= 0) [[unlikely]]
      detail::run_sized_check(c, s, bound);
  if (detail::compute_on_host(s, bound)) return;
  runtime::thread_queue& queue = runtime::this_thread_queue();
  const runtime::statement_in_work in_work(queue);
  with_plan(s, bound, [&](detail::warm_statement& known) { run_with(known, s, bound, queue); });
}

FUSECL_HOT_INLINE void evaluation::run_with(detail::warm_statement& known, const detail::statement& s,
                                            const binder& bound, runtime::thread_queue& queue) {
  detail::warm_plan& warm = choose(known, s, bound);
  const schedule::plan& plan = warm.prepared->plan();

  // where each result goes: the target's own memory where that is safe, else fresh memory
  constexpr std::size_t few = 8;
  runtime::storage_ref few_fresh[few];
  runtime::storage* few_targets[few];
  list_of<runtime::storage_ref> many_fresh(s.result_count > few ? s.result_count : 0);
  list_of<runtime::storage*> many_targets(many_fresh.size());
  runtime::storage_ref* fresh = s.result_count > few ? many_fresh.data() : few_fresh;
  runtime::storage** targets = s.result_count > few ? many_targets.data() : few_targets;
  runtime::storage* awaited = nullptr;
  bool padded = true, distinct = true;
  for (std::size_t k = 0; k < s.result_count; ++k) {
    const detail::result_slot& r = s.results[k];
    const detail::matrix_state& target = r.target->state();
    const list_of<char>& safe = plan.safe_in_place[k];
    const bool own = in_place(r, bound, safe.data(), safe.size(), distinct);
    for (std::size_t other = 0; own && r.number < 0 && other < k; ++other)
      if (detail::may_overlap(targets[other], *target.storage)) [[unlikely]] {
        detail::check_not_in_one_place(s, other, k, *targets[other], *target.storage);
        distinct = false;
      }
    if (!own) fresh[k] = runtime::make_storage(bytes_of(r.rows, r.cols, size_of(r.type)));
    targets[k] = own ? target.storage.get() : fresh[k].get();
    targets[k]->mem();
    // where results are compared, that reads them before
    if (r.awaited && !detail::validates) awaited = targets[k];
    padded = padded && targets[k]->padded();
  }
  detail::launcher launch(warm, bound, targets, queue, awaited);
  launch.build(padded, distinct);
  const detail::memory_of_evaluation memory(warm);
  launch.allocate();
  owned<const detail::expected_results> expected;
  if (detail::validates && !detail::is_validating) [[unlikely]]
    expected = owned<const detail::expected_results>(new detail::expected_results(s, bound, *warm.prepared));
  launch.launch();
  for (std::size_t k = 0; k < s.result_count; ++k) {
    if (s.results[k].has_place()) continue;
    detail::matrix_state& target = s.results[k].target->state();
    const matrix_cl_view view = warm.prepared->view_of_result(k);
    if (fresh[k])
      target.hold(std::move(fresh[k]), s.results[k].rows, s.results[k].cols, view);
    else
      target.view = view;
  }
  if (expected) [[unlikely]]
    expected->compare(s);
}

namespace detail {

FUSECL_INLINE void gather_places(binder& bound, result_slot* results, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) {
    const element_place* part = results[k].part;
    bound.choice(part ? part->word() | (results[k].free ? free_part : 0u) : 0u);
    if (!part) continue;
    results[k].brings = &ir::supports::accesses;
    bound.extents(part->row0, part->col0);
    bound.extents(results[k].target->rows(), results[k].target->cols());
    if (results[k].free) bound.extents(results[k].rows, results[k].cols);
  }
}

FUSECL_INLINE bool reads(const binder& bound, const matrix_base& m) {
  for (const matrix_operand& operand : bound.matrices())
    if (may_overlap(operand.storage, *m.storage())) return true;
  return false;
}

FUSECL_INLINE bool share_memory(const matrix_base& a, const matrix_base& b) {
  return a.is_same_matrix(b) || (a.size() > 0 && b.size() > 0 && a.storage()->overlaps(*b.storage()));
}

}  // namespace detail

FUSECL_INLINE void evaluation::fill_zero(const detail::result_slot& slot) {
  detail::matrix_state& target = slot.target->state();
  const std::size_t bytes = bytes_of(slot.rows, slot.cols, size_of(slot.type));
  if (slot.number >= 0) {
    const auto at = static_cast<std::size_t>(slot.number) * ir::number_stride;
    const unsigned char zero = 0;
    if (!detail::preparing) runtime::this_thread_queue().fill(*target.storage, at, bytes, &zero, 1);
    return;
  }
  const bool own = slot.target->can_keep_memory(slot.rows, slot.cols) && target.storage->bytes() >= bytes &&
                   !detail::preparing;
  const runtime::storage_ref memory = own ? target.storage : runtime::make_storage(bytes);
  const unsigned char zero = 0;
  if (bytes > 0 && !detail::preparing) runtime::this_thread_queue().fill(*memory, 0, bytes, &zero, 1);
  target.hold(memory, slot.rows, slot.cols, matrix_cl_view::Entire);
}

}  // namespace fusecl
