#pragma once
#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include <fusion/ir/node_map.hpp>
#include <fusion/passes/pass.hpp>
#include <fusion/schedule/costs.hpp>
#include <fusion/schedule/merge_rows.hpp>
#include <fusion/schedule/plan.hpp>

namespace fusecl::schedule {
namespace detail {

using ir::extent, ir::graph, ir::node, ir::node_id;

/// Cuts one graph. The stage of a node is the number of reductions and scans that must be complete before it.
class cutter {
 public:
  explicit cutter(plan& p) : plan_(p), g_(p.graph) {}

  void run(row_tiles tiles) {
    find_stages();
    place_reductions();
    keep_what_is_repeated();
    keep_what_is_compared();
    for (std::size_t k = 0; k < g_.roots.size(); ++k) place_root(k);
    order_steps();
    for (step& s : plan_.steps) s.note_made();
    if (tiles == row_tiles::yes) merge_rows({g_, plan_.steps, is_kept_});
    find_temporaries();
    for (step& s : plan_.steps) choose_walk(s);
    find_unsafe_roots();
  }

 private:
  struct shape {
    extent rows, cols;
    friend bool operator==(const shape&, const shape&) = default;
  };
  shape shape_of(node_id id) const { return {g_.resolve(g_[id].rows), g_.resolve(g_[id].cols)}; }
  bool reduces(node_id id) const { return ir::is_collective(g_[id]); }
  bool scans(node_id id) const { return g_[id].op->kind == ir::op_class::scan; }
  bool accesses(node_id id) const { return g_[id].op->kind == ir::op_class::access; }
  /// Whether it reads memory at other places than its own.
  bool maps(node_id id) const {
    return accesses(id) && !ir::is_turned_vector(g_, g_[id]) && shape_of(id) != shape{ir::one, ir::one};
  }
  int& stage(node_id id) { return stages_[static_cast<std::size_t>(id)]; }

  void find_stages() {
    stages_.assign(static_cast<std::size_t>(g_.size()), 0);
    for (node_id id = 0; id < g_.size(); ++id)
      for (int k = 0; k < ir::arity(g_[id]); ++k)
        stage(id) = std::max(stage(id), stage(g_[id].operands[k]) + (reduces(id) ? 1 : 0));
  }

  /// Number of the step at a stage that walks a domain as `wanted` does.
  std::size_t step_for(int at, shape domain, step wanted) {
    const auto [known, fresh] = by_walk_.try_emplace(
        {at, domain.rows, domain.cols, wanted.reduces, wanted.axis, wanted.scans, wanted.from_end},
        plan_.steps.size());
    if (!fresh) return known->second;
    by_domain_.try_emplace({at, domain.rows, domain.cols}, plan_.steps.size());
    wanted.rows = domain.rows;
    wanted.cols = domain.cols;
    plan_.steps.push_back(std::move(wanted));
    step_stage_.push_back(at);
    return plan_.steps.size() - 1;
  }

  void place_reductions() {
    homes_.assign(static_cast<std::size_t>(g_.size()), {});
    for (node_id id = 0; id < g_.size(); ++id) {
      if (reduces(id)) {
        step wanted;
        wanted.reduces = true;
        wanted.scans = scans(id);
        wanted.from_end = wanted.scans && g_[id].from_end();
        wanted.axis = g_[id].axis();
        const std::size_t k = step_for(stage(id) - 1, shape_of(g_[id].operands[0]), std::move(wanted));
        plan_.steps[k].reductions.push_back(id);
        homes_[static_cast<std::size_t>(id)].maker = static_cast<std::int64_t>(k);
      }
      find_home(id);
    }
  }

  /// What decides which step a value may be finished with.
  struct home_facts {
    static constexpr std::int64_t nowhere = -1, several = -2;
    std::int64_t maker = nowhere;  ///< the step of all reductions that are complete last, if it is one
    int read_elsewhere = 0;        ///< stage of the last reduction of which it reads other elements
    bool in_order = true;          ///< a vector, its elements come in their order whichever way it lies
  };

