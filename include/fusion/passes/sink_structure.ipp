#pragma once
// Accesses move from results towards leaves: through element-wise operations and casts, into broadcasts, and
// into each other. What stays below a chain of accesses is a matrix, an index, a scalar, a reduction, a scan,
// what was written to memory, or a value that is compared with a reduction of itself, which must not be
// computed anew at other places. Elements at indices are read of the same leaves.

#include <algorithm>

#include <fusion/base/list_of.hpp>
#include <fusion/ir/compared.hpp>
#include <fusion/ir/views.hpp>
#include <fusion/ops/derivatives.hpp>
#include <fusion/ops/gather.hpp>
#include <fusion/ops/structure.hpp>
#include <fusion/passes/pass.hpp>

namespace fusecl::passes {
namespace detail {

/// The sum of two offsets where one symbol can hold it.
FUSECL_INLINE bool add_offsets(const ir::offset& a, const ir::offset& b, ir::offset& sum) {
  if (a.size != ir::no_extent && b.size != ir::no_extent) {
    if (a.size != b.size || a.sign == b.sign) return false;
    sum = {};
  } else {
    sum = a.size != ir::no_extent ? a : b;
  }
  sum.plus = a.plus + b.plus;
  return true;
}

FUSECL_INLINE ir::offset times(int factor, ir::offset a) {
  if (factor == 0) return {};
  if (a.size != ir::no_extent) a.sign *= factor;
  a.plus *= factor;
  return a;
}

/// One map for `outer` after `inner`, the map that is nearer to the elements; false where there is none.
FUSECL_INLINE bool compose(const ir::access_map& outer, const ir::access_map& inner, ir::access_map& both) {
  if (outer.is_guarded()) return false;
  const auto combine = [&](const ir::offset& start, int by_row, int by_col, ir::offset& start_of_both,
                           std::int8_t& by_i, std::int8_t& by_j) {
    const int i = by_row * outer.row_by_i + by_col * outer.col_by_i;
    const int j = by_row * outer.row_by_j + by_col * outer.col_by_j;
    by_i = static_cast<std::int8_t>(i);
    by_j = static_cast<std::int8_t>(j);
    ir::offset moved;
    return i >= -1 && i <= 1 && j >= -1 && j <= 1 &&
           add_offsets(times(by_row, outer.row0), times(by_col, outer.col0), moved) &&
           add_offsets(start, moved, start_of_both);
  };
  both = inner;
  both.from_diagonal = ir::diagonal_of_both(outer.from_diagonal, inner.from_diagonal, inner.row_by_j != 0);
  return combine(inner.row0, inner.row_by_i, inner.row_by_j, both.row0, both.row_by_i, both.row_by_j) &&
         combine(inner.col0, inner.col_by_i, inner.col_by_j, both.col0, both.col_by_i, both.col_by_j);
}

/// Rebuilds a graph with its accesses at the leaves.
class sinker {
 public:
  explicit sinker(const ir::graph& from) : from_(from), twin_(from, ir::no_node) { g_.adopt_extents(from); }

  ir::graph run() {
    const ir::node_set compared = ir::elements_compared_with_reductions(from_);
    for (ir::node_id id : ir::reachable(from_, from_.roots)) {
      twin_[id] = rebuilt(from_[id]);
      if (compared[id]) stays_[twin_[id]] = 1;
    }
    for (std::size_t k = 0; k < from_.roots.size(); ++k) {
      const ir::node_id root = twin_[from_.roots[k]];
      g_.roots.push_back(from_.place_of(k).is_part ? root : turned_root(root));
    }
    g_.places = from_.places;
    return std::move(g_);
  }

