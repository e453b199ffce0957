#pragma once
#include <fusion/kinds/columns.ipp>
#include <fusion/kinds/few_rows.ipp>
#include <fusion/kinds/kinds.hpp>
#include <fusion/kinds/linear.ipp>
#include <fusion/kinds/numbered.ipp>
#include <fusion/kinds/reduce.ipp>
#include <fusion/kinds/row_tile.ipp>
#include <fusion/kinds/rows.ipp>
#include <fusion/kinds/scan.ipp>
#include <fusion/kinds/transposed.ipp>

namespace fusecl::kinds {

FUSECL_INLINE std::span<const step_kind* const> all() {
  static constexpr const step_kind* list[] = {&row_tile, &scan, &linear,   &transposed, &numbered,
                                              &reduce,   &rows, &few_rows, &columns};
  return list;
}

FUSECL_INLINE schedule::geometry shape(const schedule::launch_request& r) {
  schedule::geometry g;
  g.groups = -1;
  for (std::size_t k = 0; k < all().size(); ++k) {
    if (!all()[k]->takes(r.p, r.s)) continue;
    g = all()[k]->shape(r);
    g.kernel.kind = static_cast<std::uint8_t>(k);
    if (g.groups >= 0) break;
  }
  return g;
}

FUSECL_INLINE const step_kind& kind_of(const schedule::geometry& g) { return *all()[g.kernel.kind]; }

FUSECL_INLINE codegen::program_text emit(const schedule::plan& p, std::size_t number,
                                         const schedule::geometry& g) {
  return kind_of(g).emit({p, number, g, kind_of(g).name});
}

}  // namespace fusecl::kinds
