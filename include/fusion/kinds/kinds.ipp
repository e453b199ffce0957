#pragma once
#include <fusion/kinds/columns.ipp>
#include <fusion/kinds/few_rows.ipp>
#include <fusion/kinds/kinds.hpp>
#include <fusion/kinds/linear.ipp>
#include <fusion/kinds/numbered.ipp>

namespace fusecl::kinds {

FUSECL_INLINE schedule::geometry shape(const schedule::launch_request& r) {
  const step_kind* asked[kind_orders] = {};
  const auto ask = [&](const step_kind& kind) { asked[static_cast<std::size_t>(kind.order)] = &kind; };
  for (const step_kind* common : {&linear, &numbered, &few_rows, &columns}) ask(*common);
  for (const ir::support* s : r.p.graph.brought())
    for (const step_kind* const* own = s->kinds; own && *own; ++own) ask(**own);
  schedule::geometry g;
  g.groups = does_not_fit;
  for (const step_kind* kind : asked) {
    if (!kind || !kind->takes(r.p, r.s)) continue;
    g = kind->shape(r);
    g.kernel.kind = kind;
    g.kernel.by_ptx = r.device.takes_ptx();
    if (g.groups != does_not_fit) break;
  }
  return g;
}

FUSECL_INLINE const step_kind& kind_of(const schedule::geometry& g) { return *g.kernel.kind; }

FUSECL_INLINE codegen::program_text emit(const schedule::plan& p, std::size_t number,
                                         const schedule::geometry& g) {
  return kind_of(g).emit({p, number, g, kind_of(g).name});
}

}  // namespace fusecl::kinds
