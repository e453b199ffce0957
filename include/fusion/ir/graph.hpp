#pragma once
// The graph a statement becomes. Semantics:
//  - a node is a matrix of values, all of one element type; operands precede their users;
//  - structural identity is identity: equal (operation, type, operands, payload) give one node;
//  - extents are symbols; `one` is the extent 1 and a node of extents one x one combines with any shape;
//  - outside of a node's view its value is zero (ir/views.hpp);
//  - floating-point operations round once per node, integers wrap, nothing is reassociated except reductions.

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>

#include <fusion/base/append.hpp>
#include <fusion/base/config.hpp>
#include <fusion/base/list_of.hpp>
#include <fusion/base/view.hpp>
#include <fusion/ir/access_map.hpp>
#include <fusion/ir/operation.hpp>

namespace fusecl::ir {

/// Direction of a reduction or scan: what each result element is made of.
enum class axis : std::uint8_t { row, column, all };

/// The operands of a node. Up to three need no memory of their own.
class operand_list {
 public:
  operand_list() = default;
  operand_list(std::initializer_list<node_id> ids) : operand_list(ids.begin(), ids.size()) {}
  operand_list(const node_id* ids, std::size_t count) : count_(static_cast<int>(count)) {
    for (std::size_t k = 0; k < count && k < few; ++k) few_[k] = ids[k];
    if (count > few) rest_.assign(ids + few, ids + count);
  }

  int size() const { return count_; }
  node_id& operator[](int k) { return k < static_cast<int>(few) ? few_[k] : rest_[at(k)]; }
  node_id operator[](int k) const { return k < static_cast<int>(few) ? few_[k] : rest_[at(k)]; }
  /// All of them side by side.
  list_of<node_id> ids() const {
    list_of<node_id> all(few_, few_ + std::min(count_, static_cast<int>(few)));
    append(all, rest_);
    return all;
  }
  friend bool operator==(const operand_list&, const operand_list&) = default;

 private:
  static constexpr std::size_t few = 3;
  static std::size_t at(int k) { return static_cast<std::size_t>(k) - few; }

  int count_ = 0;
  node_id few_[few] = {no_node, no_node, no_node};
  list_of<node_id> rest_;
};

struct node {
  const operation* op = nullptr;
  scalar_type type = scalar_type::float64;
  operand_list operands = {};
  extent rows = one;
  extent cols = one;
  std::int64_t index =
      0;             ///< slot of a matrix, number of a scalar, extent of a size, axis of a reduction or scan
  double value = 0;  ///< of a constant
  matrix_cl_view view = matrix_cl_view::Entire;  ///< outside of it the value is zero (ir/views.hpp)
  access_map map = {};                           ///< of an access

  /// Whether it is a number as written; `graph::is_single` knows sizes that follow, too.
  bool is_scalar() const { return rows == one && cols == one; }
  bool is(const operation& other) const { return op == &other; }
  ir::axis axis() const { return static_cast<ir::axis>(index & 3); }
  /// Whether a scan starts at the last element of its row or column.
  bool from_end() const { return (index & 4) != 0; }
};

/// Records of the leaves and of the nodes that are not element-wise functions.
struct leaf_operations {
  static const operation matrix, scalar, constant, row_index, col_index, size, cast, broadcast;
};

/// Bytes from one number to the next in a buffer that several results share: what a kernel may write past the
/// end of a matrix with one element.
inline constexpr std::int32_t number_stride = 256;

/// Where in a larger matrix a root is written: element (i, j) goes to the place that the map gives.
struct root_place {
  bool is_part = false;
  access_map map = {};
  extent rows = one;                ///< of the larger matrix
  const support* brings = nullptr;  ///< of a part
  std::int32_t number = -1;         ///< of a result with one element: which one of several in one buffer
};

/// A value-numbered expression graph with one root per result.
class graph {
 public:
  graph();
  graph(const graph& other);
  graph(graph&& other) noexcept;
  graph& operator=(const graph& other);
  graph& operator=(graph&& other) noexcept;
  ~graph();

  const node& operator[](node_id id) const { return nodes_[static_cast<std::size_t>(id)]; }
  node_id size() const { return static_cast<node_id>(nodes_.size()); }
  list_of<node_id> roots;
  list_of<root_place> places;  ///< by root; fewer than roots where the rest are whole results
  root_place place_of(std::size_t root) const { return root < places.size() ? places[root] : root_place{}; }
  /// The first root that is a number in the buffer that several share; the number of roots where none is.
  std::size_t first_number() const {
    std::size_t k = 0;
    while (k < roots.size() && place_of(k).number < 0) ++k;
    return k;
  }

