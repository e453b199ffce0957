#pragma once
// Chains of a GPU tile's rows: each is followed by a slot of its own, which leaves what the columns need in
// local memory. Chains that are alike have one text, in which numbers own<k> are those of the slot's chain.

#include <algorithm>
#include <utility>

#include <fusion/base/list_of.hpp>
#include <fusion/codegen/tile_emitter.hpp>
#include <fusion/schedule/costs.hpp>

namespace fusecl::codegen::detail {

/// Chains have one text where they are alike, also in the terms that are added before the tiles.
FUSECL_INLINE void tile_emitter::find_likeness() {
  if (chains_.size() < 2) return;
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
  if (v_.tile.shares_rows)
    complete_own_rows(rows);
  else
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

/// An element of a vector of rows that this work-item has in registers: that of its own row.
FUSECL_INLINE std::string tile_emitter::load_of_own_row(const void* self, const std::string& name,
                                                        scalar_type, bool rows, bool) {
  const int width = static_cast<const tile_emitter*>(static_cast<const step_emitter*>(self))->v_.width;
  if (!rows || width == 1) return name + (rows ? "_row" : "[0]");
  std::string text = name + "_row.s0";
  for (int k = 1; k < width; ++k)
    text = fill("part == {} ? {}_row.s{} : {}", {k, name, lane_letter(k), text});
  return fill("({})", {text});
}

/// A buffer of a result as one of single elements.
FUSECL_INLINE std::string tile_emitter::elements_written(const schedule::store& result) const {
  const std::string name = buffer_name(result.to);
  return v_.width == 1 ? name : fill("((global {}*){})", {{g_[result.value].type, 1}, name});
}

/// The element of its row in a vector of local memory.
FUSECL_INLINE std::string tile_emitter::at_own_row(node_id id, const std::string& place) const {
  if (v_.width == 1) return place + "[row_lane]";
  return fill("((local {}*){})[own]", {{g_[id].type, 1}, place});
}

/// What rows alone store and reduce, by the work-items that do it: those that compute what columns need add
/// what follows from that with little more, others what takes longer, and what needs no reduction along the
/// row.
FUSECL_INLINE tile_emitter::row_tasks tile_emitter::tasks_of_rows() const {
  constexpr double little = 40;
  const ir::node_set known = cone(chains_[0].given, false);
  const schedule::costs costs(g_, little, [&](node_id id) { return !known[id] && rows_of(id) != ir::one; });
  row_tasks tasks;
  const auto add = [&](list_of<phase>& to, const phase& p, bool stores, auto&& takes) {
    phase own = p;
    if (!stores) own.stores.clear();
    erase_if(own.across, [&](node_id id) { return !takes(id); });
    if (!own.across.empty() || !own.stores.empty()) to.push_back(std::move(own));
  };
  for (const phase& p : s_.phases) {
    if (p.cols != ir::one) continue;
    if (p.level == 0) {
      add(tasks.early, p, true, [](node_id) { return true; });
      continue;
    }
    const auto is_costly = [&](node_id id) { return costs.reached_by(g_[id].operands[0]); };
    add(tasks.with_given, p, false, [&](node_id id) { return !is_costly(id); });
    add(tasks.costly, p, true, is_costly);
  }
  return tasks;
}

/// The rows of a tile are shared out, one to a work-item of some slots, which complete the reductions along
/// it and compute its functions, each of them others side by side.
FUSECL_INLINE void tile_emitter::complete_own_rows(const value_emitter& rows) {
  const row_tasks tasks = tasks_of_rows();
  const int width = v_.width, apart = std::max(width, 32 / v_.tile.lanes);  // in warps of their own
  const int room = 1 + (v_.tile.slots - width) / apart;
  list_of<list_of<phase>> shares{tasks.with_given};
  for (const list_of<phase>* each : {&tasks.costly, &tasks.early}) {
    if (each->empty()) continue;
    if (std::ssize(shares) < room) shares.emplace_back();
    append(shares.back(), *each);
  }
  for (std::size_t k = 0; k < shares.size(); ++k) {
    const int first = static_cast<int>(k) * apart;
    if (k == 0)
      out_.open("if (slot < {})", {width});
    else
      out_.open("else if (slot >= {} && slot < {})", {first, first + width});
    const writer before = std::exchange(out_, out_.apart());
    const bool completes =
        k == 0 || std::any_of(shares[k].begin(), shares[k].end(), [](const phase& p) { return p.level > 0; });
    value_emitter values = own_rows(rows, completes);
    if (k == 0) give_own_rows(values);
    for (const phase& p : shares[k]) add_own_rows(values, p);
    const writer body = std::exchange(out_, before);
    if (width > 1) out_.line("const uint part = slot - {};", {first});
    if (mentions(body.text(), "own")) out_.line("const uint own = row_lane * {} + part;", {width});
    if (mentions(body.text(), "own_i"))
      out_.line("const long own_i = min(tile * {} + row_lane, rows - 1){};",
                {v_.tile.lanes, width > 1 ? fill(" * {} + part", {width}) : std::string()});
    out_.raw(body.text());
    out_.close();
  }
}

/// Leaves what columns need of a row.
FUSECL_INLINE void tile_emitter::give_own_rows(value_emitter& values) {
  for (node_id id : chains_[0].given) {
    values.pin(out_, id);
    out_.line("{} = {};", {at_own_row(id, fill("d{}", {id})), values.value(out_, id)});
  }
}

/// The values of a work-item's row, with the reductions along it.
FUSECL_INLINE value_emitter tile_emitter::own_rows(const value_emitter& rows, bool completes) {
  value_emitter values = rows;
  values.begin(access_to_own_row(load_of_own_row));
  if (!completes) return values;
  for (node_id id : chains_[0].along) {
    const std::string parts = fill("e{}", {id});
    add_parts(id, 1, slot_groups(), at_own_row(id, parts + "[0]"), at_own_row(id, parts + "[w]"));
    values.know(id, fill("r{}", {id}), false);
  }
  return values;
}

/// Stores and adds what rows alone have of a phase.
FUSECL_INLINE void tile_emitter::add_own_rows(const value_emitter& rows, const phase& p) {
  out_.open("if (inside)");
  value_emitter values = rows;
  store_and_add_own(values, p);
  out_.close();
}

/// The same of the values of one row, those of the work-item's own.
FUSECL_INLINE void tile_emitter::store_and_add_own(value_emitter& values, const phase& p) {
  const phase_values v = values_of(values, p);
  for (std::size_t k = 0; k < v.stored.size(); ++k)
    out_.line("{}[own_i] = {};", {elements_written(p.stores[k]), v.stored[k]});
  for (std::size_t k = 0; k < v.across.size(); ++k)
    if (!v.across[k].empty())
      add_to(fill("a{}", {number_of_reduction(p.across[k])}), g_[p.across[k]], v.across[k], 1);
}

/// Where the values of a work-item's own row are.
FUSECL_INLINE access tile_emitter::access_to_own_row(decltype(access::load) load) const {
  access how = tile_access(1, "0");
  how.load = load;
  how.row = "(int)own_i";
  how.lane_rows = {"own_i"};
  return how;
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
