#pragma once
#include <algorithm>

#include <fusion/base/list_of.hpp>
#include <fusion/schedule/costs.hpp>
#include <fusion/schedule/geometry.hpp>
#include <fusion/schedule/merge_rows.hpp>

namespace fusecl::schedule {
namespace detail {

using ir::extent, ir::node, ir::node_id;

/// Merges the steps over the rows of one extent.
class row_merger {
 public:
  row_merger(const cut_steps& cut, const step_reads& reads, extent rows, const list_of<std::size_t>& over)
      : g_(cut.g), steps_(cut.steps), reads_(reads), rows_(rows), is_member_(cut.steps.size(), 0) {
    choose_members(over);
  }

  bool run() {
    if (!is_worth_it()) return false;
    step tile;
    tile.rows = rows_;
    for (std::size_t m : members_) {
      if (steps_[m].cols != ir::one) tile.cols = steps_[m].cols;
      place(steps_[m], tile);
    }
    // a value that others load has to be finished with its own section
    for (const store& result : left_over_)
      if (result.to.kind == buffer_kind::temporary) return false;
    store_last(tile);
    list_of<phase> by_level;
    for (int level = 0; by_level.size() < tile.phases.size(); ++level)
      for (const phase& p : tile.phases)
        if (p.level == level) by_level.push_back(p);
    tile.phases = std::move(by_level);
    choose_kept(tile);
    for (const section& s : tile.sections) {
      append(tile.reductions, s.reductions);
      append(tile.epilogue, s.epilogue);
    }
    tile.reduces = !tile.reductions.empty();
    replace_members(std::move(tile));
    return true;
  }

 private:
  static constexpr std::size_t most_extents = tile_variant::most_extents;

  bool reduces(node_id id) const { return ir::is_collective(g_[id]); }
  extent rows_of(node_id id) const { return g_.resolve(g_[id].rows); }
  extent cols_of(node_id id) const { return g_.resolve(g_[id].cols); }
  bool is_row_value(node_id id) const { return rows_of(id) == rows_ && cols_of(id) == ir::one; }

  ir::node_set cone(const list_of<node_id>& ids, const step& s) const { return reads_.cone(ids, s); }
  bool is_member(std::size_t k) const { return k != step_reads::nobody && is_member_[k]; }
  /// Whether a member makes a value row by row, and not where its sums over all rows are finished, whose
  /// results may have the same shape.
  bool is_made_by_row(node_id id) const {
    if (!is_row_value(id) || !is_member(reads_.maker(id))) return false;
    const step& from = steps_[reads_.maker(id)];
    const auto stores_it = [&](const store& r) { return r.value == id; };
    return !from.reduces || from.axis == ir::axis::row ||
           std::any_of(from.stores.begin(), from.stores.end(), stores_it);
  }

  /// What a step reads at other places than those of its own rows.
  ir::node_set read_elsewhere(const step& s) const {
    list_of<node_id> accesses;
    for (node_id user : cone(reads_.all_values(s), s))
      if (g_[user].op->kind == ir::op_class::access) accesses.push_back(user);
    return cone(accesses, s);
  }

