#pragma once
// Random differentiable graphs: operations of the registry on matrices, vectors and scalars with repeats,
// broadcasts and reductions. Values stay where functions are smooth; what does not is recognised by the error
// estimate of the differences.

#include <autodiff/numeric.hpp>

namespace fusecl::test {

/// Makes a graph with a scalar first root from a seed.
class random_graph {
 public:
  explicit random_graph(std::uint64_t seed) : random_(seed) {
    rows_ = pick(1, 4);
    cols_ = pick(1, 4);
    const auto count = pick(1, 3);
    for (std::int64_t k = 0; k < count; ++k) add(matrix(rows_, cols_), whole);
    if (pick(0, 1)) add(matrix(rows_, 1), column);
    if (pick(0, 1)) add(matrix(1, cols_), row);
    const auto scalars = pick(0, 2);
    for (std::int64_t k = 0; k < scalars; ++k) add(result.scalar(real(-1.5, 1.5)), single);
    const auto steps = pick(2, 9);
    for (std::int64_t k = 0; k < steps; ++k) step();
    finish();
  }

  bound_graph result;

 private:
  enum shape { whole, column, row, single };
  struct value {
    ir::node_id id;
    shape form;
  };

  std::int64_t pick(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }
  double real(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }

  ir::node_id matrix(std::int64_t rows, std::int64_t cols) {
    std::vector<long double> elements(static_cast<std::size_t>(rows * cols));
    for (long double& x : elements) x = real(-2, 2);
    const auto views = rows == cols && rows > 1 && pick(0, 7) == 0;
    const matrix_cl_view view = views ? static_cast<matrix_cl_view>(pick(0, 2)) : matrix_cl_view::Entire;
    return result.matrix(rows, cols, elements, scalar_type::float64, view);
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
    const auto last = static_cast<std::int64_t>(fitting.size()) - 1;
    return fitting[static_cast<std::size_t>(std::max(pick(0, last), pick(0, last)))];
  }
  const value& anything() {
    return values_[static_cast<std::size_t>(pick(0, static_cast<std::int64_t>(values_.size()) - 1))];
  }

  template <class Op>
  ir::node_id make(ir::node_id a, ir::node_id b) {
    return result.g.apply(Op::record(), a, b);
  }
  ir::node_id number(double x) { return result.g.constant(scalar_type::float64, x); }

  /// x moved smoothly into [low, high], so that functions see their domain.
  ir::node_id into(ir::sample_interval domain, ir::node_id x) {
    const double low = std::max(domain.low, -3.0), high = std::min(domain.high, std::max(low + 1, 3.0));
    const double from = low + real(0.07, 0.13) * (high - low), to = high - real(0.07, 0.13) * (high - low);
    const ir::node_id unit = result.g.apply(op::inv_logit::record(), x);
    return make<op::add>(number(from), make<op::multiply>(number(to - from), unit));
  }

  void step() {
    switch (pick(0, 9)) {
      case 0: {
        const value v = anything();
        if (v.form == single) return;
        const auto to = pick(0, 2);
        const ir::axis axis = v.form == column || to == 2 ? ir::axis::all
                              : v.form == row             ? ir::axis::all
                              : to == 0                   ? ir::axis::row
                                                          : ir::axis::column;
        static const ir::operation* const kinds[] = {&op::sum::record(), &op::prod::record(),
                                                     &op::max::record(), &op::min::record()};
        const ir::node_id r = result.g.reduce(*kinds[pick(0, 3)], axis, v.id);
        add(r, axis == ir::axis::row ? column : axis == ir::axis::column ? row : single);
        return;
      }
      case 1: {
        const value v = anything();
        if (v.form == whole) return;
        add(result.g.broadcast(v.id, rows_symbol_, cols_symbol_), whole);
        return;
      }
      case 2: {  // a selection
        const shape form = anything().form;
        const value a = any_of(form), b = any_of(form), c = any_of(form);
        const ir::node_id operands[] = {make<op::less>(c.id, number(real(-1, 1))), a.id, b.id};
        add_combined(result.g.apply(op::select::record(), operands), {a.form, b.form, c.form});
        return;
      }
      default:
        break;
    }
    for (;;) {
      const auto all = ops::registry();
      const ir::operation& op =
          *all[static_cast<std::size_t>(pick(0, static_cast<std::int64_t>(all.size()) - 1))];
      const bool smooth = op.kind == ir::op_class::elementwise &&
                          (op.types == ir::type_rule::floating || op.types == ir::type_rule::arithmetic) &&
                          &op != &op::modulo::record() && &op != &op::integer_divide::record();
      bool differentiable = smooth;
      for (int k = 0; smooth && k < op.arity; ++k) differentiable = differentiable && !op.partials[k].empty();
      if (!differentiable) continue;
      const shape form = anything().form;
      ir::node_id operands[3];
      std::vector<shape> forms;
      const bool free = &op == &op::add::record() || &op == &op::subtract::record() ||
                        &op == &op::multiply::record() || &op == &op::negate::record();
      ir::sample_interval common = op.domain[0];
      for (int k = 1; k < op.arity; ++k)
        common = {std::max(common.low, op.domain[k].low), std::min(common.high, op.domain[k].high)};
      const bool repeat = pick(0, 4) == 0 && common.low < common.high;
      for (int k = 0; k < op.arity; ++k) {
        const value v = any_of(form);
        forms.push_back(repeat && k > 0 ? forms[0] : v.form);
        operands[k] = repeat && k > 0 ? operands[0]
                      : free          ? v.id
                                      : into(repeat ? common : op.domain[k], v.id);
      }
      add_combined(result.g.apply(op, operands), forms);
      return;
    }
  }
  void add_combined(ir::node_id id, const std::vector<shape>& forms) {
    shape form = single;
    for (shape f : forms)
      if (f != single) form = f;
    add(id, form);
  }

  /// A scalar that depends on the newest values of each shape, squashed so that sizes stay comparable.
  void finish() {
    ir::node_id root = number(0.25);
    for (std::size_t k = values_.size(); k-- > 0 && k + 3 >= values_.size();) {
      const ir::node_id tamed =
          result.g.apply(op::tanh::record(), make<op::multiply>(number(0.5), values_[k].id));
      const ir::node_id part =
          values_[k].form == single ? tamed : result.g.reduce(op::sum::record(), ir::axis::all, tamed);
      root = make<op::add>(root, make<op::multiply>(number(real(0.5, 1.5)), part));
    }
    result.g.roots = {root};
    result.g = passes::merge_and_prune(result.g);
  }

  std::mt19937_64 random_;
  std::int64_t rows_, cols_;
  ir::extent rows_symbol_ = ir::one, cols_symbol_ = ir::one;
  std::vector<value> values_;
};

}  // namespace fusecl::test
