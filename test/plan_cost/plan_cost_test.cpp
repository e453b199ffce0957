// What plans and texts of long statements cost: as much a node as those of short ones. The cost is counted,
// not timed: this file is compiled so that each basic block that runs, of the library's too, calls
// count_blocks.hpp.

#include <utility>

#include <gtest/gtest.h>
#include <plan_cost/count_blocks.hpp>

#include <fusion/fusion.hpp>
#include <fusion/kinds/kinds.hpp>
#include <fusion/passes/differentiate.hpp>
#include <fusion/passes/pass.hpp>

namespace fusecl {
namespace {

using ir::graph, ir::node_id;

/// A graph with `n` of what its name says, over matrices x and y of n0 x n1.
class statement_of {
 public:
  explicit statement_of(int n) : n_(n) {
    g_.unify(x_extents, y_extents), g_.unify(x_extents + 1, y_extents + 1);
  }

  graph terms() {
    return one_sum([&](int k) { return times(k, k % 2 ? x_ : y_); });
  }
  graph shared_terms() {
    node_id a = x_, b = y_;
    for (int k = 0; k < n_; ++k)
      a = std::exchange(b, apply<op::add>(apply<op::exp>(a), apply<op::multiply>(a, b)));
    return of({b});
  }
  graph operands_from_the_last() {
    node_id sum = operand(n_);
    for (int k = n_; k-- > 0;) sum = apply<op::add>(operand(k), sum);
    return of({sum});
  }
  graph functions_of_each_other() {
    node_id value = x_;
    for (int k = 0; k < n_; ++k) value = k % 2 ? apply<op::exp>(value) : apply<op::tanh>(value);
    return of({value});
  }
  graph blocks() {
    return one_sum([&](int k) {
      ir::access_map map;
      map.row_by_i = map.col_by_j = 1;
      map.row_by_j = map.col_by_i = 0;
      map.row0.size = 20 + 2 * k, map.col0.size = 21 + 2 * k;
      return g_.access(op::access::record(), map, y_, 0, 1);
    });
  }
  graph results() {
    return each([&](int k) { return times(k, x_); });
  }
  graph results_of_each_other() {
    node_id value = x_;
    return each([&](int k) { return value = apply<op::add>(value, g_.scalar(scalar_type::float64, k)); });
  }
  graph results_of_many_shapes() {
    return each([&](int k) { return apply<op::exp>(operand(k)); });
  }
  graph sums() {
    return each([&](int k) { return reduced<op::sum>(ir::axis::all, times(k, x_)); });
  }
  graph sums_of_columns() {
    return each([&](int k) { return reduced<op::sum>(ir::axis::column, times(k, x_)); });
  }
  graph sums_of_transposed_rows() {
    return each([&](int k) {
      const ir::access_map map = ir::access_map::transpose();
      return reduced<op::sum>(ir::axis::row, g_.access(op::access::record(), map, times(k, x_), 1, 0));
    });
  }
  graph sum_of_sums_of_many_shapes() {
    return one_sum([&](int k) { return reduced<op::sum>(ir::axis::all, apply<op::exp>(operand(k))); });
  }
  graph functions_of_sums_of_rows() {
    return one_sum([&](int k) {
      return g_.broadcast(apply<op::exp>(reduced<op::sum>(ir::axis::row, times(k, x_))), 0, 1);
    });
  }
  graph sums_of_powers_of_rows() {
    return one_sum([&](int k) {
      const node_id e = times(k, x_), most = g_.broadcast(reduced<op::max>(ir::axis::row, e), 0, 1);
      return g_.broadcast(reduced<op::sum>(ir::axis::row, apply<op::exp>(apply<op::subtract>(e, most))), 0,
                          1);
    });
  }

 private:
  static constexpr ir::extent x_extents = 0, y_extents = 2;

