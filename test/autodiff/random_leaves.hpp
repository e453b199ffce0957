#pragma once
// The operands of random graphs: matrices, vectors and scalars of double and float, with views, integers and
// places of elements; and the values that steps make of them.

#include <autodiff/numeric.hpp>
#include <autodiff/random_numbers.hpp>

namespace fusecl::test {

/// What the graphs of a seed may contain.
struct graph_limits {
  bool floats = true;       ///< values of type float
  std::size_t graphs = 1;   ///< number of graphs, over the same operands
  std::int64_t rows = 4;    ///< at most
  std::int64_t steps = 9;   ///< at most, for each graph
  bool products = false;    ///< of matrices
  bool factors = false;     ///< Cholesky factors, triangular systems and inverses
  std::int64_t costly = 1;  ///< of the choices of a function that is slow to compile, one in so many holds
};

/// Operands from a seed, and the means to add values to a graph over them.
class random_leaves : random_numbers {
 public:
  /// Operands and all graphs: each a scalar root, followed by further roots of any shape.
  bound_graph result;

 protected:
  using random_numbers::any_in;
  using random_numbers::hide_outside;
  using random_numbers::one_in;
  using random_numbers::pick;
  using random_numbers::real;

  enum shape { whole, column, row, single };
  struct value {
    ir::node_id id;
    shape form;
  };

  void choose_sizes() {
    const auto size = [&](std::int64_t usual) { return one_in(40) ? 0 : pick(1, usual); };
    rows_ = size(limits_.rows);
    cols_ = one_in(4) ? rows_ : size(4);
    kinds_ = limits_.floats ? pick(0, 3) : 0;
  }
  /// Double in half of the seeds; all float or a mixture in the others.
  scalar_type some_type() {
    const bool is_float = kinds_ == 3 || (kinds_ == 2 && one_in(2));
    return is_float ? scalar_type::float32 : scalar_type::float64;
  }

  void make_leaves() {
    const auto count = pick(1, 3);
    for (std::int64_t k = 0; k < count; ++k) add(matrix(rows_, cols_, some_type()), whole);
    if (one_in(3)) add(product_with_view(), whole);
    if (one_in(2)) add(matrix(rows_, 1, some_type()), column);
    if (one_in(2)) add(matrix(1, cols_, some_type()), row);
    const auto scalars = pick(0, 2);
    for (std::int64_t k = 0; k < scalars; ++k) add(result.scalar(real(-1.5, 1.5), some_type()), single);
    if (one_in(3)) integers_.push_back(matrix(rows_, cols_, scalar_type::int32));
    if (one_in(3)) integers_.push_back(result.g.row_index(rows_symbol_, cols_symbol_));
    if (one_in(3)) integers_.push_back(result.g.col_index(rows_symbol_, cols_symbol_));
    for (const ir::node_id id : integers_) unify_whole(id);
    while (rows_ * cols_ > 0 && one_in(3)) make_places();
  }

  /// Places of elements of values of one shape, for results of another.
  struct places {
    shape from, to;
    ir::node_id i, j, order;
    list_of<ir::node_id> ends;
    ir::node_id parts = ir::no_node;
    ir::listed_lines by = ir::listed_lines::elements;

