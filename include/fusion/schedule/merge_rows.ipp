#pragma once
#include <algorithm>

#include <fusion/schedule/merge_rows.hpp>

namespace fusecl::schedule {
namespace detail {

using ir::extent, ir::node, ir::node_id;

inline bool contains(const std::vector<node_id>& list, node_id id) {
  return std::find(list.begin(), list.end(), id) != list.end();
}

/// Merges the steps over the rows of one extent.
class row_merger {
 public:
  row_merger(cut_steps cut, extent rows) : g_(cut.g), steps_(cut.steps), kept_(cut.kept), rows_(rows) {}

  bool run() {
    choose_members();
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
    std::stable_sort(tile.phases.begin(), tile.phases.end(),
                     [](const phase& a, const phase& b) { return a.level < b.level; });
    choose_kept(tile);
    for (const section& s : tile.sections) {
      tile.reductions.insert(tile.reductions.end(), s.reductions.begin(), s.reductions.end());
      tile.epilogue.insert(tile.epilogue.end(), s.epilogue.begin(), s.epilogue.end());
    }
    tile.reduces = !tile.reductions.empty();
    replace_members(std::move(tile));
    return true;
  }

 private:
  static constexpr std::size_t most_extents = 3;

  bool reduces(node_id id) const { return ir::is_collective(g_[id]); }
  extent rows_of(node_id id) const { return g_.resolve(g_[id].rows); }
  extent cols_of(node_id id) const { return g_.resolve(g_[id].cols); }
  bool is_row_value(node_id id) const { return rows_of(id) == rows_ && cols_of(id) == ir::one; }

  ir::node_map<char> cone(const std::vector<node_id>& ids, const step& s) const {
    return ir::reachable(g_, ids,
                         [&](node_id id) { return reduces(id) || (contains(kept_, id) && !s.makes(id)); });
  }

  /// Values of other steps that a step reads.
  std::vector<node_id> reads(const step& s) const {
    std::vector<node_id> values = s.domain_values(g_);
    for (const store& r : s.epilogue) values.push_back(r.value);
    const ir::node_map<char> within = cone(values, s);
    std::vector<node_id> result;
    for (node_id id = 0; id < g_.size(); ++id)
      if (within[id] && (reduces(id) || contains(kept_, id)) && !s.makes(id)) result.push_back(id);
    return result;
  }

  /// Whether a step reads the value at other places than those of its own rows.
  bool reads_elsewhere(node_id id, const step& s) const {
    std::vector<node_id> values = s.domain_values(g_);
    for (const store& r : s.epilogue) values.push_back(r.value);
    const ir::node_map<char> within = cone(values, s);
    for (node_id user = 0; user < g_.size(); ++user)
      if (within[user] && g_[user].op->kind == ir::op_class::access && cone({user}, s)[id]) return true;
    return false;
  }

  std::size_t maker(node_id id) const {
    for (std::size_t k = 0; k < steps_.size(); ++k)
      if (steps_[k].makes(id)) return k;
    return steps_.size();
  }

  bool is_member(std::size_t k) const {
    return std::find(members_.begin(), members_.end(), k) != members_.end();
  }

  /// A step joins unless it needs, directly or through other steps, what all tiles together make.
  void choose_members() {
    std::vector<char> after(steps_.size(), 0);
    for (std::size_t k = 0; k < steps_.size(); ++k) {
      bool joins = steps_[k].rows == rows_ && !steps_[k].is_tile() && !steps_[k].scans, follows = false;
      for (const auto* list : {&steps_[k].stores, &steps_[k].epilogue})
        for (const store& r : *list) joins = joins && !r.place.is_part;
      if (steps_[k].reduces &&
          steps_[k].axis == ir::axis::row)  // a result that lies along the columns is apart
        for (const store& r : steps_[k].epilogue) joins = joins && is_row_value(r.value);
      for (node_id id : reads(steps_[k])) {
        const std::size_t from = maker(id);
        if (from == steps_.size()) continue;
        if (is_member(from)) {
          follows = true;
          joins = joins && is_row_value(id) && !reads_elsewhere(id, steps_[k]);
        } else if (after[from]) {
          follows = true;
          joins = false;
        }
      }
      if (joins)
        members_.push_back(k);
      else
        after[k] = follows;
    }
  }

  /// Whether the merged step reads an operand once that is read several times now, or saves a pass over the
  /// rows that follows from one over their columns.
  bool is_worth_it() const {
    std::vector<int> readers(static_cast<std::size_t>(g_.size()), 0);
    std::vector<extent> extents;
    bool chained = false, wide = false;
    for (std::size_t m : members_) {
      const step& s = steps_[m];
      if (s.cols != ir::one && std::find(extents.begin(), extents.end(), s.cols) == extents.end())
        extents.push_back(s.cols);
      wide = wide || s.cols != ir::one;
      for (node_id id : reads(s)) chained = chained || is_member(maker(id));
      if (s.cols == ir::one) continue;
      const ir::node_map<char> within = cone(s.domain_values(g_), s);
      for (node_id id = 0; id < g_.size(); ++id)
        if (within[id] && g_[id].is(ir::leaf_operations::matrix) && rows_of(id) == rows_ &&
            cols_of(id) != ir::one)
          ++readers[static_cast<std::size_t>(id)];
    }
    const bool again = std::any_of(readers.begin(), readers.end(), [](int n) { return n > 1; });
    return members_.size() > 1 && wide && extents.size() <= most_extents && (again || chained);
  }

