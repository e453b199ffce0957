#pragma once
// Values by node, and which nodes some others are computed from.

#include <vector>

#include <fusion/ir/graph.hpp>

namespace fusecl::ir {

/// A vector indexed by node_id.
template <class T>
class node_map {
 public:
  node_map() = default;
  explicit node_map(node_id count, T value = T{}) : values_(static_cast<std::size_t>(count), value) {}
  explicit node_map(const graph& g, T value = T{}) : node_map(g.size(), value) {}

  typename std::vector<T>::reference operator[](node_id id) { return values_[static_cast<std::size_t>(id)]; }
  typename std::vector<T>::const_reference operator[](node_id id) const {
    return values_[static_cast<std::size_t>(id)];
  }
  node_id size() const { return static_cast<node_id>(values_.size()); }
  void push_back(T value) { values_.push_back(std::move(value)); }

 private:
  std::vector<T> values_;
};

/// Marks `ids` and everything they are computed from, without going on from nodes for which `stop` holds
/// (these are marked).
template <class Ids, class Stop>
node_map<char> reachable(const graph& g, const Ids& ids, Stop&& stop) {
  node_map<char> within(g);
  for (node_id id : ids) within[id] = 1;
  for (node_id id = g.size(); id-- > 0;)
    if (within[id] && !stop(id))
      for (int k = 0; k < arity(g[id]); ++k) within[g[id].operands[k]] = 1;
  return within;
}
template <class Ids>
node_map<char> reachable(const graph& g, const Ids& ids) {
  return reachable(g, ids, [](node_id) { return false; });
}

/// Of the nodes `within`, those among `ids` or with a user for which `maps` does not hold.
template <class Ids, class Maps>
node_map<char> used_in_place(const graph& g, const node_map<char>& within, const Ids& ids, Maps&& maps) {
  node_map<char> used(g);
  for (node_id id : ids) used[id] = 1;
  for (node_id id = 0; id < g.size(); ++id)
    for (int k = 0; within[id] && !maps(g[id]) && k < arity(g[id]); ++k) used[g[id].operands[k]] = 1;
  return used;
}

}  // namespace fusecl::ir
