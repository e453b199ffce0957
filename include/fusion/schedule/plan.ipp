#pragma once
#include <algorithm>

#include <fusion/ir/node_map.hpp>
#include <fusion/passes/pass.hpp>
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
    for (std::size_t k = 0; k < g_.roots.size(); ++k) place_root(k);
    order_steps();
    if (tiles == row_tiles::yes) merge_rows({g_, plan_.steps, kept_});
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

  /// The step at a stage that walks a domain as `wanted` does.
  step& step_for(int at, shape domain, step wanted) {
    for (std::size_t k = 0; k < plan_.steps.size(); ++k) {
      step& s = plan_.steps[k];
      if (step_stage_[k] == at && shape{s.rows, s.cols} == domain && s.reduces == wanted.reduces &&
          s.axis == wanted.axis && s.scans == wanted.scans && s.from_end == wanted.from_end)
        return s;
    }
    wanted.rows = domain.rows;
    wanted.cols = domain.cols;
    plan_.steps.push_back(std::move(wanted));
    step_stage_.push_back(at);
    return plan_.steps.back();
  }

  void place_reductions() {
    for (node_id id = 0; id < g_.size(); ++id)
      if (reduces(id)) {
        step wanted;
        wanted.reduces = true;
        wanted.scans = scans(id);
        wanted.from_end = wanted.scans && g_[id].from_end();
        wanted.axis = g_[id].axis();
        step_for(stage(id) - 1, shape_of(g_[id].operands[0]), std::move(wanted)).reductions.push_back(id);
      }
  }

  /// A step that produces `id` from its reductions and from what was complete before it.
  step* epilogue_home(node_id id) {
    for (std::size_t k = 0; k < plan_.steps.size(); ++k) {
      step& s = plan_.steps[k];
      if (!s.reduces || step_stage_[k] != stage(id) - 1) continue;
      const shape own = shape_of(s.reductions.front()), turned{own.cols, own.rows};
      const bool fits = own == shape_of(id) || (!s.scans && turned == shape_of(id));
      if (fits && follows_from(id, s, step_stage_[k])) return &s;
    }
    return nullptr;
  }

  bool follows_from(node_id id, const step& s, int at) {
    const ir::node_map<char> within = cone({id}, nullptr);
    const auto own = [&](node_id r) {
      return std::find(s.reductions.begin(), s.reductions.end(), r) != s.reductions.end();
    };
    const bool turned = shape_of(id) != shape_of(s.reductions.front());
    for (node_id r = 0; r <= id; ++r) {
      if (!within[r]) continue;
      if (reduces(r) && stage(r) > at && !own(r)) return false;
      if (turned && !is_in_order(r)) return false;
      // elements of its own results from other places are not there yet
      const node_id base = ir::accessed(g_, r);
      if (!turned && accesses(r) && !g_[base].is_scalar() && own(base)) return false;
    }
    return true;
  }

  /// Whether the elements of a vector come in their order, whichever way it lies.
  bool is_in_order(node_id id) const {
    const node& n = g_[id];
    if (accesses(id)) return ir::is_turned_vector(g_, n);
    return n.view == matrix_cl_view::Entire && !n.is(ir::leaf_operations::row_index) &&
           !n.is(ir::leaf_operations::col_index);
  }

  /// Flops of a value from the reductions it follows from.
  double cost(node_id id) const {
    const ir::node_map<char> within = cone({id}, nullptr);
    double flops = 0;
    for (node_id k = 0; k <= id; ++k)
      if (within[k] && g_[k].op->kind == ir::op_class::elementwise)
        flops += static_cast<double>(g_[k].op->cost);
    return flops;
  }

  /// Finishes a step with values of its shape that a later step would compute again for each row or column.
  /// Costs no launch; reading a value back is worth some flops.
  void keep_what_is_repeated() {
    constexpr double worth_keeping = 8;
    for (node_id user = 0; user < g_.size(); ++user)
      for (int k = 0; k < ir::arity(g_[user]); ++k) {
        const node_id id = g_[user].operands[k];
        const node& n = g_[id];
        const bool repeated = !reduces(user) && shape_of(user) != shape_of(id);
        const bool fit = n.op->kind == ir::op_class::elementwise && n.type != scalar_type::boolean &&
                         n.view == matrix_cl_view::Entire;
        if (!repeated || !fit || stage(id) == 0 || is_kept(id) || cost(id) < worth_keeping) continue;
        if (step* home = epilogue_home(id)) {
          home->epilogue.push_back({id, {buffer_kind::temporary, -1}});
          kept_.push_back(id);
        }
      }
  }
  bool is_kept(node_id id) const { return std::find(kept_.begin(), kept_.end(), id) != kept_.end(); }

  void place_root(std::size_t number) {
    const node_id id = g_.roots[number];
    const store result{id, {buffer_kind::target, static_cast<std::int64_t>(number)}, g_.place_of(number)};
    if (stage(id) > 0)
      if (step* home = epilogue_home(id)) {
        home->epilogue.push_back(result);
        return;
      }
    // an element-wise result rides along with any step that walks its shape at its stage
    for (std::size_t k = 0; k < plan_.steps.size(); ++k) {
      step& s = plan_.steps[k];
      if (step_stage_[k] == stage(id) && shape{s.rows, s.cols} == shape_of(id)) {
        (s.scans ? s.epilogue : s.stores).push_back(result);  // a scan may read its operands a second time
        return;
      }
    }
    step_for(stage(id), shape_of(id), step()).stores.push_back(result);
  }

  void order_steps() {
    std::vector<std::size_t> order(plan_.steps.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return step_stage_[a] < step_stage_[b]; });
    std::vector<step> sorted;
    std::vector<int> sorted_stage;
    for (std::size_t k : order) {
      sorted.push_back(std::move(plan_.steps[k]));
      sorted_stage.push_back(step_stage_[k]);
    }
    plan_.steps = std::move(sorted);
    step_stage_ = std::move(sorted_stage);
    for (std::size_t k = 1; k < plan_.steps.size(); ++k)
      plan_.steps[k].reason = step_stage_[k] > step_stage_[k - 1]
                                  ? "it needs a reduction that an earlier step completes"
                                  : "its domain or the axis of its reductions differs from the step before";
  }

  /// Whether `s` (any step if null) takes the value as it is: complete before it, or its own reduction.
  bool is_boundary(node_id id, const step* s) const {
    return reduces(id) || (s && is_kept(id) && !s->makes(id));
  }

  /// What `ids` are computed from in step `s` without entering a boundary; boundaries met are marked
  /// themselves.
  ir::node_map<char> cone(const std::vector<node_id>& ids, const step* s) const {
    return ir::reachable(g_, ids, [&](node_id id) { return is_boundary(id, s); });
  }

  static std::vector<node_id> epilogue_values(const step& s) {
    std::vector<node_id> ids;
    for (const store& result : s.epilogue) ids.push_back(result.value);
    return ids;
  }

  void find_temporaries() {
    std::vector<char> loaded(static_cast<std::size_t>(g_.size()), 0);
    for (const step& s : plan_.steps) {
      const ir::node_map<char> in_domain = cone(s.domain_values(g_), &s);
      const ir::node_map<char> in_epilogue = cone(epilogue_values(s), &s);
      for (node_id id = 0; id < g_.size(); ++id) {
        const std::size_t at = static_cast<std::size_t>(id);
        const bool from_elsewhere = in_domain[id] && !s.completes(id);
        if (is_boundary(id, &s) && (from_elsewhere || (in_epilogue[id] && !s.makes(id)))) loaded[at] = 1;
      }
    }
    const auto is_loaded = [&](node_id id) { return loaded[static_cast<std::size_t>(id)] != 0; };
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
    for (step& s : plan_.steps) {
      if (!s.is_tile()) {
        settle(s.epilogue);
        keep_results(s.reductions, s.epilogue);
        continue;
      }
      settle_tile(s, settle, keep_results);
    }
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
    plan_.temporaries.push_back({id, own.rows, own.cols, g_[id].type});
    return static_cast<std::int64_t>(plan_.temporaries.size()) - 1;
  }

  /// Whether the domain's values need rows and columns told apart.
  bool needs_tiles(const step& s) const {
    const ir::node_map<char> within = cone(s.walked_values(g_), &s);
    ir::node_map<char> others(g_);
    const ir::node_map<char> read = read_from(within, others);
    for (node_id id = 0; id < g_.size(); ++id) {
      const node& n = g_[id];
      if (!within[id]) continue;
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

  /// Nodes of the cone that accesses read from; `others` tells those with other users.
  ir::node_map<char> read_from(const ir::node_map<char>& within, ir::node_map<char>& others) const {
    ir::node_map<char> read(g_);
    for (node_id user = 0; user < g_.size(); ++user)
      for (int k = 0; within[user] && k < ir::arity(g_[user]); ++k)
        (accesses(user) ? read : others)[g_[user].operands[k]] = 1;
    return read;
  }

  bool reads_column_vector(const step& s) const {
    const ir::node_map<char> within = cone(s.walked_values(g_), &s);
    for (node_id id = 0; id < g_.size(); ++id) {
      const bool from_memory = g_[id].is(ir::leaf_operations::matrix) || accesses(id) || is_boundary(id, &s);
      const shape own = shape_of(id);
      if (within[id] && from_memory && own.rows != ir::one && own.cols == ir::one && s.cols != ir::one)
        return true;
    }
    return false;
  }

  /// The union of the views of all that a step stores and reduces, where its walk can be limited to that.
  matrix_cl_view part_of(const step& s) const {
    const bool vector = s.rows == ir::one || s.cols == ir::one;
    if (vector || s.scans || (s.stores.empty() && s.reductions.empty())) return matrix_cl_view::Entire;
    matrix_cl_view part = matrix_cl_view::Diagonal;
    for (const store& result : s.stores)
      part = either(part, result.place.is_part ? matrix_cl_view::Entire : g_[result.value].view);
    for (node_id id : s.reductions)
      part = either(part, g_[id].op->running ? matrix_cl_view::Entire : g_[g_[id].operands[0]].view);
    return part;
  }

  void choose_walk(step& s) {
    if (s.is_tile()) return;
    s.part = part_of(s);
    s.reuses_rows = reads_column_vector(s);
    const ir::node_map<char> within = cone(s.walked_values(g_), &s);
    for (node_id id = 0; id < g_.size(); ++id) {
      if (!within[id] || !maps(id)) continue;
      s.maps = true;
      s.transposes = s.transposes || g_[id].map.col_by_i != 0;
    }
    for (const store& result : s.scans ? s.epilogue : s.stores) {
      s.maps = s.maps || result.place.is_part;
      s.transposes = s.transposes || result.place.map.col_by_i != 0;
    }
    const bool whole_scan = s.scans && (s.axis == ir::axis::row ? s.rows : s.cols) == ir::one;
    const bool along_axis = s.reduces && s.axis != ir::axis::all && !whole_scan;
    s.linear = !along_axis && !s.maps && s.part == matrix_cl_view::Entire && !needs_tiles(s);
  }

  void find_unsafe_roots() {
    std::int64_t slots = 0;
    for (node_id id = 0; id < g_.size(); ++id)
      if (g_[id].is(ir::leaf_operations::matrix)) slots = std::max(slots, g_[id].index + 1);
    plan_.safe_in_place.assign(g_.roots.size(), std::vector<char>(static_cast<std::size_t>(slots), 1));
    for (std::size_t root = 0; root < g_.roots.size(); ++root) {
      const std::size_t writer = writing_step(root);
      for (std::size_t k = writer; k < plan_.steps.size(); ++k) mark_unsafe(root, k, k == writer);
    }
  }

  static bool writes(const std::vector<store>& list, std::size_t root) {
    const buffer wanted{buffer_kind::target, static_cast<std::int64_t>(root)};
    return std::any_of(list.begin(), list.end(), [&](const store& result) { return result.to == wanted; });
  }

  std::size_t writing_step(std::size_t root) const {
    for (std::size_t k = 0; k < plan_.steps.size(); ++k) {
      const step& s = plan_.steps[k];
      if (writes(s.stores, root) || writes(s.epilogue, root)) return k;
      for (const phase& p : s.phases)
        if (writes(p.stores, root)) return k;
    }
    return plan_.steps.size();
  }

  /// Extent of the columns over which a step writes the root element by element, `one` for none; a tile's
  /// rows alone are written by some work-items while others still read.
  extent columns_written(const step& s, std::size_t root) const {
    if (!s.is_tile()) return writes(s.scans ? s.epilogue : s.stores, root) ? s.cols : none;
    for (const phase& p : s.phases)
      if (p.cols != ir::one && writes(p.stores, root)) return p.cols;
    return none;
  }

  void mark_unsafe(std::size_t root, std::size_t at, bool writes_here) {
    const step& s = plan_.steps[at];
    const extent cols = writes_here ? columns_written(s, root) : none;
    const ir::node_map<char> in_domain = cone(s.walked_values(g_), &s),
                             after = s.scans ? ir::node_map<char>(g_) : cone(epilogue_values(s), &s);
    ir::node_map<char> others(g_);
    const ir::node_map<char> read = read_from(in_domain, others);
    for (node_id id = 0; id < g_.size(); ++id) {
      const node& n = g_[id];
      if (!n.is(ir::leaf_operations::matrix) || !(in_domain[id] || after[id])) continue;
      const bool same_place = cols != none && shape_of(id) == shape{s.rows, cols} && !after[id] && !read[id];
      if (!same_place) plan_.safe_in_place[root][static_cast<std::size_t>(n.index)] = 0;
    }
  }

  static constexpr extent none = -2;

  plan& plan_;
  graph& g_;
  std::vector<int> stages_;
  std::vector<node_id> kept_;  // values besides reductions that other steps load
  std::vector<int> step_stage_;
};

}  // namespace detail

