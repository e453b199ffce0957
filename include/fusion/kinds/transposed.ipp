#pragma once
// Element-wise steps on a GPU with transposed operands or results. A group takes a tile of the domain. What
// is transposed passes through local memory, so that neighbouring work-items always touch neighbouring
// elements of memory: operands before the tile is computed, results after it.

#include <algorithm>
#include <utility>

#include <fusion/base/list_of.hpp>
#include <fusion/codegen/step_emitter.hpp>
#include <fusion/ir/node_map.hpp>
#include <fusion/kinds/gpu_sectors.hpp>
#include <fusion/kinds/step_kind.hpp>

namespace fusecl::kinds {
namespace transposed_walk {

using schedule::device_form, schedule::divide_up, schedule::geometry, schedule::launch_request,
    schedule::plan, schedule::step, schedule::store;

// Rows and columns from which on tiles are worth their local memory.
inline constexpr std::int64_t fewest = 17;
// Bytes of a column of a tile, and its columns (H200, transpose(A) + B of 1e4 x 1e4 floats: 0.96 of copy
// bandwidth against 0.91 for half of the bytes), and the side of the tiles for many transposed values.
inline constexpr std::int64_t column_bytes = 256, columns = 32, small_side = 16;
// Rows for each column from which on tiles side by side are neighbours in time, so that they read whole
// columns of what is transposed (H200, transpose to 1e6 x 100: 0.90 of copy bandwidth against 0.82).
inline constexpr std::int64_t tall = 8;

// Columns up to which a tile takes all of them, so that what it reads has no gaps, and elements from which on
// that is worth a kernel for this number of columns (H200, transpose to 1e6 x 100: 0.93 of copy bandwidth
// against 0.90).
inline constexpr std::int64_t most_whole = 128, worth_own_kernel = 1 << 20;

/// A tile, and by how many rows or columns two of them overlap, so that each can begin later in some of its
/// columns or rows.
struct tile {
  std::int64_t rows, cols;
  std::int64_t overlap_rows = 0, overlap_cols = 0;
};

/// Whether the elements that a map (or a chain of them) takes from below each other are side by side in the
/// domain.
FUSECL_INLINE bool swaps(const ir::graph& g, ir::node_id id) {
  ir::map_directions all;
  for (; ir::maps_places(g[id]); id = g[id].operands[0]) all = all.through(g[id].map);
  return all.row_by_i == 0 && all.row_by_j != 0 && all.col_by_i != 0;
}

/// Accesses whose elements are read into tiles of local memory: those that transpose a matrix in memory.
FUSECL_INLINE list_of<ir::node_id> staged_reads(const plan& p, const step& s) {
  const ir::graph& g = p.graph;
  const auto is_given = [&](ir::node_id id) {
    return p.loads(s, id) || g[id].op->kind == ir::op_class::access;
  };
  const ir::node_set within = ir::reachable(g, s.domain_values(g), is_given);
  list_of<ir::node_id> staged;
  for (ir::node_id id : within) {
    if (g[id].op->kind != ir::op_class::access) continue;
    const ir::node& from = g[ir::accessed(g, id)];
    const bool in_memory = from.is(ir::leaf_operations::matrix) || p.loads(s, ir::accessed(g, id));
    const bool many = g.resolve(g[id].rows) == s.rows && g.resolve(g[id].cols) == s.cols;
    if (in_memory && many && swaps(g, id)) staged.push_back(id);
  }
  return staged;
}

FUSECL_INLINE bool is_staged(const store& result) {
  return result.place.is_part && result.place.map.row_by_i == 0;
}
/// Whether some results are transposed.
FUSECL_INLINE bool stages_results(const step& s) {
  return std::any_of(s.stores.begin(), s.stores.end(), is_staged);
}

FUSECL_INLINE bool takes(const plan& p, const step& s) {
  if (p.form != device_form::gpu || s.is_tile() || s.reduces || !s.transposes) return false;
  return stages_results(s) || !staged_reads(p, s).empty();
}

/// Elements of a row of a tile in local memory: an odd number, so that columns are in different banks.
constexpr std::int64_t pitch(std::int64_t side) { return side | 1; }

/// Bytes of local memory for an element of the domain.
FUSECL_INLINE std::int64_t staged_bytes(const plan& p, const step& s) {
  std::size_t bytes = 0;
  for (ir::node_id id : staged_reads(p, s)) bytes += std::max<std::size_t>(size_of(p.graph[id].type), 4);
  for (const store& result : s.stores)
    if (is_staged(result)) bytes += size_of(p.graph[result.value].type);
  return static_cast<std::int64_t>(bytes);
}

/// The best tile that a group can walk, without rows if there is none.
FUSECL_INLINE tile choose_tile(const launch_request& r) {
  const std::int64_t each = staged_bytes(r.p, r.s), most = r.device.local_bytes / 2;
  const std::int64_t group = r.device.group, element = r.device.access_bytes / r.width;
  const std::int64_t rows = column_bytes / element;
  const bool all_staged = std::all_of(r.s.stores.begin(), r.s.stores.end(), is_staged);
  const std::int64_t sector = sector_bytes / element;
  const auto fits = [&](tile t) {
    return group % t.rows == 0 && group % t.cols == 0 && each * t.rows * pitch(t.cols) <= most;
  };
  const bool worth_it = r.rows() / tall > r.cols() && r.rows() * r.cols() >= worth_own_kernel;
  const bool has_gaps = r.cols() <= most_whole && r.cols() % columns != 0;
  if (worth_it && has_gaps && each * rows * pitch(r.cols()) <= r.device.local_bytes * 3 / 4)
    return {rows, r.cols()};
  // where columns of the results start within sectors, tiles are longer and begin at a boundary in every
  // column (H200, transpose of 9999 x 10001: 0.90 of copy bandwidth against 0.88 for long tiles alone and
  // 0.84 for short ones)
  if (!stages_results(r.s) && r.rows() % sector != 0 && fits({2 * rows, columns}))
    return {2 * rows, columns, sector, 0};
  if (all_staged && r.cols() % sector != 0 && fits({columns, 2 * rows}))
    return {columns, 2 * rows, 0, sector};
  for (const tile t : {tile{rows, columns}, tile{columns, columns}, tile{small_side, small_side}})
    if (fits(t)) return t;
  return {0, 0};
}

/// Elements that a work-item computes at once. Tiles are exchanged element by element.
FUSECL_INLINE std::int64_t choose_width(const launch_request& r, tile t) {
  const auto is_boolean = [&](ir::node_id id) { return r.p.graph[id].type == scalar_type::boolean; };
  const list_of<ir::node_id> staged = staged_reads(r.p, r.s);
  const bool single = stages_results(r.s) || std::any_of(staged.begin(), staged.end(), is_boolean);
  const bool whole = t.overlap_rows == 0 && r.padded && r.rows() % r.width == 0 &&
                     r.device.group * r.width <= t.rows * t.cols;
  return single || !whole ? 1 : r.width;
}

FUSECL_INLINE geometry shape(const launch_request& r) {
  geometry g;
  g.groups = does_not_fit;
  const std::int64_t rows = r.rows(), cols = r.cols();
  if (rows < fewest || cols < fewest) return g;
  const tile t = choose_tile(r);
  if (t.rows == 0) return g;
  const auto tiles_of = [](std::int64_t length, std::int64_t side, std::int64_t overlap) {
    return divide_up(length + overlap - (overlap > 0), side - overlap);
  };
  const std::int64_t row_tiles = tiles_of(rows, t.rows, t.overlap_rows),
                     col_tiles = tiles_of(cols, t.cols, t.overlap_cols);
  const std::int64_t width = choose_width(r, t);
  const bool side_by_side = rows / tall > cols;
  g.kernel.distinct = r.distinct;
  g.kernel.width = static_cast<std::uint8_t>(width);
  g.kernel.choices[0] = static_cast<std::uint16_t>(t.rows);
  g.kernel.choices[1] = static_cast<std::uint16_t>(t.cols);
  g.kernel.choices[2] = side_by_side;
  g.kernel.choices[3] = static_cast<std::uint16_t>(std::max(t.overlap_rows, t.overlap_cols));
  g.local = r.device.group;
  g.groups = row_tiles * col_tiles;
  g.sizes = {{"rows", rows},
             {"cols", cols},
             {"vectors", rows / width},
             {"row_tiles", row_tiles, true},
             {"col_tiles", col_tiles, true}};
  return g;
}

class emitter final : public codegen::detail::step_emitter {
 public:
  explicit emitter(const codegen::emit_request& r)
      : step_emitter(r), staged_(staged_reads(r.p, s_)), tile_{v_.choices[0], v_.choices[1]} {
    (stages_results(s_) ? tile_.overlap_cols : tile_.overlap_rows) = v_.choices[3];
  }

