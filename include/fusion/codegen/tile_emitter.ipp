#pragma once
#include <algorithm>

#include <fusion/base/list_of.hpp>
#include <fusion/codegen/tile_emitter.hpp>

namespace fusecl::codegen::detail {

FUSECL_INLINE tile_emitter::tile_emitter(const emit_request& r)
    : reducing_emitter(r), extents_(schedule::tile_extents(s_)), shuffles_(v_.tile.shuffles) {
  if (v_.tile.chains) chains_ = schedule::row_chains(plan_, s_);
  if (v_.tile.shares_rows) chains_ = {schedule::joined_rows(plan_, s_)};
  if (v_.tile.walk != tile_walk::registers) joined_ = schedule::joined_rows(plan_, s_);
  if (multiplies()) products_ = schedule::products_of_rows(plan_, s_, joined_);
  find_operands();
}

FUSECL_INLINE std::size_t tile_emitter::number_of(ir::extent cols) const {
  return static_cast<std::size_t>(std::find(extents_.begin(), extents_.end(), cols) - extents_.begin());
}

FUSECL_INLINE std::size_t tile_emitter::number_of_reduction(node_id id) const { return *numbers_.find(id); }

FUSECL_INLINE int tile_emitter::last_level() const {
  int last = 0;
  for (const phase& p : s_.phases) last = std::max(last, p.level);
  return last;
}

FUSECL_INLINE void tile_emitter::find_operands() {
  const ir::node_set within = cone(domain_, false);
  const ir::node_set in_place = ir::used_in_place(
      g_, within, domain_, [&](node_id id) { return g_[id].op->kind == ir::op_class::access; });
  for (node_id id : within) {
    const node& n = g_[id];
    const bool matrix = n.is(ir::leaf_operations::matrix);
    if (!in_place[id] || rows_of(id) != s_.rows) continue;
    if (!matrix && !plan_.loads(s_, id)) continue;
    const std::string name = fill(matrix ? "x{}" : "t{}", {matrix ? n.index : plan_.temporary_of(id)});
    const auto is_known = [&](const tile_operand& o) { return o.name == name; };
    if (std::none_of(operands_.begin(), operands_.end(), is_known))
      operands_.push_back({name, n.type, cols_of(id), n.view});
  }
}

FUSECL_INLINE bool tile_emitter::is_kept(node_id id) const {
  return std::find(kept_so_far_.begin(), kept_so_far_.end(), id) != kept_so_far_.end();
}

FUSECL_INLINE ir::node_set tile_emitter::computed_in(const phase& p) const {
  return ir::reachable(g_, p.values(g_), [&](node_id id) { return is_given(id, false) || is_kept(id); });
}

FUSECL_INLINE list_of<node_id> tile_emitter::repeated(const phase& p, bool of_rows) const {
  const ir::node_set within = computed_in(p);
  list_of<node_id> result;
  for (node_id id : within) {
    const node& n = g_[id];
    if (!n.is(ir::leaf_operations::broadcast) || is_kept(id)) continue;
    const node_id operand = n.operands[0];
    const bool row_values = rows_of(operand) == s_.rows && cols_of(operand) == ir::one;
    const bool column_values = rows_of(operand) == ir::one && cols_of(operand) != ir::one;
    const bool wanted = of_rows ? row_values : column_values;
    if (wanted && std::find(result.begin(), result.end(), operand) == result.end()) result.push_back(operand);
  }
  return result;
}

/// The sizes of the column extents.
FUSECL_INLINE void tile_emitter::add_extent_arguments() {
  for (std::size_t e = 0; e < extents_.size(); ++e) add_size(fill("cols{}", {e}));
}

FUSECL_INLINE std::string tile_emitter::neutral(const node& n, int lanes) const {
  return lanes == 1 ? neutral_text(n) : fill("({})({})", {{n.type, lanes}, neutral_text(n)});
}

/// Where values of the rows `i` are, in the column `col`.
FUSECL_INLINE access tile_emitter::tile_access(int lanes, const char* col) const {
  access how;
  how.lanes = lanes;
  how.self = static_cast<const step_emitter*>(this);
  how.load = cpu_ ? load_tiled : load_register;
  how.row = row_number(lanes);
  how.col = col;
  set_lanes(how);
  return how;
}

/// Adds `value` to the variable `sum`.
FUSECL_INLINE void tile_emitter::add_to(const std::string& sum, const node& n, const std::string& value,
                                        int lanes) {
  out_.line("{} = {};", {sum, combined(n, sum, value, lanes)});
}

/// What a phase of rows alone reduces along its one column needs no sum.
FUSECL_INLINE tile_emitter::phase_values tile_emitter::values_of(value_emitter& values, const phase& p) {
  phase_values v;
  v.stored = texts_of(values, p.stores);
  if (p.cols != ir::one)
    for (node_id id : p.along) v.along.push_back(values.value(out_, g_[id].operands[0]));
  for (node_id id : p.across) v.across.push_back(rest_of(values, id));
  return v;
}

/// The lanes of `vector`, a name, combined into one element.
FUSECL_INLINE std::string tile_emitter::folded(const node& n, const std::string& vector, int lanes) {
  std::string text = vector + ".s0";
  for (int k = 1; k < lanes; ++k) text = combined(n, text, fill("{}.s{}", {vector, lane_letter(k)}), 1);
  return text;
}

/// Results, parts and operands, in this order.
FUSECL_INLINE void tile_emitter::declare_all() {
  const int lanes = cpu_ ? 1 : v_.width;
  for (const phase& p : s_.phases)
    for (const schedule::store& r : p.stores)
      declare(r, pointer_lanes(rows_of(r.value), cols_of(r.value), lanes));
  if (v_.last)
    for (const schedule::store& r : s_.epilogue) declare(r, 1);
  if (is_team()) add_argument({argument_kind::exchanged, 0, true}, "volatile global uint* exchanged");
  declare_parts(true, 1);
  add_buffers(domain_, false, lanes);
  if (v_.last) add_buffers(after_, true, 1);
}

FUSECL_INLINE void tile_emitter::walk() {
  if (cpu_) return walk_cpu();
  switch (v_.tile.walk) {
    case tile_walk::registers:
      return walk_gpu();
    case tile_walk::twice:
      return walk_twice();
    case tile_walk::products:
      return walk_products();
    case tile_walk::team:
      return walk_team();
  }
}

FUSECL_INLINE void tile_emitter::finish() {
  if (cpu_)
    finish_cpu(false);
  else
    finish_gpu(false);
}

}  // namespace fusecl::codegen::detail