 private:
  ir::node_id rebuilt(const ir::node& n) {
    list_of<ir::node_id> operands;
    for (int k = 0; k < ir::arity(n); ++k) operands.push_back(twin_[n.operands[k]]);
    if (ir::maps_places(n)) {
      ir::access_map map = n.map;
      for (ir::extent* e : {&map.row0.size, &map.col0.size, &map.row_limit, &map.col_limit})
        if (*e != ir::no_extent) *e = g_.resolve(*e);
      return sunk(map, g_.resolve(n.rows), g_.resolve(n.cols), once_if_large(operands[0]));
    }
    if (n.is(op::indexing::record()))
      return indexed({operands[1], operands[2], g_.resolve(n.rows), g_.resolve(n.cols)},
                     once_if_large(operands[0]));
    if (n.is(op::scatter_add::record())) return ops::sums_of_lists(g_, n, operands.data());
    if (n.op->kind == ir::op_class::reduction && mostly_transposed(operands[0])) {
      // the rows of a transpose are the columns of its operand
      const ir::axis axis = n.axis() == ir::axis::row      ? ir::axis::column
                            : n.axis() == ir::axis::column ? ir::axis::row
                                                           : ir::axis::all;
      const ir::node_id turned = g_.reduce(*n.op, axis, transposed(operands[0]));
      return axis == ir::axis::all ? turned : transposed(turned);
    }
    return g_.copy(n, operands.data());
  }

  /// An access computes what it reads anew at other places. Accesses of what has accesses, many levels deep,
  /// would double it at each level: where the graph has become that large, from memory.
  ir::node_id once_if_large(ir::node_id id) {
    constexpr ir::node_id few = 256;
    const bool computed =
        ir::arity(g_[id]) > 0 && !g_[id].op->is_stored &&
        (g_[id].op->kind == ir::op_class::elementwise || g_[id].op->kind == ir::op_class::cast);
    return computed && g_.size() > few + 2 * from_.size() ? ops::in_memory(g_, id) : id;
  }

  ir::node_id transposed(ir::node_id id) {
    return sunk(ir::access_map::transpose(), g_[id].cols, g_[id].rows, id);
  }

  /// Whether more of what the value loads as a whole is transposed than is not.
  bool mostly_transposed(ir::node_id id) const {
    const ir::node& top = g_[id];
    const auto stop = [&](ir::node_id k) {
      return g_[k].op->kind == ir::op_class::access || ir::is_collective(g_[k]);
    };
    int transposes = 0, others = 0;
    for (ir::node_id k : ir::reachable(g_, list_of<ir::node_id>{id}, stop)) {
      const ir::node& n = g_[k];
      if (n.is_scalar() || g_.is_single(n)) continue;
      // of a vector that is repeated a transpose costs nothing
      if (g_.resolve(n.rows) != g_.resolve(top.rows) || g_.resolve(n.cols) != g_.resolve(top.cols)) continue;
      if (n.op->kind == ir::op_class::access && n.map.is_transpose())
        ++transposes;
      else if (n.is(ir::leaf_operations::matrix) || stop(k))
        ++others;
    }
    return transposes > others;
  }

  /// A vector result may be computed as a column or as a row, whichever its operands are: the memory is the
  /// same.
  ir::node_id turned_root(ir::node_id id) {
    const ir::node& n = g_[id];
    const bool vector = (g_.resolve(n.rows) == ir::one) != (g_.resolve(n.cols) == ir::one);
    if (!vector || !mostly_transposed(id)) return id;
    bool reduces = false;
    for (ir::node_id k : ir::reachable(g_, list_of<ir::node_id>{id})) {
      reduces |= ir::is_collective(g_[k]);
      if (g_[k].view != matrix_cl_view::Entire) return id;  // that of the result would be turned, too
    }
    return reduces ? transposed(id) : id;
  }

