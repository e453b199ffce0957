#pragma once
#include <fusion/passes/pass.hpp>

namespace fusecl::passes {

FUSECL_INLINE std::span<const pass> pipeline() {
  static constexpr pass list[] = {
      {"drop_stops", "drop the marks that only differentiation reads", drop_stops},
      {"simplify", "rewrite to cheaper or numerically safer operations", simplify},
      {"sink_structure", "move transposes, blocks and the like to the leaves", sink_structure},
      {"merge_and_prune", "merge equal nodes and drop unused ones", merge_and_prune},
  };
  return list;
}

FUSECL_INLINE ir::graph run_pipeline(const ir::graph& g) {
  ir::graph current = g;
  for (const pass& p : pipeline()) current = p.run(current);
  ir::verify(current);
  return current;
}

}  // namespace fusecl::passes
