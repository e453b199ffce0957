#pragma once
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

#include <strings.h>

#include <fusion/base/fill.hpp>
#include <fusion/base/list_of.hpp>
#include <fusion/base/owned.hpp>
#include <fusion/eval/prepared.hpp>
#include <fusion/expr/structure.hpp>
#include <fusion/passes/pass.hpp>
#include <fusion/runtime/context.hpp>
#include <fusion/runtime/driver_faults.hpp>
#include <fusion/runtime/local_memory.hpp>
#include <fusion/runtime/tensor_cores.hpp>

namespace fusecl::detail {

FUSECL_INLINE prepared_plan::prepared_plan(schedule::plan p, const schedule::device_shape& device,
                                           ir::graph written, bool folds)
    : plan_(std::move(p)),
      written_(std::move(written)),
      device_(device),
      folds_(folds),
      steps_(plan_.steps.size()) {
  for (const schedule::step& s : plan_.steps) widths_.push_back(schedule::widest(plan_, s, device_));
}

FUSECL_INLINE prepared_plan::~prepared_plan() = default;
FUSECL_INLINE prepared_statement::prepared_statement() = default;
FUSECL_INLINE prepared_statement::~prepared_statement() = default;

FUSECL_INLINE compiled_step& prepared_plan::compiled(std::size_t step, const schedule::geometry& shape) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& known : steps_[step])
    if (known->variant == shape.kernel) return *known;
  owned<compiled_step> fresh(new compiled_step());
  fresh->variant = shape.kernel;
  fresh->text = kinds::emit(plan_, step, shape);
  // PoCL prints that there are warnings, of vectors in calls to its own functions; "-w" hides those, too,
  // that the text of a user's function makes errors
  const bool quiet = fresh->text.source.find("#pragma clang diagnostic error") == std::string::npos;
  std::string options = quiet ? "-w" : "";
  if (const int most = fresh->text.most_registers) options += text::fill(" -cl-nv-maxrregcount={}", {most});
  const runtime::program_request request{fresh->text.main.name, fresh->text.source, options};
  fresh->main = owned(new runtime::kernel(request, fresh->text.main.name));
  if (!fresh->text.finish.name.empty())
    fresh->finish = owned(new runtime::kernel(request, fresh->text.finish.name));
  steps_[step].push_back(std::move(fresh));
  return *steps_[step].back();
}

FUSECL_INLINE void prepared_plan::remember(std::span<const std::int64_t> extents, bool padded,
                                           bool distinct) {
  const std::lock_guard<std::mutex> lock(mutex_);
  remembered_.push_back({{extents.begin(), extents.end()}, padded, distinct});
}

FUSECL_INLINE list_of<remembered_sizes> prepared_plan::remembered() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return remembered_;
}

FUSECL_INLINE timed_launches::~timed_launches() {
  if (runtime::driver_is_gone()) return;
  for (const cl_event each : events) clReleaseEvent(each);
}

FUSECL_INLINE void prepared_plan::ran(owned<timed_launches> launches) {
  const std::lock_guard<std::mutex> lock(mutex_);
  last_ = std::move(launches);
}

FUSECL_INLINE list_of<double> prepared_plan::seconds(std::span<const std::int64_t> extents) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!last_ || !std::equal(extents.begin(), extents.end(), last_->extents.begin(), last_->extents.end()))
    return {};
  list_of<double> all;
  for (const cl_event each : last_->events) {
    runtime::check(clWaitForEvents(1, &each), "clWaitForEvents");
    cl_ulong start = 0, end = 0;
    runtime::check(clGetEventProfilingInfo(each, CL_PROFILING_COMMAND_START, sizeof start, &start, nullptr),
                   "clGetEventProfilingInfo");
    runtime::check(clGetEventProfilingInfo(each, CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr),
                   "clGetEventProfilingInfo");
    all.push_back(static_cast<double>(end - start) * 1e-9);
  }
  return all;
}

FUSECL_INLINE schedule::geometry geometry_of(const prepared_plan& prepared,
                                             std::span<const std::int64_t> extents, std::size_t step,
                                             bool padded, bool distinct) {
  return kinds::shape({prepared.plan(), prepared.plan().steps[step], prepared.device(), extents,
                       prepared.width(step), padded, distinct});
}

FUSECL_INLINE prepared_plan& prepared_statement::choose(std::span<const std::int64_t> extents,
                                                        alternatives_mask padded,
                                                        alternatives_mask distinct) const {
  for (std::size_t a = 0; a + 1 < alternatives.size(); ++a) {
    bool fits = true;
    const bool own_padded = (padded >> a & 1) != 0, own_distinct = own_padded && (distinct >> a & 1) != 0;
    for (std::size_t k = 0; fits && k < alternatives[a]->plan().steps.size(); ++k)
      fits = geometry_of(*alternatives[a], extents, k, own_padded, own_distinct).groups >= 0;
    if (fits) return *alternatives[a];
  }
  return *alternatives.back();
}

