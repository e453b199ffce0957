#pragma once
// Cuts a graph of element-wise operations: a step for each domain of its results. Decides how steps walk
// their domains and which results may go to the memory of operands, for all graphs.

#include <algorithm>
#include <utility>

#include <fusion/base/list_of.hpp>
#include <fusion/ir/node_map.hpp>
#include <fusion/schedule/plan.hpp>

namespace fusecl::schedule::detail {

using ir::extent, ir::graph, ir::node, ir::node_id;

class cutter {
 public:
  explicit cutter(plan& p) : plan_(p), g_(p.graph) {}

  FUSECL_INLINE void run() {
    for (std::size_t k = 0; k < g_.roots.size(); ++k) place_in_domain(result_at(k), 0);
    say_why_apart();
    plan_.temporary_numbers.assign(static_cast<std::size_t>(g_.size()), -1);
    choose_walks();
  }

 protected:
  struct shape {
    extent rows, cols;
    friend bool operator==(const shape&, const shape&) = default;
  };
  /// Where a step is that does not stand alone: how much is complete before it, and what it walks.
  struct place_of_step {
    int stage;
    shape domain;
    friend bool operator==(const place_of_step&, const place_of_step&) = default;
    friend std::size_t hash_of_key(const place_of_step& p) {
      return hash_of_numbers(p.stage, p.domain.rows, p.domain.cols);
    }
  };
  /// What the reductions of one such step have in common.
  struct walk {
    place_of_step at;
    bool reduces, scans, from_end;
    ir::axis axis;
    friend bool operator==(const walk&, const walk&) = default;
    friend std::size_t hash_of_key(const walk& w) {
      return hash_of_numbers(hash_of_key(w.at), w.reduces, w.scans, w.from_end, w.axis);
    }
  };
  shape shape_of(node_id id) const { return {g_.resolve(g_[id].rows), g_.resolve(g_[id].cols)}; }
  bool reduces(node_id id) const { return ir::is_collective(g_[id]); }
  bool scans(node_id id) const { return g_[id].op->kind == ir::op_class::scan; }
  bool accesses(node_id id) const { return g_[id].op->kind == ir::op_class::access; }
  /// Whether it reads memory at other places than its own.
  bool maps(node_id id) const {
    return accesses(id) && !ir::is_turned_vector(g_, g_[id]) && shape_of(id) != shape{ir::one, ir::one};
  }
  /// Number of the step at a stage that walks a domain as `wanted` does.
  FUSECL_INLINE std::size_t step_for(int at, shape domain, step wanted) {
    const walk asked = {{at, domain}, wanted.reduces, wanted.scans, wanted.from_end, wanted.axis};
    if (const std::size_t* known = walks_.find(asked)) return *known;
    const std::size_t made = walks_[asked] = plan_.steps.size();
    if (!places_.find(asked.at)) places_[asked.at] = made;
    wanted.rows = domain.rows;
    wanted.cols = domain.cols;
    plan_.steps.push_back(std::move(wanted));
    step_stage_.push_back(at);
    return made;
  }

  store result_at(std::size_t root) const {
    return {g_.roots[root], {buffer_kind::target, static_cast<std::int64_t>(root)}, g_.place_of(root)};
  }

  /// An element-wise result rides along with any step that walks its shape at its stage.
  FUSECL_INLINE void place_in_domain(const store& result, int at) {
    const shape own = shape_of(result.value);
    const std::size_t* known = places_.find({at, own});
    step& s = plan_.steps[known ? *known : step_for(at, own, step())];
    (s.scans ? s.epilogue : s.stores).push_back(result);  // a scan may read its operands a second time
  }

  FUSECL_INLINE void say_why_apart() {
    for (std::size_t k = 1; k < plan_.steps.size(); ++k)
      plan_.steps[k].reason =
          plan_.steps[k].opaque       ? "it has a kernel of its own, which reads operands from memory"
          : plan_.steps[k - 1].opaque ? "it needs what a kernel of its own computes before"
          : plan_.steps[k - 1].stands_alone
              ? "values that are compared with a reduction of them are computed before"
          : step_stage_[k] > step_stage_[k - 1]
              ? "it needs a reduction that an earlier step completes"
              : "its domain or the axis of its reductions differs from the step before";
  }

  /// How the steps are walked, and where results may go.
  FUSECL_INLINE void choose_walks() {
    for (step& s : plan_.steps) choose_walk(s);
    find_unsafe_roots();
  }

