// Differentiation of graphs on the host: shapes, broadcasts, reductions, ties, views, casts, repeats, second
// derivatives. Each is compared with differences, with forward accumulation and after the passes.

#include <autodiff/numeric.hpp>

namespace fusecl {
namespace {

using namespace test;
using ir::axis, ir::node_id;

const list_of<long double> six = {0.5L, -1.25L, 2, 0.75L, -0.3L, 1.1L};
const list_of<long double> other_six = {1.5L, 0.25L, -2, 1.75L, 0.6L, -1.4L};

node_id apply(bound_graph& b, const ir::operation& op, node_id x) { return b.g.apply(op, x); }
template <class Op>
node_id make(bound_graph& b, node_id x) {
  return apply(b, Op::record(), x);
}
template <class Op>
node_id make(bound_graph& b, node_id x, node_id y) {
  return b.g.apply(Op::record(), x, y);
}
node_id select(bound_graph& b, node_id c, node_id x, node_id y) {
  const node_id operands[] = {c, x, y};
  return b.g.apply(op::select::record(), operands);
}
node_id total(bound_graph& b, node_id x) { return b.g.reduce(op::sum::record(), axis::all, x); }

/// The sum of x weighted by fixed numbers, so that no two elements have the same adjoint.
node_id weighted(bound_graph& b, node_id x, std::int64_t rows, std::int64_t cols) {
  node_id w = b.g.constant(scalar_type::float64, 0.375);
  if (rows * cols != 1) {
    const ir::node n = b.g[x];  // the next calls add nodes
    const node_id i = b.g.row_index(n.rows, n.cols), j = b.g.col_index(n.rows, n.cols);
    w = make<op::add>(b, make<op::multiply>(b, b.g.constant(scalar_type::float64, 0.3), i),
                      make<op::subtract>(b, b.g.constant(scalar_type::float64, 1.1), j));
  }
  return total(b, make<op::multiply>(b, x, w));
}

TEST(Differentiate, ReductionsOfEveryKindAndDirection) {
  for (const ir::operation* op :
       {&op::sum::record(), &op::prod::record(), &op::max::record(), &op::min::record()})
    for (axis direction : {axis::row, axis::column, axis::all}) {
      bound_graph b;
      const node_id x = b.matrix(2, 3, six);
      const node_id r = b.g.reduce(*op, direction, make<op::multiply>(b, x, x));
      b.g.roots = {weighted(b, r, direction == axis::row ? 2 : 1, direction == axis::column ? 3 : 1)};
      expect_derivatives(b);
    }
}

TEST(Differentiate, BroadcastsOfRowsColumnsAndElements) {
  for (int kind = 0; kind < 3; ++kind) {
    bound_graph b;
    const node_id x = b.matrix(2, 3, six);
    node_id v;
    if (kind == 0) {
      v = b.matrix(2, 1, {0.2L, -0.7L});
      b.g.unify(ir::one, b.g[v].cols);
    } else if (kind == 1) {
      v = b.matrix(1, 3, {0.2L, -0.7L, 0.4L});
      b.g.unify(ir::one, b.g[v].rows);
    } else {
      v = b.matrix(1, 1, {0.2L});
      b.g.unify(ir::one, b.g[v].rows);
      b.g.unify(ir::one, b.g[v].cols);
    }
    // the interpreter reads the shape from the nodes, which a copy resolves
    b.g.roots = {v};
    const node_id wide = b.g.broadcast(v, b.g[x].rows, b.g[x].cols);
    b.g.roots = {weighted(b, make<op::exp>(b, make<op::multiply>(b, wide, x)), 2, 3)};
    b.g = passes::merge_and_prune(b.g);
    expect_derivatives(b);
  }
}

TEST(Differentiate, ColumnsOfReductionsAreBroadcastBack) {
  for (axis direction : {axis::row, axis::column, axis::all}) {  // softmax
    bound_graph b;
    const node_id x = b.matrix(2, 3, six);
    const auto spread = [&](node_id r) { return b.g.broadcast(r, b.g[x].rows, b.g[x].cols); };
    const node_id shifted =
        make<op::exp>(b, make<op::subtract>(b, x, spread(b.g.reduce(op::max::record(), direction, x))));
    const node_id soft =
        make<op::divide>(b, shifted, spread(b.g.reduce(op::sum::record(), direction, shifted)));
    b.g.roots = {weighted(b, soft, 2, 3)};
    expect_derivatives(b);
  }
}

TEST(Differentiate, ScalarsAndMatricesInOneOperation) {
  bound_graph b;
  const node_id x = b.matrix(2, 3, six), c = b.scalar(0.8L), d = b.scalar(-0.4L);
  const node_id cd = make<op::multiply>(b, c, d);
  const node_id body =
      make<op::add>(b, make<op::multiply>(b, cd, x), make<op::exp>(b, make<op::add>(b, c, x)));
  b.g.roots = {make<op::divide>(b, weighted(b, body, 2, 3), make<op::add>(b, make<op::square>(b, d), c))};
  expect_derivatives(b);
}

TEST(Differentiate, VariablesThatAreNotUsedGetZero) {
  bound_graph b;
  const node_id x = b.matrix(2, 3, six);
  b.matrix(2, 3, other_six);
  b.scalar(3);
  b.g.roots = {total(b, make<op::sin>(b, x))};
  expect_derivatives(b);
}

TEST(Differentiate, AConstantRootHasZeroDerivatives) {
  bound_graph b;
  b.matrix(2, 3, six);
  b.g.roots = {b.g.constant(scalar_type::float64, 4)};
  expect_derivatives(b);
}

TEST(Differentiate, ProductsWithZeros) {
  const list_of<list_of<long double>> cases = {{2, 3, 5, 7}, {2, 0, 5, 7}, {2, 0, 0, 7}, {0, 0, 0, 0}};
  const list_of<list_of<long double>> wanted = {{105, 70, 42, 30}, {0, 70, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}};
  for (std::size_t k = 0; k < cases.size(); ++k) {
    bound_graph b;
    const node_id x = b.matrix(4, 1, cases[k]);
    b.g.roots = {b.g.reduce(op::prod::record(), axis::all, x)};
    expect_derivatives(b);
    EXPECT_EQ(derivative_in(passes::differentiate(b.g, {{true, 0}}), b.values, 1, 4), wanted[k]);
  }
}

TEST(Differentiate, TiesShareTheAdjointEqually) {
  for (const ir::operation* op : {&op::max::record(), &op::min::record()})
    for (axis direction : {axis::row, axis::column, axis::all}) {
      bound_graph b;
      const node_id x = b.matrix(2, 2, {3, 3, 3, 3});
      b.g.roots = {total(b, b.g.reduce(*op, direction, x))};
      expect_derivatives(b, 0, false);
      const long double each = direction == axis::all ? 0.25L : 0.5L;
      EXPECT_EQ(derivative_in(passes::differentiate(b.g, {{true, 0}}), b.values, 1, 4),
                (list_of<long double>{each, each, each, each}));
    }
}

TEST(Differentiate, BranchesThatAreNotTakenDoNotSpoilTheOthers) {
  bound_graph b;
  const node_id x = b.matrix(4, 1, {0, -1, 2, 0.5L});
  const node_id zero = b.g.constant(scalar_type::float64, 0);
  const node_id positive = make<op::greater>(b, x, zero);
  const node_id guarded = select(b, positive, make<op::multiply>(b, x, make<op::log>(b, x)), zero);
  const node_id root = select(b, positive, make<op::negate>(b, make<op::sqrt>(b, x)), zero);
  b.g.roots = {total(b, make<op::add>(b, guarded, root))};
  const auto got = derivative_in(passes::differentiate(b.g, {{true, 0}}), b.values, 1, 4);
  EXPECT_EQ(got[0], 0);
  EXPECT_EQ(got[1], 0);
  EXPECT_NEAR(static_cast<double>(got[2]), std::log(2.0) + 1 - 0.5 / std::sqrt(2.0), 1e-14);
  EXPECT_NEAR(static_cast<double>(got[3]), std::log(0.5) + 1 - 0.5 / std::sqrt(0.5), 1e-14);
}

TEST(Differentiate, SelectAndComparisons) {
  bound_graph b;
  const node_id x = b.matrix(2, 3, six), y = b.matrix(2, 3, other_six), c = b.scalar(0.3L);
  const node_id chosen = select(b, make<op::less>(b, x, y), make<op::exp>(b, x), make<op::multiply>(b, y, c));
  const node_id indicator = make<op::multiply>(b, make<op::greater>(b, x, c), y);
  b.g.roots = {weighted(b, make<op::add>(b, chosen, indicator), 2, 3)};
  expect_derivatives(b);
}

TEST(Differentiate, CastsKeepFloatingAdjointsOnly) {
  bound_graph b;
  const node_id x = b.matrix(2, 3, six);
  const node_id whole = b.g.cast(scalar_type::int32, x);
  b.g.roots = {weighted(b, make<op::multiply>(b, x, whole), 2, 3)};
  const auto got = derivative_in(passes::differentiate(b.g, {{true, 0}}), b.values, 1, 6);
  EXPECT_EQ(got[0], 0);
  EXPECT_NEAR(static_cast<double>(got[2]), 2 * 0.1, 1e-12);
  bound_graph mixed;  // a float variable in a double expression
  const node_id f = mixed.matrix(2, 3, six, scalar_type::float32);
  mixed.g.roots = {total(mixed, make<op::multiply>(mixed, f, mixed.matrix(2, 3, other_six)))};
  const ir::graph d = passes::differentiate(mixed.g, mixed.variables());
  EXPECT_EQ(d[d.roots[1]].type, scalar_type::float32);
  EXPECT_EQ(d[d.roots[2]].type, scalar_type::float64);
  EXPECT_EQ(derivative_in(d, mixed.values, 1, 6)[1], ir::rounded(scalar_type::float32, 0.25L));
}

TEST(Differentiate, NothingOutsideOfTheView) {
  const list_of<long double> nine = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  for (matrix_cl_view view : {matrix_cl_view::Lower, matrix_cl_view::Upper, matrix_cl_view::Diagonal}) {
    bound_graph b;
    const node_id x = b.matrix(3, 3, nine, scalar_type::float64, view);
    b.g.roots = {weighted(
        b, make<op::exp>(b, make<op::multiply>(b, b.g.constant(scalar_type::float64, 0.1), x)), 3, 3)};
    expect_derivatives(b);
    const auto got = derivative_in(passes::differentiate(b.g, {{true, 0}}), b.values, 1, 9);
    EXPECT_EQ(got[1] != 0, view == matrix_cl_view::Lower);
    EXPECT_EQ(got[3] != 0, view == matrix_cl_view::Upper);
    EXPECT_NE(got[0], 0);
  }
}

TEST(Differentiate, RepeatedOperandsOfEveryBinaryFunction) {
  for (const ir::operation* op : ops::registry()) {
    if (op->kind != ir::op_class::elementwise || op->arity != 2 || op->types != ir::type_rule::floating)
      continue;
    const double low = std::max(op->domain[0].low, op->domain[1].low);
    const double high = std::min(op->domain[0].high, op->domain[1].high);
    if (!(low < high)) continue;
    bound_graph b;
    const long double d = high - low;
    const node_id x = b.matrix(2, 2, {low + 0.31L * d, low + 0.52L * d, low + 0.73L * d, low + 0.9L * d});
    b.g.roots = {weighted(b, b.g.apply(*op, x, x), 2, 2)};
    // at a kink differences see the same sum as the convention gives
    expect_derivatives(b, 1e-6L, op != &op::fmod::record() && op != &op::fdim::record());
  }
}

TEST(Differentiate, EmptyAndSingleMatrices) {
  for (std::int64_t n : {0, 1}) {
    bound_graph b;
    const node_id x = b.matrix(n, n, list_of<long double>(static_cast<std::size_t>(n * n), 0.6L));
    const node_id c = b.scalar(0.5L);
    b.g.roots = {make<op::add>(b, total(b, make<op::exp>(b, make<op::multiply>(b, c, x))), c)};
    expect_derivatives(b);
  }
}

/// The Hessian of the first root, one row a differentiation of one element of the gradient.
list_of<list_of<long double>> hessian(const bound_graph& b, std::size_t count) {
  list_of<list_of<long double>> rows;
  for (std::size_t at = 0; at < count; ++at) {
    bound_graph selected = b;
    ir::graph gradient = passes::differentiate(b.g, {{true, 0}});
    selected.g = gradient;
    list_of<long double> unit(count);
    unit[at] = 1;
    const auto& m = b.values.matrices[0];
    const node_id e = selected.matrix(m.rows, m.cols, unit);
    selected.g.roots = {total(selected, make<op::multiply>(selected, e, gradient.roots[1]))};
    rows.push_back(derivative_in(passes::run_pipeline(passes::differentiate(selected.g, {{true, 0}})),
                                 selected.values, 1, count));
    // forward over reverse gives the same column
    bound_graph moved = b;
    moved.g = gradient;
    const node_id direction = moved.matrix(m.rows, m.cols, unit);
    const auto product = derivative_in(passes::forward_differentiate(moved.g, {{true, 0}}, {direction}),
                                       moved.values, 3, count);
    for (std::size_t k = 0; k < count; ++k)
      EXPECT_NEAR(static_cast<double>(product[k]), static_cast<double>(rows[at][k]),
                  static_cast<double>(1e-11L * (1 + std::fabs(product[k]))));
  }
  return rows;
}

TEST(Differentiate, SecondDerivatives) {
  for (int kind = 0; kind < 5; ++kind) {
    bound_graph b;
    const node_id x = b.matrix(2, 3, six);
    if (kind == 0) b.g.roots = {make<op::log>(b, total(b, make<op::exp>(b, x)))};
    if (kind == 1) b.g.roots = {b.g.reduce(op::prod::record(), axis::all, x)};
    if (kind == 2)
      b.g.roots = {
          total(b, make<op::square>(b, b.g.reduce(op::sum::record(), axis::row, make<op::sin>(b, x))))};
    if (kind == 3) b.g.roots = {total(b, make<op::lgamma>(b, make<op::exp>(b, x)))};
    if (kind == 4)
      b.g.roots = {
          total(b, make<op::square>(b, b.g.reduce(op::max::record(), axis::column, make<op::square>(b, x))))};
    const auto h = hessian(b, 6);
    for (std::size_t i = 0; i < 6; ++i)
      for (std::size_t j = 0; j < 6; ++j) {
        EXPECT_NEAR(static_cast<double>(h[i][j]), static_cast<double>(h[j][i]), 1e-11) << kind;
        bound_graph g = b;  // differences of the gradient
        g.g = passes::differentiate(b.g, {{true, 0}});
        long double& at = g.values.matrices[0].values[j];
        const long double start = at;
        const estimate wanted = derivative_of(
            [&](long double moved) {
              at = moved;
              return derivative_in(g.g, g.values, 1, 6)[i];
            },
            start, 0x1p-10L);
        EXPECT_NEAR(static_cast<double>(h[i][j]), static_cast<double>(wanted.value), 1e-7)
            << kind << " " << i << " " << j;
      }
  }
}

TEST(Differentiate, AProductWithOneZeroHasItsSecondDerivatives) {
  bound_graph b;
  const node_id x = b.matrix(3, 1, {2, 0, 5});
  b.g.roots = {b.g.reduce(op::prod::record(), axis::all, x)};
  const auto h = hessian(b, 3);
  const list_of<list_of<long double>> wanted = {{0, 5, 0}, {5, 0, 2}, {0, 2, 0}};
  EXPECT_EQ(h, wanted);
}

TEST(Differentiate, AnOperationWithoutDerivativeIsNamed) {
  static constexpr ir::operation nameless_slope{.name = "steps",
                                                .kind = ir::op_class::elementwise,
                                                .arity = 1,
                                                .types = ir::type_rule::floating,
                                                .opencl = "floor($0)",
                                                .precedence = 16};
  bound_graph b;
  b.g.roots = {total(b, b.g.apply(nameless_slope, b.matrix(2, 3, six)))};
  try {
    passes::differentiate(b.g, {{true, 0}});
    FAIL() << "no exception";
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("steps"), std::string::npos) << e.what();
  }
  // where its operands are data nobody minds
  bound_graph data;
  const node_id x = data.matrix(2, 3, six), y = data.matrix(2, 3, {1, 2, 3, 4, 5, 6});
  data.g.roots = {total(data, make<op::multiply>(data, x, data.g.apply(nameless_slope, y)))};
  EXPECT_NO_THROW(passes::differentiate(data.g, {{true, 0}}));
}

/// A number in two places of a density: its derivative is one sum over what both give, which is a sum besides
/// where one of them is there anyway or follows from data.
TEST(Differentiate, AVariableInSeveralPlacesHasOneReduction) {
  const auto reductions = [](bool of_data) {
    bound_graph b;
    const node_id x = b.matrix(2, 3, six), y = b.matrix(2, 3, other_six), p = b.scalar(0.4L);
    const node_id first =
        of_data ? make<op::multiply>(b, y, p) : make<op::exp>(b, make<op::multiply>(b, x, p));
    b.g.roots = {make<op::add>(b, total(b, first), total(b, make<op::sin>(b, make<op::add>(b, x, p))))};
    expect_derivatives(b);
    const ir::graph gradient = passes::run_pipeline(passes::differentiate(b.g, {{false, 0}}, ir::no_node));
    std::size_t count = 0;
    for (node_id id = 0; id < gradient.size(); ++id)
      count += gradient[id].op->kind == ir::op_class::reduction;
    return count;
  };
  EXPECT_EQ(reductions(false), 3u);
  EXPECT_EQ(reductions(true), 4u);
}

TEST(Differentiate, DataCostsNothing) {
  bound_graph b;
  const node_id x = b.matrix(2, 3, six), y = b.matrix(2, 3, {1, 2, 3, 4, 5, 6});
  const node_id heavy = make<op::lgamma>(b, make<op::add>(b, y, b.g.constant(scalar_type::float64, 1)));
  b.g.roots = {total(b, make<op::subtract>(b, make<op::exp>(b, x), heavy))};
  const ir::graph d = passes::run_pipeline(passes::differentiate(b.g, {{true, 0}}));
  for (node_id id = 0; id < d.size(); ++id) {
    EXPECT_NE(d[id].op, &op::digamma::record());
    // exp(x) is the value and its own derivative: the one exponential is shared
  }
  int exponentials = 0;
  for (node_id id = 0; id < d.size(); ++id) exponentials += d[id].op == &op::exp::record();
  EXPECT_EQ(exponentials, 1) << to_string(d);
}

TEST(Differentiate, WhatOneOfTwoBranchesReachesEverywhereNeedsNoCondition) {
  // x is left out by one selection where y is 1, by another where z is the constant
  const auto conditions = [](bool of_one_value, double constant) {
    bound_graph b;
    const node_id x = b.matrix(2, 3, six), y = b.matrix(2, 3, {1, 2, 3, 1, 2, 3}),
                  z = of_one_value ? y : b.matrix(2, 3, {3, 1, 2, 2, 1, 2});
    const auto left_out = [&](node_id label, double k, node_id value) {
      const node_id constant = b.g.constant(scalar_type::float64, k);
      return select(b, make<op::equal>(b, label, constant), b.g.constant(scalar_type::float64, 0), value);
    };
    const node_id e = make<op::exp>(b, x);
    b.g.roots = {weighted(
        b, make<op::add>(b, left_out(y, 1, e), left_out(z, constant, make<op::multiply>(b, e, e))), 2, 3)};
    expect_derivatives(b);
    const ir::graph gradient = passes::run_pipeline(passes::differentiate(b.g, {{true, 0}}));
    int count = 0;
    for (node_id id = 0; id < gradient.size(); ++id) count += gradient[id].is(op::logical_or::record());
    return count;
  };
  EXPECT_EQ(conditions(true, 2), 0);
  EXPECT_EQ(conditions(true, 1), 0);  // one condition
  EXPECT_GT(conditions(false, 2), 0);
}

TEST(Differentiate, BranchesOfAConditionAndOfItsOppositeReachEverywhere) {
  bound_graph b;
  const node_id x = b.matrix(2, 3, six), y = b.matrix(2, 3, {1, 2, 3, 1, 2, 3}),
                zero = b.g.constant(scalar_type::float64, 0);
  const node_id is_one = make<op::equal>(b, y, b.g.constant(scalar_type::float64, 1)),
                e = make<op::exp>(b, x);
  const node_id both =
      make<op::add>(b, select(b, is_one, e, zero), select(b, is_one, zero, make<op::multiply>(b, e, e)));
  b.g.roots = {weighted(b, both, 2, 3)};
  expect_derivatives(b);
  const ir::graph gradient = passes::run_pipeline(passes::differentiate(b.g, {{true, 0}}));
  for (node_id id = 0; id < gradient.size(); ++id)
    EXPECT_FALSE(gradient[id].is(op::logical_or::record()) || gradient[id].is(op::logical_not::record()));
}

}  // namespace
}  // namespace fusecl