  /// Of the steps `over` these rows one joins unless it needs, directly or through other steps, what all
  /// tiles together make.
  void choose_members(const list_of<std::size_t>& over) {
    list_of<char> left(steps_.size(), 0), after(steps_.size(), 0);
    for (std::size_t k : over) left[k] = 1;
    for (std::size_t k = 0; k < steps_.size(); ++k) {  // those that read a step come behind it
      if (!left[k]) continue;
      const step& s = steps_[k];
      bool joins = s.rows == rows_ && !s.is_tile() && !s.scans && !s.stands_alone, follows = false;
      for (const auto* list : {&s.stores, &s.epilogue})
        for (const store& r : *list) joins = joins && !r.place.is_part;
      if (s.reduces && s.axis == ir::axis::row)  // a result that lies along the columns is apart
        for (const store& r : s.epilogue) joins = joins && is_row_value(r.value);
      const ir::node_set elsewhere = joins ? read_elsewhere(s) : ir::node_set(),
                         walked = joins ? cone(s.domain_values(g_), s) : ir::node_set();
      for (node_id id : reads_.read(k)) {
        const std::size_t from = reads_.maker(id);
        if (is_member(from)) {
          follows = true;
          const bool known_at_the_end =
              !walked[id] && reduces(id) && s.reduces && is_finished_alike(steps_[from], s);
          joins = joins && (is_made_by_row(id) || known_at_the_end) && !elsewhere[id];
        } else if (from != step_reads::nobody && after[from]) {
          follows = true;
          joins = false;
        }
      }
      if (joins) {
        members_.push_back(k);
        is_member_[k] = 1;
      } else if (follows) {
        after[k] = 1;
      }
      if (!joins && !follows) continue;
      for (std::size_t reader : reads_.readers(k)) left[reader] = 1;
    }
  }

  /// Whether a step's reductions across the tiles have results along the columns, and not one for everything.
  static bool is_by_column(const step& s) { return s.axis == ir::axis::column && s.cols != ir::one; }
  /// Whether both reduce across the tiles to results of one shape, which one section finishes.
  static bool is_finished_alike(const step& a, const step& b) {
    if (!a.reduces || !b.reduces || a.axis == ir::axis::row || b.axis == ir::axis::row) return false;
    return is_by_column(a) == is_by_column(b) && (!is_by_column(a) || a.cols == b.cols);
  }

  /// Whether the merged step reads an operand once that is read several times now, or saves a pass over the
  /// rows that follows from one over their columns.
  bool is_worth_it() const {
    if (members_.size() < 2) return false;
    ir::sparse_node_map<int> readers;
    list_of<extent> extents;
    bool again = false, chained = false, wide = false;
    for (std::size_t m : members_) {
      const step& s = steps_[m];
      if (s.cols != ir::one && std::find(extents.begin(), extents.end(), s.cols) == extents.end())
        extents.push_back(s.cols);
      wide = wide || s.cols != ir::one;
      if (extents.size() > most_extents) return false;
      for (node_id id : reads_.read(m)) chained = chained || is_member(reads_.maker(id));
      if (s.cols == ir::one) continue;
      for (node_id id : cone(s.domain_values(g_), s))
        if (g_[id].is(ir::leaf_operations::matrix) && rows_of(id) == rows_ && cols_of(id) != ir::one)
          again = ++readers[id] > 1 || again;
    }
    return wide && (again || chained);
  }

  /// Level of a value: one more than the highest of the reductions along the rows that it follows from, which
  /// have been placed.
  int level_of(node_id id) {
    const auto known = [&](node_id n) { return reduces(n) || levels_.find(n); };
    for (node_id n : ir::reachable(g_, list_of<node_id>{id}, known)) {
      if (known(n)) continue;
      int level = 0;
      for (int k = 0; k < ir::arity(g_[n]); ++k)
        if (const int* below = levels_.find(g_[n].operands[k])) level = std::max(level, *below);
      levels_[n] = level;
    }
    const int* level = levels_.find(id);
    return level ? *level : 0;
  }

  phase& phase_at(step& tile, int level, extent cols) const {
    for (phase& p : tile.phases)
      if (p.level == level && p.cols == cols) return p;
    phase& fresh = tile.phases.emplace_back();
    fresh.level = level;
    fresh.cols = cols;
    return fresh;
  }

  section& section_of(step& tile, ir::axis axis, extent cols) const {
    for (section& s : tile.sections)
      if (s.axis == axis && s.cols == cols) return s;
    section& fresh = tile.sections.emplace_back();
    fresh.axis = axis;
    fresh.cols = cols;
    return fresh;
  }

