#pragma once
#include <cstring>
#include <vector>

#include <fusion/eval/prepared.hpp>
#include <fusion/eval/validate.hpp>

namespace fusecl {
namespace detail {

/// What a thread remembers of a step: the geometry and kernels of the sizes seen last.
struct warm_step {
  std::int64_t rows = -1;
  std::int64_t cols = -1;
  bool padded = true;
  bool distinct = true;
  std::vector<std::int64_t> other_cols;  ///< of a row tile: columns of all its extents
  schedule::geometry shape;
  compiled_step* kernels = nullptr;
};

/// What a thread remembers of a plan.
struct warm_plan {
  prepared_plan* prepared = nullptr;
  std::vector<warm_step> steps;
  // Held during an evaluation only.
  std::vector<runtime::storage_ref> temporaries;
  std::vector<std::vector<runtime::storage_ref>> partials;
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
  bool padded = false;

  warm_plan& choose(const statement& s, const binder& bound) {
    if (alternatives.size() == 1) [[likely]]
      return alternatives[0];
    // a target that keeps its memory keeps what may be written past its end
    bool all_padded = are_padded(bound);
    for (std::size_t k = 0; k < s.result_count; ++k) {
      const runtime::storage_ref& storage = s.results[k].target->storage();
      all_padded = all_padded && (!storage || storage->padded());
    }
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

inline void take(runtime::storage_ref& storage, std::int64_t elements, scalar_type type) {
  storage = runtime::make_storage(static_cast<std::size_t>(elements) * size_of(type));
  storage->mem();
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
    for (std::size_t k = 0; k < plan_.steps.size(); ++k) build_step(k, padded, distinct && padded);
  }

  /// Takes the memory between steps. After this nothing is left that could fail for lack of memory or of a
  /// correct kernel.
  void allocate() {
    for (std::size_t k = 0; k < plan_.temporaries.size(); ++k) {
      const schedule::temporary& t = plan_.temporaries[k];
      take(warm_.temporaries[k],
           size_of_extent(plan_, bound_, t.rows) * size_of_extent(plan_, bound_, t.cols), t.type);
    }
    for (std::size_t k = 0; k < plan_.steps.size(); ++k) {
      const schedule::step& s = plan_.steps[k];
      const warm_step& w = warm_.steps[k];
      if (!w.shape.kernel.partial) continue;
      warm_.partials[k].resize(s.reductions.size());
      for (std::size_t r = 0; r < s.reductions.size(); ++r)
        take(warm_.partials[k][r],
             w.shape.part_elements.empty() ? w.shape.results * w.shape.parts : w.shape.part_elements[r],
             plan_.graph[s.reductions[r]].type);
      if (w.shape.kernel.last) arrivals_ = queue_.arrivals();
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
  void build_step(std::size_t k, bool padded, bool distinct) {
    const schedule::step& s = plan_.steps[k];
    warm_step& w = warm_.steps[k];
    const std::int64_t rows = size_of_extent(plan_, bound_, s.rows);
    const std::int64_t cols = size_of_extent(plan_, bound_, s.cols);
    const bool others = w.other_cols.size() > 1 && tile_columns(plan_, sizes_of(bound_), s) != w.other_cols;
    if (w.rows != rows || w.cols != cols || w.padded != padded || w.distinct != distinct || others) {
      w.shape = geometry_of(*warm_.prepared, sizes_of(bound_), k, padded, distinct);
      if (!s.phases.empty()) w.other_cols = tile_columns(plan_, sizes_of(bound_), s);
      w.kernels = nullptr;
      w.rows = rows;
      w.cols = cols;
      w.padded = padded;
      w.distinct = distinct;
    }
    if (w.kernels || w.shape.groups == 0) return;
    compiled_step& found = warm_.prepared->compiled(k, w.shape);
    found.build();
    if (warm_.prepared->folds() && !found.used.exchange(true))
      warm_.prepared->remember(sizes_of(bound_), padded, distinct);
    w.kernels = &found;
  }

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

  static std::int64_t size(codegen::argument_kind kind, const warm_step& w, bool rows_in_vectors) {
    using codegen::argument_kind;
    switch (kind) {
      case argument_kind::count:
        return w.shape.count;
      case argument_kind::elements:
        return w.rows * w.cols;
      case argument_kind::chunk:
        return w.shape.chunk;
      case argument_kind::rows:
        return rows_in_vectors && !w.shape.kernel.crossing ? w.rows / w.shape.kernel.width : w.rows;
      case argument_kind::cols:
        return w.cols;
      case argument_kind::row_tile:
        return w.shape.row_tile;
      case argument_kind::col_tile:
        return w.shape.col_tile;
      case argument_kind::results:
        return w.shape.results;
      case argument_kind::row_tiles:
        return w.shape.row_tiles;
      case argument_kind::lanes:
        return w.shape.lanes;
      case argument_kind::half:
        return schedule::first_stride(w.shape.tree);
      case argument_kind::finish_lanes:
        return w.shape.finish_lanes;
      case argument_kind::finish_half:
        return schedule::first_stride(w.shape.local / w.shape.finish_lanes);
      default:
        return w.shape.parts;
    }
  }

  void run(runtime::kernel& kernel, const codegen::kernel_text& text, std::size_t step, std::int64_t groups,
           std::int64_t local) {
    cl_kernel handle = kernel.handle();
    const bool gpu = plan_.form == schedule::device_form::gpu;
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
      } else if (a.kind >= codegen::argument_kind::row_tiles) {
        const auto value = static_cast<cl_uint>(size(a.kind, warm_.steps[step], gpu));
        runtime::check(clSetKernelArg(handle, position, sizeof value, &value), "clSetKernelArg");
      } else if (a.kind == codegen::argument_kind::extent) {
        const cl_long value = size_of_extent(plan_, bound_, static_cast<ir::extent>(a.number));
        runtime::check(clSetKernelArg(handle, position, sizeof value, &value), "clSetKernelArg");
      } else if (a.kind == codegen::argument_kind::size || a.kind == codegen::argument_kind::finish_size) {
        const schedule::geometry& shape = warm_.steps[step].shape;
        const auto& values = a.kind == codegen::argument_kind::size ? shape.sizes : shape.finish_sizes;
        const cl_long value = values[static_cast<std::size_t>(a.number)];
        runtime::check(clSetKernelArg(handle, position, sizeof value, &value), "clSetKernelArg");
      } else {
        const cl_long value = size(a.kind, warm_.steps[step], gpu);
        runtime::check(clSetKernelArg(handle, position, sizeof value, &value), "clSetKernelArg");
      }
      ++position;
    }
    const std::size_t global[] = {static_cast<std::size_t>(groups * local)};
    const std::size_t group[] = {static_cast<std::size_t>(local)};
    kernel.launch(1, global, group);
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

FUSECL_INLINE void evaluation::prepare(const detail::statement& s, const binder& bound) {
  if (s.result_count == 0) return;
  detail::check_results(s);
  detail::warm_plan& warm = detail::find_warm_plan(s, bound).choose(s, bound);
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
  detail::warm_plan& warm = detail::find_warm_plan(s, bound).choose(s, bound);
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

FUSECL_INLINE void gather_places(binder& bound, const result_slot* results, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) {
    const element_place* part = results[k].part;
    bound.choice(part ? part->word() : 0);
    if (!part) continue;
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
                   target.storage_->bytes() >= bytes && target.storage_->pins == 0;
  if (!own) target.storage_ = runtime::make_storage(bytes);
  target.rows_ = slot.rows;
  target.cols_ = slot.cols;
  target.view_ = matrix_cl_view::Entire;
  const unsigned char zero = 0;
  if (bytes > 0) runtime::this_thread_queue().fill(*target.storage_, 0, bytes, &zero, 1);
}

}  // namespace fusecl
