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

/// What a step evaluates element by element of a matrix.
inline list_of<ir::node_id> walked_values(const ir::graph& g, const schedule::step& s) {
  list_of<ir::node_id> values = s.walked_values(g);
  for (const auto* reductions : {&s.reductions, &s.sums, &s.needed})
    for (ir::node_id id : *reductions)
      for (int n = 0; n < ir::arity(g[id]); ++n) values.push_back(g[id].operands[n]);
  if (s.opaque)
    for (const schedule::store& each : s.epilogue) values.push_back(each.value);
  return values;
}

/// What it evaluates for each result of its reductions; of a row tile without small results, whose places
/// follow from its sums.
inline list_of<ir::node_id> finished_values(const schedule::step& s) {
  list_of<ir::node_id> values;
  const auto add = [&](const list_of<schedule::store>& stores) {
    for (const schedule::store& each : stores) values.push_back(each.value);
  };
  add(s.after_sums);
  if (!s.is_tile() && !s.opaque && !s.scans) add(s.epilogue);
  for (const schedule::section& each : s.sections) add(each.epilogue);
  return values;
}

inline list_of<ir::node_id> small_values(const schedule::step& s) {
  list_of<ir::node_id> values;
  for (const schedule::section& each : s.sections)
    for (const schedule::small_results& small : each.small)
      for (const schedule::store& result : small.stores) values.push_back(result.value);
  return values;
}

inline list_of<ir::node_id> stored_temporaries(const schedule::step& s) {
  list_of<ir::node_id> values;
  const auto add = [&](const list_of<schedule::store>& stores) {
    for (const schedule::store& each : stores)
      if (each.to.kind == schedule::buffer_kind::temporary) values.push_back(each.value);
  };
  add(s.stores);
  add(s.epilogue);
  add(s.after_sums);
  for (const schedule::phase& each : s.phases) add(each.stores);
  return values;
}

/// Says which step reads what no earlier step has written, sums of its own before they are complete, or
/// elements at other places of what it computes itself; nothing if all are sound.
inline std::string what_is_unsound(const schedule::plan& p) {
  const ir::graph& g = p.graph;
  std::vector<char> written(static_cast<std::size_t>(g.size()), 0);
  std::ostringstream wrong;
  for (std::size_t k = 0; k < p.steps.size(); ++k) {
    const schedule::step& s = p.steps[k];
    const auto is_complete = [&](ir::node_id id) { return p.loads(s, id) || ir::is_collective(g[id]); };
    const auto is_given = [&](ir::node_id id) {
      return p.loads(s, id) || (ir::is_collective(g[id]) && s.makes(id));
    };
    const auto tell = [&](const char* what, ir::node_id id, const char* when) {
      wrong << "step " << k << what << id << when << "\n";
    };
    for (ir::node_id id : ir::reachable(g, s.domain_values(g), is_complete))
      if (!s.is_tile() && s.reductions.contains(id)) tell(" reads its own %", id, " before that is complete");
    list_of<ir::node_id> values = walked_values(g, s), finished = finished_values(s);
    // Where results are finished, as in a linear walk, the elements of a vector come in their order,
    // whichever way it lies.
    const auto tell_elsewhere = [&](const list_of<ir::node_id>& of, bool in_order) {
      for (ir::node_id id : ir::reachable(g, of, is_given)) {
        if (is_given(id) || g[id].op->kind != ir::op_class::access) continue;
        const ir::node_id base = ir::accessed(g, id);
        const bool single = g.resolve(g[base].rows) == ir::one && g.resolve(g[base].cols) == ir::one;
        if (g[base].op->kind != ir::op_class::leaf && !p.loads(s, base) && !single &&
            !(in_order && ir::is_turned_vector(g, g[id])))
          tell(" computes %", base, ", of which it reads other elements");
      }
    };
    tell_elsewhere(values, s.linear);
    tell_elsewhere(finished, true);
    append(values, finished);
    append(values, small_values(s));
    for (ir::node_id id : ir::reachable(g, values, is_given)) {
      if (p.loads(s, id) && !written[static_cast<std::size_t>(id)])
        tell(" reads %", id, " before it is written");
      if (ir::is_collective(g[id]) && !is_given(id)) tell(" needs %", id, ", which nobody keeps");
    }
    for (ir::node_id id : stored_temporaries(s)) written[static_cast<std::size_t>(id)] = 1;
  }
  return wrong.str();
}

}  // namespace fusecl::test
