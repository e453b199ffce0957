#pragma once
// A sum of what is the same in every row, or in every column, is the sum of one of them times their number:
// sum(rep_matrix(c, n, m)) is n m c, and nothing is walked. What of a sum is repeated is not told apart from
// the rest of it: sum(a + c) stays, since n c beside a large sum(a) would be rounded where each a + c is not,
// and a walk over `a` adds c for nothing.

#include <optional>

#include <fusion/ops/arithmetic.hpp>
#include <fusion/ops/derivatives.hpp>
#include <fusion/ops/reduce.hpp>
#include <fusion/passes/pass.hpp>

namespace fusecl::passes {
namespace detail {

/// Finds what is repeated in the graph that is being built, and builds it once.
class repeats {
 public:
  explicit repeats(ir::graph& g) : g_(g) {}

  /// `sum` of `x` along `axis`, or no_node where nothing is repeated.
  ir::node_id sum_of(const ir::node& sum, ir::axis axis, ir::node_id x) {
    const ir::extent rows = g_.resolve(g_[x].rows), cols = g_.resolve(g_[x].cols);
    if (g_[x].view != matrix_cl_view::Entire || (rows == ir::one && cols == ir::one)) return ir::no_node;
    find_varying(x);
    const bool one_row = rows != ir::one && !varies(x, true), one_col = cols != ir::one && !varies(x, false);
    const bool adds_rows = axis != ir::axis::row, adds_cols = axis != ir::axis::column;
    if (!one_row && !one_col) return ir::no_node;
    shape_ = {one_row ? ir::one : rows, one_col ? ir::one : cols};
    ir::node_id total = narrowed(x);
    const bool walks =
        (adds_rows && !one_row && rows != ir::one) || (adds_cols && !one_col && cols != ir::one);
    total = walks ? g_.reduce(*sum.op, axis, total) : g_.cast(sum.type, total);
    const bool counts_rows = one_row && adds_rows, counts_cols = one_col && adds_cols;
    if (counts_rows || counts_cols)
      total = times(total, counts_rows ? rows : ir::one, counts_cols ? cols : ir::one);
    // what is not added is as it was, a repeat of one result
    const bool repeats_rows = one_row && !adds_rows, repeats_cols = one_col && !adds_cols;
    if (!repeats_rows && !repeats_cols) return total;
    return g_.broadcast(total, repeats_rows ? rows : ir::one, repeats_cols ? cols : ir::one);
  }

 private:
  static constexpr char by_row = 1, by_col = 2;
  struct shape {
    ir::extent rows, cols;
    friend bool operator==(const shape&, const shape&) = default;
    friend std::size_t hash_of_key(const shape& s) { return hash_of_numbers(s.rows, s.cols); }
  };

  bool varies(ir::node_id id, bool by_rows) const {
    return (*varying_.find(id) & (by_rows ? by_row : by_col)) != 0;
  }

  /// Of what `x` is made of element by element, whether it differs from row to row and from column to column.
  void find_varying(ir::node_id x) {
    const auto stop = [&](ir::node_id id) { return varying_.find(id) || !is_plain(id); };
    for (const ir::node_id id : ir::reachable(g_, list_of<ir::node_id>{x}, stop)) {
      if (varying_.find(id)) continue;
      const ir::node& n = g_[id];
      char own = 0;
      if (n.is(ir::leaf_operations::row_index)) {
        own = by_row;
      } else if (n.is(ir::leaf_operations::col_index)) {
        own = by_col;
      } else if (!is_plain(id) || ir::arity(n) == 0) {
        own = static_cast<char>((g_.resolve(n.rows) != ir::one ? by_row : 0) |
                                (g_.resolve(n.cols) != ir::one ? by_col : 0));
      } else {
        for (int k = 0; k < ir::arity(n); ++k) own = static_cast<char>(own | *varying_.find(n.operands[k]));
      }
      varying_[id] = own;
    }
  }
  /// Whether an element is made of those of the operands at its place, wherever that is.
  bool is_plain(ir::node_id id) const {
    const ir::node& n = g_[id];
    const bool element_wise = n.op->kind == ir::op_class::elementwise || n.op->kind == ir::op_class::cast ||
                              n.op->kind == ir::op_class::broadcast || n.op->kind == ir::op_class::leaf;
    return element_wise && !n.op->is_stored && n.view == matrix_cl_view::Entire;
  }

