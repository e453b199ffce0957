#pragma once
#include <algorithm>
#include <cstring>
#include <vector>

#include <fusion/eval/prepared.hpp>
#include <fusion/eval/validate.hpp>

namespace fusecl {
namespace detail {

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
  std::vector<runtime::storage_ref> spare_;  // by size
};

/// What a thread remembers of a plan.
struct warm_plan {
  prepared_plan* prepared = nullptr;
  std::vector<warm_step> steps;
  // what the geometries were chosen for
  std::vector<std::int64_t> extents;
  bool chosen = false;
  bool padded = true;
  bool distinct = true;
  // held during an evaluation only
  std::vector<runtime::storage_ref> temporaries;
  std::vector<std::vector<runtime::storage_ref>> partials;
  spare_memory spare;

  /// Chooses the geometries for these sizes unless they are those seen last.
  void choose(std::span<const std::int64_t> sizes, bool all_padded, bool all_distinct) {
    const bool same = chosen && padded == all_padded && distinct == all_distinct &&
                      extents.size() == sizes.size() &&
                      std::memcmp(extents.data(), sizes.data(), sizes.size_bytes()) == 0;
    if (same) [[likely]]
      return;
    chosen = false;
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
  std::vector<std::uint32_t> key;
  std::uint64_t generation = 0;
  prepared_statement* prepared = nullptr;
  bool any_numbers = false;  ///< serves every key that differs in the values of host numbers only
  std::vector<warm_plan> alternatives;
  std::vector<std::int64_t> extents;
  std::size_t chosen = 0;
  alternatives_mask padded = 0;

  /// `all_padded`: of the alternatives, those that would run with padded buffers only.
  warm_plan& choose(const binder& bound, alternatives_mask all_padded) {
    const auto sizes = sizes_of(bound);
    const bool same = padded == all_padded && extents.size() == sizes.size() &&
                      std::memcmp(extents.data(), sizes.data(), sizes.size() * sizeof(std::int64_t)) == 0;
    if (!same) {
      const prepared_plan& wanted = prepared->choose(sizes, all_padded);
      padded = all_padded;
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
    for (std::vector<runtime::storage_ref>& step : warm.partials)
      for (runtime::storage_ref& each : step) each = {};
    warm.spare.clear();
  }
};

/// Whether `known` is the key of a statement that differs from this one in the values of host numbers only.
inline bool differs_in_numbers(const std::vector<std::uint32_t>& known, const binder& bound) {
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
inline std::vector<std::vector<std::unique_ptr<warm_statement>>>& warm_plans() {
  static thread_local std::vector<std::vector<std::unique_ptr<warm_statement>>> plans;
  return plans;
}

inline warm_statement& find_warm_plan(const statement& s, const binder& bound) {
  auto& plans = warm_plans();
  const std::size_t words = bound.key().size();
  const std::uint64_t generation =
      opencl_context.generation() + (schedule_choices.load(std::memory_order_relaxed) << 32);
  const int number = s.type->number.load(std::memory_order_acquire);
  if (number >= 0 && static_cast<std::size_t>(number) < plans.size())
    for (const auto& known : plans[static_cast<std::size_t>(number)])
      if (known->key.size() == words && known->generation == generation &&
          std::memcmp(known->key.data(), bound.key().data(), words * sizeof(std::uint32_t)) == 0)
        return *known;
  if (number >= 0 && static_cast<std::size_t>(number) < plans.size())
    for (const auto& known : plans[static_cast<std::size_t>(number)])
      if (known->any_numbers && known->key.size() == words && known->generation == generation &&
          differs_in_numbers(known->key, bound))
        return *known;
  prepared_statement& prepared = plan_for(s, bound);
  const auto slot = static_cast<std::size_t>(s.type->number.load());
  if (slot >= plans.size()) plans.resize(slot + 1);
  auto& siblings = plans[slot];
  std::erase_if(siblings, [&](const auto& known) { return known->generation != generation; });
  auto fresh = std::make_unique<warm_statement>();
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

/// Binds and launches the kernels of one evaluation.
class launcher {
 public:
  launcher(warm_plan& warm, const binder& bound, runtime::storage* const* targets,
           runtime::thread_queue& queue)
      : warm_(warm), plan_(warm.prepared->plan()), bound_(bound), targets_(targets), queue_(queue) {}

  /// Chooses geometries and builds the kernels they need.
  void build(bool targets_padded, bool distinct) {
    bool padded = targets_padded;
    for (const matrix_operand& m : bound_.matrices()) padded = padded && m.padded;
    distinct = distinct && padded;
    warm_.choose(sizes_of(bound_), padded, distinct);
    for (warm_step& w : warm_.steps)
      if (!w.kernels && w.shape.groups != 0) build(w, padded, distinct);
  }

  /// Takes the memory between steps. After this nothing is left that could fail for lack of memory or of a
  /// correct kernel.
  void allocate() {
    std::size_t taken = 0;
    for (std::size_t k = 0; k < plan_.steps.size(); ++k) {
      const schedule::step& s = plan_.steps[k];
      for (; taken < plan_.temporaries.size() && plan_.temporaries[taken].first_step == k; ++taken) {
        const schedule::temporary& t = plan_.temporaries[taken];
        take(warm_.temporaries[taken], size_of_extent(t.rows) * size_of_extent(t.cols), t.type);
      }
      const bool later = k + 1 < plan_.steps.size();
      if (warm_.steps[k].shape.kernel.partial) take_parts(k, later);
      if (!later) continue;
      for (std::int64_t t : s.last_reads) warm_.spare.give(warm_.temporaries[static_cast<std::size_t>(t)]);
    }
  }

  void launch() {
    for (std::size_t k = 0; k < plan_.steps.size(); ++k) {
      const warm_step& w = warm_.steps[k];
      if (w.shape.groups == 0) continue;
      run(*w.kernels->main, w.kernels->text.main, k, w.shape.groups, w.shape.local);
      if (w.kernels->finish)
        run(*w.kernels->finish, w.kernels->text.finish, k, w.shape.finish_groups, w.shape.local);
    }
  }

 private:
  void take(runtime::storage_ref& storage, std::int64_t elements, scalar_type type) {
    warm_.spare.take(storage, static_cast<std::size_t>(elements) * size_of(type));
  }

  /// Room for what the groups of a step leave; `later`: steps after it may have it.
  void take_parts(std::size_t number, bool later) {
    const schedule::step& s = plan_.steps[number];
    const schedule::geometry& shape = warm_.steps[number].shape;
    std::vector<runtime::storage_ref>& parts = warm_.partials[number];
    parts.resize(s.reductions.size());
    for (std::size_t r = 0; r < parts.size(); ++r)
      take(parts[r], shape.part_elements[r], plan_.graph[s.reductions[r]].type);
    for (std::size_t r = 0; later && r < parts.size(); ++r) warm_.spare.give(parts[r]);
    if (shape.kernel.last) arrivals_ = queue_.arrivals();
  }

  void build(warm_step& w, bool padded, bool distinct) {
    const auto number = static_cast<std::size_t>(&w - warm_.steps.data());
    if (w.shape.groups < 0) [[unlikely]]
      throw std::logic_error("evaluation: step " + std::to_string(number) +
                             " of the plan does not fit these sizes:\n" + schedule::to_string(plan_));
    compiled_step& found = warm_.prepared->compiled(number, w.shape);
    found.build();
    if (warm_.prepared->folds() && !found.used.exchange(true))
      warm_.prepared->remember(sizes_of(bound_), padded, distinct);
    w.kernels = &found;
  }

  std::int64_t size_of_extent(ir::extent e) const { return plan_.size_of(e, sizes_of(bound_)); }

  runtime::storage* buffer(const codegen::argument& a, std::size_t step) const {
    const auto number = static_cast<std::size_t>(a.number);
    switch (a.kind) {
      case codegen::argument_kind::operand:
        return static_cast<runtime::storage*>(bound_.matrices()[number].storage);
      case codegen::argument_kind::target:
        return targets_[number];
      case codegen::argument_kind::temporary:
        return warm_.temporaries[number].get();
      case codegen::argument_kind::arrivals:
        return arrivals_.get();
      default:
        return warm_.partials[step][number].get();
    }
  }

  void run(runtime::kernel& kernel, const codegen::kernel_text& text, std::size_t step, std::int64_t groups,
           std::int64_t local) {
    cl_kernel handle = kernel.handle();
    cl_uint position = 0;
    for (const codegen::argument& a : text.arguments) {
      if (a.kind <= codegen::argument_kind::arrivals) {
        runtime::storage& s = *buffer(a, step);
        const cl_mem mem = s.mem();
        if (a.written)
          queue_.before_write(s);
        else
          queue_.before_read(s);
        runtime::check(clSetKernelArg(handle, position, sizeof mem, &mem), "clSetKernelArg");
      } else if (a.kind == codegen::argument_kind::scalar) {
        const scalar_operand& value = bound_.scalars()[static_cast<std::size_t>(a.number)];
        runtime::check(clSetKernelArg(handle, position, size_of(value.type), &value.bits), "clSetKernelArg");
      } else if (a.kind == codegen::argument_kind::extent) {
        const cl_long value = size_of_extent(static_cast<ir::extent>(a.number));
        runtime::check(clSetKernelArg(handle, position, sizeof value, &value), "clSetKernelArg");
      } else {
        set_size(handle, position, a, warm_.steps[step].shape);
      }
      ++position;
    }
    const std::size_t global[] = {static_cast<std::size_t>(groups * local)};
    const std::size_t group[] = {static_cast<std::size_t>(local)};
    kernel.launch(1, global, group);
  }

  static void set_size(cl_kernel handle, cl_uint position, const codegen::argument& a,
                       const schedule::geometry& shape) {
    const schedule::named_size& size = shape.sizes[static_cast<std::size_t>(a.number)];
    const cl_long wide = size.value;
    const auto narrow = static_cast<cl_uint>(wide);
    if (size.narrow)
      runtime::check(clSetKernelArg(handle, position, sizeof narrow, &narrow), "clSetKernelArg");
    else
      runtime::check(clSetKernelArg(handle, position, sizeof wide, &wide), "clSetKernelArg");
  }

  warm_plan& warm_;
  const schedule::plan& plan_;
  const binder& bound_;
  runtime::storage* const* targets_;
  runtime::thread_queue& queue_;
  runtime::storage_ref arrivals_;
};

}  // namespace detail

inline bool evaluation::in_place(const detail::result_slot& r, const binder& bound, const char* safe,
                                 std::size_t safe_count, bool& distinct) {
  const matrix_base& target = *r.target;
  if (r.part) {  // whoever writes a part has seen to it
    distinct = distinct && !detail::reads(bound, target);
    return true;
  }
  bool own = target.storage_ && target.rows_ == r.rows && target.cols_ == r.cols &&
             target.storage_->pins.load(std::memory_order_relaxed) == 0;
  for (std::size_t slot = 0; own && slot < bound.matrices().size(); ++slot) {
    const matrix_operand& m = bound.matrices()[slot];
    if (m.storage != target.storage_.get()) continue;
    own = slot < safe_count && safe[slot] && size_of(m.type) == size_of(r.type);
    distinct = false;
  }
  return own;
}

/// The plan for these sizes and for the memory that each plan would run with: a target that a plan keeps
/// keeps what may be written past its end.
inline detail::warm_plan& evaluation::choose(detail::warm_statement& known, const detail::statement& s,
                                             const binder& bound) {
  if (known.alternatives.size() == 1) [[likely]]
    return known.alternatives[0];
  detail::alternatives_mask padded = 0;
  const bool read_padded = detail::are_padded(bound);
  for (std::size_t a = 0; read_padded && a < known.alternatives.size(); ++a) {
    bool all = true, ignored = true;
    for (std::size_t k = 0; all && k < s.result_count; ++k) {
      const detail::result_slot& r = s.results[k];
      const std::vector<char>& safe = known.alternatives[a].prepared->plan().safe_in_place[k];
      all = !in_place(r, bound, safe.data(), safe.size(), ignored) || r.target->storage()->padded();
    }
    if (all) padded |= detail::alternatives_mask{1} << a;
  }
  return known.choose(bound, padded);
}

FUSECL_INLINE void evaluation::prepare(const detail::statement& s, const binder& bound) {
  if (s.result_count == 0) return;
  detail::check_results(s);
  detail::warm_plan& warm = choose(detail::find_warm_plan(s, bound), s, bound);
  const schedule::plan& plan = warm.prepared->plan();
  bool padded = true, distinct = true;
  for (std::size_t k = 0; k < s.result_count; ++k) {
    const detail::result_slot& r = s.results[k];
    const std::vector<char>& safe = plan.safe_in_place[k];
    const bool own = in_place(r, bound, safe.data(), safe.size(), distinct);
    for (std::size_t other = 0; own && other < k; ++other)
      distinct = distinct && s.results[other].target->storage_.get() != r.target->storage_.get();
    padded = padded && (!own || r.target->storage_->padded());
  }
  detail::launcher(warm, bound, nullptr, runtime::this_thread_queue()).build(padded, distinct);
  if (!detail::preparing) return;
  for (std::size_t k = 0; k < s.result_count; ++k) {
    const detail::result_slot& r = s.results[k];
    if (r.part) continue;
    bool ignored = true;
    if (!in_place(r, bound, nullptr, 0, ignored))
      r.target->storage_ = runtime::make_storage(bytes_of(r.rows, r.cols, size_of(r.type)));
    r.target->rows_ = r.rows;
    r.target->cols_ = r.cols;
    r.target->view_ = plan.graph[plan.graph.roots[k]].view;
  }
}

FUSECL_HOT_INLINE void evaluation::run(const detail::statement& s, const binder& bound) {
  if (s.result_count == 0) return;
  if (detail::preparing) [[unlikely]]
    return prepare(s, bound);
  detail::check_results(s);
  runtime::thread_queue& queue = runtime::this_thread_queue();
  detail::warm_plan& warm = choose(detail::find_warm_plan(s, bound), s, bound);
  const schedule::plan& plan = warm.prepared->plan();

  // where each result goes: the target's own memory where that is safe, else fresh memory
  constexpr std::size_t few = 8;
  runtime::storage_ref few_fresh[few];
  runtime::storage* few_targets[few];
  std::vector<runtime::storage_ref> many_fresh(s.result_count > few ? s.result_count : 0);
  std::vector<runtime::storage*> many_targets(many_fresh.size());
  runtime::storage_ref* fresh = s.result_count > few ? many_fresh.data() : few_fresh;
  runtime::storage** targets = s.result_count > few ? many_targets.data() : few_targets;
  bool padded = true, distinct = true;
  for (std::size_t k = 0; k < s.result_count; ++k) {
    const detail::result_slot& r = s.results[k];
    matrix_base& target = *r.target;
    const std::vector<char>& safe = plan.safe_in_place[k];
    const bool own = in_place(r, bound, safe.data(), safe.size(), distinct);
    for (std::size_t other = 0; own && other < k; ++other)
      distinct = distinct && targets[other] != target.storage_.get();
    if (!own) fresh[k] = runtime::make_storage(bytes_of(r.rows, r.cols, size_of(r.type)));
    targets[k] = own ? target.storage_.get() : fresh[k].get();
    targets[k]->mem();
    padded = padded && targets[k]->padded();
  }
  detail::launcher launch(warm, bound, targets, queue);
  launch.build(padded, distinct);
  const detail::memory_of_evaluation memory(warm);
  launch.allocate();
  std::unique_ptr<const detail::expected_results> expected;
  if (detail::validates) [[unlikely]]
    expected = std::make_unique<const detail::expected_results>(s, bound, *warm.prepared);
  launch.launch();
  for (std::size_t k = 0; k < s.result_count; ++k) {
    if (s.results[k].part) continue;
    matrix_base& target = *s.results[k].target;
    if (fresh[k]) target.storage_ = std::move(fresh[k]);
    target.rows_ = s.results[k].rows;
    target.cols_ = s.results[k].cols;
    target.view_ = plan.graph[plan.graph.roots[k]].view;
  }
  if (expected) [[unlikely]]
    expected->compare(s);
}

namespace detail {

FUSECL_INLINE void gather_places(binder& bound, result_slot* results, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) {
    const element_place* part = results[k].part;
    bound.choice(part ? part->word() : 0);
    if (!part) continue;
    results[k].brings = &ir::supports::accesses;
    bound.extents(part->row0, part->col0);
    bound.extents(results[k].target->rows(), results[k].target->cols());
  }
}

FUSECL_INLINE bool reads(const binder& bound, const matrix_base& m) {
  for (const matrix_operand& operand : bound.matrices())
    if (operand.storage == m.storage().get()) return true;
  return false;
}

}  // namespace detail

FUSECL_INLINE void evaluation::fill_zero(const detail::result_slot& slot) {
  matrix_base& target = *slot.target;
  const std::size_t bytes = bytes_of(slot.rows, slot.cols, size_of(slot.type));
  const bool own = target.storage_ && target.rows_ == slot.rows && target.cols_ == slot.cols &&
                   target.storage_->bytes() >= bytes && target.storage_->pins == 0 && !detail::preparing;
  if (!own) target.storage_ = runtime::make_storage(bytes);
  target.rows_ = slot.rows;
  target.cols_ = slot.cols;
  target.view_ = matrix_cl_view::Entire;
  const unsigned char zero = 0;
  if (bytes > 0 && !detail::preparing)
    runtime::this_thread_queue().fill(*target.storage_, 0, bytes, &zero, 1);
}

}  // namespace fusecl
