#pragma once
// Element-wise steps on a CPU that tell rows and columns apart: columns in turn, each in whole vectors and a
// scalar tail.

#include <algorithm>

#include <fusion/codegen/step_emitter.hpp>
#include <fusion/kinds/cpu_shares.hpp>
#include <fusion/kinds/step_kind.hpp>

namespace fusecl::kinds {
namespace columns_walk {

using schedule::device_form, schedule::divide_up, schedule::geometry, schedule::launch_request,
    schedule::plan, schedule::round_up, schedule::step;

// Rows of a tile where an operand is transposed: each is a cache line of the operand, which stays in the
// first-level cache while the columns pass along it.
inline constexpr std::int64_t transposed_rows = 16;
inline constexpr std::int64_t transposed_cols = 256;

struct grid {
  std::int64_t row_tile, col_tile;
};

FUSECL_INLINE grid transposed_grid(const launch_request& r) {
  const std::int64_t cols = std::min(r.cols(), transposed_cols);
  return {round_up(divide_up(cpu_chunk / 2, cols), transposed_rows), cols};
}

FUSECL_INLINE grid usual_grid(const launch_request& r, std::int64_t width) {
  const step& s = r.s;
  const std::int64_t rows = r.rows(), cols = r.cols(), wanted = cpu_turns(r.device);
  const bool few_columns = cols < wanted && rows >= 2 * cpu_part;
  const bool keep_vector = s.reuses_rows && cols > 1 && rows >= 2 * cpu_part;
  const std::int64_t pieces = few_columns ? divide_up(wanted, std::max<std::int64_t>(cols, 1)) : 1;
  grid t;
  t.row_tile = keep_vector   ? cpu_chunk
               : few_columns ? round_up(std::max(divide_up(rows, pieces), cpu_chunk), width)
                             : std::max<std::int64_t>(rows, 1);
  const std::int64_t row_tiles = std::max<std::int64_t>(1, divide_up(rows, t.row_tile));
  const bool only_reads = s.reduces && s.stores.empty();
  const std::int64_t fewest = 1, most = divide_up(rows * cols, cpu_part / 8);
  const std::int64_t groups =
      only_reads ? std::max(fewest, std::min(cpu_groups(rows * cols, r.device.compute_units), most)) : wanted;
  const std::int64_t balanced = divide_up(cols, divide_up(groups, row_tiles));
  const std::int64_t cached = only_reads || (s.reduces && s.axis == ir::axis::all) ? balanced
                              : keep_vector                                        ? 32
                                            : divide_up(2 * cpu_chunk, t.row_tile);
  t.col_tile = std::min(balanced, cached);
  return t;
}

/// Also of steps that reduce, without what these leave.
FUSECL_INLINE geometry shape(const launch_request& r) {
  geometry g;
  cpu_vectors(g, r);
  if (r.s.part != matrix_cl_view::Entire) g.kernel.ragged = g.kernel.width > 1;  // columns end anywhere
  const bool transposed = !r.s.reduces && r.s.transposes && r.rows() >= transposed_rows && r.cols() > 1;
  grid t = transposed ? transposed_grid(r) : usual_grid(r, g.kernel.width);
  t.col_tile = std::max<std::int64_t>(1, t.col_tile);
  const std::int64_t row_tiles = std::max(std::int64_t{transposed ? 0 : 1}, divide_up(r.rows(), t.row_tile));
  g.groups = row_tiles * std::max<std::int64_t>(1, divide_up(r.cols(), t.col_tile));
  g.sizes = {{"rows", r.rows()},
             {"cols", r.cols()},
             {"row_tiles", row_tiles, true},
             {"row_tile", t.row_tile},
             {"col_tile", t.col_tile}};
  return g;
}

FUSECL_INLINE bool takes(const plan& p, const step& s) {
  return p.form == device_form::cpu && !s.is_tile() && !s.reduces;
}

class emitter final : public codegen::detail::step_emitter {
 public:
  using step_emitter::step_emitter;

 private:
  void walk() override {
    for (const char* name : {"rows", "cols", "row_tiles", "row_tile", "col_tile"}) add_size(name);
    out_.line(codegen::detail::tile_numbers);
    out_.line(codegen::detail::tile_ends);
    codegen::value_emitter values = domain_emitter();
    start(values);
    const codegen::detail::column_bounds bounds = bounds_in_columns();
    out_.open("for (long j = {}; j < {}; ++j)", {bounds.first_column, bounds.last_column});
    out_.raw(bounds.declared);
    out_.line("long i = {};", {bounds.begin});
    out_.open("for (; i + {} <= {}; i += {})", {v_.width, bounds.end, v_.width});
    visit(values, v_.width, "", "");
    out_.close();
    if (v_.ragged && v_.width > 1) {
      out_.open("for (; i < {}; ++i)", {bounds.end});
      visit(values, 1, "", "");
      out_.close();
    }
    out_.close();
  }

  bool walks_exactly() const override { return true; }
};

FUSECL_INLINE codegen::program_text emit(const codegen::emit_request& r) { return emitter(r).run(); }

}  // namespace columns_walk

inline constexpr step_kind columns{kind_order::columns, "columns",           "tiles of columns in turn",
                                   columns_walk::takes, columns_walk::shape, columns_walk::emit};

}  // namespace fusecl::kinds
