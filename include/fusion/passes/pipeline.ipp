#pragma once
#include <fusion/passes/pass.hpp>

namespace fusecl::passes {
namespace detail {

inline constexpr const pass* in_order[] = {&dropping_stops, &dropping_lists, &simplifying,
                                           &counting,       &sinking,        &merging};
inline constexpr std::size_t passes = std::size(in_order);
static_assert([] {
  for (std::size_t place = 0; place < passes; ++place)
    if (in_order[place]->place != place) return false;
  return true;
}());

}  // namespace detail

FUSECL_INLINE std::span<const pass* const> pipeline() { return detail::in_order; }

FUSECL_INLINE ir::graph run_pipeline(const ir::graph& g) {
  ir::graph current = g;
  for (std::size_t place = 0; place < detail::passes; ++place) {
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
