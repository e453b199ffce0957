// The graph: value numbering, types and extents of nodes, text and pictures, and the checks of verify.

#include <gtest/gtest.h>

#include "sample_graph.hpp"

namespace fusecl {
namespace {

using namespace test;
using ir::node_id;

TEST(ValueNumbering, EqualNodesAreOneNode) {
  sample_graph g;
  const node_id first = g.make<op::exp>(g.x(0));
  EXPECT_EQ(g.make<op::exp>(g.x(0)), first);
  EXPECT_EQ(g.ir::graph::size(), 2);
}

TEST(ValueNumbering, OperandsOfCommutativeOperationsHaveNoOrder) {
  sample_graph g;
  EXPECT_EQ(g.make<op::add>(g.x(0), g.x(1)), g.make<op::add>(g.x(1), g.x(0)));
  EXPECT_EQ(g.make<op::multiply>(g.x(0), g.x(1)), g.make<op::multiply>(g.x(1), g.x(0)));
}

TEST(ValueNumbering, OperandsOfOtherOperationsKeepTheirOrder) {
  sample_graph g;
  EXPECT_NE(g.make<op::subtract>(g.x(0), g.x(1)), g.make<op::subtract>(g.x(1), g.x(0)));
  EXPECT_NE(g.make<op::less>(g.x(0), g.x(1)), g.make<op::less>(g.x(1), g.x(0)));
}

TEST(ValueNumbering, EveryPayloadTellsNodesApart) {
  sample_graph g;
  EXPECT_NE(g.x(0), g.x(1));
  EXPECT_NE(g.number(1), g.number(2));
  EXPECT_NE(g.number(0.0), g.number(-0.0));
  EXPECT_NE(g.number(1), g.number(1, scalar_type::float32));
  EXPECT_NE(g.scalar(scalar_type::float64, 0), g.scalar(scalar_type::float64, 1));
  EXPECT_NE(g.reduce(op::sum::record(), ir::axis::row, g.x(0)),
            g.reduce(op::sum::record(), ir::axis::all, g.x(0)));
  EXPECT_NE(g.reduce(op::sum::record(), ir::axis::row, g.x(0)),
            g.reduce(op::max::record(), ir::axis::row, g.x(0)));
}

TEST(ValueNumbering, BroadcastsOfDifferentExtentsAreDifferent) {
  sample_graph g;
  EXPECT_NE(g.broadcast(g.x(0), 4, 5), g.broadcast(g.x(0), 4, 6));
  EXPECT_EQ(g.broadcast(g.x(0), 4, 5), g.broadcast(g.x(0), 4, 5));
  EXPECT_NE(g.row_index(4, 5), g.row_index(5, 4));
}

TEST(ValueNumbering, TwelveSquaringsAreTwelveNodes) {
  sample_graph g;
  node_id level = g.x(0);
  for (int k = 0; k < 12; ++k) level = g.make<op::multiply>(level, level);
  EXPECT_EQ(g.ir::graph::size(), 13);
}

TEST(Types, OperandsAreConvertedAsTheRecordSays) {
  sample_graph g;
  const node_id sum = g.make<op::add>(g.x(0, scalar_type::int32), g.x(1, scalar_type::float32));
  EXPECT_EQ(g[sum].type, scalar_type::float32);
  EXPECT_TRUE(g[g[sum].operands[0]].is(ir::leaf_operations::cast) ||
              g[g[sum].operands[1]].is(ir::leaf_operations::cast));
  EXPECT_EQ(g[g.make<op::exp>(g.x(0, scalar_type::int32))].type, scalar_type::float64);
  EXPECT_EQ(g[g.make<op::add>(g.x(2, scalar_type::boolean), g.x(2, scalar_type::boolean))].type,
            scalar_type::int32);
}

TEST(Types, AConstantIsConvertedAtOnce) {
  sample_graph g;
  const node_id narrow = g.cast(scalar_type::float32, g.number(0.1));
  EXPECT_TRUE(g[narrow].is(ir::leaf_operations::constant));
  EXPECT_EQ(g[narrow].value, static_cast<double>(0.1f));
}

TEST(Types, ACastToTheSameTypeIsNothing) {
  sample_graph g;
  EXPECT_EQ(g.cast(scalar_type::float64, g.x(0)), g.x(0));
}

TEST(Extents, OperandsOfOneOperationHaveTheSameSize) {
  sample_graph g;
  g.make<op::add>(g.x(0), g.x(1));
  EXPECT_EQ(g.resolve(0), g.resolve(2));
  EXPECT_EQ(g.resolve(1), g.resolve(3));
  EXPECT_NE(g.resolve(0), g.resolve(1));
}

TEST(Extents, EqualityIsTransitiveAndOneStandsForAll) {
  sample_graph g;
  g.unify(3, 5);
  g.unify(5, 7);
  EXPECT_EQ(g.resolve(7), g.resolve(3));
  g.unify(5, ir::one);
  for (ir::extent e : {3, 5, 7}) EXPECT_EQ(g.resolve(e), ir::one);
}

TEST(Extents, AScalarTakesTheSizeOfItsPartner) {
  sample_graph g;
  const node_id sum = g.make<op::add>(g.number(1), g.x(0));
  EXPECT_EQ(g[sum].rows, 0);
  EXPECT_EQ(g[sum].cols, 1);
}

TEST(Extents, AReductionKeepsTheExtentOfItsAxis) {
  sample_graph g;
  const auto shape = [&](ir::axis axis) {
    const ir::node& n = g[g.reduce(op::sum::record(), axis, g.x(0))];
    return std::pair(n.rows, n.cols);
  };
  EXPECT_EQ(shape(ir::axis::row), std::pair(0, ir::one));
  EXPECT_EQ(shape(ir::axis::column), std::pair(ir::one, 1));
  EXPECT_EQ(shape(ir::axis::all), std::pair(ir::one, ir::one));
}

TEST(Print, AFormulaHasTheParenthesesItNeeds) {
  sample_graph g;
  const node_id a = g.x(0), b = g.x(1), c = g.x(2);
  EXPECT_EQ(formula(g, g.make<op::multiply>(g.make<op::add>(a, b), c)), "x2 * (x0 + x1)");
  EXPECT_EQ(formula(g, g.make<op::subtract>(a, g.make<op::subtract>(b, c))), "x0 - (x1 - x2)");
  EXPECT_EQ(formula(g, g.make<op::subtract>(g.make<op::subtract>(a, b), c)), "x0 - x1 - x2");
  EXPECT_EQ(formula(g, g.make<op::negate>(g.make<op::add>(a, b))), "-(x0 + x1)");
  EXPECT_EQ(formula(g, g.make<op::exp>(g.make<op::add>(a, b))), "exp(x0 + x1)");
}

TEST(Print, AFormulaNamesFunctionsAsTheUserDoes) {
  sample_graph g;
  EXPECT_EQ(formula(g, g.make<op::log_inv_logit>(g.x(0))), "log_inv_logit(x0)");
  EXPECT_EQ(formula(g, g.make<op::log1m>(g.x(0))), "log1m(x0)");
  for (const ir::operation* op : ops::registry()) {
    const node_id operands[] = {g.x(0), g.x(1), g.x(2)};
    const node_id e = op->kind == ir::op_class::reduction ? g.reduce(*op, ir::axis::all, operands[0])
                      : op->kind == ir::op_class::scan    ? g.scan(*op, ir::axis::column, false, operands[0])
                                                          : g.apply(*op, operands);
    EXPECT_EQ(formula(g, e).find('$'), std::string::npos) << formula(g, e);
  }
}

TEST(Print, ALongFormulaIsCutShort) {
  sample_graph g;
  node_id level = g.x(0);
  for (int k = 0; k < 30; ++k) level = g.make<op::multiply>(level, level);
  const std::string text = formula(g, level, 100);
  EXPECT_LE(text.size(), 110u);
  EXPECT_EQ(text.substr(text.size() - 4), " ...");
}

TEST(Print, AGraphIsOneNodeALine) {
  sample_graph g;
  const node_id x = g.x(0, scalar_type::float64, matrix_cl_view::Lower);
  g.roots = {g.make<op::exp>(g.make<op::add>(x, g.number(1)))};
  EXPECT_EQ(to_string(g),
            "%0 = x0 : double[n0 x n1] Lower\n"
            "%1 = 1 : double\n"
            "%2 = add %0, %1 : double[n0 x n1]\n"
            "%3 = exp %2 : double[n0 x n1]\n"
            "result 0 = %3\n");
}

TEST(Print, APictureHasEveryNodeAndEdge) {
  sample_graph g;
  g.roots = {g.reduce(op::sum::record(), ir::axis::row, g.make<op::exp>(g.x(0)))};
  const std::string dot = to_dot(g);
  for (const char* part : {"digraph", "n0 [label=\"x0", "n1 [label=\"exp", "n2 [label=\"rowwise_sum",
                           "n0 -> n1", "n1 -> n2", "n2 -> result0"})
    EXPECT_NE(dot.find(part), std::string::npos) << part;
}

/// The message of verify for a graph with one more node, copied without the checks of `apply`.
std::string complaint(sample_graph& g, const ir::node& bad) {
  list_of<node_id> operands = bad.operands.ids();
  while (static_cast<int>(operands.size()) < ir::arity(bad)) operands.push_back(0);  // copy reads as many
  g.copy(bad, operands.data());
  try {
    verify(g);
  } catch (const std::logic_error& e) {
    return e.what();
  }
  return "";
}

TEST(Verify, AWellFormedGraphPasses) {
  sample_graph g;
  g.roots = {g.make<op::select>(g.make<op::less>(g.x(0), g.x(1)), g.x(0), g.number(1))};
  EXPECT_NO_THROW(verify(g));
}

TEST(Verify, AnOperandThatDoesNotPrecedeIsFound) {
  sample_graph g;
  const node_id x = g.x(0);
  EXPECT_EQ(complaint(g, {.op = &op::exp::record(), .operands = {x + 1}, .rows = 0, .cols = 1}),
            "graph: node %1 uses a node that does not precede it");
}

TEST(Verify, AMissingOperandIsFound) {
  sample_graph g;
  const node_id x = g.x(0);
  EXPECT_EQ(complaint(g, {.op = &op::add::record(), .operands = {x}, .rows = 0, .cols = 1}),
            "graph: node %1 has the wrong number of operands");
}

TEST(Verify, AnOperandTooManyIsFound) {
  sample_graph g;
  const node_id x = g.x(0);
  EXPECT_EQ(complaint(g, {.op = &op::exp::record(), .operands = {x, x}, .rows = 0, .cols = 1}),
            "graph: node %1 has the wrong number of operands");
}

TEST(Verify, OperandsOfOtherSizeAreFound) {
  sample_graph g;
  const node_id a = g.x(0), b = g.x(1);
  const ir::node bad{.op = &op::add::record(), .operands = {a, b}, .rows = 0, .cols = 1};
  EXPECT_EQ(complaint(g, bad), "graph: node %2 has rows unlike an operand");
  g.unify(0, 2);
  EXPECT_THROW(verify(g), std::logic_error);
  g.unify(1, 3);
  EXPECT_NO_THROW(verify(g));
}

TEST(Verify, MixedTypesAreFound) {
  sample_graph g;
  const node_id a = g.x(0, scalar_type::float32);
  EXPECT_EQ(complaint(g, {.op = &op::negate::record(), .operands = {a}, .rows = 0, .cols = 1}),
            "graph: node %1 mixes types");
}

TEST(Verify, AConditionThatIsNotBoolIsFound) {
  sample_graph g;
  const node_id a = g.x(0);
  EXPECT_EQ(complaint(g, {.op = &op::select::record(), .operands = {a, a, a}, .rows = 0, .cols = 1}),
            "graph: node %1 selects by a node that is not bool");
}

TEST(Verify, AResultThatDoesNotExistIsFound) {
  sample_graph g;
  g.x(0);
  g.roots = {1};
  EXPECT_THROW(verify(g), std::logic_error);
}

}  // namespace
}  // namespace fusecl