  /// `map` of the value `id`, with the accesses at the leaves.
  ir::node_id sunk(const ir::access_map& map, ir::extent rows, ir::extent cols, ir::node_id id) {
    const sunk_value asked = {map, rows, cols, id};
    if (const ir::node_id* known = sunk_.find(asked)) return *known;
    const ir::node n = g_[id];
    const matrix_cl_view view = ir::view_of_access(map, n.is_scalar() ? matrix_cl_view::Entire : n.view);
    // what is made of it has the view that it had: a product with an infinite number is no zero by itself
    const ir::node_id result =
        ops::within_view(g_, view, made(map, rows, cols, n, id), {.rows = rows, .cols = cols});
    return sunk_[asked] = result;
  }

  ir::node_id made(const ir::access_map& map, ir::extent rows, ir::extent cols, const ir::node& n,
                   ir::node_id id) {
    const bool single = rows == ir::one && cols == ir::one;
    // the first elements of more of them are no identity
    const bool all = g_.resolve(n.rows) == g_.resolve(rows) && g_.resolve(n.cols) == g_.resolve(cols);
    if (map.is_identity() && all) return id;
    if (map.is_transpose() && n.is(ir::leaf_operations::row_index)) return g_.col_index(rows, cols);
    if (map.is_transpose() && n.is(ir::leaf_operations::col_index)) return g_.row_index(rows, cols);
    if (n.is_scalar())
      return map.is_guarded() ? g_.access(op::access::record(), map, id, rows, cols)
             : single         ? id
                              : g_.broadcast(id, rows, cols);
    if (stays_[id] != 0) return g_.access(op::access::record(), map, id, rows, cols);
    switch (n.op->kind) {
      case ir::op_class::cast:
        return g_.cast(n.type, sunk(map, rows, cols, n.operands[0]));
      case ir::op_class::elementwise:
        if (n.op->is_stored) break;
        return of_operation(map, rows, cols, n);
      case ir::op_class::broadcast:
        return of_broadcast(map, rows, cols, n);
      case ir::op_class::access: {
        if (n.is(op::indexing::record())) return of_indexing(map, rows, cols, n);
        if (!ir::maps_places(n))
          return g_.access(op::access::record(), map, ops::in_memory(g_, id), rows, cols);
        ir::access_map both;
        if (compose(map, n.map, both)) return sunk(both, rows, cols, n.operands[0]);
        break;
      }
      default:
        break;
    }
    return g_.access(op::access::record(), map, id, rows, cols);
  }

  /// Whether it is the zero of what a view leaves out, which is zero wherever it is read.
  bool is_outside(ir::node_id id) const {
    return g_[id].is(ir::leaf_operations::constant) && g_[id].view != matrix_cl_view::Entire;
  }

  ir::node_id of_operation(const ir::access_map& map, ir::extent rows, ir::extent cols, const ir::node& n) {
    list_of<ir::node_id> operands;
    for (int k = 0; k < ir::arity(n); ++k)
      operands.push_back(is_outside(n.operands[k]) ? n.operands[k] : sunk(map, rows, cols, n.operands[k]));
    const ir::node_id value = within_view(map, rows, cols, n, g_.apply(*n.op, operands.data()));
    // where the map leads outside all operands are zero
    const bool may_not_be =
        n.op->at_zero == ir::zero_rule::never || n.op->at_zero == ir::zero_rule::numerator;
    return may_not_be ? guarded(map, rows, cols, value) : value;
  }

  /// `value` with zeros where the map leads outside.
  ir::node_id guarded(const ir::access_map& map, ir::extent rows, ir::extent cols, ir::node_id value) {
    if (!map.is_guarded()) return value;
    const ir::node_id yes = g_.constant(scalar_type::boolean, 1);
    const ir::node_id inside = g_.access(op::access::record(), map, yes, rows, cols);
    return ops::choose(g_, inside, value, g_.zero(g_[value].type));
  }

  /// An index is the same in all elements where it is a scalar.
  ir::node_id of_indexing(const ir::access_map& map, ir::extent rows, ir::extent cols, const ir::node& n) {
    const auto moved = [&](ir::node_id index) {
      return g_[index].is_scalar() ? index : sunk(map, rows, cols, index);
    };
    const ir::node_id i = moved(n.operands[1]), j = moved(n.operands[2]);
    return guarded(map, rows, cols, indexed({i, j, rows, cols}, n.operands[0]));
  }

