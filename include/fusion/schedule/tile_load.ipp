#pragma once
#include <algorithm>

#include <fusion/base/list_of.hpp>
#include <fusion/ir/node_map.hpp>
#include <fusion/schedule/tile_load.hpp>

namespace fusecl::schedule {

FUSECL_INLINE list_of<ir::extent> tile_extents(const step& s) {
  list_of<ir::extent> extents;
  for (const phase& p : s.phases)
    if (p.cols != ir::one && std::find(extents.begin(), extents.end(), p.cols) == extents.end())
      extents.push_back(p.cols);
  return extents;
}

FUSECL_INLINE list_of<tile_load> tile_loads(const plan& p, const step& s) {
  const list_of<ir::extent> extents = tile_extents(s);
  const ir::graph& g = p.graph;
  const ir::node_set within = p.cone(s, s.domain_values(g));
  const ir::node_set in_place = ir::used_in_place(
      g, within, s.domain_values(g), [&](ir::node_id id) { return g[id].op->kind == ir::op_class::access; });
  list_of<tile_load> loads(extents.size());
  for (std::size_t e = 0; e < extents.size(); ++e) {
    for (ir::node_id id : within) {
      const ir::node& n = g[id];
      const bool read = n.is(ir::leaf_operations::matrix) || p.loads(s, id);
      if (g.resolve(n.cols) != extents[e] || g.resolve(n.rows) == ir::one) continue;
      if (read && in_place[id]) {
        const int bytes = static_cast<int>(size_of(n.type));
        tile_load& own = loads[e];
        own.narrowest = own.widest == 0 ? bytes : std::min(own.narrowest, bytes);
        own.widest = std::max(own.widest, bytes);
        own.operands += bytes;
        own.whole = own.whole && n.view == matrix_cl_view::Entire;
      }
      if (std::binary_search(s.kept.begin(), s.kept.end(), id))
        loads[e].kept += static_cast<int>(size_of(n.type));
    }
    for (const section& own : s.sections)
      if (own.axis == ir::axis::column && own.cols == extents[e])
        for (ir::node_id id : own.reductions) loads[e].sums += static_cast<int>(size_of(g[id].type));
  }
  return loads;
}

}  // namespace fusecl::schedule
