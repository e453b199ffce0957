#pragma once
// What a thread remembers of the plans that it has used, so that a warm evaluation finds all it needs at
// once.

#include <algorithm>
#include <cstring>
#include <memory>

#include <fusion/base/list_of.hpp>
#include <fusion/base/owned.hpp>
#include <fusion/base/per_thread.hpp>
#include <fusion/eval/evaluate.hpp>
#include <fusion/eval/prepared.hpp>

namespace fusecl::detail {

/// What a thread remembers of a step: the geometry and kernels of the sizes seen last.
struct warm_step {
  schedule::geometry shape;
  compiled_step* kernels = nullptr;
};

/// Memory of one evaluation between its steps. What one step has read for the last time serves a later one:
/// kernels of a queue run in their order.
class spare_memory {
 public:
  void take(runtime::storage_ref& storage, std::size_t bytes) {
    // the smallest that is large enough; not so large that another one would miss it
    const auto fit = std::lower_bound(spare_.begin(), spare_.end(), bytes,
                                      [](const auto& each, std::size_t b) { return each->bytes() < b; });
    if (fit != spare_.end() && (*fit)->bytes() <= 2 * bytes) {
      storage = std::move(*fit);
      spare_.erase(fit);
      return;
    }
    storage = runtime::make_storage(bytes);
    storage->mem();
  }
  /// Whoever has it may go on using it in kernels that are enqueued before those of its next owner.
  void give(const runtime::storage_ref& storage) {
    const auto place = std::upper_bound(spare_.begin(), spare_.end(), storage->bytes(),
                                        [](std::size_t b, const auto& each) { return b < each->bytes(); });
    spare_.insert(place, storage);
  }
  void clear() { spare_.clear(); }

 private:
  list_of<runtime::storage_ref> spare_;  // by size
};

/// What a thread remembers of a plan.
struct warm_plan {
  prepared_plan* prepared = nullptr;
  list_of<warm_step> steps;
  // what the geometries were chosen for
  list_of<std::int64_t> extents;
  bool chosen = false;
  bool padded = true;
  bool distinct = true;
  // held during an evaluation only
  list_of<runtime::storage_ref> temporaries;
  list_of<list_of<runtime::storage_ref>> partials;
  spare_memory spare;

  /// Chooses the geometries for these sizes unless they are those seen last.
  /// Throws where the operands do not fit the statement any more.
  void choose(const binder& bound, bool all_padded, bool all_distinct) {
    const std::span<const std::int64_t> sizes = sizes_of(bound);
    const bool same = chosen && padded == all_padded && distinct == all_distinct &&
                      extents.size() == sizes.size() &&
                      (sizes.empty() || std::memcmp(extents.data(), sizes.data(), sizes.size_bytes()) == 0);
    if (same) [[likely]]
      return;
    chosen = false;
    check_operand_sizes(prepared->written(), bound);
    for (std::size_t k = 0; k < steps.size(); ++k)
      steps[k] = {geometry_of(*prepared, sizes, k, all_padded, all_distinct), nullptr};
    extents.assign(sizes.begin(), sizes.end());
    padded = all_padded;
    distinct = all_distinct;
    chosen = true;
  }
};

/// What a thread remembers of a statement: its plans, and which of them the sizes seen last have chosen.
struct warm_statement {
  list_of<std::uint32_t> key;
  std::uint64_t generation = 0;
  prepared_statement* prepared = nullptr;
  bool any_numbers = false;  ///< serves every key that differs in the values of host numbers only
  list_of<warm_plan> alternatives;
  list_of<std::int64_t> extents;
  std::size_t chosen = 0;
  alternatives_mask padded = 0, distinct = 0;

