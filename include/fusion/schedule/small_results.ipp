#pragma once
#include <algorithm>

#include <fusion/base/list_of.hpp>
#include <fusion/schedule/small_results.hpp>

namespace fusecl::schedule {
namespace detail {

class small_step_joiner {
 public:
  small_step_joiner(const cut_steps& cut, std::size_t tile)
      : g_(cut.g), steps_(cut.steps), reads_(cut), tile_(tile) {}

  void run() {
    list_of<step> left;
    for (std::size_t k = 0; k < steps_.size(); ++k) {
      section* const home = k > tile_ ? home_of(k) : nullptr;
      if (!home) {
        kept_.push_back(k);
        continue;
      }
      const step& s = steps_[k];
      append(steps_[tile_].epilogue, s.stores);
      home->small.push_back({by_, s.rows, s.cols, s.stores});
    }
    for (const std::size_t k : kept_) left.push_back(std::move(steps_[k]));
    steps_ = std::move(left);
  }

 private:
  using line = small_results::line;

  /// The section whose sums a step follows from; null where it has to be a step of its own. Says in `by_`
  /// which line of the results follows from a sum.
  section* home_of(std::size_t k) {
    const step& s = steps_[k];
    step& tile = steps_[tile_];
    if (s.reduces || s.scans || s.opaque || s.stands_alone || s.is_tile()) return nullptr;
    if (s.rows == tile.rows || s.cols == tile.rows) return nullptr;
    for (const store& r : s.stores)
      if (r.place.is_part || r.to.kind != buffer_kind::target) return nullptr;
    section* home = nullptr;
    for (const node_id id : reads_.read(k)) {
      const std::size_t from = reads_.maker(id);
      if (from == step_reads::nobody || from < tile_) continue;
      section* const own = from == tile_ ? section_of(tile, id) : nullptr;
      if (!own || (home && home != own)) return nullptr;
      home = own;
    }
    by_ = line::none;
    if (!home || home->axis == ir::axis::all) return home;
    return are_in_place(s, *home) ? home : nullptr;
  }
  section* section_of(step& tile, node_id id) const {
    for (section& own : tile.sections)
      if (finishes(own, id)) return &own;
    return nullptr;
  }
  /// Whether a value is a sum of the section or a row of numbers (or one) that is kept of what follows from
  /// its sums: what joins computes it from these.
  bool finishes(const section& own, node_id id) const {
    if (std::find(own.reductions.begin(), own.reductions.end(), id) != own.reductions.end()) return true;
    const auto keeps = [&](const store& r) { return r.value == id && r.to.kind == buffer_kind::temporary; };
    return g_.resolve(g_[id].rows) == ir::one && std::any_of(own.epilogue.begin(), own.epilogue.end(), keeps);
  }

  /// Whether each element of the results follows from the sums of one column, which its row or its column
  /// numbers.
  bool are_in_place(const step& s, const section& own) {
    const auto is_sum = [&](node_id id) { return finishes(own, id); };
    list_of<node_id> values;
    for (const store& r : s.stores) values.push_back(r.value);
    const auto take = [&](node_id id) {
      const node_id base = ir::maps_places(g_[id]) ? ir::accessed(g_, id) : id;
      if (!is_sum(base)) return true;
      const line found = line_of(id, base);
      if (found == line::none || (by_ != line::none && by_ != found)) return false;
      by_ = found;
      return g_.resolve(found == line::row ? s.rows : s.cols) == own.cols;
    };
    for (const node_id id : values)
      if (!take(id)) return false;
    for (const node_id user : reads_.cone(values, s)) {
      const ir::node& n = g_[user];
      if (reads_.is_boundary(user) || ir::maps_places(n)) continue;  // maps are followed from their users
      for (int k = 0; k < ir::arity(n); ++k) {
        const bool elsewhere = !ir::reads_in_place(n, k);
        if (elsewhere && is_sum(ir::accessed(g_, user))) return false;
        if (!elsewhere && !take(n.operands[k])) return false;
      }
    }
    return by_ != line::none;
  }

  /// Which coordinate of an element of `id` is the column of the row `base` that it comes from.
  line line_of(node_id id, node_id base) const {
    ir::map_directions all;
    bool row_moved = false, col_moved = false;
    for (node_id k = id; k != base; k = g_[k].operands[0]) {
      const ir::access_map& m = g_[k].map;
      const auto moves = [&](const ir::offset& start, int by_row, int by_col) {
        return !start.is_zero() || (by_row != 0 && row_moved) || (by_col != 0 && col_moved);
      };
      const bool row = moves(m.row0, m.row_by_i, m.row_by_j);
      col_moved = moves(m.col0, m.col_by_i, m.col_by_j);
      row_moved = row;
      all = all.through(m);
    }
    const ir::node& own = g_[id];
    const ir::extent sums = g_.resolve(g_[base].cols);
    if (col_moved) return line::none;
    if (all.col_by_i == 1 && all.col_by_j == 0 && g_.resolve(own.rows) == sums) return line::row;
    return all.col_by_i == 0 && all.col_by_j == 1 && g_.resolve(own.cols) == sums ? line::column : line::none;
  }