    ops::listed_nodes lists() const { return {by, order, ends, parts}; }
  };
  std::int64_t rows_of(shape form) const { return form == row ? 1 : rows_; }
  std::int64_t cols_of(shape form) const { return form == column ? 1 : cols_; }
  ir::node_id integers(std::int64_t rows, std::int64_t cols, const list_of<long double>& elements) {
    return result.matrix(rows, cols, elements, scalar_type::int32);
  }
  void unify_form(ir::node_id id, shape form) {
    ir::graph& g = result.g;
    if (form == row) g.unify(ir::one, g[id].rows);
    if (form == column) g.unify(ir::one, g[id].cols);
    if (form != row) unify_with(rows_symbol_, g[id].rows);
    if (form != column) unify_with(cols_symbol_, g[id].cols);
  }
  void make_places() {
    const shape forms[] = {whole, column, row};
    places p{any_in(forms), any_in(forms), ir::no_node, ir::no_node, ir::no_node, {}};
    const std::int64_t from_rows = rows_of(p.from), from_cols = cols_of(p.from);
    const std::int64_t count = rows_of(p.to) * cols_of(p.to);
    const bool all_equal = one_in(4);
    // whole rows or columns have lists with a number for each of them
    if (p.from == whole && p.to == whole) p.by = static_cast<ir::listed_lines>(pick(0, 2));
    const bool by_rows = p.by == ir::listed_lines::rows, by_cols = p.by == ir::listed_lines::cols;
    list_of<long double> i, j;
    std::vector<std::int64_t> at;
    for (std::int64_t k = 0; k < count; ++k) {
      const bool again = all_equal && k > 0;
      i.push_back(again ? i[0] : static_cast<long double>(pick(0, from_rows - 1)));
      j.push_back(again ? j[0] : static_cast<long double>(pick(0, from_cols - 1)));
      const std::int64_t row = k % rows_, col = k / rows_;
      if (by_rows) j.back() = static_cast<long double>(col);
      if (by_rows && col > 0) i.back() = i[static_cast<std::size_t>(row)];
      if (by_cols) i.back() = static_cast<long double>(row);
      if (by_cols && row > 0) j.back() = j[static_cast<std::size_t>(k - row)];
      const auto of_row = static_cast<std::int64_t>(i.back()), of_col = static_cast<std::int64_t>(j.back());
      if (p.by == ir::listed_lines::elements) at.push_back(of_row + from_rows * of_col);
      if (by_rows && col == 0) at.push_back(of_row);
      if (by_cols && row == 0) at.push_back(of_col);
    }
    p.i = integers(rows_of(p.to), cols_of(p.to), i);
    p.j = integers(rows_of(p.to), cols_of(p.to), j);
    unify_form(p.i, p.to);
    unify_form(p.j, p.to);
    const std::int64_t list_rows = by_cols ? 1 : from_rows, list_cols = by_rows ? 1 : from_cols;
    const ops::place_lists lists = ops::lists_of(at, list_rows * list_cols, pick(2, 3), pick(1, 7));
    p.order = integers(static_cast<std::int64_t>(at.size()), 1, {lists.order.begin(), lists.order.end()});
    for (const list_of<std::int32_t>& ends : lists.ends) {
      const bool last = &ends == &lists.ends.back();
      const list_of<long double> numbers(ends.begin(), ends.end());
      const auto length = static_cast<std::int64_t>(numbers.size());
      p.ends.push_back(integers(last ? list_rows : length, last ? list_cols : 1, numbers));
      if (last)
        unify_form(p.ends.back(), by_rows ? column : by_cols ? row : p.from);
      else
        result.g.unify(ir::one, result.g[p.ends.back()].cols);
    }
    if (!lists.parts.empty())
      p.parts = integers(static_cast<std::int64_t>(lists.parts.size()), 1,
                         {lists.parts.begin(), lists.parts.end()});
    places_.push_back(std::move(p));
  }