 private:
  void walk() override {
    add_size("rows");
    add_size("cols");
    declare_tiles();
    number_tiles();
    end_outside();
    out_.line("const uint lane = get_local_id(0);");
    codegen::value_emitter values = domain_emitter();
    start(values);
    if (!staged_.empty()) {
      read_tiles(values);
      out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
    }
    know_tiles(values);
    compute(values);
    if (stages_results(s_)) {
      out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
      write_tiles(values);
    }
    // PoCL 3.1 takes the last condition of a kernel for the same in all work-items of a group where a return
    // stands before a barrier: they meet before they end
    if (s_.is_below_diagonal() || s_.is_above_diagonal()) out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
  }

  /// Ends groups whose tiles are outside of the step's part.
  void end_outside() {
    if (s_.is_below_diagonal()) out_.line("if ((tile_i + 1) * {} <= {}) return;", {row_step(), first_col()});
    if (s_.is_above_diagonal()) out_.line("if ({} >= (tile_j + 1) * {}) return;", {first_row(), col_step()});
  }
  /// Passes over elements (or vectors of `width`) outside of it.
  void skip_outside(int width) {
    const std::string row = width == 1 ? "i" : codegen::fill("i * {}", {width});
    if (s_.is_below_diagonal()) out_.line("if ({} + {} < j) continue;", {row, width - 1});
    if (s_.is_above_diagonal()) out_.line("if ({} > j) continue;", {row});
  }

