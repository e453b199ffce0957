// The pass that moves accesses to the leaves: what is left of them, and that values stay the same.

#include <gtest/gtest.h>
#include <support/placeholder.hpp>

#include <fusion/fusion.hpp>
#include <fusion/ir/node_map.hpp>
#include <fusion/ops/derivatives.hpp>
#include <fusion/passes/pass.hpp>

namespace fusecl {
namespace {

using namespace test;

const placeholder<double> A(0, 5, 7), B(1, 7, 5), v(2, 5, 1), r(3, 1, 7);

/// The graph after the passes, pruned to its roots.
template <expression_like E>
ir::graph passed(const E& e) {
  return passes::run_pipeline(lowered(e).graph);
}

int accesses(const ir::graph& g) {
  int count = 0;
  for (ir::node_id id = 0; id < g.size(); ++id) count += g[id].op->kind == ir::op_class::access;
  return count;
}

template <expression_like E>
std::string formula_of(const E& e) {
  const ir::graph g = passed(e);
  return ir::formula(g, g.roots[0]);
}

TEST(SinkStructure, ATransposeOfATransposeDisappears) {
  EXPECT_EQ(accesses(passed(transpose(transpose(A)))), 0);
  EXPECT_EQ(accesses(passed(transpose(transpose(exp(A)) + B))), 1);
  EXPECT_EQ(accesses(passed(reverse(reverse(v)))), 0);
  EXPECT_EQ(accesses(passed(transpose(reverse(transpose(reverse(v)))))), 0);
}

TEST(SinkStructure, AccessesEndAtLeavesAndReductions) {
  const ir::graph g =
      passed(block_zero_based(transpose(exp(A) - rowwise_broadcast(rowwise_sum(A) + v)), 1, 0, 4, 3));
  for (ir::node_id id = 0; id < g.size(); ++id) {
    if (g[id].op->kind != ir::op_class::access) continue;
    const ir::node& base = g[ir::accessed(g, id)];
    EXPECT_TRUE(base.op->kind == ir::op_class::leaf || ir::is_collective(base)) << to_string(g);
  }
}

TEST(SinkStructure, AReductionOfATransposeRunsTheOtherWay) {
  EXPECT_EQ(formula_of(rowwise_sum(transpose(A))), "colwise_sum(x0)");
  EXPECT_EQ(formula_of(colwise_max(exp(transpose(A)))), "rowwise_max(exp(x0))");
  EXPECT_EQ(formula_of(sum(transpose(A))), "sum(x0)");
  EXPECT_EQ(formula_of(exp(transpose(rowwise_sum(A)))), "exp(rowwise_sum(x0))");
}

TEST(SinkStructure, ABlockOfABlockIsAChain) {
  EXPECT_EQ(formula_of(block_zero_based(A, 1, 2, 3, 4)), "x0[n2 + i, n3 + j]");
  EXPECT_EQ(accesses(passed(block_zero_based(block_zero_based(A, 1, 2, 3, 4), 0, 1, 2, 2))), 2);
  EXPECT_EQ(accesses(passed(transpose(block_zero_based(transpose(A), 1, 2, 3, 2)))), 1);
}

TEST(SinkStructure, AConstantIsTheSameEverywhere) {
  EXPECT_EQ(accesses(passed(transpose(constant(2.0, 3, 4)))), 0);
  EXPECT_EQ(accesses(passed(block_zero_based(rep_matrix(1.5, 9, 9), 2, 3, 4, 4))), 0);
}

TEST(SinkStructure, TheFirstElementsAreNotAllOfThem) {
  EXPECT_EQ(accesses(passed(transpose(diagonal(rep_matrix(r, 4))))), 1);
}

TEST(SinkStructure, ARowOfARepeatedRowIsThatRow) {
  EXPECT_EQ(formula_of(A + colwise_broadcast(row(rep_matrix(r, 4), 2))), "x0 + broadcast(x1)");
}

/// A product with what a view leaves out is zero, even with an infinite number, before and after the pass.
TEST(SinkStructure, WhatATransposeIsMadeOfKeepsItsView) {
  const placeholder<double> whole(0, 5, 5), triangle(1, 5, 5, matrix_cl_view::Lower);
  ir::graph g = lowered(select(whole > 0.5, triangle, whole)).graph;
  const ir::node given = g[g.roots[0]];
  const ir::node_id chosen =
      ops::choose(g, given.operands[0], given.operands[1], g.zero(scalar_type::float64));
  ASSERT_EQ(g[chosen].view, matrix_cl_view::Lower);
  const ir::node_id turned =
      g.access(op::access::record(), ir::access_map::transpose(), chosen, g[chosen].cols, g[chosen].rows);
  const ir::node_id factors[] = {turned, given.operands[2]};
  g.roots = {g.apply(op::multiply::record(), factors)};
  ASSERT_EQ(g[g.roots[0]].view, matrix_cl_view::Upper);
  const ir::graph after = passes::sink_structure(g);
  EXPECT_EQ(after[after.roots[0]].view, matrix_cl_view::Upper) << to_string(after);
}

}  // namespace
}  // namespace fusecl
