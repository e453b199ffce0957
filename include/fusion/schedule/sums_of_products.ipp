#pragma once
#include <algorithm>

#include <fusion/base/list_of.hpp>
#include <fusion/schedule/sums_of_products.hpp>

namespace fusecl::schedule {
namespace detail {

class sum_joiner {
 public:
  sum_joiner(const cut_steps& cut, const ir::node_set& compared)
      : g_(cut.g), steps_(cut.steps), reads_(cut), compared_(compared) {}

  void run() {
    list_of<step> left;
    list_of<std::size_t> stay;
    for (std::size_t k = 0; k < steps_.size(); ++k) {
      step* const home = home_of(k);
      if (!home) {
        stay.push_back(k);
        continue;
      }
      home->axis = steps_[k].axis;
      home->sums = std::move(steps_[k].reductions);
      home->after_sums = std::move(steps_[k].epilogue);
      home->note_made();
    }
    for (const std::size_t k : stay) left.push_back(std::move(steps_[k]));
    steps_ = std::move(left);
  }

 private:
  /// The product that a step's reductions can be joined with, null for none: the last of what it needs.
  step* home_of(std::size_t k) const {
    const step& s = steps_[k];
    if (!s.reduces || s.scans || s.opaque || s.stands_alone) return nullptr;
    if (!s.stores.empty() || s.reductions.size() > most_joined_sums) return nullptr;
    std::size_t last = step_reads::nobody;
    for (const node_id id : reads_.read(k))
      if (reads_.maker(id) != step_reads::nobody && (last == step_reads::nobody || last < reads_.maker(id)))
        last = reads_.maker(id);
    if (last == step_reads::nobody) return nullptr;
    step& home = steps_[last];
    if (!home.opaque || !home.sums.empty() || home.rows != s.rows || home.cols != s.cols) return nullptr;
    const ir::support* const own = g_[home.reductions[0]].op->brings;
    if (!own || !own->reduces_results || !is_at_its_place(s, home) || !follows_from_sums(s, home))
      return nullptr;
    return s.axis == ir::axis::all || has_no_other_reader(last) ? &home : nullptr;
  }

  /// Whether one step alone reads what the step makes. What is stored for others is better read by rows, with
  /// these reductions among what stays on the chip.
  bool has_no_other_reader(std::size_t home) const { return reads_.readers(home).size() == 1; }

  /// Whether what is reduced needs no element of the result but that of its place.
  bool is_at_its_place(const step& s, const step& home) const {
    const ir::node_set within = ir::reachable(g_, s.domain_values(g_), [&](node_id id) {
      return ir::is_collective(g_[id]) || (reads_.is_kept(id) && !home.makes(id));
    });
    for (node_id id : within) {
      if (compared_[id]) return false;
      if (g_[id].op->kind == ir::op_class::access && follows(id, home)) return false;
    }
    return true;
  }
  /// Whether what follows from the reductions needs nothing else that the home makes: that is not in memory
  /// before all of its groups have ended.
  bool follows_from_sums(const step& s, const step& home) const {
    list_of<node_id> values;
    for (const store& result : s.epilogue) values.push_back(result.value);
    const ir::node_set within = reads_.cone(values, s);
    return std::none_of(within.begin(), within.end(), [&](node_id id) { return home.makes(id); });
  }
  bool follows(node_id access, const step& home) const {
    const ir::node_set read =
        ir::reachable(g_, list_of<node_id>{access}, [&](node_id id) { return reads_.is_boundary(id); });
    for (node_id id : read)
      if (home.makes(id)) return true;
    return false;
  }

  const ir::graph& g_;
  list_of<step>& steps_;
  const step_reads reads_;
  const ir::node_set& compared_;
};

}  // namespace detail

FUSECL_INLINE void join_sums_of_products(const cut_steps& cut, const ir::node_set& compared) {
  detail::sum_joiner(cut, compared).run();
}

}  // namespace fusecl::schedule