  std::int64_t row_step() const { return tile_.rows - tile_.overlap_rows; }
  std::int64_t col_step() const { return tile_.cols - tile_.overlap_cols; }
  bool overlaps() const { return row_step() < tile_.rows || col_step() < tile_.cols; }
  /// What a tile may read first.
  std::string first_row() const { return first("tile_i * {}", row_step(), tile_.overlap_rows); }
  std::string first_col() const { return first("tile_j * {}", col_step(), tile_.overlap_cols); }
  static std::string first(const char* pattern, std::int64_t step, std::int64_t overlap) {
    std::string text = codegen::fill(pattern, {step});
    if (overlap > 0) text += codegen::fill(" - {}", {overlap});
    return text;
  }

  std::string tile_of(std::size_t store_number) const {
    return codegen::fill("tile{}", {staged_.size() + store_number});
  }

  void number_tiles() {
    const bool side_by_side = v_.choices[2] != 0;
    add_size(side_by_side ? "col_tiles" : "row_tiles");
    out_.line("const uint group = get_group_id(0);");
    out_.line(side_by_side ? "const long tile_i = group / col_tiles, tile_j = group % col_tiles;"
                           : "const long tile_i = group % row_tiles, tile_j = group / row_tiles;");
  }

  /// Element (i, j) of the domain is in row i - first_row() and column j - first_col() of a tile, as many as
  /// tiles have.
  void declare_tiles() {
    const std::string tile = codegen::fill("[{}][{}];", {tile_.rows, pitch(tile_.cols)});
    for (std::size_t k = 0; k < staged_.size(); ++k) {
      const scalar_type type = g_[staged_[k]].type;
      const bool boolean = type == scalar_type::boolean;
      out_.line("local {} tile{}{}", {codegen::vector_type(boolean ? scalar_type::int32 : type, 1), k, tile});
    }
    for (std::size_t k = 0; k < s_.stores.size(); ++k)
      if (is_staged(s_.stores[k]))
        out_.line("local {} {}{}", {{g_[s_.stores[k].value].type, 1}, tile_of(k), tile});
  }