FUSECL_INLINE list_of<remembered_sizes> prepared_statement::remembered() const {
  list_of<remembered_sizes> all;
  for (const auto& each : alternatives)
    for (remembered_sizes& sizes : each->remembered()) all.push_back(std::move(sizes));
  return all;
}

FUSECL_INLINE void prepared_statement::build_for(const list_of<remembered_sizes>& all) const {
  for (const remembered_sizes& sizes : all) {
    prepared_plan& chosen =
        choose(sizes.extents, all_alternatives(sizes.padded), all_alternatives(sizes.distinct));
    for (std::size_t k = 0; k < chosen.plan().steps.size(); ++k) {
      const schedule::geometry shape = geometry_of(chosen, sizes.extents, k, sizes.padded, sizes.distinct);
      if (shape.groups > 0) chosen.compiled(k, shape).build();
    }
  }
}

FUSECL_INLINE schedule::device_shape selected_device_shape() {
  const capabilities& device = opencl_context.capabilities();
  schedule::device_shape shape;
  // Mesa's llvmpipe ends the loops of a work-item after 65535 rounds and mixes up selections between vectors
  // of 64-bit integers: short work-items that handle one element at a time meet neither.
  const bool mesa = runtime::is_mesa(device);
  bool cpu = device.cpu && !mesa;
  if (mesa) shape.access_bytes = 1;
  if (const char* forced = std::getenv("FUSECL_SCHEDULE")) {
    const bool asks_for_cpu = strcasecmp(forced, "cpu") == 0;
    if (!asks_for_cpu && strcasecmp(forced, "gpu") != 0 && *forced != '\0')
      throw error(text::fill("FUSECL_SCHEDULE: \"{}\" is neither cpu nor gpu", {std::string_view(forced)}));
    if (*forced != '\0') cpu = asks_for_cpu;
    if (!cpu && runtime::may_share_private_values(device)) runtime::warn_of_shared_private_values(device);
  }
  shape.loop_rounds = runtime::most_loop_rounds(device);
  shape.form = cpu ? schedule::device_form::cpu : schedule::device_form::gpu;
  shape.compute_units = std::max(1u, device.compute_units);
  shape.vector_bytes = static_cast<int>(std::max(8 * device.vector_double, 4 * device.vector_float));
  shape.vector_bytes = std::clamp(shape.vector_bytes, 4, 64);
  const bool pocl_cpu = runtime::pocl_version(device) >= 0;
  shape.shuffles = device.nvidia_capability >= 70;
  shape.async_copies = device.nvidia_capability >= 80;
  shape.tensor_cores = runtime::has_fast_tensor_cores();
  shape.local_bytes = static_cast<std::int64_t>(device.local_bytes);
  shape.shown_bytes = shape.async_copies ? runtime::shown_local_bytes() : shape.local_bytes;
  shape.largest_group = static_cast<std::int64_t>(device.max_work_group);
  // PoCL takes minutes to build what a GPU holds in registers: there this form is for tests, of short tiles
  if (device.cpu) shape.tile_bytes = 96;
  shape.streams = pocl_cpu;
  shape.last_group = pocl_cpu || shape.takes_ptx();
  shape.group = 256;
  while (shape.group > static_cast<std::int64_t>(device.max_work_group)) shape.group /= 2;
  return shape;
}

/// Throws where the device lacks double and the statement needs it.
FUSECL_INLINE void check_types(const ir::graph& g) {
  if (opencl_context.capabilities().fp64) return;
  for (ir::node_id id = 0; id < g.size(); ++id)
    if (g[id].type == scalar_type::float64)
      throw unsupported_type_error(
          text::fill("the expression {} has element type double, which {} does not support; use float "
                     "operands and float numbers, as 2.0f (a var or parameter<double> among the operands, "
                     "log densities, and functions of integers as exp(i) are double)",
                     {ir::formula(g, id), opencl_context.capabilities().name}));
}

/// A plan, and for statements whose numbers it holds as constants what a plan for any numbers is made of.
struct plan_entry {
  list_of<std::uint32_t> key;  ///< the last two words are of the device
  int type = 0;                ///< of the statement, by number
  owned<prepared_statement> plan;
  plan_entry* any_numbers = nullptr;  ///< entry of that plan, where this one folds
  ir::graph written;                  ///< its graph
  int folded = 0;                     ///< number of plans of which this is the one for any numbers
};

