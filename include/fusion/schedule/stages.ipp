#pragma once
// Cuts a graph with reductions, scans or accesses, which bring this. The stage of a node is the number of
// reductions and scans that must be complete before it.

#include <algorithm>

#include <fusion/base/list_of.hpp>
#include <fusion/ir/compared.hpp>
#include <fusion/schedule/costs.hpp>
#include <fusion/schedule/cutter.hpp>
#include <fusion/schedule/merge_rows.hpp>
#include <fusion/schedule/small_results.hpp>
#include <fusion/schedule/sums_of_products.hpp>

namespace fusecl::schedule {
namespace detail {

class staged_cutter : public cutter {
 public:
  using cutter::cutter;

  void run(row_tiles tiles) {
    find_stages();
    place_reductions();
    const ir::node_set compared = ir::elements_compared_with_reductions(g_);
    find_waiting(compared);
    keep_what_is_repeated();
    const ir::node_set own_steps = keep_what_is_compared(compared);
    find_waiting(own_steps);
    for (std::size_t k = 0; k < g_.roots.size(); ++k)
      if (!own_steps[g_.roots[k]]) place(result_at(k));
    place_stored();
    order_steps();
    for (step& s : plan_.steps) s.note_made();
    if (plan_.joins_sums) join_sums_of_products({g_, plan_.steps, is_kept_}, compared);
    if (tiles != row_tiles::no) merge_rows({g_, plan_.steps, is_kept_});
    if (tiles == row_tiles::with_small_results) {
      join_small_results({g_, plan_.steps, is_kept_});
      join_small_sums({g_, plan_.steps, is_kept_});
    }
    find_temporaries();
    choose_walks();
  }

 private:
  int& stage(node_id id) { return stages_[static_cast<std::size_t>(id)]; }

  void find_stages() {
    stages_.assign(static_cast<std::size_t>(g_.size()), 0);
    for (node_id id = 0; id < g_.size(); ++id)
      for (int k = 0; k < ir::arity(g_[id]); ++k)
        stage(id) = std::max(stage(id), stage(g_[id].operands[k]) + (reduces(id) ? 1 : 0) +
                                            (g_[g_[id].operands[k]].op->is_stored ? 1 : 0));
  }