  /// From the facts of its operands, unless its value is a reduction, which is taken as it is.
  void find_home(node_id id) {
    home_facts& facts = homes_[static_cast<std::size_t>(id)];
    facts.in_order = is_in_order(id);
    if (reduces(id)) return;
    for (int k = 0; k < ir::arity(g_[id]); ++k) {
      const node_id operand = g_[id].operands[k];
      const home_facts& from = homes_[static_cast<std::size_t>(operand)];
      facts.in_order = facts.in_order && from.in_order;
      facts.read_elsewhere = std::max(facts.read_elsewhere, from.read_elsewhere);
      if (stage(operand) < stage(id) || stage(id) == 0) continue;
      facts.maker =
          facts.maker == home_facts::nowhere || facts.maker == from.maker ? from.maker : home_facts::several;
    }
    if (!accesses(id)) return;
    const node_id base = ir::accessed(g_, id);
    if (reduces(base) && !g_[base].is_scalar())
      facts.read_elsewhere = std::max(facts.read_elsewhere, stage(base));
  }

  /// A step that produces `id` from its reductions and from what was complete before it.
  step* epilogue_home(node_id id) {
    const home_facts& facts = homes_[static_cast<std::size_t>(id)];
    if (facts.maker < 0) return nullptr;
    step& s = plan_.steps[static_cast<std::size_t>(facts.maker)];
    const shape own = shape_of(s.reductions.front()), turned{own.cols, own.rows};
    // elements of its own results from other places are not there yet
    if (own == shape_of(id)) return facts.read_elsewhere < stage(id) ? &s : nullptr;
    return !s.scans && turned == shape_of(id) && facts.in_order ? &s : nullptr;
  }

  /// Whether the elements of a vector come in their order, whichever way it lies.
  bool is_in_order(node_id id) const {
    const node& n = g_[id];
    if (accesses(id)) return ir::is_turned_vector(g_, n);
    return n.view == matrix_cl_view::Entire && !n.is(ir::leaf_operations::row_index) &&
           !n.is(ir::leaf_operations::col_index);
  }

  /// Finishes a step with values of its shape that a later step would compute again for each row or column.
  /// Costs no launch; reading a value back is worth some flops.
  void keep_what_is_repeated() {
    constexpr double worth_keeping = 8;
    is_kept_.assign(static_cast<std::size_t>(g_.size()), 0);
    const costs cost(g_, worth_keeping, [](node_id) { return true; });
    for (node_id user = 0; user < g_.size(); ++user)
      for (int k = 0; k < ir::arity(g_[user]); ++k) {
        const node_id id = g_[user].operands[k];
        const node& n = g_[id];
        const bool repeated = !reduces(user) && shape_of(user) != shape_of(id);
        const bool fit = n.op->kind == ir::op_class::elementwise && n.type != scalar_type::boolean &&
                         n.view == matrix_cl_view::Entire;
        if (!repeated || !fit || stage(id) == 0 || is_kept(id) || !cost.reached_by(id)) continue;
        if (step* home = epilogue_home(id)) {
          home->epilogue.push_back({id, {buffer_kind::temporary, -1}});
          kept_.push_back(id);
          is_kept_[static_cast<std::size_t>(id)] = 1;
        }
      }
  }
  bool is_kept(node_id id) const { return is_kept_[static_cast<std::size_t>(id)] != 0; }

  /// The value whose elements `id` has, at other places or several times.
  node_id taken_from(node_id id) const {
    while (accesses(id) || g_[id].op->kind == ir::op_class::broadcast) id = g_[id].operands[0];
    return id;
  }

  /// Values that are compared with what they are reduced to, as in the derivative of a maximum, are computed
  /// once, by a step of their own: a compiler may round differently in another kernel or for another width of
  /// vectors, and then none of the elements would be the largest.
  void keep_what_is_compared() {
    ir::node_map<char> is_found(g_, 0);
    std::vector<node_id> found;
    for (node_id id = 0; id < g_.size(); ++id) {
      if (g_[id].op->types != ir::type_rule::comparison) continue;
      for (int k = 0; k < 2; ++k) {
        const node_id value = taken_from(g_[id].operands[k]), other = taken_from(g_[id].operands[1 - k]);
        const bool of_value =
            g_[other].op->kind == ir::op_class::reduction && taken_from(g_[other].operands[0]) == value;
        const bool computed = g_[value].op->kind == ir::op_class::elementwise && !g_[value].is_scalar();
        if (of_value && computed && is_floating(g_[value].type) && !is_found[value]) {
          is_found[value] = 1;
          found.push_back(value);
        }
      }
    }
    std::sort(found.begin(), found.end());
    for (node_id id : found) {
      if (is_kept(id)) continue;
      step own;
      own.rows = shape_of(id).rows;
      own.cols = shape_of(id).cols;
      own.stores.push_back({id, {buffer_kind::temporary, -1}});
      own.stands_alone = true;
      plan_.steps.push_back(std::move(own));
      step_stage_.push_back(stage(id));
      kept_.push_back(id);
      is_kept_[static_cast<std::size_t>(id)] = 1;
    }
  }