  /// A row, a column or an element of `x`, which are all the same.
  ir::node_id narrowed(ir::node_id x) {
    const std::size_t own = narrowed_to_[shape_];
    if (own == twins_.size()) twins_.emplace_back();
    ir::sparse_node_map<ir::node_id>& twins = twins_[own];
    const auto fits = [&](ir::node_id id) {
      const ir::extent rows = g_.resolve(g_[id].rows), cols = g_.resolve(g_[id].cols);
      return (rows == ir::one || rows == shape_.rows) && (cols == ir::one || cols == shape_.cols);
    };
    const auto stop = [&](ir::node_id id) { return twins.find(id) || fits(id); };
    for (const ir::node_id id : ir::reachable(g_, list_of<ir::node_id>{x}, stop)) {
      if (twins.find(id)) continue;
      const ir::node n = g_[id];
      if (fits(id)) {
        twins[id] = id;
      } else if (n.op->kind == ir::op_class::broadcast) {
        twins[id] = ops::in_full(g_, repeated(*twins.find(n.operands[0])));
      } else if (ir::arity(n) == 0) {  // row or column numbers, which differ along what is left
        const bool by_rows = n.is(ir::leaf_operations::row_index);
        twins[id] = by_rows ? g_.row_index(shape_.rows, shape_.cols) : g_.col_index(shape_.rows, shape_.cols);
      } else {
        list_of<ir::node_id> operands;
        for (int k = 0; k < ir::arity(n); ++k) operands.push_back(*twins.find(n.operands[k]));
        twins[id] = n.op->kind == ir::op_class::cast ? g_.cast(n.type, operands[0])
                                                     : g_.apply(*n.op, operands.data());
      }
    }
    return repeated(*twins.find(x));
  }
  /// In the shape wanted.
  ir::node_id repeated(ir::node_id id) {
    const bool whole = g_.resolve(g_[id].rows) == shape_.rows && g_.resolve(g_[id].cols) == shape_.cols;
    return whole ? id : g_.broadcast(id, shape_.rows, shape_.cols);
  }

  /// As a sum of so many: nothing adds up to 0 also where it is infinite or NaN, and no sum is -0.
  ir::node_id times(ir::node_id total, ir::extent rows, ir::extent cols) {
    const ir::node each = g_[total];
    ir::node_id number = g_.size_of(each.type, rows == ir::one ? cols : rows);
    if (rows != ir::one && cols != ir::one)
      number = g_.apply(op::multiply::record(), number, g_.size_of(each.type, cols));
    const bool constant = each.is(ir::leaf_operations::constant);
    if (constant && each.value == 1) return number;
    const ir::node_id product = g_.apply(op::multiply::record(), number, total);
    const bool is_exact = constant && is_finite(each.value) && each.value > 0;
    if (is_exact || !is_floating(each.type)) return product;
    const ir::node_id zero = g_.constant(each.type, 0);
    return ops::choose(g_, g_.apply(op::equal::record(), number, zero), zero,
                       g_.apply(op::add::record(), product, zero));
  }

  ir::graph& g_;
  ir::sparse_node_map<char> varying_;
  shape shape_ = {ir::one, ir::one};
  numbering<shape> narrowed_to_;
  list_of<ir::sparse_node_map<ir::node_id>> twins_;  // what is narrowed to each of these
};

}  // namespace detail

FUSECL_INLINE ir::graph count_repeats(const ir::graph& g) {
  std::optional<detail::repeats> known;  // shared by all sums
  return rebuild(g, [&](ir::graph& result, const ir::node& n, const ir::node_id* operands) {
    if (n.is(op::sum::record())) {
      if (!known) known.emplace(result);
      const ir::node_id counted = known->sum_of(n, n.axis(), operands[0]);
      if (counted != ir::no_node) return counted;
    }
    return result.copy(n, operands);
  });
}

}  // namespace fusecl::passes