  bool is_kept(node_id id) const { return !is_kept_.empty() && is_kept_[static_cast<std::size_t>(id)] != 0; }

  /// Whether `s` (any step if null) takes the value as it is: complete before it, or its own reduction.
  bool is_boundary(node_id id, const step* s) const {
    return reduces(id) || (s && is_kept(id) && !s->makes(id));
  }

  /// What `ids` are computed from in step `s` without entering a boundary; boundaries met are marked
  /// themselves.
  ir::node_set cone(const list_of<node_id>& ids, const step* s) const {
    return ir::reachable(g_, ids, [&](node_id id) { return is_boundary(id, s); });
  }

  list_of<node_id> epilogue_values(const step& s) const {
    list_of<node_id> ids;
    for (node_id id : s.needed) ids.push_back(g_[id].operands[0]);
    for (const store& result : s.epilogue) ids.push_back(result.value);
    for (node_id id : s.sums) ids.push_back(g_[id].operands[0]);
    for (const store& result : s.after_sums) ids.push_back(result.value);
    return ids;
  }

 private:
  /// Whether the domain's values need rows and columns told apart.
  FUSECL_INLINE bool needs_tiles(const step& s, const ir::node_set& within) const {
    const auto [read, others] = read_from(within);
    for (node_id id : within) {
      const node& n = g_[id];
      if (n.is(ir::leaf_operations::row_index) || n.is(ir::leaf_operations::col_index)) return true;
      if (maps(id)) return true;
      if (read[id] && !others[id]) continue;
      if (!accesses(id) && !n.is(ir::leaf_operations::matrix) && !is_boundary(id, &s)) continue;
      const shape own = shape_of(id);
      const bool single = own == shape{ir::one, ir::one};
      if (!single && (own != shape{s.rows, s.cols} || n.view != matrix_cl_view::Entire)) return true;
    }
    return false;
  }

  /// Nodes of the cone that accesses read from, and those with other users.
  struct readers {
    ir::node_set by_accesses, by_others;
  };
  FUSECL_INLINE readers read_from(const ir::node_set& within) const {
    list_of<node_id> read, others;
    for (node_id user : within)
      for (int k = 0; k < ir::arity(g_[user]); ++k)
        (ir::reads_in_place(g_[user], k) ? others : read).push_back(g_[user].operands[k]);
    return {ir::node_set(std::move(read)), ir::node_set(std::move(others))};
  }

  bool reads_column_vector(const step& s, const ir::node_set& within) const {
    if (s.cols == ir::one) return false;
    for (node_id id : within) {
      const bool from_memory = g_[id].is(ir::leaf_operations::matrix) || accesses(id) || is_boundary(id, &s);
      const shape own = shape_of(id);
      if (from_memory && own.rows != ir::one && own.cols == ir::one) return true;
    }
    return false;
  }

  /// The union of the views of all that a step stores and reduces, where its walk can be limited to that.
  matrix_cl_view part_of(const step& s) const {
    const bool vector = s.rows == ir::one || s.cols == ir::one;
    if (vector || s.scans || (s.stores.empty() && s.reductions.empty())) return matrix_cl_view::Entire;
    matrix_cl_view part = matrix_cl_view::Diagonal;
    for (const store& result : s.stores)
      part = either(part, is_read_in_full(result) ? matrix_cl_view::Entire : g_[result.value].view);
    for (node_id id : s.reductions)
      part = either(part, g_[id].op->running ? matrix_cl_view::Entire : g_[g_[id].operands[0]].view);
    return part;
  }

  FUSECL_INLINE void choose_walk(step& s) {
    if (s.is_tile() || s.opaque) return;
    s.part = part_of(s);
    const ir::node_set within = cone(s.walked_values(g_), &s);
    s.reuses_rows = reads_column_vector(s, within);
    for (node_id id : within) {
      if (!maps(id)) continue;
      s.maps = true;
      s.transposes = s.transposes || g_[id].map.col_by_i != 0;
    }
    for (const store& result : s.scans ? s.epilogue : s.stores) {
      s.maps = s.maps || result.place.is_part;
      s.transposes = s.transposes || result.place.map.col_by_i != 0;
    }
    const bool whole_scan = s.scans && (s.axis == ir::axis::row ? s.rows : s.cols) == ir::one;
    const bool along_axis = s.reduces && s.axis != ir::axis::all && !whole_scan;
    s.linear = !along_axis && !s.maps && s.part == matrix_cl_view::Entire && !needs_tiles(s, within);
    // on a GPU, where work-items would have a row each: they share the rows of a single column instead
    const bool one_column = s.reduces && s.axis == ir::axis::all && s.cols == ir::one;
    if (plan_.form == device_form::gpu && one_column && !s.linear) s.axis = ir::axis::column;
  }

