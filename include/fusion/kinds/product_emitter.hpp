#pragma once
// What the kernels of products share: which terms a group adds, and sums over parts of these.

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include <fusion/base/list_of.hpp>
#include <fusion/kinds/opaque_emitter.hpp>
#include <fusion/kinds/product_parts.hpp>
#include <fusion/kinds/step_kind.hpp>
#include <fusion/ops/matrix_product.hpp>

namespace fusecl::kinds {

/// Whether the step computes a product of matrices that are in memory.
inline bool is_product(const schedule::plan& p, const schedule::step& s) {
  if (!s.opaque) return false;
  const ir::node& n = p.graph[s.reductions[0]];
  return n.is(op::matrix_product::record()) && ops::is_in_memory(p.graph, n.operands[0]) &&
         ops::is_in_memory(p.graph, n.operands[1]);
}

/// Type of the product of a step.
inline scalar_type type_of_product(const schedule::plan& p, const schedule::step& s) {
  return p.graph[s.reductions[0]].type;
}

/// Terms of each element.
inline std::int64_t inner_size(const schedule::launch_request& r) {
  const ir::graph& g = r.p.graph;
  return r.size(g.resolve(g[g[r.s.reductions[0]].operands[0]].cols));
}

// Where tiles are too few for the device, groups share the terms of each.

/// Bytes of all parts, at most.
inline constexpr std::int64_t most_bytes_of_parts = std::int64_t{64} << 20;

/// How many may: at least 256 terms each.
inline std::int64_t most_parts(std::int64_t rows, std::int64_t cols, std::int64_t element,
                               std::int64_t terms) {
  const std::int64_t bytes = std::max<std::int64_t>(1, rows * cols) * element;
  return std::max<std::int64_t>(1, std::min(most_bytes_of_parts / bytes, terms / 256));
}

/// Lets `parts` groups share the terms of each of `tiles`, in multiples of `slice`; adds the sizes "share"
/// and "parts".
inline void share_terms(schedule::geometry& g, std::int64_t tiles, std::int64_t results, std::int64_t terms,
                        std::int64_t parts, std::int64_t slice) {
  const std::int64_t share =
      schedule::round_up(std::max<std::int64_t>(1, schedule::divide_up(terms, parts)), slice);
  parts = std::max<std::int64_t>(1, schedule::divide_up(terms, share));
  g.groups = tiles * parts;
  g.kernel.partial = parts > 1;
  if (g.kernel.partial) g.part_elements.assign(1, results * parts);
  g.finish_groups = schedule::divide_up(results, g.local);
  g.sizes.push_back({"share", share});
  g.sizes.push_back({"parts", parts});
}

// Bytes of the parts of rows or columns, at most; and parts of one that the last group adds.
inline constexpr std::int64_t most_bytes_of_lines = std::int64_t{8} << 20, most_parts_of_last_tile = 64;

/// Lets each of `tiles` groups leave a part of the reductions of what follows from the product: of
/// everything, or of the rows or columns of its tile. Those have a step of their own where there are no
/// elements, where parts of rows or columns would take too much memory, and where half of the product stands
/// for both, so that a tile has elements of other rows.
inline void leave_sums(schedule::geometry& g, const schedule::launch_request& r, std::int64_t tiles,
                       std::int64_t tile_rows, std::int64_t tile_cols) {
  g.groups = tiles;
  const bool by_row = r.s.axis == ir::axis::row, of_lines = r.s.axis != ir::axis::all;
  const std::int64_t down = schedule::divide_up(r.rows(), tile_rows),
                     across = schedule::divide_up(r.cols(), tile_cols);
  const std::int64_t parts = !of_lines ? tiles : by_row ? across : down;
  schedule::leave_parts(g, r, parts, g.local);
  if (of_lines && !r.on_cpu())
    schedule::let_last_group_finish(
        g.kernel, r.device,
        g.kernel.partial && parts <= most_parts_of_last_tile && tiles / parts <= schedule::most_arrivals);
  std::int64_t bytes = 0;
  for (std::size_t k = 0; k < g.part_elements.size(); ++k) bytes += schedule::bytes_of_part(r.p, r.s, g, k);
  const bool lines_fit = bytes <= most_bytes_of_lines && !parts_of_product(r.p, r.s).symmetric;
  if (r.rows() * r.cols() == 0 || (of_lines && !lines_fit)) g.groups = needs_another_plan;
}

class product_emitter : public opaque_emitter {
 public:
  explicit product_emitter(const codegen::emit_request& r)
      : opaque_emitter(r),
        parts_(parts_of_product(plan_, s_)),
        shares_(v_.partial && !has_sums()),
        shares_all_(shares_) {
    if (!has_sums()) finish_title_ = "adds the sums over parts of the terms";
  }

