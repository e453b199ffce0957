#pragma once
// What the steps of a cut read of each other: who makes a value, and which steps read what another makes.

#include <fusion/base/list_of.hpp>
#include <fusion/ir/node_map.hpp>
#include <fusion/schedule/plan.hpp>

namespace fusecl::schedule {

/// What the cut knows of its steps when they are merged.
struct cut_steps {
  const ir::graph& g;
  list_of<step>& steps;       ///< in an order that satisfies their dependencies
  const list_of<char>& kept;  ///< by node: values besides reductions that other steps may load
};

namespace detail {

using ir::extent, ir::node_id;

/// What the steps of a cut read of each other.
class step_reads {
 public:
  explicit step_reads(const cut_steps& cut) : cut_(cut), makers_(cut.g, nobody), readers_(cut.steps.size()) {
    for (std::size_t k = 0; k < cut.steps.size(); ++k)
      for (node_id id : cut.steps[k].made) makers_[id] = k;
    for (std::size_t k = 0; k < cut.steps.size(); ++k) {
      read_.push_back(read_by(cut.steps[k]));
      for (node_id id : read_.back())
        if (maker(id) != nobody && (readers_[maker(id)].empty() || readers_[maker(id)].back() != k))
          readers_[maker(id)].push_back(k);
    }
  }

  static constexpr auto nobody = static_cast<std::size_t>(-1);
  /// Values of other steps that a step reads.
  const list_of<node_id>& read(std::size_t step) const { return read_[step]; }
  /// The steps that read what a step makes, in their order.
  const list_of<std::size_t>& readers(std::size_t step) const { return readers_[step]; }
  std::size_t maker(node_id id) const { return makers_[id]; }

  ir::node_set cone(const list_of<node_id>& ids, const step& s) const {
    return ir::reachable(cut_.g, ids,
                         [&](node_id id) { return is_boundary(id) && !(is_kept(id) && s.makes(id)); });
  }
  bool is_kept(node_id id) const { return cut_.kept[static_cast<std::size_t>(id)] != 0; }
  bool is_boundary(node_id id) const { return ir::is_collective(cut_.g[id]) || is_kept(id); }

  list_of<node_id> all_values(const step& s) const {
    list_of<node_id> values = s.domain_values(cut_.g);
    for (const store& r : s.epilogue) values.push_back(r.value);
    for (node_id id : s.sums) values.push_back(cut_.g[id].operands[0]);
    for (const store& r : s.after_sums) values.push_back(r.value);
    for (node_id id : s.needed) values.push_back(cut_.g[id].operands[0]);
    return values;
  }

 private:
  list_of<node_id> read_by(const step& s) const {
    list_of<node_id> result;
    for (node_id id : cone(all_values(s), s))
      if (is_boundary(id) && !s.makes(id)) result.push_back(id);
    return result;
  }

  const cut_steps& cut_;
  ir::node_map<std::size_t> makers_;
  list_of<list_of<node_id>> read_;
  list_of<list_of<std::size_t>> readers_;
};

}  // namespace detail
}  // namespace fusecl::schedule
