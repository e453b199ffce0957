#pragma once
#include <algorithm>

#include <fusion/base/list_of.hpp>
#include <fusion/ir/node_map.hpp>
#include <fusion/schedule/row_chains.hpp>

namespace fusecl::schedule {
namespace detail {

FUSECL_INLINE ir::node_set in_tile(const plan& p, const step& s, const list_of<ir::node_id>& ids) {
  return ir::reachable(p.graph, ids,
                       [&](ir::node_id id) { return ir::is_collective(p.graph[id]) || p.loads(s, id); });
}

/// Makes one chain of all that `value` follows from. Where it is `given`, the chain says so.
FUSECL_INLINE void follow(const plan& p, const step& s, list_of<row_chain>& chains, ir::node_id value,
                          bool given) {
  const ir::node_set within = in_tile(p, s, {value});
  const auto reaches = [&](const row_chain& c) {
    return std::any_of(c.along.begin(), c.along.end(), [&](ir::node_id id) { return within[id]; });
  };
  const auto home = std::find_if(chains.begin(), chains.end(), reaches);
  if (home == chains.end()) return;
  for (auto other = home + 1; other != chains.end(); ++other) {
    if (!reaches(*other)) continue;
    for (ir::node_id id : other->along) home->along.push_back(id);
    for (ir::node_id id : other->given) home->given.push_back(id);
    other->along.clear();
  }
  if (given && !home->given.contains(value)) home->given.push_back(value);
  erase_if(chains, [](const row_chain& c) { return c.along.empty(); });
}

/// The reductions along the rows, each a chain; none where the tile is of another shape.
FUSECL_INLINE list_of<row_chain> chains_of_reductions(const plan& p, const step& s) {
  list_of<row_chain> chains;
  if (!s.kept.empty() || s.rows == ir::one) return {};
  for (const phase& each : s.phases) {
    if (each.level > 1 || (!each.along.empty() && (each.level > 0 || each.cols == ir::one))) return {};
    for (ir::node_id id : each.along) {
      if (p.graph[id].op->running || p.graph[id].type == scalar_type::boolean) return {};
      chains.push_back({{id}, {}});
    }
  }
  return chains;
}

}  // namespace detail

FUSECL_INLINE list_of<row_chain> row_chains(const plan& p, const step& s) {
  const ir::graph& g = p.graph;
  list_of<row_chain> chains = detail::chains_of_reductions(p, s);
  for (const phase& each : s.phases) {
    if (chains.size() < 2) return {};
    if (each.level == 0) continue;
    const list_of<ir::node_id> values = each.values(g);
    if (each.cols == ir::one) {
      for (ir::node_id id : values) detail::follow(p, s, chains, id, false);
      continue;
    }
    for (ir::node_id id : detail::in_tile(p, s, values)) {
      if (!g[id].is(ir::leaf_operations::broadcast)) continue;
      const ir::node_id value = g[id].operands[0];
      if (g.resolve(g[value].rows) != s.rows || g.resolve(g[value].cols) != ir::one) continue;
      if (g[value].type == scalar_type::boolean) return {};
      detail::follow(p, s, chains, value, true);
    }
  }
  const auto gives = [](const row_chain& c) { return !c.given.empty(); };
  if (chains.size() < 2 || std::none_of(chains.begin(), chains.end(), gives)) return {};
  return chains;
}

FUSECL_INLINE row_chain joined_rows(const plan& p, const step& s) {
  const ir::graph& g = p.graph;
  row_chain all;
  for (const row_chain& each : detail::chains_of_reductions(p, s)) append(all.along, each.along);
  for (const phase& each : s.phases) {
    if (each.cols == ir::one) continue;
    list_of<ir::node_id> values = each.values(g);
    if (each.level == 0)
      erase_if(values, [&](ir::node_id id) {
        return std::any_of(each.along.begin(), each.along.end(),
                           [&](ir::node_id r) { return g[r].operands[0] == id; });
      });
    for (ir::node_id id : detail::in_tile(p, s, values)) {
      if (!g[id].is(ir::leaf_operations::broadcast)) continue;
      const ir::node_id value = g[id].operands[0];
      const bool read = g[value].is(ir::leaf_operations::matrix) || p.loads(s, value);
      if (g.resolve(g[value].rows) != s.rows || g.resolve(g[value].cols) != ir::one || read) continue;
      if (g[value].type == scalar_type::boolean) return {};
      if (!all.given.contains(value)) all.given.push_back(value);
    }
  }
  return all;
}

FUSECL_INLINE std::size_t chain_of(const plan& p, const step& s, const list_of<row_chain>& chains,
                                   ir::node_id value) {
  const ir::node_set within = detail::in_tile(p, s, {value});
  for (std::size_t k = 0; k < chains.size(); ++k)
    for (ir::node_id id : chains[k].along)
      if (within[id]) return k;
  return 0;
}

}  // namespace fusecl::schedule
