#pragma once
// Reductions on a GPU over a grid of tiles: along rows, columns or everything, with element-wise results of
// the same domain beside them.

#include <algorithm>

#include <fusion/codegen/reducing_emitter.hpp>
#include <fusion/kinds/step_kind.hpp>

namespace fusecl::kinds {
namespace reduce_walk {

using schedule::device_form, schedule::divide_up, schedule::geometry, schedule::launch_request,
    schedule::leave_parts, schedule::plan, schedule::round_up, schedule::step;

// Parts of a result that a work-item of the last group may have to add.
inline constexpr std::int64_t most_parts_of_last = 64;

// Of sums of rows, columns that a work-item adds up for each part that somebody reads again: with fewer, half
// of the groups do. They have 32 work-items side by side, and so half the parts of 64, where vectors of rows
// are fewer than 128 for each unit (H200, matrix times vector of 2048, 4096 and 8192: 12.6, 44.7 and 132 us
// before, now 10.2, 37.2 and 129).
inline constexpr std::int64_t columns_worth_a_part = 32;

// Vectors of a column that a work-item adds up alone where parts of it are dear to combine, and where columns
// are too few to keep a device busy (H200, log-sum-exp of 10 x 5e6 and 100 x 5e5: 780 and 313 us with
// work-items that share columns, 216 and 180 without).
inline constexpr std::int64_t rows_of_one = 64, rows_of_one_of_few = 8;

// Elements of a column that a work-item adds up alone where columns are many (H200, sums of 5 x 1e7, 10 x
// 5e6, 12 x 4.2e6 and 14 x 3.6e6: 323, 173, 153 and 140 us with work-items that share columns, 136, 129, 135
// and 161 without).
inline constexpr std::int64_t elements_of_one = 13;

// Vectors that such a work-item has of a column at least where groups leave parts (H200, standard deviations
// of 20 x 2e5 and 64 x 66000: 35 and 47 us with 8, 17 and 15 with 32).
inline constexpr std::int64_t rows_worth_a_part = 32;

/// A grid of tiles: `lanes` work-items of a group side by side along the rows (counted in vectors).
struct grid {
  std::int64_t lanes, row_tile, col_tile, row_tiles, col_tiles;
};

/// Work-items of a group side by side along `length`: all of it where it is short, else whole memory
/// segments.
FUSECL_INLINE std::int64_t lanes_along(std::int64_t length, std::int64_t group) {
  if (length <= 64 || group < 64) return std::clamp<std::int64_t>(length, 1, group);
  if (length >= 512) return 64;
  std::int64_t best = 64;
  for (std::int64_t lanes : {48, 32})
    if (round_up(length, lanes) < round_up(length, best)) best = lanes;
  return best;
}

/// Whether each column of so many vectors is one work-item's: short ones, and of running statistics longer
/// ones, too, as to combine what several work-items have of these costs more than to add elements.
FUSECL_INLINE bool has_columns_alone(const launch_request& r, std::int64_t rows, std::int64_t width) {
  const bool many = r.cols() >= r.device.group * r.device.compute_units;
  if (many && rows * width <= elements_of_one) return true;
  return rows <= (many ? rows_of_one : rows_of_one_of_few) &&
         std::any_of(r.s.reductions.begin(), r.s.reductions.end(),
                     [&](ir::node_id id) { return r.p.graph[id].op->running != nullptr; });
}

/// Columns in turn: work-items of a group share columns, several rounds each so that loads overlap.
FUSECL_INLINE grid columns_in_turn(const launch_request& r, std::int64_t rows, std::int64_t width,
                                   std::int64_t wanted) {
  grid t;
  const std::int64_t group = r.device.group, cols = r.cols();
  t.lanes = rows * width >= 4096 || cols == 1   ? group
            : has_columns_alone(r, rows, width) ? 1
            : rows >= 512                       ? std::min<std::int64_t>(32, group)
            : rows >= 24                        ? divide_up(rows, divide_up(rows, 12))
            : rows >= 4                         ? 4
                                                : 1;
  t.col_tile = group / t.lanes;
  t.col_tiles = divide_up(cols, t.col_tile);
  const std::int64_t most = t.lanes == 1
                                ? std::max<std::int64_t>(rows / rows_worth_a_part, 1)
                                : std::max<std::int64_t>(divide_up(rows, std::int64_t{8} * t.lanes), 1);
  const std::int64_t pieces =
      std::clamp<std::int64_t>(wanted / std::max<std::int64_t>(t.col_tiles, 1), 1, most);
  t.row_tile = std::max<std::int64_t>(round_up(divide_up(rows, pieces), t.lanes), 1);
  t.row_tiles = std::max<std::int64_t>(divide_up(rows, t.row_tile), 1);
  return t;
}

/// Rows side by side: work-items keep their rows while the columns pass.
FUSECL_INLINE grid rows_side_by_side(const launch_request& r, std::int64_t rows, std::int64_t wanted) {
  grid t;
  const std::int64_t cols = r.cols();
  t.lanes = lanes_along(rows, r.device.group);
  // one result of tall matrices: a work-item has some columns of its row, and groups leave few parts
  while (r.s.axis == ir::axis::all && rows >= 512 && 2 * t.lanes <= r.device.group &&
         8 * r.device.group > cols * t.lanes)
    t.lanes *= 2;
  const bool only_sums = r.s.axis == ir::axis::row && r.s.stores.empty();
  if (only_sums && t.lanes == 64 && divide_up(rows, 64) < 2 * r.device.compute_units) t.lanes = 32;
  const std::int64_t across = r.device.group / t.lanes;
  t.row_tile = t.lanes;
  t.row_tiles = std::max<std::int64_t>(1, divide_up(rows, t.row_tile));
  const std::int64_t most = std::max<std::int64_t>(divide_up(cols, 8 * across), 1);
  std::int64_t pieces = std::clamp<std::int64_t>(wanted / t.row_tiles, 1, most);
  if (only_sums && cols < pieces * across * columns_worth_a_part)
    pieces = std::clamp<std::int64_t>(wanted / 2 / t.row_tiles, 1, most);
  t.col_tile = std::max<std::int64_t>(round_up(divide_up(cols, pieces), across), 1);
  t.col_tiles = std::max<std::int64_t>(1, divide_up(cols, t.col_tile));
  return t;
}

FUSECL_INLINE bool takes(const plan& p, const step& s) {
  return p.form == device_form::gpu && !s.is_tile() && !s.scans && s.reduces && !s.opaque;
}

FUSECL_INLINE geometry shape(const launch_request& r) {
  geometry g;
  const bool by_column = r.s.axis == ir::axis::column, by_row = r.s.axis == ir::axis::row;
  const std::int64_t width = r.rows() % r.width == 0 && r.padded && r.rows() > 0 ? r.width : 1;
  const std::int64_t rows = r.rows() / width, wanted = 16 * r.device.compute_units;
  const grid t = by_column ? columns_in_turn(r, rows, width, wanted) : rows_side_by_side(r, rows, wanted);
  g.kernel.distinct = r.distinct;
  g.kernel.width = static_cast<std::uint8_t>(width);
  g.local = r.device.group;
  g.groups = t.row_tiles * t.col_tiles;
  g.sizes = {{"rows", rows},           {"cols", r.cols()},       {"row_tiles", t.row_tiles, true},
             {"lanes", t.lanes, true}, {"row_tile", t.row_tile}, {"col_tile", t.col_tile}};
  leave_parts(g, r,
              by_column ? t.row_tiles
              : by_row  ? t.col_tiles
                        : g.groups,
              by_column ? t.lanes
              : by_row  ? g.local / t.lanes
                        : g.local);
  // of one result all groups leave parts, of many those that share a tile of them
  const std::int64_t lines = by_column ? t.col_tiles : t.row_tiles,
                     parts = g.groups / std::max<std::int64_t>(lines, 1),
                     sharing = by_column ? t.lanes : g.local / t.lanes;
  if (by_column || by_row)
    schedule::let_last_group_finish(
        g.kernel, r.device,
        g.kernel.partial && lines <= schedule::most_arrivals && parts <= most_parts_of_last * sharing);
  return g;
}

class emitter final : public codegen::detail::reducing_emitter {
 public:
  using reducing_emitter::reducing_emitter;

