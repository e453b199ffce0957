#pragma once
// Reductions along columns or everything on a CPU that tell rows and columns apart: columns in turn, each in
// whole vectors and a scalar tail.

#include <fusion/codegen/reducing_emitter.hpp>
#include <fusion/kinds/columns.ipp>
#include <fusion/kinds/step_kind.hpp>

namespace fusecl::kinds {
namespace column_sums_walk {

using schedule::device_form, schedule::geometry, schedule::launch_request, schedule::plan, schedule::step;

FUSECL_INLINE bool takes(const plan& p, const step& s) {
  return p.form == device_form::cpu && !s.is_tile() && !s.scans && s.reduces && s.axis != ir::axis::row;
}

FUSECL_INLINE geometry shape(const launch_request& r) {
  geometry g = columns_walk::shape(r);
  const std::int64_t parts = r.s.axis == ir::axis::all ? g.groups : g.size("row_tiles");
  leave_parts(g, r, parts, 1);
  return g;
}

class emitter final : public codegen::detail::reducing_emitter {
 public:
  using reducing_emitter::reducing_emitter;

 private:
  void walk() override {
    for (const char* name : {"rows", "cols", "row_tiles", "row_tile", "col_tile"}) add_size(name);
    const bool by_column = s_.axis == ir::axis::column;
    const bool tail = v_.ragged && v_.width > 1;
    const int several = v_.accumulators;
    out_.line(codegen::detail::tile_numbers);
    out_.line(codegen::detail::tile_ends);
    codegen::value_emitter values = domain_emitter();
    start(values);
    if (!by_column) start_sums(tail);
    codegen::detail::column_bounds bounds = bounds_in_columns();
    if (by_column) {  // each column has a result, also those that the part leaves out
      bounds.first_column = "tile_j * col_tile";
      bounds.last_column = "j_end";
    }
    out_.open("for (long j = {}; j < {}; ++j)", {bounds.first_column, bounds.last_column});
    if (by_column) start_sums(tail);
    out_.raw(bounds.declared);
    if (one_pivot()) {
      visit_with_one_pivot(values, bounds.begin, bounds.end, v_.width);
      join_lanes();
      if (tail) visit_tail(values, bounds.end, "");
    } else {
      if (several > 1) visit_in_turn(values, bounds.begin, bounds.end, v_.width);
      visit_whole(values, several > 1 ? "first" : bounds.begin, bounds.end, v_.width);
      if (tail) visit_tail(values, bounds.end, "_s");
      if (by_column) fold(tail);
    }
    if (by_column) finish_results("tile_i", "j", 1);
    out_.close();
    if (!by_column) {
      fold(tail);
      finish_results("get_group_id(0)", "0", 1);
    }
  }

  bool walks_exactly() const override { return true; }

  /// Whether the lanes of a column's vectors are taken from the same element.
  bool one_pivot() const {
    return s_.axis == ir::axis::column && v_.width > 1 && v_.accumulators == 1 && decides_at_first();
  }
  void join_lanes() {
    decided_ = true;
    fold(false);
    decided_ = false;
  }

  void visit_tail(codegen::value_emitter& values, const char* end, const char* suffix) {
    out_.open("for (; i < {}; ++i)", {end});
    visit(values, 1, suffix, "");
    out_.close();
  }

  void start_sums(bool tail) {
    declare_accumulators("_v", v_.width, v_.accumulators);
    if (tail && !one_pivot()) declare_accumulators("_s", 1);
  }
};

FUSECL_INLINE codegen::program_text emit(const codegen::emit_request& r) { return emitter(r).run(); }

}  // namespace column_sums_walk

inline constexpr step_kind column_sums{
    kind_order::column_sums, columns.name,          columns.walk, column_sums_walk::takes,
    column_sums_walk::shape, column_sums_walk::emit};

}  // namespace fusecl::kinds