  /// Where an operand is read for the last time.
  struct last_read {
    std::int64_t step = -1;
    bool in_place = false;  ///< and there everywhere at the domain's place, by columns `cols`
    extent cols = none;
  };

  /// A root may go to the memory of an operand that no later step than the writing one reads, and this one
  /// only where it writes.
  FUSECL_INLINE void find_unsafe_roots() {
    list_of<last_read> reads;
    for (std::size_t k = 0; k < plan_.steps.size(); ++k) note_reads(reads, k);
    list_of<list_of<std::size_t>> slots(plan_.steps.size());  // by the step that reads them last
    for (std::size_t slot = 0; slot < reads.size(); ++slot)
      if (reads[slot].step >= 0) slots[static_cast<std::size_t>(reads[slot].step)].push_back(slot);
    plan_.safe_in_place.resize(g_.roots.size());
    list_of<char> read_before(reads.size(), 0);
    for (std::size_t k = 0; k < plan_.steps.size(); ++k) {
      for (const auto& [root, cols] : roots_of(plan_.steps[k])) {
        plan_.safe_in_place[root] = read_before;
        for (std::size_t slot : slots[k])
          plan_.safe_in_place[root][slot] = reads[slot].in_place && cols != none && reads[slot].cols == cols;
      }
      for (std::size_t slot : slots[k]) read_before[slot] = 1;
    }
  }

  FUSECL_INLINE void note_reads(list_of<last_read>& reads, std::size_t number) const {
    const step& s = plan_.steps[number];
    const ir::node_set in_domain = cone(s.walked_values(g_), &s),
                       after = s.scans ? ir::node_set() : cone(epilogue_values(s), &s);
    const ir::node_set read = read_from(in_domain).by_accesses;
    const auto note = [&](node_id id, bool in_place) {
      const node& n = g_[id];
      if (!n.is(ir::leaf_operations::matrix)) return;
      if (static_cast<std::size_t>(n.index) >= reads.size())
        reads.resize(static_cast<std::size_t>(n.index) + 1);
      last_read& r = reads[static_cast<std::size_t>(n.index)];
      const bool again = r.step == static_cast<std::int64_t>(number);
      const shape own = shape_of(id);
      in_place = in_place && own.rows == s.rows && (!again || (r.in_place && r.cols == own.cols));
      r = {static_cast<std::int64_t>(number), in_place, own.cols};
    };
    for (node_id id : in_domain) note(id, !after[id] && !read[id]);
    for (node_id id : after) note(id, false);
  }

  /// The roots that a step writes, each with the extent of the columns over which it does so element by
  /// element, `none` for none; a tile's rows alone are written by some work-items while others still read.
  list_of<std::pair<std::size_t, extent>> roots_of(const step& s) const {
    list_of<std::pair<std::size_t, extent>> roots;
    const auto add = [&](const list_of<store>& list, extent cols) {
      for (const store& result : list)
        if (result.to.kind == buffer_kind::target)
          roots.push_back({static_cast<std::size_t>(result.to.number), cols});
    };
    for (const phase& p : s.phases) add(p.stores, p.cols != ir::one ? p.cols : none);
    add(s.stores, s.is_tile() || s.scans ? none : s.cols);
    add(s.epilogue, s.scans && !s.is_tile() ? s.cols : none);
    add(s.after_sums, none);
    return roots;
  }

  static constexpr extent none = -2;

 protected:
  plan& plan_;
  graph& g_;
  list_of<char> is_kept_;                  // by node: values besides reductions that other steps load
  list_of<int> step_stage_;                // how many reductions and scans must be complete before a step
  keyed_values<walk, std::size_t> walks_;  // their steps
  keyed_values<place_of_step, std::size_t> places_;  // their first steps
};

}  // namespace fusecl::schedule::detail

namespace fusecl::schedule {

inline void cut_elementwise(plan& p) { detail::cutter(p).run(); }

}  // namespace fusecl::schedule