  /// A matrix operand: `slot` numbers the statement's distinct operands.
  node_id matrix(scalar_type type, std::int64_t slot, extent rows, extent cols, matrix_cl_view view);
  /// A scalar argument of the kernel.
  node_id scalar(scalar_type type, std::int64_t number);
  node_id constant(scalar_type type, double value);
  /// A zero as outside of a view: other than a number that is 0 it gives what chooses it a view.
  node_id zero(scalar_type type);
  /// 0-based row or column number as int.
  node_id row_index(extent rows, extent cols);
  node_id col_index(extent rows, extent cols);
  /// The run-time size of an extent as a number.
  node_id size_of(scalar_type type, extent e);
  node_id cast(scalar_type type, node_id operand);
  /// Repeats a column (`cols` free), a row (`rows` free) or one element to the extents given.
  node_id broadcast(node_id operand, extent rows, extent cols);
  /// A rows x cols matrix of elements of `operand`; `op` is the record of that operation.
  node_id access(const operation& op, const access_map& map, node_id operand, extent rows, extent cols);
  /// The same from where further operands say, as `op` states. `index`: a number that tells nodes apart.
  node_id indexed(const operation& op, const node_id* operands, extent rows, extent cols,
                  std::int64_t index = 0);
  /// An element-wise operation; converts the operands as the record's type rule says.
  node_id apply(const operation& op, const node_id* operands);
  node_id apply(const operation& op, node_id a) { return apply(op, &a); }
  node_id apply(const operation& op, node_id a, node_id b) {
    const node_id operands[] = {a, b};
    return apply(op, operands);
  }
  node_id reduce(const operation& op, ir::axis axis, node_id operand);
  /// The reductions of each element with all before it (or behind it) in its row or column.
  node_id scan(const operation& op, ir::axis axis, bool from_end, node_id operand);
  /// A copy of a node of another graph with operands of this one.
  node_id copy(const node& original, const node_id* operands);

  /// States that two symbols name the same size.
  void unify(extent a, extent b);
  extent resolve(extent e) const;
  /// Whether a value has one element.
  bool is_single(const node& n) const { return resolve(n.rows) == one && resolve(n.cols) == one; }
  /// From now on nodes that are no leaves are made with what stands for their extents: what turned out to
  /// have one element is a scalar, as it is in a graph that was rebuilt.
  void resolve_new_nodes() { resolves_ = true; }
  /// Number of extent symbols in use.
  extent extents() const { return static_cast<extent>(parents_.size()); }
  /// Notes what a node or a root brings; null for nothing.
  void bring(const support* s);
  /// What nodes and roots have brought, here and in the graphs that this one was made of.
  const list_of<const support*>& brought() const { return brought_; }
  /// Gives this graph the extents (and their equalities) of another, and what its nodes brought.
  void adopt_extents(const graph& other) {
    for (const support* each : other.brought_) bring(each);
    parents_ = other.parents_;
    for (extent& e : parents_)  // what stands for a symbol is smaller: it is at its end already
      if (e >= 0) e = parents_[static_cast<std::size_t>(e)];
  }

 private:
  node_id insert(node candidate);
  void ensure_extent(extent e);
  void make_slots();

  list_of<node> nodes_;
  list_of<extent> parents_;
  list_of<const support*> brought_;
  list_of<std::uint64_t> hashes_;  // by node
  list_of<node_id> slots_;         // nodes by hash, then the next free place; no_node for none
  bool resolves_ = false;
};

/// Text of the whole graph, one node a line.
std::string to_string(const graph& g);
/// Text of one node as a formula of at most about `limit` characters.
std::string formula(const graph& g, node_id id, std::size_t limit = 200);
/// Where an access reads: "[n4 + i, n5 + j]".
std::string places_of_access(const node& n);
/// A picture for Graphviz.
std::string to_dot(const graph& g);
/// Throws std::logic_error naming the first node that breaks the rules at the top of this file.
void verify(const graph& g);

/// Number of operands, zero for a leaf.
inline int arity(const node& n) { return n.op->arity; }

/// Whether the node is complete only after a walk over its operand.
inline bool is_collective(const node& n) { return is_collective(n.op->kind); }

/// Whether the node takes elements from where its map says.
inline bool maps_places(const node& n) {
  return n.op->kind == op_class::access && n.op->places == place_rule::map;
}

/// What the lists name by which a node sums elements, or puts sums into places.
inline listed_lines lines_of(const node& n) { return static_cast<listed_lines>(n.index % 4); }
/// How many levels of sums the lists have that come with a node, and whether these are in parts
/// (ops::place_lists).
inline std::int64_t levels_of(const node& n) { return n.index / 8; }
inline bool lists_are_in_parts(const node& n) { return n.index / 4 % 2 != 0; }
inline std::int64_t list_index(listed_lines by, std::int64_t levels = 0, bool in_parts = false) {
  return 8 * levels + 4 * in_parts + static_cast<std::int64_t>(by);
}

/// Whether a node reads operand `k` at the place of its own elements or as a whole: not where others are.
inline bool reads_in_place(const node& n, int k) {
  return n.op->kind != op_class::access || (n.op->places == place_rule::indices && k > 0);
}

/// Whether `n` is the transpose of a vector that is in memory: the same elements in the same order.
inline bool is_turned_vector(const graph& g, const node& n) {
  if (n.op->kind != op_class::access || !n.map.is_transpose()) return false;
  const node& from = g[n.operands[0]];
  const bool vector = g.resolve(from.rows) == one || g.resolve(from.cols) == one;
  return vector && from.op->kind != op_class::access && from.view == matrix_cl_view::Entire;
}

/// What an access and the maps below it read from.
inline node_id accessed(const graph& g, node_id id) {
  if (g[id].op->kind == op_class::access) id = g[id].operands[0];
  while (maps_places(g[id])) id = g[id].operands[0];
  return id;
}

/// View of a node that is no leaf, from those of its operands.
matrix_cl_view view_of(const graph& g, const node& n);

}  // namespace fusecl::ir

#ifndef FUSECL_SPLIT
#include <fusion/ir/graph.ipp>
#include <fusion/ir/print.ipp>
#include <fusion/ir/print_access.ipp>
#include <fusion/ir/views.hpp>  // has the body of view_of
#endif