  /// Members come in an order that satisfies dependencies: levels of what a member needs are known.
  void place(const step& s, step& tile) {
    if (s.axis == ir::axis::row && s.reduces) {
      for (node_id r : s.reductions) {
        const int level = level_of(g_[r].operands[0]);
        phase_at(tile, level, s.cols).along.push_back(r);
        levels_[r] = level + 1;
      }
      for (const store& result : s.epilogue)
        phase_at(tile, level_of(result.value), ir::one).stores.push_back(result);
    } else if (s.reduces) {
      const bool by_column = is_by_column(s);
      section& own = section_of(tile, by_column ? s.axis : ir::axis::all, by_column ? s.cols : ir::one);
      for (node_id r : s.reductions) {
        phase_at(tile, level_of(g_[r].operands[0]), s.cols).across.push_back(r);
        own.reductions.push_back(r);
        sections_[r] = static_cast<std::size_t>(&own - tile.sections.data());
      }
      for (const store& result : s.epilogue) place_epilogue(result, s, tile, own);
    }
    for (const store& result : s.stores)
      phase_at(tile, level_of(result.value), s.cols).stores.push_back(result);
  }

  /// What follows from the results of one section is finished with it; the rest is left to a later step, as
  /// what follows from values of rows besides, of which a finish knows none (where rows are as many as
  /// columns).
  void place_epilogue(const store& result, const step& s, const step& tile, section& own) {
    const auto number = static_cast<std::size_t>(&own - tile.sections.data());
    const ir::node_set within = cone({result.value}, s);
    const bool apart = std::any_of(within.begin(), within.end(), [&](node_id r) {
      const std::size_t* home = sections_.find(r);
      return r != result.value && (home ? *home != number : is_made_by_row(r));
    });
    (apart ? left_over_ : own.epilogue).push_back(result);
  }

  /// Stores wait for the last level, so that results may go where operands are read.
  void store_last(step& tile) const {
    int last = 0;
    for (const phase& p : tile.phases) last = std::max(last, p.level);
    list_of<std::pair<extent, store>> all;
    for (phase& p : tile.phases) {
      for (const store& result : p.stores) all.push_back({p.cols, result});
      p.stores.clear();
    }
    for (const auto& [cols, result] : all) phase_at(tile, last, cols).stores.push_back(result);
    erase_if(tile.phases, [](const phase& p) { return p.empty(); });
  }

  /// Costly values over rows and columns that a phase computes and a later one with the same columns needs.
  void choose_kept(step& tile) const {
    constexpr double worth_keeping = 8;
    tile.note_made();
    const costs cost(g_, worth_keeping, [&](node_id id) { return cols_of(id) != ir::one; });
    list_of<extent> columns;
    list_of<ir::sparse_node_map<int>> phases_by_columns;  // that use a node, so far
    list_of<node_id> wanted;
    for (const phase& p : tile.phases) {
      if (p.cols == ir::one) continue;
      const auto known = std::find(columns.begin(), columns.end(), p.cols);
      const auto number = static_cast<std::size_t>(known - columns.begin());
      if (known == columns.end()) {
        columns.push_back(p.cols);
        phases_by_columns.emplace_back();
      }
      ir::sparse_node_map<int>& earlier = phases_by_columns[number];
      const auto count = [&](node_id id) {
        const int* phases = earlier.find(id);
        return phases ? *phases : 0;
      };
      /// Where more earlier phases use the node than the `user` of it.
      const auto take = [&](node_id id, int user) {
        const bool fits = g_[id].op->kind == ir::op_class::elementwise && cols_of(id) != ir::one &&
                          rows_of(id) == rows_ && g_[id].type != scalar_type::boolean;
        if (fits && count(id) > user && cost.reached_by(id)) wanted.push_back(id);
      };
      const list_of<node_id> values = p.values(g_);
      for (node_id id : values) take(id, 0);
      const ir::node_set used = cone(values, tile);
      for (node_id user : used)
        for (int k = 0; !reduces(user) && k < ir::arity(g_[user]); ++k)
          if (used[g_[user].operands[k]]) take(g_[user].operands[k], count(user));
      for (node_id id : used) ++earlier[id];
    }
    const ir::node_set kept(std::move(wanted));
    tile.kept.assign(kept.begin(), kept.end());
  }