  /// The values in tiles, for work-items in the order of the domain.
  void know_tiles(codegen::value_emitter& values) {
    for (std::size_t k = 0; k < staged_.size(); ++k) {
      std::string all;
      for (int lane = 0; lane < v_.width; ++lane)
        all += codegen::fill("{}tile{}[{}][down]", {lane > 0 ? ", " : "", k, row_in_tile(lane)});
      if (v_.width > 1) all = codegen::fill("({})({})", {{g_[staged_[k]].type, v_.width}, all});
      values.know(staged_[k], all, false);
    }
  }
  std::string row_in_tile(int lane) const {
    if (v_.width == 1) return tile_.overlap_rows > 0 ? "in_tile" : "across";
    return codegen::fill(lane == 0 ? "across * {}" : "across * {} + {}", {v_.width, lane});
  }

  /// Starts a loop over the vectors of the tile, neighbouring work-items below each other in the domain.
  void open_columns() {
    const std::int64_t lanes = tile_.rows / v_.width, apart = shape_.local / lanes;
    open_rounds(lanes, apart, tile_.cols);
    if (tile_.overlap_rows > 0) {
      out_.line("const long j = tile_j * {} + down;", {tile_.cols});
      begin_at_sector("across", "j", "rows", tile_.overlap_rows, row_step());
      out_.line("const long i = {} + in_tile;", {first_row()});
    } else {
      out_.line("const long i = tile_i * {} + across, j = {} + down;", {lanes, first_col()});
    }
    const char* end = v_.width > 1 ? "vectors" : "rows";
    if (v_.width > 1) add_size(end);
    out_.line(overlaps() ? "if (i < 0 || j < 0 || i >= {} || j >= cols) continue;"
                         : "if (i >= {} || j >= cols) continue;",
              {end});
    skip_outside(v_.width);
  }
  /// Where in the overlap the line `number` begins, which are lines of `length` one after the other in
  /// memory: at the start of a sector.
  void begin_at_sector(const char* place, const char* number, const char* length, std::int64_t overlap,
                       std::int64_t step) {
    out_.line("if ({} >= {}) continue;", {place, step});
    out_.line("const uint in_tile = {} + {} - (uint){} * (uint){} % {};",
              {place, overlap, number, length, overlap});
  }
  /// Starts a loop over the elements of the tile, neighbouring work-items side by side in the domain.
  void open_rows() {
    if (shape_.local % tile_.cols == 0) {
      open_rounds(tile_.cols, shape_.local / tile_.cols, tile_.rows);
    } else {
      out_.raw("#pragma unroll\n");
      out_.open("for (uint k = lane; k < {}; k += {})", {tile_.rows * tile_.cols, shape_.local});
      out_.line("const uint across = k % {}, down = k / {};", {tile_.cols, tile_.cols});
    }
  }
  void open_rounds(std::int64_t lanes, std::int64_t apart, std::int64_t length) {
    out_.raw("#pragma unroll\n");
    out_.open("for (uint k = 0; k < {}; k += {})", {length, apart});
    out_.line("const uint across = lane % {}, down = lane / {} + k;", {lanes, lanes});
  }