  void place_root(std::size_t number) {
    const node_id id = g_.roots[number];
    const store result{id, {buffer_kind::target, static_cast<std::int64_t>(number)}, g_.place_of(number)};
    if (stage(id) > 0)
      if (step* home = epilogue_home(id)) {
        home->epilogue.push_back(result);
        return;
      }
    // an element-wise result rides along with any step that walks its shape at its stage
    const shape own = shape_of(id);
    const auto known = by_domain_.find({stage(id), own.rows, own.cols});
    step& s = plan_.steps[known != by_domain_.end() ? known->second : step_for(stage(id), own, step())];
    (s.scans ? s.epilogue : s.stores).push_back(result);  // a scan may read its operands a second time
  }

  void order_steps() {
    std::vector<std::size_t> order(plan_.steps.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      if (step_stage_[a] != step_stage_[b]) return step_stage_[a] < step_stage_[b];
      return plan_.steps[a].stands_alone && !plan_.steps[b].stands_alone;
    });
    std::vector<step> sorted;
    std::vector<int> sorted_stage;
    for (std::size_t k : order) {
      sorted.push_back(std::move(plan_.steps[k]));
      sorted_stage.push_back(step_stage_[k]);
    }
    plan_.steps = std::move(sorted);
    step_stage_ = std::move(sorted_stage);
    for (std::size_t k = 1; k < plan_.steps.size(); ++k)
      plan_.steps[k].reason = plan_.steps[k - 1].stands_alone
                                  ? "values that are compared with a reduction of them are computed before"
                              : step_stage_[k] > step_stage_[k - 1]
                                  ? "it needs a reduction that an earlier step completes"
                                  : "its domain or the axis of its reductions differs from the step before";
  }

  /// Whether `s` (any step if null) takes the value as it is: complete before it, or its own reduction.
  bool is_boundary(node_id id, const step* s) const {
    return reduces(id) || (s && is_kept(id) && !s->makes(id));
  }

  /// What `ids` are computed from in step `s` without entering a boundary; boundaries met are marked
  /// themselves.
  ir::node_set cone(const std::vector<node_id>& ids, const step* s) const {
    return ir::reachable(g_, ids, [&](node_id id) { return is_boundary(id, s); });
  }

  static std::vector<node_id> epilogue_values(const step& s) {
    std::vector<node_id> ids;
    for (const store& result : s.epilogue) ids.push_back(result.value);
    return ids;
  }

  void find_temporaries() {
    constexpr auto never = static_cast<std::size_t>(-1);
    std::vector<std::size_t> loaded(static_cast<std::size_t>(g_.size()), never);  // last, by node
    for (std::size_t k = 0; k < plan_.steps.size(); ++k) {
      const step& s = plan_.steps[k];
      for (node_id id : cone(s.domain_values(g_), &s))
        if (is_boundary(id, &s) && !s.completes(id)) loaded[static_cast<std::size_t>(id)] = k;
      for (node_id id : cone(epilogue_values(s), &s))
        if (is_boundary(id, &s) && !s.makes(id)) loaded[static_cast<std::size_t>(id)] = k;
    }
    plan_.temporary_numbers.assign(static_cast<std::size_t>(g_.size()), -1);
    const auto is_loaded = [&](node_id id) { return loaded[static_cast<std::size_t>(id)] != never; };
    const auto settle = [&](std::vector<store>& stores) {
      std::erase_if(stores, [&](const store& result) {
        return result.to.kind == buffer_kind::temporary && !is_loaded(result.value);
      });
      for (store& result : stores)
        if (result.to.kind == buffer_kind::temporary) result.to.number = new_temporary(result.value);
    };
    const auto keep_results = [&](const std::vector<node_id>& reductions, std::vector<store>& stores) {
      for (node_id id : reductions)
        if (is_loaded(id)) stores.push_back({id, {buffer_kind::temporary, new_temporary(id)}});
    };
    std::size_t numbered = 0;
    for (std::size_t k = 0; k < plan_.steps.size(); ++k) {
      step& s = plan_.steps[k];
      if (s.is_tile()) {
        settle_tile(s, settle, keep_results);
      } else {
        settle(s.stores);
        settle(s.epilogue);
        keep_results(s.reductions, s.epilogue);
      }
      s.note_made();
      for (; numbered < plan_.temporaries.size(); ++numbered) {
        temporary& fresh = plan_.temporaries[numbered];
        fresh.first_step = k;
        plan_.steps[std::max(k, loaded[static_cast<std::size_t>(fresh.value)])].last_reads.push_back(
            static_cast<std::int64_t>(numbered));
      }
    }
    for (node_id id : kept_)
      if (plan_.temporary_of(id) < 0) is_kept_[static_cast<std::size_t>(id)] = 0;
    std::erase_if(kept_, [&](node_id id) { return plan_.temporary_of(id) < 0; });
  }

