#pragma once
// Terms of sums over the rows of GPU tiles that follow from rows alone and take long, as the logarithms of
// gamma functions in likelihoods of counts. Within a tile few of a group's work-items have a row while the
// others wait for them; so these terms are added before the tiles, by all work-items side by side (H200,
// negative binomial regression of 1e6 x 100: 310 us, 701 with them in the tiles). Where they follow from
// counts alone, which are mostly small, each group computes them once for the first whole numbers.

#include <algorithm>

#include <fusion/base/list_of.hpp>
#include <fusion/codegen/tile_emitter.hpp>
#include <fusion/ops/arithmetic.hpp>
#include <fusion/ops/elementary.hpp>
#include <fusion/ops/reduce.hpp>
#include <fusion/schedule/costs.hpp>

namespace fusecl::codegen::detail {

/// What is added to a reduction: the terms of a sum, or what another reduction goes over.
FUSECL_INLINE list_of<tile_emitter::term> tile_emitter::terms_of(node_id reduction) const {
  list_of<term> terms{{g_[reduction].operands[0], false}};
  if (!g_[reduction].is(op::sum::record())) return terms;
  for (std::size_t k = 0; k < terms.size();) {
    const term whole = terms[k];
    const node& n = g_[whole.value];
    const bool subtracts = n.is(op::subtract::record()), negates = n.is(op::negate::record());
    if (!subtracts && !negates && !n.is(op::add::record())) {
      ++k;
      continue;
    }
    terms[k] = {n.operands[0], whole.minus != negates};
    if (!negates) terms.push_back({n.operands[1], whole.minus != subtracts});
  }
  return terms;
}

/// Finds the terms that no other value of a tile needs.
FUSECL_INLINE void tile_emitter::find_alone() {
  constexpr double least_flops = 60;
  const schedule::costs costs(g_, least_flops, [&](node_id id) { return rows_of(id) != ir::one; });
  list_of<node_id> found, others;
  for (const phase& p : s_.phases) {
    for (const schedule::store& result : p.stores) others.push_back(result.value);
    for (node_id id : p.along) others.push_back(g_[id].operands[0]);
    for (node_id id : p.across)
      for (const term& t : terms_of(id)) {
        const bool splits = p.cols == ir::one && !is_column_sum(id) && !g_[id].op->running;
        (splits && follows_from_rows(t.value) && costs.reached_by(t.value) ? found : others)
            .push_back(t.value);
      }
  }
  const ir::node_set needed = cone(others, false);
  erase_if(found, [&](node_id id) { return needed[id]; });
  alone_ = ir::node_set(found);
  // tiles that are read twice need their local memory for what rows give
  if (!v_.tile.has_rows_apart()) counts_ = whole_operand(found);
  if (table_bytes() > most_table_bytes) counts_ = ir::no_node;
  if (v_.tile.slots == 1 && counts_ == ir::no_node) alone_ = {};  // every work-item has a row
}

/// Whether the elements of an operand are whole numbers, as far as can be seen: those of integers are, and
/// what the statement compares with its floor is to be a count.
FUSECL_INLINE bool tile_emitter::is_whole(node_id id) const {
  if (g_[id].type == scalar_type::boolean) return false;
  if (!is_floating(g_[id].type)) return true;
  for (node_id user = 0; user < g_.size(); ++user)
    if (g_[user].is(op::floor::record()) && g_[user].operands[0] == id) return true;
  return false;
}

/// The one operand that all of `values` follow from besides numbers, if its elements are whole numbers.
FUSECL_INLINE node_id tile_emitter::whole_operand(const list_of<node_id>& values) const {
  node_id found = ir::no_node;
  for (node_id id : cone(values, false)) {
    if (rows_of(id) != s_.rows) continue;
    if (g_[id].op->kind == ir::op_class::elementwise || g_[id].is(ir::leaf_operations::cast) ||
        g_[id].is(ir::leaf_operations::broadcast))
      continue;
    if (found != ir::no_node || !g_[id].is(ir::leaf_operations::matrix) || !is_whole(id)) return ir::no_node;
    found = id;
  }
  return found;
}

/// The reductions to which terms of rows alone are added apart from the others.
FUSECL_INLINE list_of<node_id> tile_emitter::sums_of_alone() const {
  list_of<node_id> sums;
  for (const phase& p : s_.phases)
    for (node_id id : p.across) {
      const list_of<term> terms = terms_of(id);
      if (std::any_of(terms.begin(), terms.end(), [&](const term& t) { return alone_[t.value]; }))
        sums.push_back(id);
    }
  return sums;
}

/// Local memory of the tables.
FUSECL_INLINE std::int64_t tile_emitter::table_bytes() const {
  std::int64_t bytes = 0;
  if (counts_ != ir::no_node)
    for (node_id id : sums_of_alone())
      bytes += table_places * static_cast<std::int64_t>(size_of(g_[id].type));
  return bytes;
}

/// Whether a value of a row needs nothing that its columns are reduced to.
FUSECL_INLINE bool tile_emitter::follows_from_rows(node_id value) const {
  if (rows_of(value) != s_.rows || cols_of(value) != ir::one) return false;
  const ir::node_set within = cone({value}, false);
  return std::none_of(within.begin(), within.end(), [&](node_id id) { return s_.completes(id); });
}

/// What a tile adds to a reduction across the tiles: empty where nothing is left.
FUSECL_INLINE std::string tile_emitter::rest_of(value_emitter& values, node_id reduction) {
  const auto is_alone = [&](const term& t) { return alone_[t.value]; };
  list_of<term> terms = terms_of(reduction);
  if (std::none_of(terms.begin(), terms.end(), is_alone))
    return values.value(out_, g_[reduction].operands[0]);
  erase_if(terms, is_alone);
  return added(values, terms);
}

/// Text of the sum of some terms.
FUSECL_INLINE std::string tile_emitter::added(value_emitter& values, const list_of<term>& terms) {
  std::string text;
  for (const term& t : terms) {
    const char* sign = t.minus ? (text.empty() ? "-" : " - ") : (text.empty() ? "" : " + ");
    text += fill("{}({})", {sign, values.value(out_, t.value)});
  }
  return text;
}

FUSECL_INLINE std::string tile_emitter::load_of_row(const void*, const std::string& name, scalar_type,
                                                    bool rows, bool) {
  return name + (rows ? "[i]" : "[0]");
}

/// Adds the terms of rows alone to the accumulators of this work-item.
FUSECL_INLINE void tile_emitter::add_alone(const value_emitter& around) {
  if (alone_.size() == 0) return;
  out_.line("// terms of rows alone");
  out_.open("for (long i = (long){} * {} + lane; i < rows; i += (long)get_num_groups(0) * {})",
            {own_group(), shape_.local, shape_.local});
  value_emitter values = around;
  access how = tile_access(v_.width, "0");
  how.load = load_of_row;
  values.begin(how);
  if (counts_ != ir::no_node)
    add_from_tables(values);
  else
    for (node_id id : sums_of_alone()) add_across(id, added_alone(values, id));
  out_.close();
}

/// Text of the terms of rows alone of a reduction.
FUSECL_INLINE std::string tile_emitter::added_alone(value_emitter& values, node_id reduction) {
  list_of<term> terms = terms_of(reduction);
  erase_if(terms, [&](const term& t) { return !alone_[t.value]; });
  return added(values, terms);
}

/// Of counts the terms are computed once a group, for the first whole numbers.
FUSECL_INLINE void tile_emitter::fill_tables(const value_emitter& around) {
  if (counts_ == ir::no_node) return;
  const list_of<node_id> sums = sums_of_alone();
  out_.line("// terms of rows alone, of whole numbers");
  for (node_id id : sums)
    out_.line("local {} table{}[{}];", {{g_[id].type, 1}, number_of_reduction(id), table_places});
  out_.open("for (uint place = lane; place < {}; place += {})", {table_places, shape_.local});
  out_.line("const {} count = place;", {{g_[counts_].type, 1}});
  value_emitter values = around;
  values.begin(tile_access(1, "0"));
  values.know(counts_, "count", false);
  for (node_id id : sums)
    out_.line("table{}[place] = {};", {number_of_reduction(id), added_alone(values, id)});
  out_.close();
  out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
}

/// Adds the terms of the rows in the scope `around`, one by one: those of large or other numbers are
/// computed.
FUSECL_INLINE void tile_emitter::add_from_tables(const value_emitter& around) {
  if (counts_ == ir::no_node) return;
  const bool in_tile = v_.tile.slots == 1;
  if (in_tile) out_.open("if (inside)");
  value_emitter values = around;
  const list_of<node_id> sums = sums_of_alone();
  out_.line("const {} counts = {};", {{g_[counts_].type, v_.width}, values.value(out_, counts_)});
  std::string one = v_.width == 1 ? "counts" : "counts.s0";
  for (int k = 1; k < v_.width; ++k) one = fill("part == {} ? counts.s{} : {}", {k, lane_letter(k), one});
  out_.raw("#pragma unroll 1\n");
  out_.open("for (int part = 0; part < {}; ++part)", {v_.width});
  out_.line("const {} count = {};", {{g_[counts_].type, 1}, one});
  out_.line("const uint place = count >= 0 && count < {} ? (uint)count : 0;", {table_places});
  out_.open("if (place == count)");
  const auto add = [&](node_id id, const std::string& value) {
    add_to(fill("a{}", {number_of_reduction(id)}), g_[id], value, 1);
  };
  for (node_id id : sums) add(id, fill("table{}[place]", {number_of_reduction(id)}));
  out_.close();
  out_.open("else");
  values.begin(tile_access(1, "0"));
  values.know(counts_, "count", false);
  for (node_id id : sums) add(id, added_alone(values, id));
  out_.close();
  out_.close();
  if (in_tile) out_.close();
}

}  // namespace fusecl::codegen::detail
