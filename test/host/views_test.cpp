// Views: the lattice, and what a graph says of a result against values computed from random operands.

#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include <fusion/passes/pass.hpp>

#include "sample_graph.hpp"

namespace fusecl {
namespace {

using namespace test;
using ir::node_id;

constexpr matrix_cl_view views[] = {matrix_cl_view::Diagonal, matrix_cl_view::Lower, matrix_cl_view::Upper,
                                    matrix_cl_view::Entire};

TEST(View, EitherAndBothAreALattice) {
  for (auto a : views)
    for (auto b : views) {
      EXPECT_EQ(either(a, b), either(b, a));
      EXPECT_EQ(both(a, b), both(b, a));
      EXPECT_EQ(either(a, both(a, b)), a);
      EXPECT_EQ(both(a, either(a, b)), a);
      EXPECT_EQ(contains_nonzero(a, b), both(a, b) != matrix_cl_view::Diagonal);
      EXPECT_EQ(transpose(either(a, b)), either(transpose(a), transpose(b)));
    }
}

TEST(View, TransposeAndInvertAreInvolutions) {
  for (auto a : views) {
    EXPECT_EQ(transpose(transpose(a)), a);
    EXPECT_EQ(invert(invert(a)), a);
    EXPECT_EQ(either(a, invert(a)), matrix_cl_view::Entire);
  }
}

std::mt19937_64& generator() {
  static std::mt19937_64 engine(7);
  return engine;
}

/// Values over the domain of operand `k`, none of them zero.
list_of<long double> random_values(const ir::operation& op, int k) {
  std::uniform_real_distribution<double> draw(op.domain[k].low, op.domain[k].high);
  list_of<long double> values(sample_graph::size * sample_graph::size);
  for (long double& v : values) do
      v = draw(generator());
    while (std::fabs(v) < 0.01L);
  return values;
}

/// Smallest view that holds the non-zeros of a result; NaN and infinities count.
matrix_cl_view observed(const ir::host_matrix& m) {
  matrix_cl_view view = matrix_cl_view::Diagonal;
  for (std::int64_t j = 0; j < m.cols; ++j)
    for (std::int64_t i = 0; i < m.rows; ++i)
      if (i != j && m.values[static_cast<std::size_t>(i + j * m.rows)] != 0)
        view = either(view, i > j ? matrix_cl_view::Lower : matrix_cl_view::Upper);
  return view;
}

matrix_cl_view propagated(const ir::graph& g) { return g[g.roots[0]].view; }

matrix_cl_view observed(const ir::graph& g, list_of<list_of<long double>> values) {
  return observed(ir::interpret(g, square_bindings(std::move(values)))[static_cast<std::size_t>(g.roots[0])]);
}

/// Calls `check` with an operation applied to operands of every combination of views.
template <class Check>
void for_each_operation_and_views(Check check) {
  for (const ir::operation* op : ops::registry()) {
    if (op->kind != ir::op_class::elementwise) continue;
    for (int combination = 0; combination < 1 << 2 * op->arity; ++combination) {
      sample_graph g;
      node_id operands[3];
      list_of<list_of<long double>> values;
      for (int k = 0; k < op->arity; ++k) {
        const bool condition = op->types == ir::type_rule::selection && k == 0;
        const bool integers = op == &op::integer_divide::record() || op == &op::modulo::record();
        const scalar_type type = condition  ? scalar_type::boolean
                                 : integers ? scalar_type::int32
                                            : scalar_type::float64;
        operands[k] = g.x(k, type, views[combination >> 2 * k & 3]);
        values.push_back(random_values(*op, k));
        for (long double& v : values.back())
          if (integers) v = std::round(v);
      }
      g.roots = {g.apply(*op, operands)};
      SCOPED_TRACE(std::string(op->name) + ", views " + std::to_string(combination));
      check(*op, static_cast<const ir::graph&>(g), std::move(values));
    }
  }
}

TEST(PropagateViews, EveryZeroItFindsIsOne) {
  for_each_operation_and_views([](const ir::operation&, const ir::graph& g, auto values) {
    const matrix_cl_view seen = observed(g, std::move(values));
    EXPECT_EQ(both(propagated(g), seen), seen) << view_name(propagated(g)) << " lacks " << to_string(g);
  });
}

TEST(PropagateViews, ItFindsEveryZeroOfSumsAndProducts) {
  for_each_operation_and_views([](const ir::operation& op, const ir::graph& g, auto values) {
    const bool exact = &op == &op::add::record() || &op == &op::subtract::record() ||
                       &op == &op::multiply::record() || &op == &op::negate::record() ||
                       &op == &op::square::record() || &op == &op::sqrt::record();
    if (exact) {
      EXPECT_EQ(propagated(g), observed(g, std::move(values)));
    }
  });
}

TEST(PropagateViews, SumsAreEitherAndProductsBoth) {
  for (auto a : views)
    for (auto b : views) {
      sample_graph g;
      const node_id x = g.x(0, scalar_type::float64, a), y = g.x(1, scalar_type::float64, b);
      g.roots = {g.make<op::add>(x, y)};
      EXPECT_EQ(propagated(g), either(a, b));
      g.roots = {g.make<op::multiply>(x, y)};
      EXPECT_EQ(propagated(g), both(a, b));
    }
}

TEST(PropagateViews, AScalarFillsASumAndKeepsAProduct) {
  sample_graph g;
  const node_id lower = g.x(0, scalar_type::float64, matrix_cl_view::Lower),
                s = g.scalar(scalar_type::float64, 0);
  g.roots = {g.make<op::add>(lower, s)};
  EXPECT_EQ(propagated(g), matrix_cl_view::Entire);
  g.roots = {g.make<op::multiply>(lower, s)};
  EXPECT_EQ(propagated(g), matrix_cl_view::Lower);
}

TEST(PropagateViews, ANumberThatIsZeroHidesNoNaN) {
  sample_graph g;
  g.roots = {g.make<op::multiply>(g.x(0), g.number(0))};
  EXPECT_EQ(propagated(g), matrix_cl_view::Entire);
  g.roots = {g.make<op::divide>(g.number(0), g.x(0))};
  EXPECT_EQ(propagated(g), matrix_cl_view::Entire);
}

TEST(PropagateViews, AQuotientKeepsItsNumeratorWhereTheDivisorIsNotZeroToo) {
  const auto quotient = [](matrix_cl_view a, matrix_cl_view b) {
    sample_graph g;
    g.roots = {g.make<op::divide>(g.x(0, scalar_type::float64, a), g.x(1, scalar_type::float64, b))};
    return propagated(g);
  };
  EXPECT_EQ(quotient(matrix_cl_view::Lower, matrix_cl_view::Entire), matrix_cl_view::Lower);
  EXPECT_EQ(quotient(matrix_cl_view::Lower, matrix_cl_view::Lower), matrix_cl_view::Entire);
  EXPECT_EQ(quotient(matrix_cl_view::Lower, matrix_cl_view::Upper), matrix_cl_view::Lower);
}

TEST(PropagateViews, CastsKeepAndReductionsAndBroadcastsFill) {
  sample_graph g;
  const node_id lower = g.x(0, scalar_type::float64, matrix_cl_view::Lower);
  g.roots = {g.cast(scalar_type::int32, lower)};
  EXPECT_EQ(propagated(g), matrix_cl_view::Lower);
  g.roots = {g.reduce(op::sum::record(), ir::axis::row, lower)};
  EXPECT_EQ(propagated(g), matrix_cl_view::Entire);
  g.roots = {g.broadcast(g.number(0), 0, 1)};
  EXPECT_EQ(propagated(g), matrix_cl_view::Entire);
}

/// A random expression over six operands with views, from operations whose values stay tame.
node_id random_expression(sample_graph& g, int depth) {
  const auto pick = [](int count) { return static_cast<int>(generator()() % static_cast<unsigned>(count)); };
  if (depth == 0) {
    const int slot = pick(6);
    return pick(8) == 0 ? g.number(pick(3) - 1) : g.x(slot, scalar_type::float64, views[slot % 4]);
  }
  const node_id a = random_expression(g, depth - 1);
  if (pick(4) == 0) {
    const ir::operation* unary[] = {&op::sin::record(),  &op::cos::record(),         &op::negate::record(),
                                    &op::fabs::record(), &op::logical_not::record(), &op::isnan::record(),
                                    &op::sign::record()};
    return g.apply(*unary[pick(7)], a);
  }
  const node_id b = random_expression(g, depth - 1);
  if (pick(8) == 0) return g.make<op::select>(g.make<op::less>(a, b), a, random_expression(g, depth - 1));
  const ir::operation* binary[] = {
      &op::add::record(),        &op::subtract::record(), &op::multiply::record(), &op::divide::record(),
      &op::fmax::record(),       &op::less::record(),     &op::equal::record(),    &op::logical_and::record(),
      &op::logical_or::record(), &op::copysign::record()};
  return g.apply(*binary[pick(10)], a, b);
}

/// Whether some value at this place is NaN: 0 / 0 where a divisor happens to be zero, which a view takes for
/// zero.
bool has_nan(const list_of<ir::host_matrix>& nodes, std::int64_t i, std::int64_t j) {
  return std::any_of(nodes.begin(), nodes.end(), [&](const ir::host_matrix& m) {
    return std::isnan(m.values[static_cast<std::size_t>(m.values.size() == 1 ? 0 : i + j * m.rows)]);
  });
}

TEST(PropagateViews, RandomExpressionsAreZeroWhereItSaysSo) {
  for (int k = 0; k < 2000; ++k) {
    sample_graph g;
    g.roots = {random_expression(g, 3)};
    list_of<list_of<long double>> values;
    for (int slot = 0; slot < 6; ++slot) values.push_back(random_values(op::add::record(), slot % 3));
    const list_of<ir::host_matrix> nodes = ir::interpret(g, square_bindings(values));
    const ir::host_matrix& result = nodes[static_cast<std::size_t>(g.roots[0])];
    const matrix_cl_view claimed = propagated(g);
    for (std::int64_t j = 0; j < result.cols; ++j)
      for (std::int64_t i = 0; i < result.rows; ++i) {
        const matrix_cl_view part = i > j ? matrix_cl_view::Lower : matrix_cl_view::Upper;
        if (i == j || contains_nonzero(claimed, part) || has_nan(nodes, i, j)) continue;
        const long double v = result.values[static_cast<std::size_t>(i + j * result.rows)];
        ASSERT_EQ(v, 0) << formula(g, g.roots[0]) << " at " << i << ", " << j << ", view "
                        << view_name(claimed);
      }
  }
}

}  // namespace
}  // namespace fusecl