  /// Where elements at indices are.
  struct indices {
    ir::node_id i, j;
    ir::extent rows, cols;
    friend bool operator==(const indices&, const indices&) = default;
  };

  /// The elements of the value `id`, read of its leaves.
  ir::node_id indexed(const indices& at, ir::node_id id) {
    if (g_[id].is_scalar()) return filled(at, id);
    const indexed_value asked = {at, id};
    if (const ir::node_id* known = indexed_.find(asked)) return *known;
    const ir::node_id result = made_indexed(at, id);
    return indexed_[asked] = result;
  }
  ir::node_id filled(const indices& at, ir::node_id id) {
    return ops::filled(g_, id, {.rows = at.rows, .cols = at.cols});
  }

  ir::node_id made_indexed(const indices& at, ir::node_id id) {
    const ir::node n = g_[id];
    if (stays_[id] != 0) return ops::indexed(g_, ops::in_memory(g_, id), at.i, at.j, at.rows, at.cols);
    if (n.is(ir::leaf_operations::row_index)) return g_.cast(n.type, filled(at, at.i));
    if (n.is(ir::leaf_operations::col_index)) return g_.cast(n.type, filled(at, at.j));
    if (n.op->kind == ir::op_class::cast) return g_.cast(n.type, indexed(at, n.operands[0]));
    if (n.op->kind == ir::op_class::elementwise && !n.op->is_stored) {
      list_of<ir::node_id> operands;
      for (int k = 0; k < ir::arity(n); ++k)
        operands.push_back(g_[n.operands[k]].is_scalar() ? n.operands[k] : indexed(at, n.operands[k]));
      const ir::node_id value = g_.apply(*n.op, operands.data());
      if (ir::gives_own_zeros(g_, n)) return value;
      return ops::choose(g_, g_.apply(ops::test_of(n.view), filled(at, at.i), filled(at, at.j)), value,
                         g_.zero(n.type));
    }
    if (n.op->kind == ir::op_class::broadcast) {
      const ir::node from = g_[n.operands[0]];
      const ir::node_id first = g_.constant(scalar_type::int32, 0);
      return indexed({g_.resolve(from.rows) == ir::one ? first : at.i,
                      g_.resolve(from.cols) == ir::one ? first : at.j, at.rows, at.cols},
                     n.operands[0]);
    }
    if (n.is(op::indexing::record())) {
      const auto of = [&](int k) {
        return g_[n.operands[k]].is_scalar() ? n.operands[k] : indexed(at, n.operands[k]);
      };
      const ir::node_id i = of(1), j = of(2);
      return indexed({i, j, at.rows, at.cols}, n.operands[0]);
    }
    const bool is_sum = n.op->kind == ir::op_class::access && !ir::maps_places(n);
    return ops::indexed(g_, is_sum ? ops::in_memory(g_, id) : id, at.i, at.j, at.rows, at.cols);
  }

  /// `value` with zeros where the map leads outside of the view of `n`, unless it has them by itself or the
  /// map keeps all of the view.
  ir::node_id within_view(const ir::access_map& map, ir::extent rows, ir::extent cols, const ir::node& n,
                          ir::node_id value) {
    const bool keeps = map.from_diagonal == ir::diagonal_from::itself &&
                       ir::view_of_access(map, n.view) != matrix_cl_view::Entire;
    if (keeps || ir::gives_own_zeros(g_, n)) return value;
    const ir::node_id i = sunk(map, rows, cols, g_.row_index(n.rows, n.cols)),
                      j = sunk(map, rows, cols, g_.col_index(n.rows, n.cols));
    return ops::choose(g_, g_.apply(ops::test_of(n.view), i, j), value, g_.zero(n.type));
  }

