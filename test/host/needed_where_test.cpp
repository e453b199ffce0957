// Under which conditions values are looked at: the selections between them and what is wanted.

#include <gtest/gtest.h>

#include <fusion/ir/needed_where.hpp>

#include "sample_graph.hpp"

namespace fusecl {
namespace {

using namespace test;
using ir::node_id;

struct NeededWhere : ::testing::Test {
  sample_graph g;
  const node_id x = g.x(0), y = g.x(1), zero = g.number(0);
  const node_id is_positive = g.make<op::greater>(x, zero), is_small = g.make<op::less>(y, zero);
  const node_id e = g.make<op::exp>(x);

  /// Conditions of a value, with those that must not hold in brackets.
  std::string guards(std::initializer_list<node_id> wanted, node_id of) {
    const auto stop = [](node_id) { return false; };
    const std::span<const node_id> ids(wanted.begin(), wanted.size());
    const auto all = ir::needed_where(g, ir::reachable(g, ids, stop), ids, stop);
    std::string text;
    const ir::node_guards* own = all.find(of);
    for (int k = 0; own && k < own->count; ++k) {
      const char* name = own->of[k].condition == is_positive ? "positive" : "small";
      text += own->of[k].holds ? std::string(name) : "(" + std::string(name) + ")";
    }
    return text;
  }
};

TEST_F(NeededWhere, ASelectionGuardsWhatItsBranchesAreMadeOf) {
  const node_id log_x = g.make<op::log>(x);
  const node_id s = g.make<op::select>(is_positive, log_x, e);
  EXPECT_EQ(guards({s}, log_x), "positive");
  EXPECT_EQ(guards({s}, e), "(positive)");
  EXPECT_EQ(guards({s}, s), "");
  EXPECT_EQ(guards({s}, is_positive), "");
  EXPECT_EQ(guards({s}, x), "") << "the condition reads it";
}

TEST_F(NeededWhere, SelectionsWithinBranchesAddTheirs) {
  const node_id twice = g.make<op::sqrt>(e);
  const node_id inner = g.make<op::select>(is_small, twice, y);
  const node_id s = g.make<op::select>(is_positive, inner, zero);
  EXPECT_EQ(guards({s}, inner), "positive");
  EXPECT_EQ(guards({s}, twice), "positivesmall");
  EXPECT_EQ(guards({s}, e), "positivesmall");
}

TEST_F(NeededWhere, OneOtherUseIsEnoughForNone) {
  const node_id s = g.make<op::select>(is_positive, e, zero);
  EXPECT_EQ(guards({s, e}, e), "") << "it is wanted by itself";
  EXPECT_EQ(guards({e, s}, e), "");
  EXPECT_EQ(guards({s, g.make<op::sqrt>(e)}, e), "") << "by way of another value";
  EXPECT_EQ(guards({g.make<op::select>(is_positive, e, g.make<op::sqrt>(e))}, e), "") << "in both branches";
  EXPECT_EQ(guards({g.make<op::select>(g.make<op::greater>(e, zero), e, zero)}, e), "") << "in the condition";
}

TEST_F(NeededWhere, UsesUnderOneConditionShareIt) {
  const node_id a = g.make<op::select>(is_positive, g.make<op::select>(is_small, e, zero), zero);
  const node_id b = g.make<op::select>(is_small, zero, g.make<op::select>(is_positive, e, zero));
  EXPECT_EQ(guards({a, b}, e), "positive");
}

TEST_F(NeededWhere, WhatIsGivenIsNotEntered) {
  const node_id root = g.make<op::sqrt>(e), s = g.make<op::select>(is_positive, root, zero);
  const node_id wanted[] = {s};
  const auto stop = [&](node_id id) { return id == root; };
  const auto all = ir::needed_where(g, ir::reachable(g, wanted, stop), wanted, stop);
  EXPECT_EQ(all.find(root)->count, 1);
  EXPECT_EQ(all.find(e), nullptr);
}

/// More selections than there is room for: the outer ones are told.
TEST_F(NeededWhere, OfManyConditionsTheOuterOnesAreKept) {
  node_id value = e;
  for (int k = 0; k < 9; ++k) value = g.make<op::select>(g.make<op::greater>(y, g.number(k)), value, zero);
  const node_id wanted[] = {value};
  const auto stop = [](node_id) { return false; };
  const auto all = ir::needed_where(g, ir::reachable(g, wanted, stop), wanted, stop);
  EXPECT_EQ(all.find(e)->count, static_cast<int>(std::size(all.find(e)->of)));
  EXPECT_EQ(all.find(e)->of[0].condition, g[value].operands[0]);
}

}  // namespace
}  // namespace fusecl