  const ir::graph& g_;
  list_of<step>& steps_;
  const step_reads reads_;
  std::size_t tile_;
  list_of<std::size_t> kept_;  // steps that stay
  line by_ = line::none;
};

class small_sum_joiner {
 public:
  small_sum_joiner(const cut_steps& cut, std::size_t tile)
      : g_(cut.g), steps_(cut.steps), reads_(cut), tile_(tile) {}

  /// Takes the steps whose sums join the tile out of the list.
  void run() {
    section* const home = home_of_numbers();
    if (!home) return;
    step& tile = steps_[tile_];
    list_of<std::size_t> kept;
    for (std::size_t k = 0; k < steps_.size(); ++k) {
      const step& s = steps_[k];
      if (k == tile_ || !joins(k, *home)) {
        kept.push_back(k);
        continue;
      }
      home->needed.push_back({s.rows, s.cols, s.reductions});
      append(home->epilogue, s.epilogue);
      append(tile.epilogue, s.epilogue);
      append(tile.needed, s.reductions);
    }
    tile.note_made();
    list_of<step> left;
    for (const std::size_t k : kept) left.push_back(std::move(steps_[k]));
    steps_ = std::move(left);
  }

 private:
  section* home_of_numbers() {
    for (section& own : steps_[tile_].sections)
      if (own.axis == ir::axis::all) return &own;
    return nullptr;
  }

  bool joins(std::size_t k, const section& home) const {
    const step &s = steps_[k], &tile = steps_[tile_];
    const bool sums = s.reduces && s.axis == ir::axis::all && s.stores.empty();
    if (!sums || s.scans || s.opaque || s.stands_alone || s.is_tile()) return false;
    if (s.rows == tile.rows || s.cols == tile.rows) return false;
    for (const node_id id : s.reductions)
      if (g_[id].op->running) return false;
    for (const store& r : s.epilogue)
      if (r.place.is_part || !g_[r.value].is_scalar()) return false;
    for (const std::size_t reader : reads_.readers(k))
      if (reader != tile_) return false;
    for (const node_id id : reads_.read(k)) {  // all that is there before the tile
      const std::size_t from = reads_.maker(id);
      if (from != step_reads::nobody && from >= std::min(k, tile_)) return false;
      if (from != step_reads::nobody && joined(id)) return false;
    }
    return is_read_by_numbers_only(s, home);
  }
  /// Whether a value belongs to a step that has joined.
  bool joined(node_id id) const {
    const step& tile = steps_[tile_];
    return std::find(tile.needed.begin(), tile.needed.end(), id) != tile.needed.end();
  }

  /// Whether the tile needs what a step makes for the numbers of a section alone.
  bool is_read_by_numbers_only(const step& s, const section& home) const {
    const step& tile = steps_[tile_];
    const auto reads = [&](const list_of<node_id>& values) {
      for (const node_id id : reads_.cone(values, tile))
        if (s.makes(id)) return true;
      return false;
    };
    if (reads(tile.domain_values(g_))) return false;
    list_of<node_id> summed;  // by what has joined before, at an earlier look at this tile
    for (const node_id id : tile.needed) summed.push_back(g_[id].operands[0]);
    if (reads(summed)) return false;
    for (const section& own : tile.sections) {
      if (&own == &home) continue;
      list_of<node_id> values;
      for (const small_results& each : own.small)
        for (const store& r : each.stores) values.push_back(r.value);
      for (const store& r : own.epilogue) values.push_back(r.value);
      if (reads(values)) return false;
    }
    return true;
  }

  const ir::graph& g_;
  list_of<step>& steps_;
  const step_reads reads_;
  std::size_t tile_;
};

}  // namespace detail

FUSECL_INLINE void join_small_results(const cut_steps& cut) {
  for (std::size_t k = 0; k < cut.steps.size(); ++k)
    if (cut.steps[k].is_tile()) detail::small_step_joiner(cut, k).run();
}

FUSECL_INLINE void join_small_sums(const cut_steps& cut) {
  for (std::size_t k = cut.steps.size(); k-- > 0; k = std::min(k, cut.steps.size()))
    if (cut.steps[k].is_tile()) detail::small_sum_joiner(cut, k).run();
}

}  // namespace fusecl::schedule