  /// A repeated direction is read at its only place.
  ir::node_id of_broadcast(ir::access_map map, ir::extent rows, ir::extent cols, const ir::node& n) {
    const ir::node operand = g_[n.operands[0]];
    const ir::access_map given = map;
    bool limits = false;  // a repeated direction
    if (g_.resolve(operand.rows) == ir::one) {
      limits = map.row_limit != ir::no_extent;
      map.row0 = {};
      map.row_by_i = map.row_by_j = 0;
      map.row_limit = ir::no_extent;
    }
    if (g_.resolve(operand.cols) == ir::one) {
      limits = limits || map.col_limit != ir::no_extent;
      map.col0 = {};
      map.col_by_i = map.col_by_j = 0;
      map.col_limit = ir::no_extent;
    }
    map.from_diagonal = ir::diagonal_from::anywhere;
    const ir::extent own_rows = map.row_by_i != 0 || map.col_by_i != 0 ? rows : ir::one;
    const ir::extent own_cols = map.row_by_j != 0 || map.col_by_j != 0 ? cols : ir::one;
    normalize(map, own_rows, own_cols);
    const ir::node_id read = sunk(map, own_rows, own_cols, n.operands[0]);
    const bool whole = own_rows == rows && own_cols == cols;
    const ir::node_id value = whole ? ops::in_full(g_, read) : g_.broadcast(read, rows, cols);
    return limits ? guarded(given, rows, cols, value) : value;
  }

  /// The coefficient of a number that is always 0 is free: a vector that is read along its direction is a
  /// plain block or transpose.
  static void normalize(ir::access_map& map, ir::extent rows, ir::extent cols) {
    const bool row_fixed = map.row0.is_zero() && map.row_by_i == 0 && map.row_by_j == 0;
    const bool col_fixed = map.col0.is_zero() && map.col_by_i == 0 && map.col_by_j == 0;
    if (row_fixed && rows == ir::one && map.col_by_i == 0)
      map.row_by_i = 1;
    else if (row_fixed && cols == ir::one && map.col_by_j == 0)
      map.row_by_j = 1;
    if (col_fixed && cols == ir::one && map.row_by_j == 0)
      map.col_by_j = 1;
    else if (col_fixed && rows == ir::one && map.row_by_i == 0)
      map.col_by_i = 1;
  }

  const ir::graph& from_;
  ir::graph g_;
  ir::node_map<ir::node_id> twin_;
  struct sunk_value {
    ir::access_map map;
    ir::extent rows, cols;
    ir::node_id of;
    friend bool operator==(const sunk_value&, const sunk_value&) = default;
    friend std::size_t hash_of_key(const sunk_value& v) {
      const ir::offset &row = v.map.row0, &col = v.map.col0;
      return hash_of_numbers(v.of, v.rows, v.cols, row.size, row.plus, col.size, col.plus, v.map.row_by_i);
    }
  };
  keyed_values<sunk_value, ir::node_id> sunk_;
  struct indexed_value {
    indices at;
    ir::node_id of;
    friend bool operator==(const indexed_value&, const indexed_value&) = default;
    friend std::size_t hash_of_key(const indexed_value& v) {
      return hash_of_numbers(v.of, v.at.i, v.at.j, v.at.rows, v.at.cols);
    }
  };
  keyed_values<indexed_value, ir::node_id> indexed_;
  ir::sparse_node_map<std::int8_t> stays_;  // not 0: accesses do not move below this value
};

}  // namespace detail

FUSECL_INLINE ir::graph sink_structure(const ir::graph& g) {
  const bool any = [&] {
    for (ir::node_id id = 0; id < g.size(); ++id)
      if (g[id].op->kind == ir::op_class::access) return true;
    return false;
  }();
  return any ? detail::sinker(g).run() : g;
}

}  // namespace fusecl::passes
