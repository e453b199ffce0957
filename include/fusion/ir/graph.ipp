#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

#include <fusion/ir/graph.hpp>

namespace fusecl::ir {

#ifdef FUSECL_SPLIT
#define FUSECL_RECORD const operation
#else
#define FUSECL_RECORD inline const operation
#endif
FUSECL_RECORD leaf_operations::matrix{"matrix", op_class::leaf, 0, type_rule::arithmetic, "", 16};
FUSECL_RECORD leaf_operations::scalar{"scalar", op_class::leaf, 0, type_rule::arithmetic, "", 16};
FUSECL_RECORD leaf_operations::constant{"constant", op_class::leaf, 0, type_rule::arithmetic, "", 16};
FUSECL_RECORD leaf_operations::row_index{"row_index", op_class::leaf, 0, type_rule::arithmetic, "", 16};
FUSECL_RECORD leaf_operations::col_index{"col_index", op_class::leaf, 0, type_rule::arithmetic, "", 16};
FUSECL_RECORD leaf_operations::size{"size", op_class::leaf, 0, type_rule::arithmetic, "", 16};
FUSECL_RECORD leaf_operations::cast{"cast", op_class::cast, 1, type_rule::arithmetic, "", 16};
FUSECL_RECORD leaf_operations::broadcast{"broadcast", op_class::broadcast, 1, type_rule::arithmetic, "", 16};
#undef FUSECL_RECORD

namespace detail {

FUSECL_INLINE std::uint64_t mix(std::uint64_t h, std::uint64_t v) {
  h ^= v + 0x9e3779b97f4a7c15ull + (h << 6) + (h >> 2);
  return h * 0xff51afd7ed558ccdull;
}

/// Nodes whose extents do not follow from their operands.
FUSECL_INLINE bool has_own_extents(const node& n) {
  return n.is(leaf_operations::broadcast) || n.op->kind == op_class::access ||
         n.is(leaf_operations::row_index) || n.is(leaf_operations::col_index);
}

FUSECL_INLINE std::uint64_t hash(const access_map& m) {
  std::uint64_t h = 0;
  for (const offset& o : {m.row0, m.col0}) {
    h = mix(h, static_cast<std::uint64_t>(o.size));
    h = mix(mix(h, static_cast<std::uint64_t>(o.sign)), static_cast<std::uint64_t>(o.plus));
  }
  for (int x : {m.row_by_i, m.row_by_j, m.col_by_i, m.col_by_j}) h = mix(h, static_cast<std::uint64_t>(x));
  return mix(mix(h, static_cast<std::uint64_t>(m.row_limit)), static_cast<std::uint64_t>(m.col_limit));
}

FUSECL_INLINE std::uint64_t hash(const node& n) {
  std::uint64_t h = mix(reinterpret_cast<std::uintptr_t>(n.op), static_cast<std::uint64_t>(n.type));
  for (int k = 0; k < n.operands.size(); ++k) h = mix(h, static_cast<std::uint64_t>(n.operands[k]));
  h = mix(h, static_cast<std::uint64_t>(n.index));
  h = mix(h, std::bit_cast<std::uint64_t>(n.value));
  if (n.op->kind == op_class::access) h = mix(h, hash(n.map));
  return has_own_extents(n)
             ? mix(mix(h, static_cast<std::uint64_t>(n.rows)), static_cast<std::uint64_t>(n.cols))
             : h;
}

FUSECL_INLINE bool same(const node& a, const node& b) {
  return a.op == b.op && a.type == b.type && a.operands == b.operands && a.index == b.index &&
         a.map == b.map && std::bit_cast<std::uint64_t>(a.value) == std::bit_cast<std::uint64_t>(b.value) &&
         (!has_own_extents(a) || (a.rows == b.rows && a.cols == b.cols));
}

}  // namespace detail

FUSECL_INLINE graph::graph() = default;
FUSECL_INLINE graph::graph(const graph&) = default;
FUSECL_INLINE graph::graph(graph&&) noexcept = default;
FUSECL_INLINE graph& graph::operator=(const graph&) = default;
FUSECL_INLINE graph& graph::operator=(graph&&) noexcept = default;
FUSECL_INLINE graph::~graph() = default;

FUSECL_INLINE void graph::ensure_extent(extent e) {
  while (static_cast<extent>(parents_.size()) <= e) parents_.push_back(static_cast<extent>(parents_.size()));
}

FUSECL_INLINE extent graph::resolve(extent e) const {
  while (e >= 0 && e < extents() && parents_[static_cast<std::size_t>(e)] != e)
    e = parents_[static_cast<std::size_t>(e)];
  return e;
}

FUSECL_INLINE void graph::unify(extent a, extent b) {
  if (a != one) ensure_extent(a);
  if (b != one) ensure_extent(b);
  for (extent* e : {&a, &b})
    while (*e >= 0 && parents_[static_cast<std::size_t>(*e)] != *e) {  // halves the way for those who follow
      extent& parent = parents_[static_cast<std::size_t>(*e)];
      parent = parent >= 0 ? parents_[static_cast<std::size_t>(parent)] : parent;
      *e = parent;
    }
  if (a == b) return;
  if (a > b) std::swap(a, b);  // the smaller symbol stands for both, `one` before all
  parents_[static_cast<std::size_t>(b)] = a;
}

FUSECL_INLINE void graph::bring(const support* s) {
  if (s && !brought_.contains(s)) brought_.push_back(s);
}

/// Twice as many slots as before.
FUSECL_INLINE void graph::make_slots() {
  constexpr std::size_t fewest = 16;
  slots_.assign(std::max(fewest, 2 * slots_.size()), no_node);
  for (node_id id = 0; id < size(); ++id) {
    std::size_t slot = hashes_[static_cast<std::size_t>(id)] & (slots_.size() - 1);
    while (slots_[slot] != no_node) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = id;
  }
}

FUSECL_INLINE node_id graph::insert(node candidate) {
  if (candidate.rows != one) ensure_extent(candidate.rows);
  if (candidate.cols != one) ensure_extent(candidate.cols);
  if (resolves_ && candidate.op->kind != op_class::leaf) {
    candidate.rows = resolve(candidate.rows);
    candidate.cols = resolve(candidate.cols);
  }
  const std::uint64_t h = detail::hash(candidate);
  if (2 * nodes_.size() >= slots_.size()) make_slots();
  std::size_t slot = h & (slots_.size() - 1);
  for (; slots_[slot] != no_node; slot = (slot + 1) & (slots_.size() - 1)) {
    const node_id id = slots_[slot];
    if (hashes_[static_cast<std::size_t>(id)] == h && detail::same((*this)[id], candidate)) return id;
  }
  bring(candidate.op->brings);
  if (candidate.op->kind != op_class::leaf) candidate.view = view_of(*this, candidate);
  nodes_.push_back(candidate);
  hashes_.push_back(h);
  slots_[slot] = size() - 1;
  return size() - 1;
}

FUSECL_INLINE node_id graph::matrix(scalar_type type, std::int64_t slot, extent rows, extent cols,
                                    matrix_cl_view view) {
  return insert({.op = &leaf_operations::matrix,
                 .type = type,
                 .rows = rows,
                 .cols = cols,
                 .index = slot,
                 .view = view});
}

FUSECL_INLINE node_id graph::scalar(scalar_type type, std::int64_t number) {
  return insert({.op = &leaf_operations::scalar, .type = type, .index = number});
}

FUSECL_INLINE node_id graph::constant(scalar_type type, double value) {
  return insert({.op = &leaf_operations::constant, .type = type, .value = value});
}

FUSECL_INLINE node_id graph::zero(scalar_type type) {
  return insert(
      {.op = &leaf_operations::constant, .type = type, .index = 1, .view = matrix_cl_view::Diagonal});
}

FUSECL_INLINE node_id graph::row_index(extent rows, extent cols) {
  return insert({.op = &leaf_operations::row_index, .type = scalar_type::int32, .rows = rows, .cols = cols});
}

FUSECL_INLINE node_id graph::col_index(extent rows, extent cols) {
  return insert({.op = &leaf_operations::col_index, .type = scalar_type::int32, .rows = rows, .cols = cols});
}

FUSECL_INLINE node_id graph::size_of(scalar_type type, extent e) {
  return e == one ? constant(type, 1) : insert({.op = &leaf_operations::size, .type = type, .index = e});
}

FUSECL_INLINE node_id graph::cast(scalar_type type, node_id operand) {
  const node& from = (*this)[operand];
  if (from.type == type) return operand;
  if (from.op == &leaf_operations::constant && (type == scalar_type::float64 || type == scalar_type::float32))
    return from.view != matrix_cl_view::Entire
               ? zero(type)
               : constant(type, type == scalar_type::float32 ? static_cast<float>(from.value) : from.value);
  return insert({.op = &leaf_operations::cast,
                 .type = type,
                 .operands = {operand},
                 .rows = from.rows,
                 .cols = from.cols});
}

FUSECL_INLINE node_id graph::broadcast(node_id operand, extent rows, extent cols) {
  return insert({.op = &leaf_operations::broadcast,
                 .type = (*this)[operand].type,
                 .operands = {operand},
                 .rows = rows,
                 .cols = cols});
}

FUSECL_INLINE node_id graph::access(const operation& op, const access_map& map, node_id operand, extent rows,
                                    extent cols) {
  return insert({.op = &op,
                 .type = (*this)[operand].type,
                 .operands = {operand},
                 .rows = rows,
                 .cols = cols,
                 .map = map});
}

FUSECL_INLINE node_id graph::indexed(const operation& op, const node_id* operands, extent rows, extent cols,
                                     std::int64_t index) {
  return insert({.op = &op,
                 .type = (*this)[operands[0]].type,
                 .operands = operand_list(operands, op.arity),
                 .rows = rows,
                 .cols = cols,
                 .index = index});
}

FUSECL_INLINE node_id graph::apply(const operation& op, const node_id* operands) {
  node result{.op = &op, .operands = operand_list(operands, op.arity)};
  scalar_type common = scalar_type::boolean;
  const int first = op.types == type_rule::selection ? 1 : 0;
  const int last = op.types == type_rule::scaled ? 1 : op.arity;
  for (int k = first; k < last; ++k) common = std::max(common, (*this)[operands[k]].type);
  const bool all_bool = common == scalar_type::boolean;
  const bool makes_floating =
      op.types == type_rule::floating || op.types == type_rule::classify || op.types == type_rule::scaled;
  scalar_type operand_type = makes_floating ? floating(common) : promoted(common, common);
  if (op.types == type_rule::logical) operand_type = scalar_type::boolean;
  if (op.types == type_rule::selection && all_bool) operand_type = scalar_type::boolean;
  for (int k = 0; k < op.arity; ++k) {
    scalar_type wanted = operand_type;
    if (op.types == type_rule::selection && k == 0) wanted = scalar_type::boolean;
    if (op.types == type_rule::scaled && k == 1) wanted = scalar_type::int32;
    result.operands[k] = cast(wanted, operands[k]);
  }
  bool sized = false;  // an operand that is no scalar has given the extents
  for (int k = 0; k < op.arity; ++k) {
    const node& operand = (*this)[result.operands[k]];
    if (operand.is_scalar()) continue;
    if (sized) {
      unify(result.rows, operand.rows);
      unify(result.cols, operand.cols);
    }
    result.rows = operand.rows;
    result.cols = operand.cols;
    sized = true;
  }
  const bool gives_bool =
      op.types == type_rule::comparison || op.types == type_rule::logical || op.types == type_rule::classify;
  result.type = gives_bool ? scalar_type::boolean : operand_type;
  if (op.commutative && result.operands[0] > result.operands[1])
    std::swap(result.operands[0], result.operands[1]);
  return insert(result);
}

FUSECL_INLINE node_id graph::reduce(const operation& op, ir::axis axis, node_id operand) {
  const node from = (*this)[operand];
  const scalar_type type = promoted(from.type, from.type);
  return insert({.op = &op,
                 .type = type,
                 .operands = {cast(type, operand)},
                 .rows = axis == ir::axis::row ? from.rows : one,
                 .cols = axis == ir::axis::column ? from.cols : one,
                 .index = static_cast<std::int64_t>(axis)});
}

FUSECL_INLINE node_id graph::scan(const operation& op, ir::axis axis, bool from_end, node_id operand) {
  const node from = (*this)[operand];
  const scalar_type type = promoted(from.type, from.type);
  return insert({.op = &op,
                 .type = type,
                 .operands = {cast(type, operand)},
                 .rows = from.rows,
                 .cols = from.cols,
                 .index = static_cast<std::int64_t>(axis) + (from_end ? 4 : 0)});
}

FUSECL_INLINE node_id graph::copy(const node& original, const node_id* operands) {
  node twin = original;
  twin.rows = resolve(original.rows);
  twin.cols = resolve(original.cols);
  for (int k = 0; k < arity(original); ++k) twin.operands[k] = operands[k];
  for (extent* e : {&twin.map.row0.size, &twin.map.col0.size, &twin.map.row_limit, &twin.map.col_limit})
    if (*e != no_extent) *e = resolve(*e);
  if (twin.op->commutative && arity(twin) == 2 && twin.operands[0] > twin.operands[1])
    std::swap(twin.operands[0], twin.operands[1]);
  return insert(twin);
}

}  // namespace fusecl::ir
