#pragma once
#include <fusion/base/list_of.hpp>
#include <fusion/ir/node_map.hpp>
#include <fusion/schedule/cutter.hpp>

namespace fusecl::schedule {

FUSECL_INLINE std::int64_t plan::size_of(ir::extent e, std::span<const std::int64_t> extents) const {
  if (e == ir::one) return 1;
  const std::int64_t size = extents[static_cast<std::size_t>(known_extent[static_cast<std::size_t>(e)])];
  return size < 0 ? 1 : size;
}

/// Flops a step spends on an element of its domain; of a row tile, what its rows need is not counted.
FUSECL_INLINE double flops_per_element(const plan& p, const step& s) {
  const ir::node_set within = p.cone(s, s.walked_values(p.graph));
  double flops = 0;
  for (ir::node_id id : sums_of(s)) flops += static_cast<double>(p.graph[id].op->cost);
  for (const phase& each : s.phases) flops += static_cast<double>(each.along.size());
  for (ir::node_id id : within) {
    const ir::node& n = p.graph[id];
    const bool given = p.loads(s, id) || (!s.phases.empty() && p.graph.resolve(n.cols) == ir::one);
    if (!given && n.op->kind == ir::op_class::elementwise) flops += static_cast<double>(n.op->cost);
  }
  return flops;
}

FUSECL_INLINE plan make_plan(ir::graph g, device_form form, const std::int64_t* extents,
                             std::size_t extent_count, row_tiles tiles, bool joins_sums) {
  plan result;
  result.graph = std::move(g);
  result.form = form;
  result.joins_sums = joins_sums;
  if (result.graph.brought().empty())
    cut_elementwise(result);
  else
    result.graph.brought()[0]->cut(result, tiles);
  for (step& s : result.steps) s.flops = flops_per_element(result, s);
  const std::size_t symbols = std::max(extent_count, static_cast<std::size_t>(result.graph.extents()));
  list_of<ir::extent> known(symbols + 1, ir::no_extent);  // first symbol of a class whose size is known
  const auto known_of = [&](std::size_t e) -> ir::extent& {
    return known[static_cast<std::size_t>(result.graph.resolve(static_cast<ir::extent>(e)) - ir::one)];
  };
  for (std::size_t e = 0; e < extent_count; ++e)
    if (extents[e] >= 0 && known_of(e) == ir::no_extent) known_of(e) = static_cast<ir::extent>(e);
  for (std::size_t e = 0; e < extent_count; ++e)
    result.known_extent.push_back(known_of(e) == ir::no_extent ? static_cast<ir::extent>(e) : known_of(e));
  return result;
}

FUSECL_INLINE void add_plans(list_of<plan>& plans, const ir::graph& g, device_form form,
                             const std::int64_t* extents, std::size_t extent_count, bool joins_sums) {
  ir::graph (*together)(const ir::graph&) = nullptr;
  for (const ir::support* s : g.brought())
    if (s->together) together = s->together;
  plan steps = make_plan(together ? together(g) : g, form, extents, extent_count, row_tiles::no, joins_sums);
  const auto has_joined = [](const step& s) { return !s.sums.empty(); };
  if (joins_sums && std::none_of(steps.steps.begin(), steps.steps.end(), has_joined)) return;
  // a single light step reads everything once, as a tile does, and holds nothing; a tile spends less on an
  // exponential beside a maximum (H200, log_sum_exp of rows of 1e5 x 1000: 0.68 of read bandwidth against
  // 0.64)
  const auto gains = [&](const step& own) {
    // on a CPU rows are read again from its caches for less than what is accumulated beside others takes
    return own.is_heavy() || (form == device_form::cpu && any_running(steps.graph, own.reductions));
  };
  const bool may_gain = steps.steps.size() > 1 || (!steps.steps.empty() && gains(steps.steps[0]));
  if (may_gain && !g.brought().empty()) {
    plan tiled = make_plan(g, form, extents, extent_count, row_tiles::with_small_results, joins_sums);
    bool has_tiles = false, has_small_results = false;
    for (const step& s : tiled.steps) {
      has_tiles = has_tiles || s.is_tile();
      for (const section& own : s.sections)
        has_small_results = has_small_results || !own.small.empty() || !own.needed.empty();
    }
    if (has_tiles) plans.push_back(std::move(tiled));
    if (has_small_results)
      plans.push_back(make_plan(g, form, extents, extent_count, row_tiles::yes, joins_sums));
  }
  plans.push_back(std::move(steps));
}

FUSECL_INLINE list_of<plan> make_plans(const ir::graph& g, device_form form, const std::int64_t* extents,
                                       std::size_t extent_count) {
  list_of<plan> plans;
  const auto add = [&](const ir::graph& own) {
    // a reduction needs an operation of a class besides that of its product
    const bool may_join = own.brought().size() > 1 && std::any_of(own.brought().begin(), own.brought().end(),
                                                                  [](auto* s) { return s->reduces_results; });
    if (may_join) add_plans(plans, own, form, extents, extent_count, true);
    add_plans(plans, own, form, extents, extent_count, false);
  };
  for (const ir::support* s : g.brought()) {
    if (!s->joined || form != device_form::gpu) continue;
    const ir::graph joined = s->joined(g);
    if (joined.size() > 0) add(joined);
  }
  add(g);
  return plans;
}

}  // namespace fusecl::schedule