  ir::node_id matrix(std::int64_t rows, std::int64_t cols, scalar_type type) {
    const bool viewed = rows * cols > 1 && one_in(3);
    return matrix(rows, cols, type,
                  viewed ? static_cast<matrix_cl_view>(pick(0, 2)) : matrix_cl_view::Entire);
  }
  ir::node_id matrix(std::int64_t rows, std::int64_t cols, scalar_type type, matrix_cl_view view) {
    list_of<long double> elements(static_cast<std::size_t>(rows * cols));
    for (long double& x : elements)
      x = is_floating(type) ? static_cast<long double>(real(-2, 2)) : static_cast<long double>(pick(-3, 3));
    return result.matrix(rows, cols, elements, type, view);
  }
  /// A product (or quotient) of which one operand has a view and the other one no numbers outside of it.
  ir::node_id product_with_view() {
    const auto view = static_cast<matrix_cl_view>(pick(0, 2));
    const auto factor = [&](matrix_cl_view own) { return matrix(rows_, cols_, some_type(), own); };
    const ir::node_id x = factor(view), y = factor(matrix_cl_view::Entire);
    hide_outside(view, result.values.matrices.back());
    if (!one_in(3)) return make<op::multiply>(x, y);
    return make<op::divide>(x, make<op::add>(make<op::multiply>(y, y), number_for(y, 1)));
  }
  void add(ir::node_id id, shape form) {
    ir::graph& g = result.g;
    if (form == column || form == single) g.unify(ir::one, g[id].cols);
    if (form == row || form == single) g.unify(ir::one, g[id].rows);
    if (form != single) {  // all values of a direction have its size
      if (form != row) unify_with(rows_symbol_, g[id].rows);
      if (form != column) unify_with(cols_symbol_, g[id].cols);
    }
    values_.push_back({id, form});
  }
  void unify_whole(ir::node_id id) {
    unify_with(rows_symbol_, result.g[id].rows);
    unify_with(cols_symbol_, result.g[id].cols);
  }
  void unify_with(ir::extent& symbol, ir::extent e) {
    if (symbol == ir::one)
      symbol = e;
    else
      result.g.unify(symbol, e);
  }

  /// A value of this shape or a single element; new ones more often.
  value any_of(shape form) {
    std::vector<value> fitting;
    for (const value& v : values_)
      if (v.form == form || v.form == single) fitting.push_back(v);
    if (fitting.empty()) return {number(real(-1, 1)), single};
    const auto last = static_cast<std::int64_t>(fitting.size()) - 1;
    return fitting[static_cast<std::size_t>(std::max(pick(0, last), pick(0, last)))];
  }
  value anything() { return any_in(values_); }
  template <class Op>
  ir::node_id make(ir::node_id a, ir::node_id b) {
    return result.g.apply(Op::record(), a, b);
  }
  ir::node_id number(double x, scalar_type type = scalar_type::float64) {
    return result.g.constant(type, type == scalar_type::float32 ? static_cast<float>(x) : x);
  }
  /// A constant that leaves the type of `id` as it is.
  ir::node_id number_for(ir::node_id id, double x) { return number(x, result.g[id].type); }

  /// x moved smoothly into (-1, 1) by operations that are quick to compile.
  ir::node_id squashed(ir::node_id x) {
    const ir::node_id square = result.g.apply(op::square::record(), x);
    return make<op::multiply>(
        x, result.g.apply(op::rsqrt::record(), make<op::add>(square, number_for(square, 1))));
  }
  /// x moved smoothly into [low, high], so that functions see their domain.
  ir::node_id into(ir::sample_interval domain, ir::node_id x) {
    const double low = std::max(domain.low, -3.0), high = std::min(domain.high, std::max(low + 1, 3.0));
    const double from = low + real(0.07, 0.13) * (high - low), to = high - real(0.07, 0.13) * (high - low);
    const ir::node_id unit = squashed(x);
    return make<op::add>(number_for(unit, (from + to) / 2),
                         make<op::multiply>(number_for(unit, (to - from) / 2), unit));
  }

  random_leaves(std::uint64_t seed, const graph_limits& limits) : random_numbers(seed), limits_(limits) {
    choose_sizes();
    make_leaves();
  }

  const graph_limits limits_;
  std::int64_t rows_ = 1, cols_ = 1, kinds_ = 0;
  ir::extent rows_symbol_ = ir::one, cols_symbol_ = ir::one;
  std::vector<value> values_;
  list_of<ir::node_id> integers_;  ///< all whole
  std::vector<places> places_;
};

}  // namespace fusecl::test
