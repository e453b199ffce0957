#pragma once
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>

#include <fusion/eval/prepared.hpp>
#include <fusion/expr/structure.hpp>
#include <fusion/passes/pass.hpp>
#include <fusion/runtime/context.hpp>

namespace fusecl::detail {

FUSECL_INLINE prepared_plan::prepared_plan(schedule::plan p, const schedule::device_shape& device)
    : plan_(std::move(p)), device_(device), steps_(plan_.steps.size()) {
  for (const schedule::step& s : plan_.steps) widths_.push_back(schedule::widest(plan_, s, device_));
}

FUSECL_INLINE compiled_step& prepared_plan::compiled(std::size_t step, const schedule::geometry& shape) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& known : steps_[step])
    if (known->variant == shape.kernel) return *known;
  auto fresh = std::make_unique<compiled_step>();
  fresh->variant = shape.kernel;
  fresh->text = codegen::emit_step(plan_, step, shape);
  const runtime::program_request request{fresh->text.main.name, fresh->text.source, ""};
  fresh->main = std::make_unique<runtime::kernel>(request, fresh->text.main.name);
  if (!fresh->text.finish.name.empty())
    fresh->finish = std::make_unique<runtime::kernel>(request, fresh->text.finish.name);
  steps_[step].push_back(std::move(fresh));
  return *steps_[step].back();
}

FUSECL_INLINE schedule::device_shape selected_device_shape() {
  const capabilities& device = opencl_context.capabilities();
  schedule::device_shape shape;
  // Mesa's llvmpipe ends every loop after 65535 rounds and mixes up selections between vectors of 64-bit
  // integers: short work-items that handle one element at a time meet neither.
  const bool mesa = device.platform == "rusticl";
  bool cpu = device.cpu && !mesa;
  if (mesa) shape.access_bytes = 1;
  if (const char* forced = std::getenv("FUSECL_SCHEDULE")) {
    const std::string_view name(forced);
    if (name != "cpu" && name != "gpu" && !name.empty())
      throw std::invalid_argument("FUSECL_SCHEDULE: \"" + std::string(name) + "\" is neither cpu nor gpu");
    if (!name.empty()) cpu = name == "cpu";
  }
  shape.form = cpu ? schedule::device_form::cpu : schedule::device_form::gpu;
  shape.compute_units = std::max(1u, device.compute_units);
  shape.vector_bytes = static_cast<int>(std::max(8 * device.vector_double, 4 * device.vector_float));
  shape.vector_bytes = std::clamp(shape.vector_bytes, 4, 64);
  const bool pocl_cpu =
      device.cpu && device.platform.find("Portable Computing Language") != std::string::npos;
  shape.streams = pocl_cpu;
  shape.last_group = pocl_cpu;
  shape.group = 256;
  while (shape.group > static_cast<std::int64_t>(device.max_work_group)) shape.group /= 2;
  return shape;
}

FUSECL_INLINE ir::graph lower_statement(const statement& s, const binder& bound) {
  ir::graph g;
  lowering low(g, bound);
  const std::size_t expressions = s.transform ? s.expression_count : s.result_count;
  for (std::size_t k = 0; k < expressions; ++k) g.roots.push_back(s.lower(s.expressions, k, low));
  bool parts = false;
  for (std::size_t k = 0; k < s.result_count; ++k) parts = parts || s.results[k].part;
  for (std::size_t k = 0; parts && k < s.result_count; ++k) {
    const std::uint32_t word = low.next_word();
    ir::root_place& place = g.places.emplace_back();
    if (!s.results[k].part) continue;
    const ir::extent offset = low.extents();
    place = {true, map_of(word, offset), low.extents()};
  }
  if (s.transform) g = s.transform(std::move(g), s.context);
  for (std::size_t k = 0; k < s.result_count; ++k)
    if (s.results[k].target) g.roots[k] = g.cast(s.results[k].type, g.roots[k]);
  return g;
}

/// Throws where the device lacks double and the statement needs it.
inline void check_types(const ir::graph& g) {
  if (opencl_context.capabilities().fp64) return;
  for (ir::node_id id = 0; id < g.size(); ++id)
    if (g[id].type == scalar_type::float64)
      throw unsupported_type_error("the expression " + ir::formula(g, id) +
                                   " has element type double, which " + opencl_context.capabilities().name +
                                   " does not support; use float operands and float scalars");
}

/// Plans of all threads, by device, type of statement and key.
struct plan_table {
  std::mutex mutex;
  std::map<std::pair<std::vector<std::uint32_t>, int>, std::unique_ptr<prepared_plan>> plans;
  std::uint64_t generation = 0;
  int types = 0;
};

inline plan_table& all_plans() {
  static plan_table* table = new plan_table;  // outlives every thread
  return *table;
}

FUSECL_INLINE prepared_plan& plan_for(const statement& s, const binder& bound) {
  plan_table& table = all_plans();
  const schedule::device_shape device = selected_device_shape();
  std::vector<std::uint32_t> key(bound.key().begin(), bound.key().end());
  const std::uint64_t generation = opencl_context.generation();
  key.push_back(static_cast<std::uint32_t>(generation));
  key.push_back(device.form == schedule::device_form::cpu);
  const std::lock_guard<std::mutex> lock(table.mutex);
  if (s.type->number < 0) s.type->number = table.types++;
  std::unique_ptr<prepared_plan>& entry = table.plans[{std::move(key), s.type->number.load()}];
  if (entry) return *entry;
  ir::graph g = passes::run_pipeline(lower_statement(s, bound));
  check_types(g);
  entry = std::make_unique<prepared_plan>(
      schedule::make_plan(std::move(g), device.form, bound.extents().data(), bound.extents().size()), device);
  return *entry;
}

FUSECL_INLINE void check_results(const statement& s) {
  for (std::size_t k = 0; k < s.result_count; ++k) {
    const result_slot& r = s.results[k];
    if (r.rows < 0 || r.cols < 0)
      throw std::invalid_argument(
          std::string("evaluation: ") + (r.rows < 0 ? "rows" : "columns") + " of " + r.name +
          " are not determined by the expression; give it a size, as in constant(x, rows, cols)");
  }
}

FUSECL_INLINE std::int64_t size_of_extent(const schedule::plan& p, const binder& bound, ir::extent e) {
  if (e == ir::one) return 1;
  const std::int64_t size =
      bound.extents()[static_cast<std::size_t>(p.known_extent[static_cast<std::size_t>(e)])];
  return size < 0 ? 1 : size;
}

}  // namespace fusecl::detail