  /// Level of a value: one more than the highest of the reductions along the rows that it follows from.
  int level_of(node_id id, const step& tile) const {
    const ir::node_map<char> within =
        ir::reachable(g_, std::vector<node_id>{id}, [&](node_id n) { return reduces(n); });
    int level = 0;
    for (const phase& p : tile.phases)
      for (node_id r : p.along)
        if (within[r]) level = std::max(level, p.level + 1);
    return level;
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
      for (node_id r : s.reductions)
        phase_at(tile, level_of(g_[r].operands[0], tile), s.cols).along.push_back(r);
      for (const store& result : s.epilogue)
        phase_at(tile, level_of(result.value, tile), ir::one).stores.push_back(result);
    } else if (s.reduces) {
      const bool by_column = s.axis == ir::axis::column && s.cols != ir::one;
      section& own = section_of(tile, by_column ? s.axis : ir::axis::all, by_column ? s.cols : ir::one);
      for (node_id r : s.reductions) {
        phase_at(tile, level_of(g_[r].operands[0], tile), s.cols).across.push_back(r);
        own.reductions.push_back(r);
      }
      for (const store& result : s.epilogue) place_epilogue(result, s, tile, own);
    }
    for (const store& result : s.stores)
      phase_at(tile, level_of(result.value, tile), s.cols).stores.push_back(result);
  }

  /// What follows from the results of one section is finished with it; the rest is left to a later step.
  void place_epilogue(const store& result, const step& s, const step& tile, section& own) {
    const ir::node_map<char> within = cone({result.value}, s);
    for (const section& other : tile.sections)
      for (node_id r : other.reductions)
        if (&other != &own && within[r] && r != result.value) {
          left_over_.push_back(result);
          return;
        }
    own.epilogue.push_back(result);
  }

  /// Stores wait for the last level, so that results may go where operands are read.
  void store_last(step& tile) const {
    int last = 0;
    for (const phase& p : tile.phases) last = std::max(last, p.level);
    std::vector<std::pair<extent, store>> all;
    for (phase& p : tile.phases) {
      for (const store& result : p.stores) all.push_back({p.cols, result});
      p.stores.clear();
    }
    for (const auto& [cols, result] : all) phase_at(tile, last, cols).stores.push_back(result);
    std::erase_if(tile.phases, [](const phase& p) { return p.empty(); });
  }

  /// Costly values over rows and columns that a phase computes and a later one with the same columns needs.
  void choose_kept(step& tile) const {
    constexpr double worth_keeping = 8;
    std::vector<ir::node_map<char>> used;
    for (const phase& p : tile.phases) used.push_back(cone(p.values(g_), tile));
    std::vector<char> wanted(static_cast<std::size_t>(g_.size()), 0);
    for (std::size_t later = 1; later < tile.phases.size(); ++later)
      for (std::size_t first = 0; first < later; ++first) {
        if (tile.phases[first].cols != tile.phases[later].cols || tile.phases[later].cols == ir::one)
          continue;
        const auto both = [&](node_id id) { return used[first][id] && used[later][id]; };
        const auto take = [&](node_id id) {
          const bool fits = g_[id].op->kind == ir::op_class::elementwise && cols_of(id) != ir::one &&
                            rows_of(id) == rows_ && g_[id].type != scalar_type::boolean;
          if (fits && both(id) && cost(id) >= worth_keeping) wanted[static_cast<std::size_t>(id)] = 1;
        };
        for (node_id id : tile.phases[later].values(g_)) take(id);
        for (node_id user = 0; user < g_.size(); ++user)
          if (used[later][user] && !both(user) && !reduces(user))
            for (int k = 0; k < ir::arity(g_[user]); ++k) take(g_[user].operands[k]);
      }
    for (node_id id = 0; id < g_.size(); ++id)
      if (wanted[static_cast<std::size_t>(id)]) tile.kept.push_back(id);
  }

  double cost(node_id id) const {
    const ir::node_map<char> within =
        ir::reachable(g_, std::vector<node_id>{id}, [&](node_id n) { return reduces(n); });
    double flops = 0;
    for (node_id n = 0; n <= id; ++n)
      if (within[n] && g_[n].op->kind == ir::op_class::elementwise && cols_of(n) != ir::one)
        flops += static_cast<double>(g_[n].op->cost);
    return flops;
  }

  /// The tile takes the place of its members, after what they need; what follows from it comes later.
  void replace_members(step tile) {
    tile.reason = "";
    std::vector<step> before, behind;
    std::vector<char> follows(steps_.size(), 0);
    for (std::size_t k = 0; k < steps_.size(); ++k) {
      if (is_member(k)) continue;
      for (node_id id : reads(steps_[k])) {
        const std::size_t from = maker(id);
        follows[k] = follows[k] || (from < steps_.size() && (is_member(from) || follows[from]));
      }
    }
    for (std::size_t k = 0; k < steps_.size(); ++k)
      if (!is_member(k)) (follows[k] ? behind : before).push_back(std::move(steps_[k]));
    for (const store& result : left_over_) {
      step& later = behind.emplace(behind.begin())[0];
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
  std::vector<step>& steps_;
  const std::vector<node_id>& kept_;
  extent rows_;
  std::vector<std::size_t> members_;
  std::vector<store> left_over_;  // results that need several sections
};

}  // namespace detail

FUSECL_INLINE bool merge_rows(cut_steps cut) {
  std::vector<ir::extent> tried;
  bool merged = false;
  for (std::size_t k = 0; k < cut.steps.size(); ++k) {
    const ir::extent rows = cut.steps[k].rows;
    if (rows == ir::one || std::find(tried.begin(), tried.end(), rows) != tried.end()) continue;
    tried.push_back(rows);
    if (detail::row_merger(cut, rows).run()) {
      merged = true;
      k = 0;
    }
  }
  return merged;
}

}  // namespace fusecl::schedule