  template <class Op>
  node_id apply(node_id a) {
    return g_.apply(Op::record(), a);
  }
  template <class Op>
  node_id apply(node_id a, node_id b) {
    return g_.apply(Op::record(), a, b);
  }
  template <class Op>
  node_id reduced(ir::axis axis, node_id a) {
    return g_.reduce(Op::record(), axis, a);
  }
  node_id times(int k, node_id a) { return apply<op::multiply>(g_.scalar(scalar_type::float64, k), a); }
  node_id operand(int k) {
    return g_.matrix(scalar_type::float64, 2 + k, 10 + 2 * k, 11 + 2 * k, matrix_cl_view::Entire);
  }
  graph of(list_of<node_id> roots) {
    g_.roots = std::move(roots);
    return std::move(g_);
  }
  template <class Term>
  graph one_sum(Term term) {
    node_id sum = x_;
    for (int k = 0; k < n_; ++k) sum = apply<op::add>(sum, term(k));
    return of({sum});
  }
  template <class Result>
  graph each(Result result) {
    list_of<node_id> roots;
    for (int k = 0; k < n_; ++k) roots.push_back(result(k));
    return of(std::move(roots));
  }

  int n_;
  graph g_;
  node_id x_ = g_.matrix(scalar_type::float64, 0, x_extents, x_extents + 1, matrix_cl_view::Entire);
  node_id y_ = g_.matrix(scalar_type::float64, 1, y_extents, y_extents + 1, matrix_cl_view::Entire);
};

/// The sum of all results and its derivatives by x and y.
graph with_gradient(graph g) {
  node_id sum = ir::no_node;
  for (node_id root : g.roots) {
    const node_id all = g.reduce(op::sum::record(), ir::axis::all, root);
    sum = sum == ir::no_node ? all : g.apply(op::add::record(), sum, all);
  }
  g.roots = {sum};
  list_of<passes::variable> variables;
  for (int number : {0, 1}) variables.push_back({.matrix = true, .number = number});
  return passes::differentiate(passes::ready_for_derivatives(g), variables);
}

/// Basic blocks that run from the graph as written to the texts of all kernels of all plans.
double blocks_to_make(const graph& written, schedule::device_form form, bool gradient) {
  const std::uint64_t start = test::blocks_run;
  const graph g = passes::run_pipeline(gradient ? with_gradient(written) : written);
  const std::vector<std::int64_t> extents(static_cast<std::size_t>(g.extents()) + 2, 1000);
  schedule::device_shape device;
  device.form = form;
  for (const schedule::plan& p : schedule::make_plans(g, form, extents.data(), extents.size()))
    for (std::size_t k = 0; k < p.steps.size(); ++k) {
      const int width = schedule::widest(p, p.steps[k], device);
      const schedule::geometry shape = kinds::shape({p, p.steps[k], device, extents, width});
      if (shape.groups >= 0) kinds::emit(p, k, shape);
    }
  return static_cast<double>(test::blocks_run - start);
}

class LongStatement : public testing::TestWithParam<graph (statement_of::*)()> {
 protected:
  void expect_cost_by_node(bool gradient) const {
    constexpr int few = 500, times = 4;
    constexpr double limit = 5;  // 16 is what grows with the square
    const graph short_one = (statement_of(few).*GetParam())(),
                long_one = (statement_of(times * few).*GetParam())();
    for (schedule::device_form form : {schedule::device_form::cpu, schedule::device_form::gpu}) {
      const double few_blocks = blocks_to_make(short_one, form, gradient),
                   many_blocks = blocks_to_make(long_one, form, gradient);
      EXPECT_GT(few_blocks, 100 * few) << "blocks are not counted";
      EXPECT_LT(many_blocks, limit * few_blocks) << (form == schedule::device_form::cpu ? "cpu" : "gpu");
    }
  }
};

TEST_P(LongStatement, CostsAsMuchANodeAsAShortOne) { expect_cost_by_node(false); }

TEST_P(LongStatement, CostsAsMuchANodeAsAShortOneWithItsGradient) { expect_cost_by_node(true); }

INSTANTIATE_TEST_SUITE_P(
    , LongStatement,
    testing::Values(&statement_of::terms, &statement_of::shared_terms, &statement_of::operands_from_the_last,
                    &statement_of::functions_of_each_other, &statement_of::blocks, &statement_of::results,
                    &statement_of::results_of_each_other, &statement_of::results_of_many_shapes,
                    &statement_of::sums, &statement_of::sums_of_columns,
                    &statement_of::sums_of_transposed_rows, &statement_of::sum_of_sums_of_many_shapes,
                    &statement_of::functions_of_sums_of_rows, &statement_of::sums_of_powers_of_rows));

}  // namespace
}  // namespace fusecl