/// Plans of all threads, by device, type of statement and key.
struct plan_table {
  std::recursive_mutex mutex;  // derivatives of user functions may evaluate statements
  list_of<owned<plan_entry>> plans;
};

/// Numbers of the types of statements. Copies of the library in one process have plans of their own, and
/// types that they may share.
inline FUSECL_SHARED constinit std::atomic<int> statement_types{0};

FUSECL_INLINE plan_table& all_plans() {
  static plan_table* table = new plan_table;  // outlives every thread
  return *table;
}

FUSECL_INLINE owned<prepared_statement> make_prepared(ir::graph written, const schedule::device_shape& device,
                                                      std::span<const std::int64_t> extents, bool folds) {
  ir::graph g = passes::run_pipeline(written);
  check_types(g);
  owned<prepared_statement> result(new prepared_statement());
  for (schedule::plan& p : schedule::make_plans(g, device.form, extents.data(), extents.size()))
    result->alternatives.push_back(owned(new prepared_plan(std::move(p), device, written, folds)));
  return result;
}

/// Before the library is frozen: builds the plans for any numbers of all statements that have only been seen
/// with special ones, for the sizes seen.
FUSECL_INLINE void build_plans_for_any_numbers() {
  plan_table& table = all_plans();
  const unsigned device = runtime::selected().known.number;
  const std::lock_guard<std::recursive_mutex> lock(table.mutex);
  for (const auto& each : table.plans) {
    plan_entry& entry = *each;
    if (!entry.plan || !entry.any_numbers || entry.key[entry.key.size() - 2] != device) continue;
    const list_of<remembered_sizes> seen = entry.plan->remembered();
    if (seen.empty()) continue;
    if (!entry.any_numbers->plan)
      entry.any_numbers->plan = make_prepared(entry.written, entry.plan->device(), seen[0].extents, false);
    entry.any_numbers->plan->build_for(seen);
  }
}

FUSECL_INLINE list_of<std::uint32_t> unfolded_key(const binder& bound) {
  list_of<std::uint32_t> key(bound.key().begin(), bound.key().end());
  for (const scalar_operand& s : bound.scalars())
    if (s.folded) key[s.word] = unfolded_word(s);
  return key;
}

FUSECL_INLINE prepared_statement& plan_for(const statement& s, const binder& bound, bool for_any) {
  runtime::require_driver();  // in a forked child a lock could be held for ever
  plan_table& table = all_plans();
  const schedule::device_shape device = selected_device_shape();
  const std::uint32_t device_number = runtime::selected().known.number;
  const std::lock_guard<std::recursive_mutex> lock(table.mutex);
  if (s.type->number < 0) {
    int unknown = -1;
    s.type->number.compare_exchange_strong(unknown, statement_types++);
  }
  const auto entry_of = [&](list_of<std::uint32_t> key) -> plan_entry& {
    key.push_back(device_number);
    key.push_back(device.form == schedule::device_form::cpu);
    const int type = s.type->number.load();
    for (const auto& known : table.plans)
      if (known->type == type && known->key == key) return *known;
    plan_entry& fresh = *table.plans.emplace_back(new plan_entry());
    fresh.key = std::move(key);
    fresh.type = type;
    return fresh;
  };
  const std::span<const std::int64_t> extents(bound.extents().data(), bound.extents().size());
  bool folds = has_folded_numbers(bound) && !for_any;
  plan_entry* entry = &entry_of(for_any ? unfolded_key(bound)
                                        : list_of<std::uint32_t>{bound.key().begin(), bound.key().end()});
  if (entry->plan) return *entry->plan;
  plan_entry* any_numbers = folds ? &entry_of(unfolded_key(bound)) : nullptr;
  if (folds && (frozen() || any_numbers->folded >= most_folded_plans)) {
    entry = any_numbers;
    if (entry->plan) return *entry->plan;
    folds = false;
  }
  owned<prepared_statement> made = make_prepared(lower_statement(s, bound, folds), device, extents, folds);
  if (entry->plan) return *entry->plan;  // a derivative has evaluated this very statement
  entry->plan = std::move(made);
  if (!folds) return *entry->plan;
  entry->any_numbers = any_numbers;
  entry->written = lower_statement(s, bound, false);
  ++any_numbers->folded;
  static const bool registered = [] {
    static runtime::before_freeze own{build_plans_for_any_numbers};
    own.next = runtime::all_before_freeze.load();
    while (!runtime::all_before_freeze.compare_exchange_weak(own.next, &own)) {
    }
    return true;
  }();
  static_cast<void>(registered);
  return *entry->plan;
}

}  // namespace fusecl::detail