 private:
  /// Combines what work-items have of a row or column, and opens the scope of the one that has all of it
  /// then.
  void open_result(bool by_column) {
    if (by_column)
      tree("lanes", "1", "across", 1, "down < rounds");  // the last lanes may fill no round
    else
      tree("rounds", "lanes", "down", v_.width);
    out_.open(by_column ? "if (across == 0 && down < rounds && j < cols)" : "if (down == 0 && i < rows)");
  }

  /// Adds the parts of a tile of results, in the group that arrives last of those that share it.
  void finish_last_of_tile(bool by_column) {
    const int lanes = by_column ? 1 : v_.width;
    open_last_group("the group that arrives last adds what those have left that share a tile with it",
                    by_column ? "(arrivals + tile_j)" : "(arrivals + tile_i)",
                    by_column ? "row_tiles" : "get_num_groups(0) / row_tiles");
    for (std::size_t k = 0; k < s_.reductions.size(); ++k)
      out_.line("r{} = {};", {k, codegen::detail::neutral_text(g_[s_.reductions[k]])});
    out_.open(by_column ? "if (down < rounds && j < cols)" : "if (down < rounds && i < rows)");
    out_.raw("#pragma unroll 4\n");
    if (by_column)
      out_.open("for (uint part = across; part < row_tiles; part += lanes)");
    else
      out_.open("for (uint part = down; part < get_num_groups(0) / row_tiles; part += rounds)");
    merge("r{}", codegen::fill("p{}[{}]", {"{}", by_column ? "j + part * cols" : "i + part * rows"}), lanes);
    out_.close();
    out_.close();
    open_result(by_column);
    run_epilogue(by_column ? "j" : "i", lanes);
    out_.close();
    out_.close();
  }

