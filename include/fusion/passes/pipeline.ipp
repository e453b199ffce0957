#pragma once
#include <fusion/passes/pass.hpp>

namespace fusecl::passes {

FUSECL_INLINE std::span<const pass* const> pipeline() {
  static constexpr const pass* list[] = {&dropping_stops, &dropping_lists, &simplifying,
                                         &counting,       &sinking,        &merging};
  return list;
}

FUSECL_INLINE ir::graph run_pipeline(const ir::graph& g) {
  static constexpr int places = 6;
  ir::graph current = g;
  for (int place = 0; place < places; ++place) {
    const pass* next = nullptr;
    for (const pass* common : {&dropping_stops, &simplifying, &merging})
      if (common->place == place) next = common;
    for (const ir::support* s : current.brought())
      for (const pass* const* own = s->passes; own && *own; ++own)
        if ((*own)->place == place) next = *own;
    if (next) current = next->run(current);
  }
  ir::verify(current);
  return current;
}

}  // namespace fusecl::passes
