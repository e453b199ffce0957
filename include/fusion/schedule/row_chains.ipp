#pragma once
#include <algorithm>

#include <fusion/base/list_of.hpp>
#include <fusion/ir/node_map.hpp>
#include <fusion/schedule/row_chains.hpp>

namespace fusecl::schedule {
namespace detail {

/// Chains that become one where a value follows from several of them.
class chain_union {
 public:
  explicit chain_union(list_of<row_chain> each) : chains_(std::move(each)) {
    for (std::size_t k = 0; k < chains_.size(); ++k)
      for (ir::node_id id : chains_[k].along) home_[id] = k;
  }

  /// Makes one chain of all that `value` follows from. Where it is `given`, the chain says so.
  void follow(const plan& p, const step& s, ir::node_id value, bool given) {
    list_of<std::size_t> reached;
    for (ir::node_id id : p.cone(s, {value}))
      if (const std::size_t* home = home_.find(id)) reached.push_back(*home);
    if (reached.empty()) return;
    const std::size_t first = *std::min_element(reached.begin(), reached.end());
    for (std::size_t other : reached)
      if (other != first) join(first, other);
    if (given && given_.insert(value)) chains_[first].given.push_back(value);
  }
  std::size_t count() const { return chains_.size() - joined_; }
  list_of<row_chain> found() {
    erase_if(chains_, [](const row_chain& c) { return c.along.empty(); });
    return std::move(chains_);
  }

 private:
  void join(std::size_t first, std::size_t other) {
    joined_ += !chains_[other].along.empty();
    for (ir::node_id id : chains_[other].along) home_[id] = first;
    append(chains_[first].along, chains_[other].along);
    append(chains_[first].given, chains_[other].given);
    chains_[other] = {};
  }

  list_of<row_chain> chains_;
  ir::sparse_node_map<std::size_t> home_;  // number of a reduction's chain
  ir::node_numbers given_;
  std::size_t joined_ = 0;
};

/// The reductions along the rows, each a chain; none where the tile is of another shape.
FUSECL_INLINE list_of<row_chain> chains_of_reductions(const plan& p, const step& s) {
  list_of<row_chain> chains;
  if (!s.kept.empty() || s.rows == ir::one) return {};
  for (const phase& each : s.phases) {
    if (each.level > 1 || (!each.along.empty() && (each.level > 0 || each.cols == ir::one))) return {};
    for (ir::node_id id : each.along) {
      if (p.graph[id].op->running || p.graph[id].type == scalar_type::boolean) return {};
      chains.push_back({{id}, {}});
    }
  }
  return chains;
}

}  // namespace detail

FUSECL_INLINE list_of<row_chain> row_chains(const plan& p, const step& s) {
  const ir::graph& g = p.graph;
  detail::chain_union chains(detail::chains_of_reductions(p, s));
  for (const phase& each : s.phases) {
    if (chains.count() < 2) return {};
    if (each.level == 0) continue;
    const list_of<ir::node_id> values = each.values(g);
    if (each.cols == ir::one) {
      for (ir::node_id id : values) chains.follow(p, s, id, false);
      continue;
    }
    for (ir::node_id id : p.cone(s, values)) {
      if (!g[id].is(ir::leaf_operations::broadcast)) continue;
      const ir::node_id value = g[id].operands[0];
      if (g.resolve(g[value].rows) != s.rows || g.resolve(g[value].cols) != ir::one) continue;
      if (g[value].type == scalar_type::boolean) return {};
      chains.follow(p, s, value, true);
    }
  }
  const auto gives = [](const row_chain& c) { return !c.given.empty(); };
  list_of<row_chain> found = chains.found();
  if (found.size() < 2 || std::none_of(found.begin(), found.end(), gives)) return {};
  return found;
}

FUSECL_INLINE row_chain joined_rows(const plan& p, const step& s) {
  const ir::graph& g = p.graph;
  row_chain all;
  ir::node_numbers known;
  for (const row_chain& each : detail::chains_of_reductions(p, s)) append(all.along, each.along);
  for (const phase& each : s.phases) {
    if (each.cols == ir::one) continue;
    list_of<ir::node_id> values = each.values(g);
    if (each.level == 0) {
      list_of<ir::node_id> added;
      for (ir::node_id id : each.along) added.push_back(g[id].operands[0]);
      const ir::node_set in_sums(std::move(added));
      erase_if(values, [&](ir::node_id id) { return in_sums[id]; });
    }
    for (ir::node_id id : p.cone(s, values)) {
      if (!g[id].is(ir::leaf_operations::broadcast)) continue;
      const ir::node_id value = g[id].operands[0];
      const bool read = g[value].is(ir::leaf_operations::matrix) || p.loads(s, value);
      if (g.resolve(g[value].rows) != s.rows || g.resolve(g[value].cols) != ir::one || read) continue;
      if (g[value].type == scalar_type::boolean) return {};
      if (known.insert(value)) all.given.push_back(value);
    }
  }
  return all;
}

FUSECL_INLINE std::size_t chain_of(const plan& p, const step& s, const list_of<row_chain>& chains,
                                   ir::node_id value) {
  const ir::node_set within = p.cone(s, {value});
  for (std::size_t k = 0; k < chains.size(); ++k)
    for (ir::node_id id : chains[k].along)
      if (within[id]) return k;
  return 0;
}

}  // namespace fusecl::schedule