  /// The element in this row and column.
  codegen::access element(const char* row, const char* col) {
    codegen::access how;
    how.self = this;
    how.load = load_tiled;
    how.row = codegen::fill("(int){}", {row});
    how.col = codegen::fill("(int){}", {col});
    how.lane_rows = {row};
    how.lane_cols = {col};
    return how;
  }
  /// The elements of vector `i` of column `j`.
  codegen::access elements_of_vector() {
    codegen::access how = element("i", "j");
    if (v_.width == 1) return how;
    how.lanes = v_.width;
    how.row = row_number(v_.width);
    how.lane_cols.assign(v_.width, "j");
    how.lane_rows = {codegen::fill("(i * {})", {v_.width})};
    for (int lane = 1; lane < v_.width; ++lane)
      how.lane_rows.push_back(codegen::fill("(i * {} + {})", {v_.width, lane}));
    return how;
  }

  /// Loads are not conditional, so that those of all rounds overlap: past the edge they repeat the last one.
  void read_tiles(codegen::value_emitter& values) {
    out_.line("// transposed operands: their columns run along the rows of a tile");
    open_rows();
    out_.line("const long i = {} + down, j = {} + across;", {first_row(), first_col()});
    skip_outside(1);
    out_.line(overlaps() ? "const long row = clamp(i, 0L, rows - 1), col = clamp(j, 0L, cols - 1);"
                         : "const long row = min(i, rows - 1), col = min(j, cols - 1);");
    values.begin(element("row", "col"));
    for (std::size_t k = 0; k < staged_.size(); ++k) {
      const std::string value = values.value(out_, staged_[k]);
      out_.line("tile{}[down][across] = {};", {k, value});
    }
    out_.close();
  }

  void compute(codegen::value_emitter& values) {
    open_columns();
    const std::string e = codegen::fill("const long e = i + j * {};", {v_.width > 1 ? "vectors" : "rows"});
    after_what_it_mentions({"e"}, e, [&] {
      lanes_ = v_.width;
      values.begin(elements_of_vector());
      const list_of<std::string> stored = texts_of(values, s_.stores);
      for (std::size_t k = 0; k < stored.size(); ++k) {
        if (is_staged(s_.stores[k]))
          out_.line("{}[{}][down] = {};", {tile_of(k), row_in_tile(0), stored[k]});
        else
          step_emitter::store(values, s_.stores[k], "e", stored[k], 1, false);
      }
    });
    out_.close();
  }

  void write_tiles(codegen::value_emitter& values) {
    out_.line("// transposed results: the rows of a tile run along their columns");
    open_rows();
    const bool shifted = tile_.overlap_cols > 0;
    if (shifted) {
      out_.line("const long i = tile_i * {} + down;", {tile_.rows});
      begin_at_sector("across", "i", "cols", tile_.overlap_cols, col_step());
      out_.line("const long j = {} + in_tile;", {first_col()});
      out_.line("if (i >= rows || j < 0 || j >= cols) continue;");
    } else {
      out_.line("const long i = {} + down, j = tile_j * {} + across;", {first_row(), tile_.cols});
      out_.line("if (i >= rows || j >= cols) continue;");
    }
    skip_outside(1);
    values.begin(element("i", "j"));
    const char* place = shifted ? "[down][in_tile]" : "[down][across]";
    for (std::size_t k = 0; k < s_.stores.size(); ++k)
      if (is_staged(s_.stores[k]))
        step_emitter::store(values, s_.stores[k], "", tile_of(k) + place, 1, false);
    out_.close();
  }

  list_of<ir::node_id> staged_;
  tile tile_;
};

FUSECL_INLINE codegen::program_text emit(const codegen::emit_request& r) { return emitter(r).run(); }

}  // namespace transposed_walk

inline constexpr step_kind transposed{
    kind_order::transposed, "transposed",           "tiles that pass through local memory",
    transposed_walk::takes, transposed_walk::shape, transposed_walk::emit};

}  // namespace fusecl::kinds
