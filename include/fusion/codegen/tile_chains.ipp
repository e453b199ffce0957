#pragma once
// Chains of a GPU tile's rows: each is followed by a slot of its own, which leaves what the columns need in
// local memory. Chains that are alike have one text, in which numbers own<k> are those of the slot's chain.

#include <algorithm>

#include <fusion/base/list_of.hpp>
#include <fusion/codegen/tile_emitter.hpp>

namespace fusecl::codegen::detail {

/// Chains have one text where they are alike, also in the terms that are added before the tiles.
FUSECL_INLINE void tile_emitter::find_likeness() {
  if (chains_.empty()) return;
  like_ = schedule::likeness(plan_, s_, chains_);
  for (const auto& [first, other] : like_.pairs) like_.alike = like_.alike && alone_[first] == alone_[other];
}

/// The name of what a chain exchanges (`e`) or gives (`d`).
FUSECL_INLINE std::string tile_emitter::place_of(const char* kind, std::size_t k, bool given,
                                                 std::size_t n) const {
  const auto id = [&](std::size_t chain) { return (given ? chains_[chain].given : chains_[chain].along)[n]; };
  return like_.alike ? fill("{}{}[{}]", {kind, id(0), k}) : fill("{}{}", {kind, id(k)});
}

FUSECL_INLINE void tile_emitter::declare_chains() {
  const std::string all = like_.alike ? fill("[{}]", {chains_.size()}) : std::string();
  for (const schedule::row_chain& chain : chains_) {
    for (node_id id : chain.along)
      out_.line("local {} e{}{}[{}][{}];", {{g_[id].type, v_.width}, id, all, slot_groups(), v_.tile.lanes});
    for (node_id id : chain.given)
      out_.line("local {} d{}{}[{}];", {{g_[id].type, v_.width}, id, all, v_.tile.lanes});
    if (like_.alike) return;
  }
}

/// The numbers and the sums of chains that are alike. Slots of chains are apart, so that warps share the
/// work.
FUSECL_INLINE void tile_emitter::begin_chains(value_emitter& around) {
  if (!like_.alike) return;
  const int count = static_cast<int>(chains_.size()), apart = v_.tile.slots / count;
  out_.line("const uint chain = slot / {};", {apart});
  out_.line("const bool follows = slot % {} == 0 && chain < {};", {apart, count});
  for (std::size_t e = 0; e < like_.numbers.size(); ++e) {
    const list_of<node_id>& own = like_.numbers[e];
    std::string text;
    for (std::size_t k = 1; k < own.size(); ++k)
      text += fill("chain == {} ? {} : ", {k, around.value(out_, own[k])});
    out_.line("const {} own{} = {}{};", {{g_[own[0]].type, 1}, e, text, around.value(out_, own[0])});
  }
  for (const list_of<node_id>& each : like_.across)
    out_.line("{} h{} = {};",
              {{g_[each[0]].type, 1}, number_of_reduction(each[0]), neutral_text(g_[each[0]])});
}

/// Completes the reductions along the rows and what follows from them. A slot reads what others left after
/// the first barrier, and all of them what it leaves after the second one.
FUSECL_INLINE void tile_emitter::exchange_chains(value_emitter& rows) {
  for (std::size_t k = 0; k < chains_.size(); ++k)
    for (std::size_t n = 0; n < chains_[k].along.size(); ++n)
      leave_part(chains_[k].along[n], place_of("e", k, false, n));
  out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
  for (std::size_t k = 0; k < (like_.alike ? 1 : chains_.size()); ++k) follow_chain(rows, k);
  out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
  for (std::size_t k = 0; k < chains_.size(); ++k)
    for (std::size_t n = 0; n < chains_[k].given.size(); ++n)
      rows.know(chains_[k].given[n], place_of("d", k, true, n) + "[row_lane]", false);
}

FUSECL_INLINE void tile_emitter::follow_chain(const value_emitter& rows, std::size_t k) {
  value_emitter values = rows;
  const schedule::row_chain& chain = chains_[k];
  const char* each = like_.alike ? "[chain]" : "";
  if (like_.alike)
    out_.open("if (follows)");
  else
    out_.open("if (slot == {})", {static_cast<int>(k) * (v_.tile.slots / static_cast<int>(chains_.size()))});
  // Whatever was computed with numbers of the first chain is computed anew with those of the slot's.
  if (like_.alike) values.begin(tile_access(v_.width, "0"));
  for (std::size_t e = 0; e < like_.numbers.size() && like_.alike; ++e)
    values.know(like_.numbers[e][0], fill("own{}", {e}), true);
  for (node_id id : chain.along) {
    add_parts(id, fill("e{}{}", {id, each}));
    values.know(id, fill("r{}", {id}), false);
  }
  for (node_id id : chain.given) {
    values.pin(out_, id);
    out_.line("d{}{}[row_lane] = {};", {id, each, values.value(out_, id)});
  }
  for (const phase& p : s_.phases)
    if (p.level > 0 && p.cols == ir::one) follow_rows(values, k, p);
  out_.close();
}

/// What rows alone store and reduce of a chain.
FUSECL_INLINE void tile_emitter::follow_rows(const value_emitter& rows, std::size_t k, const phase& p) {
  const auto is_other = [&](node_id value) { return schedule::chain_of(plan_, s_, chains_, value) != k; };
  phase own = p;
  erase_if(own.across, [&](node_id id) { return is_other(g_[id].operands[0]); });
  erase_if(own.stores, [&](const schedule::store& result) { return is_other(result.value); });
  if (own.across.empty() && own.stores.empty()) return;
  out_.open("if (inside)");
  value_emitter values = rows;
  store_and_add(own, values_of(values, own), like_.alike ? "h" : "a");
  out_.close();
}

/// Sums of chains that are alike become those of each chain.
FUSECL_INLINE void tile_emitter::leave_chain_sums() {
  if (!like_.alike) return;
  for (const list_of<node_id>& each : like_.across) {
    const std::string sum = fill("h{}", {number_of_reduction(each[0])});
    for (std::size_t k = 0; k < each.size(); ++k)
      out_.line("if (follows && chain == {}) a{} = {};",
                {k, number_of_reduction(each[k]),
                 combined(g_[each[k]], fill("a{}", {number_of_reduction(each[k])}), sum, 1)});
  }
}

}  // namespace fusecl::codegen::detail