FUSECL_INLINE bool step::completes(ir::node_id reduction) const {
  return std::any_of(phases.begin(), phases.end(), [&](const phase& p) {
    return std::find(p.along.begin(), p.along.end(), reduction) != p.along.end();
  });
}

FUSECL_INLINE bool step::makes(ir::node_id value) const {
  const auto keeps = [&](const std::vector<store>& list) {
    return std::any_of(list.begin(), list.end(), [&](const store& result) {
      return result.value == value && result.to.kind == buffer_kind::temporary;
    });
  };
  return std::find(reductions.begin(), reductions.end(), value) != reductions.end() || keeps(epilogue) ||
         completes(value) ||
         std::any_of(phases.begin(), phases.end(), [&](const phase& p) { return keeps(p.stores); });
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
    parts.push_back(result.place.is_part ? matrix_cl_view::Entire : g[result.value].view);
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

FUSECL_INLINE std::int64_t plan::temporary_of(ir::node_id value) const {
  for (std::size_t k = 0; k < temporaries.size(); ++k)
    if (temporaries[k].value == value) return static_cast<std::int64_t>(k);
  return -1;
}

/// Flops a step spends on an element of its domain; of a row tile, what its rows need is not counted.
inline double flops_per_element(const plan& p, const step& s) {
  const ir::node_map<char> within = ir::reachable(p.graph, s.walked_values(p.graph), [&](ir::node_id id) {
    return ir::is_collective(p.graph[id]) || p.loads(s, id);
  });
  double flops = 0;
  for (ir::node_id id : s.reductions) flops += static_cast<double>(p.graph[id].op->cost);
  for (const phase& each : s.phases) flops += static_cast<double>(each.along.size());
  for (ir::node_id id = 0; id < p.graph.size(); ++id) {
    const ir::node& n = p.graph[id];
    const bool given = p.loads(s, id) || (!s.phases.empty() && p.graph.resolve(n.cols) == ir::one);
    if (within[id] && !given && n.op->kind == ir::op_class::elementwise)
      flops += static_cast<double>(n.op->cost);
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
  for (std::size_t e = 0; e < extent_count; ++e) {
    ir::extent known = static_cast<ir::extent>(e);
    for (std::size_t other = 0; other < extent_count; ++other)
      if (extents[other] >= 0 && result.graph.resolve(static_cast<ir::extent>(other)) ==
                                     result.graph.resolve(static_cast<ir::extent>(e))) {
        known = static_cast<ir::extent>(other);
        break;
      }
    result.known_extent.push_back(known);
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