  /// `all_padded`: of the alternatives, those that would run with padded buffers only. `all_distinct`: those
  /// of which no result would share memory with an operand.
  warm_plan& choose(const binder& bound, alternatives_mask all_padded, alternatives_mask all_distinct) {
    const auto sizes = sizes_of(bound);
    const bool same = padded == all_padded && distinct == all_distinct && extents.size() == sizes.size() &&
                      (sizes.empty() ||
                       std::memcmp(extents.data(), sizes.data(), sizes.size() * sizeof(std::int64_t)) == 0);
    if (!same) {
      check_operand_sizes(prepared->written(), bound);
      const prepared_plan& wanted = prepared->choose(sizes, all_padded, all_distinct);
      padded = all_padded;
      distinct = all_distinct;
      chosen = 0;
      while (alternatives[chosen].prepared != &wanted) ++chosen;
      extents.assign(sizes.begin(), sizes.end());
    }
    return alternatives[chosen];
  }
};

/// Gives the memory of an evaluation back to the pool at its end. Kernels that still use it are no concern:
/// in-order execution makes reuse on this queue safe, and others order themselves.
struct memory_of_evaluation {
  warm_plan& warm;
  explicit memory_of_evaluation(warm_plan& plan) : warm(plan) {}
  memory_of_evaluation(const memory_of_evaluation&) = delete;
  ~memory_of_evaluation() {
    for (runtime::storage_ref& each : warm.temporaries) each = {};
    for (list_of<runtime::storage_ref>& step : warm.partials)
      for (runtime::storage_ref& each : step) each = {};
    warm.spare.clear();
  }
};

/// Whether `known` is the key of a statement that differs from this one in the values of host numbers only.
inline bool differs_in_numbers(const list_of<std::uint32_t>& known, const binder& bound) {
  std::size_t next = 0;
  for (std::size_t k = 0; k < known.size(); ++k) {
    if (known[k] == bound.key()[k]) continue;
    while (next < bound.scalars().size() && (!bound.scalars()[next].folded || bound.scalars()[next].word < k))
      ++next;
    if (next == bound.scalars().size() || bound.scalars()[next].word != k) return false;
    if (known[k] != unfolded_word(bound.scalars()[next])) return false;
  }
  return true;
}

/// The plans a thread has used, by number of the statement's type.
struct warm_plans {
  list_of<list_of<owned<warm_statement>>> of_types;
};

/// `for_any`: those for any values of host numbers.
inline warm_statement& find_warm_plan(const statement& s, const binder& bound, bool for_any = false) {
  static constinit thread_local warm_plans* own = nullptr;
  auto& plans = per_thread<warm_plans>::get(own).of_types;
  const std::size_t words = bound.key().size();
  const std::uint64_t generation =
      opencl_context.generation() + (schedule_choices.load(std::memory_order_relaxed) << 32);
  const int number = s.type->number.load(std::memory_order_acquire);
  if (!for_any && number >= 0 && static_cast<std::size_t>(number) < plans.size())
    for (const auto& known : plans[static_cast<std::size_t>(number)])
      if (known->key.size() == words && known->generation == generation &&
          std::memcmp(known->key.data(), bound.key().data(), words * sizeof(std::uint32_t)) == 0)
        return *known;
  if (number >= 0 && static_cast<std::size_t>(number) < plans.size())
    for (const auto& known : plans[static_cast<std::size_t>(number)])
      if (known->any_numbers && known->key.size() == words && known->generation == generation &&
          differs_in_numbers(known->key, bound))
        return *known;
  prepared_statement& prepared = plan_for(s, bound, for_any);
  const auto slot = static_cast<std::size_t>(s.type->number.load());
  if (slot >= plans.size()) plans.resize(slot + 1);
  auto& siblings = plans[slot];
  erase_if(siblings, [&](const auto& known) { return known->generation != generation; });
  owned<warm_statement> fresh(new warm_statement());
  fresh->key.assign(bound.key().begin(), bound.key().end());
  fresh->any_numbers = has_folded_numbers(bound) && !prepared.folds();
  if (fresh->any_numbers) fresh->key = unfolded_key(bound);
  fresh->generation = generation;
  fresh->prepared = &prepared;
  for (const auto& alternative : prepared.alternatives) {
    warm_plan& plan = fresh->alternatives.emplace_back();
    plan.prepared = alternative.get();
    plan.steps.resize(alternative->plan().steps.size());
    plan.temporaries.resize(alternative->plan().temporaries.size());
    plan.partials.resize(alternative->plan().steps.size());
  }
  siblings.push_back(std::move(fresh));
  return *siblings.back();
}

}  // namespace fusecl::detail
