// The host interpreter, which every device test trusts, against closed forms.

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "sample_graph.hpp"

namespace fusecl {
namespace {

using namespace test;
using ir::node_id;

/// 1 ... 9, column by column.
list_of<long double> counting() { return {1, 2, 3, 4, 5, 6, 7, 8, 9}; }

list_of<long double> value(const ir::graph& g, node_id id, const ir::host_bindings& bindings) {
  return ir::interpret(g, bindings)[static_cast<std::size_t>(id)].values;
}

TEST(Rounded, ValuesTakeTheirType) {
  EXPECT_EQ(ir::rounded(scalar_type::boolean, 0.25L), 1);
  EXPECT_EQ(ir::rounded(scalar_type::int32, -2.75L), -2);
  EXPECT_EQ(ir::rounded(scalar_type::int32, 4294967297.0L), 1);
  EXPECT_EQ(ir::rounded(scalar_type::uint32, -1), 4294967295.0L);
  EXPECT_EQ(ir::rounded(scalar_type::float32, 0.1L), 0.1f);
  EXPECT_EQ(ir::rounded(scalar_type::float64, 0.1L), 0.1);
  EXPECT_EQ(ir::rounded(scalar_type::int64, 9007199254740993.0L), 9007199254740993.0L);
}

TEST(Interpret, ElementsComeFromTheSamePlace) {
  sample_graph g;
  const node_id e = g.make<op::subtract>(g.make<op::multiply>(g.x(0), g.x(0)), g.x(0));
  list_of<long double> expected;
  for (long double v : counting()) expected.push_back(v * v - v);
  EXPECT_EQ(value(g, e, square_bindings({counting()})), expected);
}

TEST(Interpret, EveryNodeRoundsToItsType) {
  sample_graph g;
  const node_id third =
      g.make<op::divide>(g.number(1, scalar_type::float32), g.number(3, scalar_type::float32));
  EXPECT_EQ(value(g, third, {})[0], 1.0f / 3.0f);
}

TEST(Interpret, IntegersWrapAndZeroDivisorsGiveZero) {
  sample_graph g;
  constexpr long double most = std::numeric_limits<int>::max(), least = std::numeric_limits<int>::min();
  const auto c = [&](long double v) { return g.constant(scalar_type::int32, static_cast<double>(v)); };
  EXPECT_EQ(value(g, g.make<op::add>(c(most), c(1)), {})[0], least);
  EXPECT_EQ(value(g, g.make<op::integer_divide>(c(7), c(-2)), {})[0], -3);
  EXPECT_EQ(value(g, g.make<op::integer_divide>(c(7), c(0)), {})[0], 0);
  EXPECT_EQ(value(g, g.make<op::integer_divide>(c(least), c(-1)), {})[0], least);
  EXPECT_EQ(value(g, g.make<op::modulo>(c(-7), c(3)), {})[0], -1);
  EXPECT_EQ(value(g, g.make<op::modulo>(c(7), c(0)), {})[0], 0);
  EXPECT_EQ(value(g, g.make<op::modulo>(c(least), c(-1)), {})[0], 0);
}

TEST(Interpret, PartsOutsideAViewAreZeroWhateverTheyHold) {
  const long double nan = std::numeric_limits<long double>::quiet_NaN();
  const auto seen = [&](matrix_cl_view view, list_of<long double> stored) {
    sample_graph g;
    const node_id x = g.x(0, scalar_type::float64, view);
    return value(g, x, square_bindings({std::move(stored)}));
  };
  using values = list_of<long double>;
  EXPECT_EQ(seen(matrix_cl_view::Lower, {1, 2, 3, nan, 5, 6, nan, nan, 9}),
            (values{1, 2, 3, 0, 5, 6, 0, 0, 9}));
  EXPECT_EQ(seen(matrix_cl_view::Upper, {1, nan, nan, 4, 5, nan, 7, 8, 9}),
            (values{1, 0, 0, 4, 5, 0, 7, 8, 9}));
  EXPECT_EQ(seen(matrix_cl_view::Diagonal, {1, nan, nan, nan, 5, nan, nan, nan, 9}),
            (values{1, 0, 0, 0, 5, 0, 0, 0, 9}));
}

TEST(Interpret, ReductionsRunAlongTheirAxis) {
  sample_graph g;
  const auto reduced = [&](const ir::operation& op, ir::axis axis) {
    return value(g, g.reduce(op, axis, g.x(0)), square_bindings({counting()}));
  };
  using values = list_of<long double>;
  EXPECT_EQ(reduced(op::sum::record(), ir::axis::row), (values{12, 15, 18}));
  EXPECT_EQ(reduced(op::sum::record(), ir::axis::column), (values{6, 15, 24}));
  EXPECT_EQ(reduced(op::sum::record(), ir::axis::all), (values{45}));
  EXPECT_EQ(reduced(op::prod::record(), ir::axis::all), (values{362880}));
  EXPECT_EQ(reduced(op::max::record(), ir::axis::row), (values{7, 8, 9}));
  EXPECT_EQ(reduced(op::min::record(), ir::axis::column), (values{1, 4, 7}));
}

TEST(Interpret, ReductionsOfNothingAreNeutral) {
  constexpr long double infinity = std::numeric_limits<long double>::infinity();
  const auto empty = [](const ir::operation& op, scalar_type type) {
    ir::graph g;
    const node_id r = g.reduce(op, ir::axis::all, g.matrix(type, 0, 0, 1, matrix_cl_view::Entire));
    return value(g, r, {{{0, 4, {}}}, {}, {0, 4}})[0];
  };
  EXPECT_EQ(empty(op::sum::record(), scalar_type::float64), 0);
  EXPECT_EQ(empty(op::prod::record(), scalar_type::float64), 1);
  EXPECT_EQ(empty(op::max::record(), scalar_type::float64), -infinity);
  EXPECT_EQ(empty(op::min::record(), scalar_type::float32), infinity);
  EXPECT_EQ(empty(op::max::record(), scalar_type::int32), std::numeric_limits<int>::min());
  EXPECT_EQ(empty(op::max::record(), scalar_type::uint32), 0);
  EXPECT_EQ(empty(op::min::record(), scalar_type::int64), std::numeric_limits<long>::max());
}

TEST(Interpret, ReductionsKeepNaN) {
  auto stored = counting();
  stored[4] = std::numeric_limits<long double>::quiet_NaN();
  for (const ir::operation* op :
       {&op::sum::record(), &op::prod::record(), &op::max::record(), &op::min::record()}) {
    sample_graph g;
    const auto rows = value(g, g.reduce(*op, ir::axis::row, g.x(0)), square_bindings({stored}));
    EXPECT_TRUE(std::isnan(rows[1])) << op->name;
    EXPECT_FALSE(std::isnan(rows[0]) || std::isnan(rows[2])) << op->name;
  }
}

TEST(Interpret, BroadcastsRepeatRowsAndColumns) {
  ir::graph g;
  const node_id row = g.matrix(scalar_type::float64, 0, ir::one, 1, matrix_cl_view::Entire);
  const node_id e = g.broadcast(row, 2, 1);
  EXPECT_EQ(value(g, e, {{{1, 3, {1, 2, 3}}}, {}, {1, 3, 2}}), (list_of<long double>{1, 1, 2, 2, 3, 3}));
}

TEST(Interpret, IndexMatricesCountFromZero) {
  ir::graph g;
  EXPECT_EQ(value(g, g.row_index(0, 1), {{}, {}, {2, 2}}), (list_of<long double>{0, 1, 0, 1}));
  EXPECT_EQ(value(g, g.col_index(0, 1), {{}, {}, {2, 2}}), (list_of<long double>{0, 0, 1, 1}));
}

TEST(Interpret, SelectAndLogicTakeAnyNonZeroAsTrue) {
  sample_graph g;
  const node_id picked = g.make<op::select>(g.number(0.5), g.number(3), g.number(4));
  EXPECT_EQ(value(g, picked, {})[0], 3);
  EXPECT_EQ(value(g, g.make<op::logical_and>(g.number(0.5), g.number(-2)), {})[0], 1);
}

TEST(Interpret, SizesOfFreeExtentsComeFromEqualOnes) {
  ir::graph g;
  const node_id e = g.broadcast(g.constant(scalar_type::float64, 7), 2, 3);
  g.unify(2, 0);
  g.unify(3, 1);
  EXPECT_EQ(ir::interpret(g, {{}, {}, {2, 3, -1, -1}})[static_cast<std::size_t>(e)].values.size(), 6u);
}

}  // namespace
}  // namespace fusecl
