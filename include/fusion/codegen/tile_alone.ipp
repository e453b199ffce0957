#pragma once
// Terms of sums over the rows of GPU tiles that follow from rows alone and take long, as the logarithms of
// gamma functions in likelihoods of counts. Within a tile few of a group's work-items have a row while the
// others wait for them; so these terms are added before the tiles, by all work-items side by side (H200,
// negative binomial regression of 1e6 x 100: 310 us, 701 with them in the tiles).

#include <algorithm>

#include <fusion/base/list_of.hpp>
#include <fusion/codegen/tile_emitter.hpp>
#include <fusion/ops/arithmetic.hpp>
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
  if (v_.tile.slots == 1) return;  // every work-item has a row
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
  const ir::node_set needed = ir::reachable(g_, others, [&](node_id id) { return is_given(id, false); });
  erase_if(found, [&](node_id id) { return needed[id]; });
  alone_ = ir::node_set(found);
}

/// Whether a value of a row needs nothing that its columns are reduced to.
FUSECL_INLINE bool tile_emitter::follows_from_rows(node_id value) const {
  if (rows_of(value) != s_.rows || cols_of(value) != ir::one) return false;
  const node_id ids[] = {value};
  const ir::node_set within = ir::reachable(g_, ids, [&](node_id id) { return is_given(id, false); });
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
  out_.open("for (long i = (long)get_group_id(0) * {} + lane; i < rows; i += (long)get_num_groups(0) * {})",
            {shape_.local, shape_.local});
  value_emitter values = around;
  access how = tile_access(v_.width, "0");
  how.load = load_of_row;
  values.begin(how);
  for (const phase& p : s_.phases)
    for (node_id id : p.across) {
      list_of<term> terms = terms_of(id);
      erase_if(terms, [&](const term& t) { return !alone_[t.value]; });
      if (!terms.empty()) add_across(id, added(values, terms));
    }
  out_.close();
}

}  // namespace fusecl::codegen::detail