  /// The section that can finish a step behind the tile: one of single numbers, from which and from what is
  /// complete before the tile they follow. Null where there is none.
  section* home_of_numbers(std::size_t k, step& tile, const list_of<char>& follows) const {
    const step& s = steps_[k];
    if (s.rows != ir::one || s.cols != ir::one || s.reduces || s.scans || s.stands_alone || s.is_tile())
      return nullptr;
    for (const store& r : s.stores)
      if (r.place.is_part || r.to.kind != buffer_kind::target) return nullptr;
    for (node_id id : cone(reads_.all_values(s), s))
      if (g_[id].op->kind == ir::op_class::access) return nullptr;
    section* home = nullptr;
    for (node_id id : reads_.read(k)) {
      const std::size_t from = reads_.maker(id);
      if (from == step_reads::nobody || (!is_member(from) && !follows[from])) continue;
      const std::size_t* number = is_member(from) && reduces(id) ? sections_.find(id) : nullptr;
      if (!number) return nullptr;
      section& own = tile.sections[*number];
      if (own.axis != ir::axis::all || (home && home != &own)) return nullptr;
      home = &own;
    }
    return home;
  }

  /// The tile takes the place of its members, after what they need; what follows from it comes later.
  void replace_members(step tile) {
    tile.reason = "";
    tile.note_made();
    list_of<step> before, behind;
    list_of<char> follows(steps_.size(), 0);
    for (std::size_t k = 0; k < steps_.size(); ++k)
      if (is_member(k) || follows[k])
        for (std::size_t reader : reads_.readers(k)) follows[reader] = 1;
    for (std::size_t k = 0; k < steps_.size(); ++k) {
      if (is_member(k)) continue;
      section* home = follows[k] ? home_of_numbers(k, tile, follows) : nullptr;
      if (home) {
        append(home->epilogue, steps_[k].stores);
        append(tile.epilogue, steps_[k].stores);
      } else {
        (follows[k] ? behind : before).push_back(std::move(steps_[k]));
      }
    }
    for (const store& result : left_over_) {
      step& later = behind.insert(behind.begin(), step())[0];
      later.rows = g_.resolve(g_[result.value].rows);
      later.cols = g_.resolve(g_[result.value].cols);
      later.stores.push_back(result);
      later.reason = "it follows from sums of different shapes that one step leaves";
    }
    steps_ = std::move(before);
    steps_.push_back(std::move(tile));
    for (step& s : behind) steps_.push_back(std::move(s));
  }

  const ir::graph& g_;
  list_of<step>& steps_;
  const step_reads& reads_;
  extent rows_;
  list_of<std::size_t> members_;
  list_of<char> is_member_;                    // by step
  ir::sparse_node_map<int> levels_;            // of values, one more for reductions along the rows
  ir::sparse_node_map<std::size_t> sections_;  // of reductions across the tiles
  list_of<store> left_over_;                   // results that need several sections
};

/// Merges the steps over some rows of one extent, if any; those extents that were tried are left out.
FUSECL_INLINE bool merge_once(const cut_steps& cut, numbering<extent>& tried) {
  const step_reads reads(cut);
  ir::sparse_node_map<list_of<std::size_t>> over;  // steps by the extent of their rows
  list_of<extent> extents;
  for (std::size_t k = 0; k < cut.steps.size(); ++k) {
    const extent rows = cut.steps[k].rows;
    if (rows == ir::one) continue;
    list_of<std::size_t>& of_rows = over[rows];
    if (of_rows.empty()) extents.push_back(rows);
    of_rows.push_back(k);
  }
  for (extent rows : extents)
    if (tried.insert(rows) && over[rows].size() > 1 && row_merger(cut, reads, rows, over[rows]).run())
      return true;
  return false;
}

}  // namespace detail

FUSECL_INLINE bool merge_rows(const cut_steps& cut) {
  numbering<ir::extent> tried;
  bool merged = false;
  while (detail::merge_once(cut, tried)) merged = true;
  return merged;
}

}  // namespace fusecl::schedule
