#pragma once
// Values by node, and which nodes some others are computed from.

#include <algorithm>
#include <unordered_map>
#include <utility>
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

/// Values of a few nodes of a graph, which costs what these do.
template <class T>
class sparse_node_map {
 public:
  T& operator[](node_id id) { return values_[id]; }
  /// Null for a node without a value.
  const T* find(node_id id) const {
    const auto found = values_.find(id);
    return found == values_.end() ? nullptr : &found->second;
  }
  void clear() { values_.clear(); }

 private:
  std::unordered_map<node_id, T> values_;
};

/// Some nodes of a graph in ascending order.
class node_set {
 public:
  node_set() = default;
  /// Of nodes in any order, also named several times.
  explicit node_set(std::vector<node_id> ids);

  /// Whether the node is one of them.
  bool operator[](node_id id) const {
    if (marks_.empty()) return std::binary_search(ids_.begin(), ids_.end(), id);
    return id >= ids_.front() && id <= ids_.back() && marks_[static_cast<std::size_t>(id - ids_.front())];
  }
  std::size_t size() const { return ids_.size(); }
  auto begin() const { return ids_.begin(); }
  auto end() const { return ids_.end(); }
  auto rbegin() const { return ids_.rbegin(); }
  auto rend() const { return ids_.rend(); }

 private:
  std::vector<node_id> ids_;
  std::vector<char> marks_;  ///< from the first to the last, where that is not far
};

/// `ids` and everything they are computed from, without going on from nodes for which `stop` holds (these are
/// in the set). Takes as long as what it finds is large, whatever else is in the graph.
template <class Ids, class Stop>
node_set reachable(const graph& g, const Ids& ids, Stop&& stop) {
  static thread_local std::vector<char> kept_marks;  // all zero between walks
  std::vector<char> marks = std::exchange(kept_marks, {});
  if (marks.size() < static_cast<std::size_t>(g.size())) marks.resize(static_cast<std::size_t>(g.size()), 0);
  std::vector<node_id> found;
  const auto visit = [&](node_id id) {
    char& mark = marks[static_cast<std::size_t>(id)];
    if (!mark) found.push_back(id);
    mark = 1;
  };
  for (node_id id : ids) visit(id);
  for (std::size_t next = 0; next < found.size(); ++next) {
    const node_id id = found[next];
    if (stop(id)) continue;
    for (int k = 0; k < arity(g[id]); ++k) visit(g[id].operands[k]);
  }
  for (node_id id : found) marks[static_cast<std::size_t>(id)] = 0;
  kept_marks = std::move(marks);
  return node_set(std::move(found));
}
template <class Ids>
node_set reachable(const graph& g, const Ids& ids) {
  return reachable(g, ids, [](node_id) { return false; });
}

/// Of the nodes `within`, those among `ids` or with a user for which `maps` does not hold.
template <class Ids, class Maps>
node_set used_in_place(const graph& g, const node_set& within, const Ids& ids, Maps&& maps) {
  std::vector<node_id> used(ids.begin(), ids.end());
  for (node_id id : within)
    for (int k = 0; !maps(g[id]) && k < arity(g[id]); ++k) used.push_back(g[id].operands[k]);
  return node_set(std::move(used));
}

}  // namespace fusecl::ir

#ifndef FUSECL_SPLIT
#include <fusion/ir/node_map.ipp>
#endif
