#pragma once
// Values by node, and which nodes some others are computed from.

#include <algorithm>
#include <span>
#include <utility>

#include <fusion/base/list_of.hpp>
#include <fusion/base/numbering.hpp>
#include <fusion/ir/graph.hpp>

namespace fusecl::ir {

/// A vector indexed by node_id.
template <class T>
class node_map {
 public:
  node_map() = default;
  explicit node_map(node_id count, T value = T{}) : values_(static_cast<std::size_t>(count), value) {}
  explicit node_map(const graph& g, T value = T{}) : node_map(g.size(), value) {}

  T& operator[](node_id id) { return values_[static_cast<std::size_t>(id)]; }
  const T& operator[](node_id id) const { return values_[static_cast<std::size_t>(id)]; }
  node_id size() const { return static_cast<node_id>(values_.size()); }
  void push_back(T value) { values_.push_back(std::move(value)); }

 private:
  list_of<T> values_;
};

/// Numbers of a few nodes of a graph, in the order in which they are asked for.
using node_numbers = numbering<node_id>;

/// Values of a few nodes of a graph, which costs what these do.
template <class T>
using sparse_node_map = keyed_values<node_id, T>;

/// Puts them into ascending order: lists of nodes are short or nearly so, and std::sort is much to compile.
void sort(list_of<node_id>& ids);

/// Some nodes of a graph in ascending order.
class node_set {
 public:
  node_set() = default;
  /// Of nodes in any order, also named several times.
  explicit node_set(list_of<node_id> ids);

  /// Whether the node is one of them.
  bool operator[](node_id id) const;
  std::size_t size() const { return ids_.size(); }
  auto begin() const { return ids_.begin(); }
  auto end() const { return ids_.end(); }

 private:
  list_of<node_id> ids_;
  list_of<char> marks_;  ///< from the first to the last, where that is not far
};

/// A question about nodes that a walk asks; refers to what answers it.
class node_test {
 public:
  template <class Test>
  node_test(const Test& test)
      : test_(&test),
        ask_([](const void* t, node_id id) -> bool { return (*static_cast<const Test*>(t))(id); }) {}
  bool operator()(node_id id) const { return ask_(test_, id); }

 private:
  const void* test_;
  bool (*ask_)(const void*, node_id);
};

/// `ids` and everything they are computed from, without going on from nodes for which `stop` holds (these are
/// in the set). Takes as long as what it finds is large, whatever else is in the graph.
node_set reachable(const graph& g, std::span<const node_id> ids, node_test stop);
node_set reachable(const graph& g, std::span<const node_id> ids);

/// Of the nodes `within`, those among `ids` or with a user for which `maps` does not hold, or of which they
/// are an index.
node_set used_in_place(const graph& g, const node_set& within, std::span<const node_id> ids, node_test maps);

}  // namespace fusecl::ir

#ifndef FUSECL_SPLIT
#include <fusion/ir/node_map.ipp>
#endif
