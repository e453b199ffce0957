#pragma once
// What holds of every plan, whatever the statement.

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include <fusion/fusion.hpp>
#include <fusion/ir/node_map.hpp>
#include <fusion/schedule/plan.hpp>

namespace fusecl::test {

/// Says which step reads a value of another step that no earlier step has written; nothing if all are sound.
inline std::string what_is_read_too_early(const schedule::plan& p) {
  const ir::graph& g = p.graph;
  std::vector<char> written(static_cast<std::size_t>(g.size()), 0);
  std::ostringstream wrong;
  for (std::size_t k = 0; k < p.steps.size(); ++k) {
    const schedule::step& s = p.steps[k];
    list_of<ir::node_id> values = s.domain_values(g), stored;
    const auto is_complete = [&](ir::node_id id) { return p.loads(s, id) || ir::is_collective(g[id]); };
    for (ir::node_id id : ir::reachable(g, values, is_complete))
      if (!s.is_tile() && std::find(s.reductions.begin(), s.reductions.end(), id) != s.reductions.end())
        wrong << "step " << k << " reads its own %" << id << " before that is complete\n";
    const auto add = [&](const list_of<schedule::store>& stores) {
      for (const schedule::store& each : stores) {
        values.push_back(each.value);
        if (each.to.kind == schedule::buffer_kind::temporary) stored.push_back(each.value);
      }
    };
    const auto add_operands = [&](const list_of<ir::node_id>& reductions) {
      for (ir::node_id id : reductions)
        for (int n = 0; n < ir::arity(g[id]); ++n) values.push_back(g[id].operands[n]);
    };
    add(s.stores);
    add(s.epilogue);
    add(s.after_sums);
    add_operands(s.reductions);
    add_operands(s.sums);
    add_operands(s.needed);
    for (const schedule::phase& each : s.phases) {
      add(each.stores);
      add_operands(each.along);
      add_operands(each.across);
    }
    for (const schedule::section& each : s.sections) {
      add(each.epilogue);
      for (const schedule::small_results& small : each.small) add(small.stores);
    }
    const auto is_given = [&](ir::node_id id) {
      return p.loads(s, id) || (ir::is_collective(g[id]) && s.makes(id));
    };
    for (ir::node_id id : ir::reachable(g, values, is_given)) {
      if (p.loads(s, id) && !written[static_cast<std::size_t>(id)])
        wrong << "step " << k << " reads %" << id << " before it is written\n";
      if (ir::is_collective(g[id]) && !is_given(id))
        wrong << "step " << k << " needs %" << id << ", which nobody keeps\n";
    }
    for (ir::node_id id : stored) written[static_cast<std::size_t>(id)] = 1;
  }
  return wrong.str();
}

}  // namespace fusecl::test