  /// Along the rows of a tile, reductions are stored by a phase over the rows alone.
  template <class Settle, class Keep>
  void settle_tile(step& s, const Settle& settle, const Keep& keep_results) {
    int last = 0;
    for (phase& p : s.phases) {
      settle(p.stores);
      last = std::max(last, p.level);
    }
    phase rows;
    for (const phase& p : s.phases) {
      const std::size_t before = rows.stores.size();
      keep_results(p.along, rows.stores);
      if (rows.stores.size() > before) last = std::max(last, p.level + 1);
    }
    rows.level = last;
    if (!rows.stores.empty()) {
      phase* home = nullptr;
      for (phase& p : s.phases)
        if (p.level == last && p.cols == ir::one) home = &p;
      if (home)
        home->stores.insert(home->stores.end(), rows.stores.begin(), rows.stores.end());
      else
        s.phases.push_back(std::move(rows));
    }
    s.epilogue.clear();
    for (section& own : s.sections) {
      settle(own.epilogue);
      keep_results(own.reductions, own.epilogue);
      s.epilogue.insert(s.epilogue.end(), own.epilogue.begin(), own.epilogue.end());
    }
    std::erase_if(s.phases, [](const phase& p) { return p.empty(); });
  }

  std::int64_t new_temporary(node_id id) {
    const shape own = shape_of(id);
    const auto number = static_cast<std::int64_t>(plan_.temporaries.size());
    plan_.temporaries.push_back({id, own.rows, own.cols, g_[id].type, 0});
    plan_.temporary_numbers[static_cast<std::size_t>(id)] = number;
    return number;
  }