 protected:
  void declare_all() override {
    if (!shares_all_)
      for (const schedule::store& result : s_.epilogue) declare(result, 1);
    if (has_sums()) declare_sums_of_tiles();
    // the sums over parts of the terms, each of which is a whole product or has some tiles of it
    if (shares_) declare_part(0, true);
    add_buffers(domain_, false, 1);
    if (!shares_all_) add_buffers(after_, true, 1);
    for (int k = 0; k < 2; ++k) add_extents({g_[g_[self_].operands[k]].rows});
    for (const char* name : {"rows", "cols", "inner", "row_tiles"}) add_size(name);
    if (shares_) add_size("share");
    if (shares_ && parts_.symmetric) add_size("tiles");
    if (shares_ && !shares_all_) add_size("unshared");
  }
  void declare_sums_of_tiles() {
    if (finishes_here()) {
      for (const schedule::store& result : s_.after_sums) declare(result, 1);
      add_buffers(result_values_, true, 1);
    }
    if (v_.partial) declare_parts(true, 1);
  }

  /// Number of the group's tile, one of `tiles`, and of the part of the terms that it adds.
  void number_of_group(const std::string& tiles) {
    const std::string count = parts_.symmetric ? "tiles" : codegen::fill("({})", {tiles});
    out_.line("const uint group = get_group_id(0){};",
              {shares_all_ ? codegen::fill(" % {}", {count}) : std::string()});
    if (shares_all_) out_.line("const uint part = get_group_id(0) / {};", {count});
  }

  /// Whether terms of an element's sum that follow each other do so in the memory of operand `k`.
  bool terms_side_by_side(int k) const { return lies_along_rows(k) == (k == 0); }

  /// Places the tile of a group, one of `tile_rows` x `tile_cols`, at (`first_row`, `first_col`).
  void place_tile(int tile_rows, int tile_cols) {
    if (parts_.symmetric) return place_in_half(tile_rows, tile_cols, 1);
    out_.line(
        "const long first_row = (long)(group % row_tiles) * {}, first_col = (long)(group / row_tiles) * {};",
        {tile_rows, tile_cols});
  }

  /// The tile of `tile_rows` x `tile_cols` of a group of a product with half of the work, by panels of `high`
  /// rows of tiles: as tiles_of_product counts them.
  void place_in_half(int tile_rows, int tile_cols, int high) {
    const auto width = [&](const char* end) {
      return codegen::fill("min(col_tiles, ({} * {} + {}) / {})", {end, tile_rows, tile_cols - 1, tile_cols});
    };
    out_.line("const uint col_tiles = (uint)((cols + {}) / {});", {tile_cols - 1, tile_cols});
    if (high == 1) {
      out_.line("uint place = group, row_tile = 0;");
      out_.line("for (uint wide; place >= (wide = {}); ++row_tile) place -= wide;",
                {width("(row_tile + 1)")});
      out_.line("const long first_row = (long)row_tile * {}, first_col = (long)place * {};",
                {tile_rows, tile_cols});
      return;
    }
    out_.line("uint place = group, top = 0, high = min({}u, row_tiles), wide = {};", {high, width("high")});
    out_.open("while (place >= high * wide)");
    out_.line("place -= high * wide;");
    out_.line("top += high;");
    out_.line("high = min({}u, row_tiles - top);", {high});
    out_.line("wide = {};", {width("(top + high)")});
    out_.close();
    out_.line(
        "const long first_row = (long)(top + place % high) * {}, first_col = (long)(place / high) * {};",
        {tile_rows, tile_cols});
    out_.line("if (first_col >= first_row + {}) return;", {tile_rows});
  }