  void walk() override {
    const bool by_column = s_.axis == ir::axis::column, by_row = s_.axis == ir::axis::row;
    const char* suffix = by_row ? "" : "_v";
    add_size("rows");
    add_size("cols");
    add_size("row_tiles");
    add_size("lanes");
    add_size(by_column ? "row_tile" : "col_tile");
    add_size("first_stride");
    declare_shared(by_row ? v_.width : 1);
    out_.line(lane_numbers_in_group());
    out_.line(codegen::detail::tile_numbers);
    codegen::value_emitter values = domain_emitter();
    start(values);
    declare_accumulators(suffix, v_.width);
    // a part bounds rows by the column, and columns by the row: the group's first one, so that work-items
    // side by side stay in one column
    const bool no_lower = s_.is_above_diagonal(), no_upper = s_.is_below_diagonal();
    const std::string per_vector = v_.width == 1 ? "" : codegen::fill(" / {}", {v_.width}),
                      vectors = v_.width == 1 ? "" : codegen::fill(" * {}", {v_.width});
    if (by_column) {
      out_.line("const long j = tile_j * rounds + down, i_end = min((tile_i + 1) * row_tile, {});",
                {no_lower ? codegen::fill("min(rows, j{} + 1)", {per_vector}) : std::string("rows")});
      out_.open("if (down < rounds && j < cols)");
      out_.raw(unrolling());
      out_.open("for (long i = {} + across; i < i_end; i += lanes)",
                {no_upper ? codegen::fill("max(tile_i * row_tile, j{})", {per_vector})
                          : std::string("tile_i * row_tile")});
    } else {
      out_.line(
          "const long i = tile_i * lanes + across, j_end = min((tile_j + 1) * col_tile, {});",
          {no_upper ? codegen::fill(v_.width == 1 ? "min(cols, i + 1)" : "min(cols, (i + 1){})", {vectors})
                    : std::string("cols")});
      out_.open("if (down < rounds && i < rows)");
      out_.raw(unrolling());
      out_.open("for (long j = {} + down; j < j_end; j += rounds)",
                {no_lower ? codegen::fill("max(tile_j * col_tile, tile_i * lanes{})", {vectors})
                          : std::string("tile_j * col_tile")});
    }
    visit(values, v_.width, suffix, "");
    out_.close();
    out_.close();
    if (!by_row) fold(false);
    if (by_row || by_column) {
      open_result(by_column);
      if (by_row)
        finish_results("tile_j", "i", v_.width);
      else
        finish_results("tile_i", "j", 1);
    } else {
      tree(codegen::fill("{}", {shape_.local}), "1", "lane", 1);
      out_.open("if (lane == 0)");
      finish_results("get_group_id(0)", "0", 1);
    }
    out_.close();
    if (v_.last && (by_row || by_column))
      finish_last_of_tile(by_column);
    else if (v_.last)
      finish_last_group();
  }
};

FUSECL_INLINE codegen::program_text emit(const codegen::emit_request& r) { return emitter(r).run(); }

}  // namespace reduce_walk

inline constexpr step_kind reduce{kind_order::reduce, "reduce",           "a grid of tiles that accumulate",
                                  reduce_walk::takes, reduce_walk::shape, reduce_walk::emit};

}  // namespace fusecl::kinds