  /// Whether the domain's values need rows and columns told apart.
  bool needs_tiles(const step& s, const ir::node_set& within) const {
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
  readers read_from(const ir::node_set& within) const {
    std::vector<node_id> read, others;
    for (node_id user : within)
      for (int k = 0; k < ir::arity(g_[user]); ++k)
        (accesses(user) ? read : others).push_back(g_[user].operands[k]);
    return {ir::node_set(std::move(read)), ir::node_set(std::move(others))};
  }

  bool reads_column_vector(const step& s, const ir::node_set& within) const {
    return s.cols != ir::one && std::any_of(within.begin(), within.end(), [&](node_id id) {
             const bool from_memory =
                 g_[id].is(ir::leaf_operations::matrix) || accesses(id) || is_boundary(id, &s);
             const shape own = shape_of(id);
             return from_memory && own.rows != ir::one && own.cols == ir::one;
           });
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

  void choose_walk(step& s) {
    if (s.is_tile()) return;
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
  }

  /// Where an operand is read for the last time.
  struct last_read {
    std::int64_t step = -1;
    bool in_place = false;  ///< and there everywhere at the domain's place, by columns `cols`
    extent cols = none;
  };

  /// A root may go to the memory of an operand that no later step than the writing one reads, and this one
  /// only where it writes.
  void find_unsafe_roots() {
    std::vector<last_read> reads;
    for (std::size_t k = 0; k < plan_.steps.size(); ++k) note_reads(reads, k);
    std::vector<std::vector<std::size_t>> slots(plan_.steps.size());  // by the step that reads them last
    for (std::size_t slot = 0; slot < reads.size(); ++slot)
      if (reads[slot].step >= 0) slots[static_cast<std::size_t>(reads[slot].step)].push_back(slot);
    plan_.safe_in_place.assign(g_.roots.size(), {});
    std::vector<char> read_before(reads.size(), 0);
    for (std::size_t k = 0; k < plan_.steps.size(); ++k) {
      for (const auto& [root, cols] : roots_of(plan_.steps[k])) {
        plan_.safe_in_place[root] = read_before;
        for (std::size_t slot : slots[k])
          plan_.safe_in_place[root][slot] = reads[slot].in_place && cols != none && reads[slot].cols == cols;
      }
      for (std::size_t slot : slots[k]) read_before[slot] = 1;
    }
  }

  void note_reads(std::vector<last_read>& reads, std::size_t number) const {
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
  std::vector<std::pair<std::size_t, extent>> roots_of(const step& s) const {
    std::vector<std::pair<std::size_t, extent>> roots;
    const auto add = [&](const std::vector<store>& list, extent cols) {
      for (const store& result : list)
        if (result.to.kind == buffer_kind::target)
          roots.push_back({static_cast<std::size_t>(result.to.number), cols});
    };
    for (const phase& p : s.phases) add(p.stores, p.cols != ir::one ? p.cols : none);
    add(s.stores, s.is_tile() || s.scans ? none : s.cols);
    add(s.epilogue, s.scans && !s.is_tile() ? s.cols : none);
    return roots;
  }

  static constexpr extent none = -2;

  plan& plan_;
  graph& g_;
  std::vector<int> stages_;
  std::vector<node_id> kept_;  // values besides reductions that other steps load
  std::vector<char> is_kept_;  // by node
  std::vector<int> step_stage_;
  std::vector<home_facts> homes_;  // by node
  std::map<std::tuple<int, extent, extent, bool, ir::axis, bool, bool>, std::size_t> by_walk_;
  std::map<std::tuple<int, extent, extent>, std::size_t> by_domain_;  // the first one of each
};

}  // namespace detail

FUSECL_INLINE void step::note_made() {
  completed.clear();
  for (const phase& p : phases) completed.insert(completed.end(), p.along.begin(), p.along.end());
  made = completed;
  made.insert(made.end(), reductions.begin(), reductions.end());
  const auto keep = [&](const std::vector<store>& list) {
    for (const store& result : list)
      if (result.to.kind == buffer_kind::temporary) made.push_back(result.value);
  };
  keep(stores);
  keep(epilogue);
  for (const phase& p : phases) keep(p.stores);
  std::sort(completed.begin(), completed.end());
  std::sort(made.begin(), made.end());
}

FUSECL_INLINE std::vector<ir::node_id> phase::values(const ir::graph& g) const {
  std::vector<ir::node_id> ids;
  for (const store& result : stores) ids.push_back(result.value);
  for (const auto* list : {&along, &across})
    for (ir::node_id id : *list) ids.push_back(g[id].operands[0]);
  return ids;
}

FUSECL_INLINE std::vector<ir::node_id> step::domain_values(const ir::graph& g) const {
  std::vector<ir::node_id> ids;
  const auto add = [&](const std::vector<store>& list) {
    for (const store& result : list) ids.push_back(result.value);
  };
  add(stores);
  for (const phase& p : phases) {
    add(p.stores);
    for (ir::node_id id : p.along) ids.push_back(g[id].operands[0]);
  }
  for (ir::node_id id : reductions) ids.push_back(g[id].operands[0]);
  return ids;
}

FUSECL_INLINE std::vector<matrix_cl_view> step::domain_parts(const ir::graph& g, bool exact) const {
  std::vector<matrix_cl_view> parts;
  for (const store& result : stores)  // what a target holds outside of its view is never read
    parts.push_back(is_read_in_full(result) ? matrix_cl_view::Entire : g[result.value].view);
  parts.resize(domain_values(g).size() - reductions.size(), matrix_cl_view::Entire);
  parts.resize(parts.size() + reductions.size(), exact ? part : matrix_cl_view::Entire);
  return parts;
}

FUSECL_INLINE std::vector<ir::node_id> step::walked_values(const ir::graph& g) const {
  std::vector<ir::node_id> ids = domain_values(g);
  if (scans)
    for (const store& result : epilogue) ids.push_back(result.value);
  return ids;
}

FUSECL_INLINE std::int64_t plan::size_of(ir::extent e, std::span<const std::int64_t> extents) const {
  if (e == ir::one) return 1;
  const std::int64_t size = extents[static_cast<std::size_t>(known_extent[static_cast<std::size_t>(e)])];
  return size < 0 ? 1 : size;
}

/// Flops a step spends on an element of its domain; of a row tile, what its rows need is not counted.
inline double flops_per_element(const plan& p, const step& s) {
  const ir::node_set within = ir::reachable(p.graph, s.walked_values(p.graph), [&](ir::node_id id) {
    return ir::is_collective(p.graph[id]) || p.loads(s, id);
  });
  double flops = 0;
  for (ir::node_id id : s.reductions) flops += static_cast<double>(p.graph[id].op->cost);
  for (const phase& each : s.phases) flops += static_cast<double>(each.along.size());
  for (ir::node_id id : within) {
    const ir::node& n = p.graph[id];
    const bool given = p.loads(s, id) || (!s.phases.empty() && p.graph.resolve(n.cols) == ir::one);
    if (!given && n.op->kind == ir::op_class::elementwise) flops += static_cast<double>(n.op->cost);
  }
  return flops;
}

FUSECL_INLINE plan make_plan(ir::graph g, device_form form, const std::int64_t* extents,
                             std::size_t extent_count, row_tiles tiles) {
  plan result;
  result.graph = std::move(g);
  result.form = form;
  detail::cutter(result).run(tiles);
  for (step& s : result.steps) s.flops = flops_per_element(result, s);
  std::unordered_map<ir::extent, ir::extent> known;  // first symbol of a class whose size is known
  for (std::size_t e = 0; e < extent_count; ++e)
    if (extents[e] >= 0)
      known.try_emplace(result.graph.resolve(static_cast<ir::extent>(e)), static_cast<ir::extent>(e));
  for (std::size_t e = 0; e < extent_count; ++e) {
    const auto found = known.find(result.graph.resolve(static_cast<ir::extent>(e)));
    result.known_extent.push_back(found == known.end() ? static_cast<ir::extent>(e) : found->second);
  }
  return result;
}

FUSECL_INLINE std::vector<plan> make_plans(const ir::graph& g, device_form form, const std::int64_t* extents,
                                           std::size_t extent_count) {
  std::vector<plan> plans;
  plan steps = make_plan(passes::accumulate_together(g), form, extents, extent_count, row_tiles::no);
  // a single light step reads everything once, as a tile does, and holds nothing; a tile spends less on an
  // exponential beside a maximum (H200, log_sum_exp of rows of 1e5 x 1000: 0.68 of read bandwidth against
  // 0.64)
  if (steps.steps.size() > 1 || (!steps.steps.empty() && steps.steps[0].is_heavy())) {
    plan tiled = make_plan(g, form, extents, extent_count, row_tiles::yes);
    const auto is_tile = [](const step& s) { return s.is_tile(); };
    if (std::any_of(tiled.steps.begin(), tiled.steps.end(), is_tile)) plans.push_back(std::move(tiled));
  }
  plans.push_back(std::move(steps));
  return plans;
}

FUSECL_INLINE std::string to_string(const plan& p, std::span<const std::string_view> kinds) {
  std::string out;
  const auto extent_text = [](ir::extent e) {
    return e == ir::one ? std::string("1") : "n" + std::to_string(e);
  };
  for (std::size_t k = 0; k < p.steps.size(); ++k) {
    const step& s = p.steps[k];
    out += "step " + std::to_string(k) + ": ";
    if (k < kinds.size()) out += std::string(kinds[k]) + " ";
    out += "over " + extent_text(s.rows) + " x " + extent_text(s.cols);
    if (s.part != matrix_cl_view::Entire) out += ", " + std::string(view_name(s.part)) + " part only";
    if (!s.reason.empty()) out += ", apart because " + s.reason;
    out += "\n";
    for (const store& result : s.stores) out += "  stores %" + std::to_string(result.value) + "\n";
    for (const phase& each : s.phases) {
      out += "  phase " + std::to_string(each.level) + " over " + extent_text(each.cols) + " columns:";
      for (ir::node_id id : each.along) out += " completes %" + std::to_string(id);
      for (ir::node_id id : each.across) out += " adds to %" + std::to_string(id);
      for (const store& result : each.stores) out += " stores %" + std::to_string(result.value);
      out += "\n";
    }
    for (ir::node_id id : s.kept) out += "  keeps %" + std::to_string(id) + "\n";
    for (ir::node_id id : s.reductions)
      out += (s.scans ? "  scans %" : "  reduces %") + std::to_string(id) + "\n";
    for (const store& result : s.epilogue) out += "  finishes %" + std::to_string(result.value) + "\n";
  }
  return out;
}

}  // namespace fusecl::schedule
