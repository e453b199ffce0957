#pragma once
// Row tiles on a GPU that are read twice: by rows, in which some work-items add up the reductions along a
// row, then one work-item has a row and computes its functions, and by columns, in which a work-item has
// columns and adds what all rows of the tile have of them. The second time elements come from the caches, so
// that registers are left to sums of many values a column, and no function of a row is computed more than
// once.

#include <algorithm>

#include <fusion/base/list_of.hpp>
#include <fusion/codegen/tile_emitter.hpp>
#include <fusion/ops/reduce.hpp>

namespace fusecl::codegen::detail {

/// Columns of a row, and rows of a column, that a work-item loads before it needs the first of them.
inline constexpr int columns_at_once = 8, rows_at_once = 2;

/// What a row has in local memory of each reduction along it.
FUSECL_INLINE int tile_emitter::parts_of_rows() const {
  if (multiplies()) return shape_of_products().parts();
  return shuffles_ && v_.tile.rows < 32 ? static_cast<int>(shape_.local) / 32 : slots_of_rows();
}

FUSECL_INLINE std::string tile_emitter::load_element(const void*, const std::string& name, scalar_type,
                                                     bool rows, bool cols) {
  return fill(rows && cols ? "{}[i + j * rows]" : rows ? "{}[i]" : cols ? "{}[j]" : "{}[0]", {name});
}

FUSECL_INLINE access tile_emitter::access_to_element(const char* col) const {
  access how = tile_access(1, col);
  how.load = load_element;
  return how;
}

/// Where a value that rows give is in local memory.
FUSECL_INLINE std::string tile_emitter::given(std::size_t k, const char* row) const {
  return multiplies() ? product_value("0", k, row) : fill("d{}[{}]", {k, row});
}

/// Where a part of the k-th reduction along a work-item's row is in local memory.
FUSECL_INLINE std::string tile_emitter::part_of_row(std::size_t k, const char* part) const {
  return multiplies() ? product_value(part, k, "own_row")
                      : fill("e{}[{}][own_row]", {joined_.along[k], part});
}

/// Finds sums over the rows of what rows give, which slots share out: registers for all of them would be
/// those of every work-item. These values come first.
FUSECL_INLINE void tile_emitter::find_sums_of_rows() {
  const scalar_type type = g_[joined_.given[0]].type;
  const ir::node_set of_rows(joined_.given);
  ir::node_numbers first_ones;
  list_of<node_id> first;
  for (const phase& p : s_.phases)
    for (node_id id : p.across) {
      const node_id value = g_[id].operands[0];
      const bool fits = p.cols == ir::one && !is_column_sum(id) && g_[id].is(op::sum::record()) &&
                        g_[id].type == type && g_[value].type == type;
      if (!fits || !of_rows[value] || !first_ones.insert(value)) continue;
      sums_of_rows_.push_back(id);
      first.push_back(value);
    }
  for (node_id id : joined_.given)
    if (first_ones.insert(id)) first.push_back(id);
  joined_.given = std::move(first);
}

/// The emitter of the values of rows, or of those of rows and columns: what only the other ones need is not
/// loaded before the loops, as registers would hold it all the time.
FUSECL_INLINE value_emitter tile_emitter::emitter_of_part(bool of_rows) {
  list_of<node_id> ids, behind_rows;  // the latter where values that rows give are known
  if (of_rows) ids = joined_.given;
  for (const phase& p : s_.phases) {
    if ((p.cols == ir::one) != of_rows) continue;
    for (const schedule::store& result : p.stores) behind_rows.push_back(result.value);
    for (node_id id : p.across) behind_rows.push_back(g_[id].operands[0]);
    for (node_id id : p.along) ids.push_back(g_[id].operands[0]);
  }
  const ir::node_set before = cone(ids, false), given(joined_.given);
  const ir::node_set behind = ir::reachable(
      g_, behind_rows, [&](node_id id) { return is_given(id, false) || (!of_rows && given[id]); });
  value_emitter values = domain_emitter();
  for (node_id id : cone(domain_, false))
    if (values.is_uniform(id) && !before[id] && !behind[id]) values.know(id, "0", true);
  return values;
}

/// Adds the terms of rows alone in a scope of their own, where single numbers are those of rows.
FUSECL_INLINE void tile_emitter::add_alone_apart() {
  if (alone_.size() == 0) return;
  value_emitter of_rows = emitter_of_part(true);
  out_.open();
  of_rows.uniforms(out_);
  add_alone(of_rows);
  out_.close();
}

/// Adds the values of a row to the sums that the slot has.
FUSECL_INLINE void tile_emitter::add_sums_of_rows() {
  const int count = static_cast<int>(sums_of_rows_.size()), slots = v_.tile.slots;
  for (int k = 0; k < count; k += slots) {
    const std::string sum = fill("h{}", {k / slots});
    if (k + slots > count) out_.open("if (slot + {} < {})", {k, count});
    add_to(sum, g_[sums_of_rows_[0]], fill("d0[(slot + {}) * {} + row]", {k, v_.tile.rows}), 1);
    if (k + slots > count) out_.close();
  }
}

FUSECL_INLINE void tile_emitter::leave_sums_of_rows() {
  for (std::size_t k = 0; k < sums_of_rows_.size(); ++k)
    out_.line("a{} = slot == {} ? h{} : {};", {number_of_reduction(sums_of_rows_[k]), k % v_.tile.slots,
                                               k / v_.tile.slots, neutral_text(g_[sums_of_rows_[k]])});
}

/// Brings the tile that this group has next to the second-level cache, without registers. Many columns that
/// are copied to local memory come as fast by themselves.
FUSECL_INLINE void tile_emitter::bring_tile() {
  if (!shuffles_) return;
  constexpr int line_bytes = 128;
  define_bring_to_cache();
  out_.line("const long following = (tile + get_num_groups(0)) * {};", {v_.tile.rows});
  out_.open("if (following < rows)");
  for (const tile_operand& o : operands_) {
    if (multiplies() && v_.tile.slots > 2 && o.cols != ir::one) continue;
    const int line = line_bytes / static_cast<int>(size_of(o.type)),
              lines = static_cast<int>(schedule::divide_up(v_.tile.rows, line));
    const std::string cols = o.cols == ir::one ? "1" : columns_name(o.cols);
    out_.line("for (uint k = lane; k < {} * {}; k += {})", {cols, lines, shape_.local});
    out_.line("  bring_to_cache({} + min(following + k % {} * {}, rows - 1) + k / {} * rows);",
              {o.name, lines, line, lines});
  }
  out_.close();
}

/// Adds up the share that a work-item has of its row.
FUSECL_INLINE void tile_emitter::add_along_rows(const value_emitter& around) {
  const int slots = slots_of_rows();
  value_emitter rows = around;
  rows.begin(access_to_element("0"));
  for (const phase& p : s_.phases) {
    if (p.along.empty()) continue;
    phase own = p;
    own.across.clear();
    own.stores.clear();
    for (node_id id : repeated(own, true)) rows.pin(out_, id);
    for (node_id id : p.along) out_.line("{} w{} = {};", {{g_[id].type, 1}, id, neutral_text(g_[id])});
    out_.raw(fill("#pragma unroll {}\n", {columns_at_once}));
    out_.open("for (uint j = {}; j < {}; j += {})", {slots == 1 ? "0" : "part", columns_name(p.cols), slots});
    value_emitter values = rows;
    values.enter(access_to_element("(int)j"));
    store_and_add(own, values_of(values, own));
    out_.close();
  }
}

/// Leaves what the work-items that share a row have of it.
FUSECL_INLINE void tile_emitter::leave_parts_of_rows() {
  const int rows = v_.tile.rows;
  const bool in_warps = shuffles_ && rows < 32;
  for (node_id id : joined_.along) {
    const std::string own = fill("w{}", {id});
    if (in_warps) define_exchange(g_[id], 1);
    for (int distance = rows; in_warps && distance < 32; distance *= 2)
      add_to(own, g_[id], exchanged(g_[id], 1, own, distance), 1);
    if (in_warps)
      out_.line("if ((lane & 31) < {}) e{}[lane / 32][own_row] = {};", {rows, id, own});
    else
      out_.line("e{}[part][own_row] = {};", {id, own});
  }
}

/// One work-item completes a row: its functions, and what is stored and reduced of rows alone.
FUSECL_INLINE void tile_emitter::complete_rows() {
  value_emitter values = emitter_of_part(true);
  values.uniforms(out_);
  values.begin(access_to_element("0"));
  for (std::size_t k = 0; k < joined_.along.size(); ++k) {
    const node_id id = joined_.along[k];
    if (slots_of_rows() == 1 && !multiplies()) {
      values.know(id, fill("w{}", {id}), false);
      continue;
    }
    add_parts(id, 1, parts_of_rows(), part_of_row(k, "0"), part_of_row(k, "w"));
    values.know(id, fill("r{}", {id}), false);
  }
  for (std::size_t k = 0; k < joined_.given.size(); ++k) {
    values.pin(out_, joined_.given[k]);
    out_.line("{} = {};", {given(k, "own_row"), values.value(out_, joined_.given[k])});
  }
  for (const phase& p : s_.phases) {
    if (p.cols != ir::one) continue;
    phase own = p;
    erase_if(own.across, [&](node_id id) { return sums_of_rows_.contains(id); });
    if (own.across.empty() && own.stores.empty()) continue;
    store_and_add(own, values_of(values, own));
  }
}

/// Adds up columns: a work-item has some of them and every so many rows of the tile.
FUSECL_INLINE void tile_emitter::add_by_columns(const value_emitter& around) {
  out_.raw(fill("#pragma unroll {}\n", {rows_at_once}));
  out_.open("for (uint row = row_lane; row < count; row += {})", {v_.tile.lanes});
  out_.line("const long i = start + row;");
  value_emitter rows = around;
  rows.begin(access_to_element("0"));
  for (std::size_t k = 0; k < joined_.given.size(); ++k) rows.know(joined_.given[k], given(k, "row"), false);
  add_sums_of_rows();
  for (const phase& p : s_.phases) {
    if (p.cols == ir::one || (p.across.empty() && p.stores.empty())) continue;
    phase own = p;
    own.along.clear();
    for (node_id id : repeated(own, true)) rows.pin(out_, id);
    const int count = columns_of(p.cols);
    open_columns(count, unrolled(count));
    out_.line("const uint j = slot + c * {};", {v_.tile.slots});
    out_.open("if (c + 1 < {} || j < {})", {count, columns_name(p.cols)});
    value_emitter values = rows;
    values.enter(access_to_element("(int)j"));
    store_and_add(own, values_of(values, own));
    out_.close();
    out_.close();
  }
  out_.close();
}

FUSECL_INLINE void tile_emitter::walk_twice() {
  const int rows = v_.tile.rows, parts = parts_of_rows();
  add_size("rows");
  add_size("tiles");
  add_extent_arguments();
  find_alone();
  const bool exchanges = slots_of_rows() > 1;
  for (node_id id : joined_.along)
    if (exchanges) out_.line("local {} e{}[{}][{}];", {{g_[id].type, 1}, id, parts, rows});
  find_sums_of_rows();
  // those that are added up are behind each other
  const std::size_t summed = std::max<std::size_t>(sums_of_rows_.size(), 1);
  out_.line("local {} d0[{}];", {{g_[joined_.given[0]].type, 1}, summed * static_cast<std::size_t>(rows)});
  for (std::size_t k = 1; k < joined_.given.size(); ++k)
    if (k < summed)
      out_.line("local {}* const d{} = d0 + {};",
                {{g_[joined_.given[0]].type, 1}, k, k * static_cast<std::size_t>(rows)});
    else
      out_.line("local {} d{}[{}];", {{g_[joined_.given[k]].type, 1}, k, rows});
  out_.line("const uint lane = get_local_id(0), row_lane = lane % {}, slot = lane / {};",
            {v_.tile.lanes, v_.tile.lanes});
  if (exchanges)
    out_.line("const uint own_row = lane % {}, part = lane / {};", {rows, rows});
  else
    out_.line("const uint own_row = lane;");
  value_emitter values = emitter_of_part(false);
  values.uniforms(out_);
  share_columns(values);
  declare_sums();
  for (std::size_t k = 0; k < sums_of_rows_.size(); k += v_.tile.slots)
    out_.line("{} h{} = {};",
              {{g_[sums_of_rows_[0]].type, 1}, k / v_.tile.slots, neutral_text(g_[sums_of_rows_[0]])});
  add_alone_apart();
  out_.open("for (long tile = get_group_id(0); tile < tiles; tile += get_num_groups(0))");
  out_.line("const long start = tile * {};", {rows});
  bring_tile();
  out_.open();
  out_.line("const long i = min(start + own_row, rows - 1);");
  add_along_rows(values);
  if (exchanges) {
    leave_parts_of_rows();
    out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
  }
  out_.open(exchanges ? "if (part == 0 && start + own_row < rows)" : "if (start + own_row < rows)");
  complete_rows();
  out_.close();
  out_.close();
  out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
  out_.line("const uint count = min((long){}, rows - start);", {rows});
  add_by_columns(values);
  if (!exchanges) out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
  out_.close();
  leave_sums_of_rows();
  finish_sums();
}

}  // namespace fusecl::codegen::detail