  /// The terms [begin, end) of the group's tile, unless they are all.
  void terms_of_tile(int tile_rows, int tile_cols) {
    if (!has_own_terms()) return;
    out_.line("{}long begin = {}, end = {};",
              {parts_.cut_terms() ? "" : "const ", shares_ ? "part * share" : "0",
               !shares_      ? "inner"
               : shares_all_ ? "min(begin + share, inner)"
                             : "is_whole ? inner : min(begin + share, inner)"});
    if (!parts_.cut_terms()) return;
    if (parts_.from_row()) out_.line("begin = max(begin, first_row);");
    if (parts_.from_col()) out_.line("begin = max(begin, first_col);");
    if (parts_.to_row()) out_.line("end = min(end, first_row + {});", {tile_rows});
    if (parts_.to_col()) out_.line("end = min(end, first_col + {});", {tile_cols});
    if (!contains_nonzero(parts_.wanted, matrix_cl_view::Upper))
      out_.line("if (first_col >= first_row + {}) end = begin;", {tile_rows});
    if (!contains_nonzero(parts_.wanted, matrix_cl_view::Lower))
      out_.line("if (first_row >= first_col + {}) end = begin;", {tile_cols});
    out_.line("end = max(begin, end);");
  }
  bool has_own_terms() const { return shares_ || parts_.cut_terms(); }
  const char* first_term() const { return has_own_terms() ? "begin" : "0"; }
  const char* end_of_terms() const { return has_own_terms() ? "end" : "inner"; }

  /// Condition for the element at (i, j) to be outside of the product's view, where what the tile has summed
  /// up may be NaN; empty for nowhere.
  std::string outside_view() const {
    const matrix_cl_view view = g_[self_].view;
    if (view == matrix_cl_view::Entire) return {};
    return view == matrix_cl_view::Lower ? "i < j" : view == matrix_cl_view::Upper ? "i > j" : "i != j";
  }

  /// Stores `sum`, over the terms of the group, at (i, j): as a part, or what follows from it.
  void store_sum(codegen::value_emitter& values, const char* sum, const codegen::access& how) {
    const std::string outside = outside_view(),
                      own = outside.empty() ? sum : codegen::fill("{} ? 0 : {}", {outside, sum});
    if (shares_all_) {
      out_.line("p0[i + (j + part * cols) * rows] = {};", {own});
      return;
    }
    out_.line("const {} r0 = {};", {type(), own});
    finish_elements(values, "r0", 1, how);
  }

  /// The same for the element at (`row`, `col`) and, where one half of the product is computed, for the one
  /// across the diagonal.
  void store_sum_at(codegen::value_emitter& values, const char* sum, const char* row, const char* col) {
    store_sum_at(values, sum, row, col, access_to_domain(1));
  }
  void store_sum_at(codegen::value_emitter& values, const char* sum, const char* row, const char* col,
                    const codegen::access& how) {
    if (!parts_.symmetric) {
      out_.open("if (i < rows && j < cols)");
      store_sum(values, sum, how);
    } else {
      out_.open("if ({} < rows && {} <= {})", {row, col, row});
      out_.open("for (uint turn = 0; turn < ({} == {} ? 1 : 2); ++turn)", {row, col});
      after_what_it_mentions(
          {"i", "j"},
          codegen::fill("const long i = turn ? {} : {}, j = turn ? {} : {};", {col, row, row, col}),
          [&] { store_sum(values, sum, how); });
      out_.close();
    }
    out_.close();
  }

  /// Adds the parts of each element in their order.
  void finish() override {
    if (has_sums()) {
      room_.clear();  // slices were the other kernel's
      return reducing_emitter::finish();
    }
    for (const schedule::store& result : s_.epilogue) declare(result, 1);
    declare_part(0, false);
    v_ = {};
    add_buffers(after_, true, 1);
    for (const char* name : {"rows", "cols", "parts"}) add_size(name);
    codegen::value_emitter values = start_epilogue();
    const std::string element = open_element_of_parts();
    out_.raw("#pragma unroll 4\n");
    out_.line("for (long part = 0; part < parts; ++part) r0 = r0 + p0[{} + part * results];", {element});
    finish_elements(values, "r0", 1);
    out_.close();
  }
  /// Opens the scope in which each work-item has an element (i, j) of which there are parts, `results` apart,
  /// and its sum r0 so far. Returns the name of its number among these.
  virtual std::string open_element_of_parts() {
    open_place();
    return "place";
  }

  const product_parts parts_;
  /// Whether groups share terms, and whether those of all tiles; a kind may have them share those of some.
  const bool shares_;
  bool shares_all_;
};

}  // namespace fusecl::kinds