  void place_reductions() {
    homes_.assign(static_cast<std::size_t>(g_.size()), {});
    for (node_id id = 0; id < g_.size(); ++id) {
      if (g_[id].op->kind == ir::op_class::opaque) {
        place_opaque(id);
      } else if (reduces(id)) {
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

  /// A step of its own, with what follows from its elements at their places as its epilogue.
  void place_opaque(node_id id) {
    step own;
    own.rows = shape_of(id).rows;
    own.cols = shape_of(id).cols;
    own.reduces = own.opaque = own.stands_alone = true;
    own.reductions.push_back(id);
    homes_[static_cast<std::size_t>(id)].maker = static_cast<std::int64_t>(plan_.steps.size());
    plan_.steps.push_back(std::move(own));
    step_stage_.push_back(stage(id) - 1);
  }

  /// What decides which step a value may be finished with.
  struct home_facts {
    static constexpr std::int64_t nowhere = -1, several = -2;
    std::int64_t maker = nowhere;  ///< the step of all reductions that are complete last, if it is one
    int read_elsewhere = 0;        ///< stage of the last computed value of which it reads other elements
    bool in_order = true;          ///< a vector, its elements come in their order whichever way it lies
    bool waits = false;            ///< for a value that a step of its own computes from the same reductions
  };

  /// From the facts of its operands, unless its value is a reduction, which is taken as it is.
  void find_home(node_id id) {
    home_facts& facts = homes_[static_cast<std::size_t>(id)];
    facts.in_order = is_in_order(id);
    if (reduces(id)) return;
    for (int k = 0; k < ir::arity(g_[id]); ++k) {
      const node_id operand = g_[id].operands[k];
      const home_facts& from = homes_[static_cast<std::size_t>(operand)];
      if (g_[operand].op->is_stored) facts.maker = home_facts::several;  // by whichever step makes that
      facts.in_order = facts.in_order && from.in_order;
      facts.read_elsewhere = std::max(facts.read_elsewhere, from.read_elsewhere);
      if (stage(operand) < stage(id) || stage(id) == 0) continue;
      facts.maker =
          facts.maker == home_facts::nowhere || facts.maker == from.maker ? from.maker : home_facts::several;
    }
    if (!accesses(id)) return;
    const node_id base = ir::accessed(g_, id);
    if (g_[base].op->kind != ir::op_class::leaf && !g_[base].is_scalar())
      facts.read_elsewhere = std::max(facts.read_elsewhere, stage(base));
  }

  /// Notes what is computed at their stage from values that have steps of their own, which run after the
  /// makers of that stage's reductions.
  void find_waiting(const ir::node_set& own_steps) {
    for (node_id id = 0; id < g_.size(); ++id) {
      bool& waits = homes_[static_cast<std::size_t>(id)].waits;
      waits = false;
      for (int k = 0; k < ir::arity(g_[id]) && !reduces(id); ++k) {
        const node_id operand = g_[id].operands[k];
        const bool late = own_steps[operand] || homes_[static_cast<std::size_t>(operand)].waits;
        waits = waits || (late && stage(operand) == stage(id));
      }
    }
  }

  /// A step that produces `id` from its reductions and from what was complete before it.
  step* epilogue_home(node_id id) {
    const home_facts& facts = homes_[static_cast<std::size_t>(id)];
    if (facts.maker < 0 || facts.waits) return nullptr;
    step& s = plan_.steps[static_cast<std::size_t>(facts.maker)];
    const shape own = shape_of(s.reductions.front()), turned{own.cols, own.rows};
    // elements of its own results from other places are not there yet
    if (own == shape_of(id)) return facts.read_elsewhere < stage(id) ? &s : nullptr;
    return !s.scans && !s.opaque && turned == shape_of(id) && facts.in_order ? &s : nullptr;
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
        if (n.op->is_stored) continue;
        if (!repeated || !fit || stage(id) == 0 || is_kept(id) || !cost.reached_by(id)) continue;
        if (step* home = epilogue_home(id)) {
          home->epilogue.push_back({id, {buffer_kind::temporary, -1}});
          is_kept_[static_cast<std::size_t>(id)] = 1;
        }
      }
  }

  /// Computes each value of `compared` once, by a step of its own where no other keeps it, and tells which
  /// have one: a compiler may round differently in another kernel or for another width of vectors, and then
  /// none of the elements would be the largest. The results among them are stored there as well.
  ir::node_set keep_what_is_compared(const ir::node_set& compared) {
    list_of<node_id> own_steps;
    for (node_id id : compared) {
      if (is_kept(id)) continue;
      step own;
      own.rows = shape_of(id).rows;
      own.cols = shape_of(id).cols;
      own.stores.push_back({id, {buffer_kind::temporary, -1}});
      for (std::size_t k = 0; k < g_.roots.size(); ++k)
        if (g_.roots[k] == id) own.stores.push_back(result_at(k));
      own.stands_alone = true;
      plan_.steps.push_back(std::move(own));
      step_stage_.push_back(stage(id));
      is_kept_[static_cast<std::size_t>(id)] = 1;
      own_steps.push_back(id);
    }
    return ir::node_set(std::move(own_steps));
  }

  /// What is written to memory for later steps goes where a result would go.
  void place_stored() {
    for (node_id id = 0; id < g_.size(); ++id) {
      if (!g_[id].op->is_stored) continue;
      is_kept_[static_cast<std::size_t>(id)] = 1;
      place({id, {buffer_kind::temporary, -1}});
    }
  }

  /// A number that no reduction is needed for is written by any step that finishes one, without a launch;
  /// not one that other steps read, which may come before.
  step* home_of_number(const store& result) {
    const node_id id = result.value;
    if (g_[id].op->is_stored || stage(id) > 0 || !g_[id].is_scalar() || result.place.is_part) return nullptr;
    if (homes_[static_cast<std::size_t>(id)].waits) return nullptr;
    for (step& s : plan_.steps)
      if (s.reduces && !s.scans && !s.opaque && shape_of(s.reductions.front()) == shape{ir::one, ir::one})
        return &s;
    return nullptr;
  }

  void place(const store& result) {
    if (step* home = home_of_number(result)) {
      home->epilogue.push_back(result);
      return;
    }
    if (stage(result.value) > 0)
      if (step* home = epilogue_home(result.value)) {
        home->epilogue.push_back(result);
        return;
      }
    place_in_domain(result, stage(result.value));
  }

  /// What is compared needs no more than what earlier stages complete, and kernels of their own may read it.
  void order_steps() {
    const auto turn = [](const step& s) { return !s.stands_alone ? 2 : s.opaque ? 1 : 0; };
    list_of<step> sorted;
    list_of<int> sorted_stage;
    for (int at = 0; sorted.size() < plan_.steps.size(); ++at)
      for (int now = 0; now < 3; ++now)
        for (std::size_t k = 0; k < plan_.steps.size(); ++k) {
          if (step_stage_[k] != at || turn(plan_.steps[k]) != now) continue;
          sorted.push_back(std::move(plan_.steps[k]));
          sorted_stage.push_back(at);
        }
    plan_.steps = std::move(sorted);
    step_stage_ = std::move(sorted_stage);
    say_why_apart();
  }

  void find_temporaries() {
    constexpr auto never = static_cast<std::size_t>(-1);
    list_of<std::size_t> loaded(static_cast<std::size_t>(g_.size()), never);  // last, by node
    for (std::size_t k = 0; k < plan_.steps.size(); ++k) {
      const step& s = plan_.steps[k];
      for (node_id id : cone(s.domain_values(g_), &s))
        if (is_boundary(id, &s) && !s.completes(id)) loaded[static_cast<std::size_t>(id)] = k;
      for (node_id id : cone(epilogue_values(s), &s))
        if (is_boundary(id, &s) && !s.makes(id)) loaded[static_cast<std::size_t>(id)] = k;
    }
    plan_.temporary_numbers.assign(static_cast<std::size_t>(g_.size()), -1);
    const auto is_loaded = [&](node_id id) { return loaded[static_cast<std::size_t>(id)] != never; };
    const auto settle = [&](list_of<store>& stores) {
      erase_if(stores, [&](const store& result) {
        return result.to.kind == buffer_kind::temporary && !is_loaded(result.value);
      });
      for (store& result : stores)
        if (result.to.kind == buffer_kind::temporary) result.to.number = new_temporary(result.value);
    };
    const auto keep_results = [&](const list_of<node_id>& reductions, list_of<store>& stores) {
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
        settle(s.after_sums);
        keep_results(s.sums, s.after_sums);
      }
      s.note_made();
      for (; numbered < plan_.temporaries.size(); ++numbered) {
        temporary& fresh = plan_.temporaries[numbered];
        fresh.first_step = k;
        plan_.steps[std::max(k, loaded[static_cast<std::size_t>(fresh.value)])].last_reads.push_back(
            static_cast<std::int64_t>(numbered));
      }
    }
    for (node_id id = 0; id < g_.size(); ++id)
      if (plan_.temporary_of(id) < 0) is_kept_[static_cast<std::size_t>(id)] = 0;
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
        append(home->stores, rows.stores);
      else
        s.phases.push_back(std::move(rows));
    }
    s.epilogue.clear();
    for (section& own : s.sections) {
      settle(own.epilogue);
      keep_results(own.reductions, own.epilogue);
      append(s.epilogue, own.epilogue);
      for (const small_results& each : own.small) append(s.epilogue, each.stores);
    }
    erase_if(s.phases, [](const phase& p) { return p.empty(); });
  }

  std::int64_t new_temporary(node_id id) {
    const shape own = shape_of(id);
    const auto number = static_cast<std::int64_t>(plan_.temporaries.size());
    plan_.temporaries.push_back({id, own.rows, own.cols, g_[id].type, 0});
    plan_.temporary_numbers[static_cast<std::size_t>(id)] = number;
    return number;
  }

  list_of<int> stages_;
  list_of<home_facts> homes_;  // by node
};

}  // namespace detail

FUSECL_INLINE void cut_in_stages(plan& p, row_tiles tiles) { detail::staged_cutter(p).run(tiles); }

}  // namespace fusecl::schedule
