#pragma once
// One evaluation of a plan: kernels that are built, memory between steps, arguments and launches.

#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <string>

#include <fusion/base/fill.hpp>
#include <fusion/base/list_of.hpp>
#include <fusion/base/owned.hpp>
#include <fusion/eval/warm_plan.ipp>

namespace fusecl::detail {

/// Of the memory in which groups hand elements to each other.
inline constexpr std::size_t bytes_handed_on =
    4 * schedule::head_of_handed_on + sizeof(double) * schedule::most_handed_on;

/// Binds and launches the kernels of one evaluation.
class launcher {
 public:
  /// `awaited`: the target that the host reads next; null if none.
  launcher(warm_plan& warm, const binder& bound, runtime::storage* const* targets,
           runtime::thread_queue& queue, runtime::storage* awaited = nullptr)
      : warm_(warm),
        plan_(warm.prepared->plan()),
        bound_(bound),
        targets_(targets),
        queue_(queue),
        awaited_(awaited) {}

  /// Chooses geometries and builds the kernels they need.
  void build(bool targets_padded, bool distinct) {
    bool padded = targets_padded;
    for (const matrix_operand& m : bound_.matrices()) padded = padded && m.padded;
    distinct = distinct && padded;
    warm_.choose(bound_, padded, distinct);
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
      const schedule::geometry& shape = warm_.steps[k].shape;
      if (shape.kernel.partial) take_parts(k, later);
      if (shape.kernel.last) arrivals_ = queue_.arrivals(sizeof(cl_uint) * schedule::most_arrivals);
      if (shape.hands_on) handed_on_ = queue_.handed_on(bytes_handed_on);
      if (shape.exchanges) exchanged_ = queue_.exchanged(schedule::bytes_exchanged);
      if (!later) continue;
      for (std::int64_t t : s.last_reads) warm_.spare.give(warm_.temporaries[static_cast<std::size_t>(t)]);
    }
  }

  void launch() {
    if (queue_.profiles()) [[unlikely]]
      return launch_timed();
    launch_all();
  }

 private:
  void launch_all() {
    if (awaited_ != nullptr) queue_.forget_reads_ahead();
    const std::size_t completes_awaited = step_that_completes_awaited();
    for (std::size_t k = 0; k < plan_.steps.size(); ++k) {
      warm_step& w = warm_.steps[k];
      if (w.shape.groups == 0) continue;
      if (w.shape.round_groups.empty())
        run(*w.kernels->main, w.kernels->text.main, k, w.shape.groups, w.shape.local);
      else
        run_rounds(w, k);
      if (w.kernels->finish)
        run(*w.kernels->finish, w.kernels->text.finish, k, w.shape.finish_groups, w.shape.local);
      if (w.shape.failed) queue_.look_at(warm_.partials[k].back(), w.shape.failed);
      if (k == completes_awaited) queue_.read_ahead(*awaited_);
    }
  }

  /// The last step that writes what the host reads next, where others follow: the host need not wait for
  /// these. The number of steps where there is none.
  std::size_t step_that_completes_awaited() const {
    const std::size_t none = plan_.steps.size();
    if (awaited_ == nullptr) return none;
    bool is_followed = false;
    for (std::size_t k = none; k-- > 0;) {
      const warm_step& w = warm_.steps[k];
      if (w.shape.groups == 0) continue;
      if (writes_awaited(w.kernels->text.main) ||
          (w.kernels->finish && writes_awaited(w.kernels->text.finish)))
        return is_followed ? k : none;
      is_followed = true;
    }
    return none;
  }

  bool writes_awaited(const codegen::kernel_text& text) const {
    return std::any_of(text.arguments.begin(), text.arguments.end(), [&](const codegen::argument& a) {
      return a.kind == codegen::argument_kind::target &&
             targets_[static_cast<std::size_t>(a.number)] == awaited_;
    });
  }

  void run_rounds(warm_step& w, std::size_t step) {
    std::int64_t& round = w.shape.sizes[w.shape.number_of("round")].value;
    for (round = 0; round < static_cast<std::int64_t>(w.shape.round_groups.size()); ++round)
      run(*w.kernels->main, w.kernels->text.main, step, w.shape.round_groups[static_cast<std::size_t>(round)],
          w.shape.local);
  }

  /// The plan remembers the events, for `explain`.
  void launch_timed() {
    owned<timed_launches> launches(new timed_launches());
    const auto sizes = sizes_of(bound_);
    launches->extents.assign(sizes.begin(), sizes.end());
    {
      const runtime::noted_events of_this(queue_, launches->events);
      launch_all();
    }
    warm_.prepared->ran(std::move(launches));
  }

  void take(runtime::storage_ref& storage, std::int64_t elements, scalar_type type) {
    warm_.spare.take(storage, static_cast<std::size_t>(elements) * size_of(type));
  }

  /// Room for what the groups of a step leave; `later`: steps after it may have it.
  void take_parts(std::size_t number, bool later) {
    const schedule::step& s = plan_.steps[number];
    const schedule::geometry& shape = warm_.steps[number].shape;
    list_of<runtime::storage_ref>& parts = warm_.partials[number];
    const bool together = shape.bytes_together > 0;
    parts.resize(together ? 1 : shape.part_elements.size());
    for (std::size_t r = 0; r < parts.size(); ++r) {
      const std::int64_t bytes =
          together ? shape.bytes_together : schedule::bytes_of_part(plan_, s, shape, r);
      warm_.spare.take(parts[r], static_cast<std::size_t>(bytes));
    }
    const std::size_t read_later = shape.failed ? 1 : 0;
    for (std::size_t r = 0; later && r + read_later < parts.size(); ++r) warm_.spare.give(parts[r]);
  }

  FUSECL_INLINE void build(warm_step& w, bool padded, bool distinct) {
    const auto number = static_cast<std::size_t>(&w - warm_.steps.data());
    if (w.shape.groups < 0) [[unlikely]]
      throw std::logic_error(text::fill("evaluation: step {} of the plan does not fit these sizes:\n{}",
                                        {number, schedule::to_string(plan_)}));
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
      case codegen::argument_kind::handed_on:
        return handed_on_.get();
      case codegen::argument_kind::exchanged:
        return exchanged_.get();
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
    std::unique_lock<std::mutex> turn;
    for (const codegen::argument& a : text.arguments) {
      if (a.kind <= codegen::argument_kind::arrivals) {
        runtime::storage& s = *buffer(a, step);
        const cl_mem mem = s.mem();
        if (a.kind == codegen::argument_kind::exchanged) turn = runtime::exchange_turn();
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
  runtime::storage* awaited_;
  runtime::storage_ref arrivals_, handed_on_, exchanged_;
};

}  // namespace fusecl::detail
