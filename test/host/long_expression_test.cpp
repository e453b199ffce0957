// Long expressions: their types stay short, their keys tell what the types no longer do, and everything that
// is asked of a type has the same answer.

#include <gtest/gtest.h>
#include <support/long_expression.hpp>
#include <support/placeholder.hpp>

#include <fusion/fusion.hpp>

namespace fusecl {
namespace {

using namespace test;

const placeholder<double> A(0), B(1), C(2);
const placeholder<double> column(3, 5, 1);
const placeholder<int> I(4);

template <class E>
std::string text(const E& e) {
  const ir::graph g = lowered(e).graph;
  return formula(g, g.roots[0], 2000);
}

/// No operation spells more operands than this.
constexpr std::size_t most_nodes = 1 + 3 * detail::most_spelled_nodes;

struct no_derivative {
  static constexpr std::string_view name = "no_derivative";
  static constexpr std::array<std::string_view, 1> parameters = {"x"};
  static constexpr std::string_view body = "return x;";
};

TEST(LongExpression, HasAShortType) {
  const auto e = grown<400>(A, B, C);
  static_assert(detail::node_count<decltype(e)> <= most_nodes);
  const auto both = elt_multiply(e + 1.0, select(e > 0.0, grown<40>(A, B, C), grown<50>(C, B, A)));
  static_assert(detail::node_count<decltype(both)> <= most_nodes);
  EXPECT_EQ(both.rows(), 5);
  EXPECT_EQ(lowered(e).graph.size(), 403);
}

TEST(LongExpression, OfOneTypeHasTheKeyOfItsContents) {
  const auto e = grown<40>(exp(A), B, C);
  const auto f = grown<40>(log(A), B, C);
  static_assert(std::is_same_v<decltype(e), decltype(f)>);
  EXPECT_NE(lowered(e).key(), lowered(f).key());
  EXPECT_NE(text(e), text(f));
  EXPECT_EQ(text(e).substr(0, 60), text(grown<40>(exp(C), B, A)).substr(0, 60));
  EXPECT_EQ(lowered(e).key(), lowered(grown<40>(exp(C), B, A)).key());
}

TEST(LongExpression, SeesWhichOperandsRepeatInside) {
  EXPECT_NE(lowered(grown<40>(A, B, C)).key(), lowered(grown<40>(A, A, C)).key());
  EXPECT_NE(lowered(grown<40>(A, B, B)).key(), lowered(grown<40>(A, A, B)).key());
  EXPECT_NE(lowered(grown<40>(A * 1.0, B, C)).key(), lowered(grown<40>(A * 3.0, B, C)).key());
}

TEST(LongExpression, UsedTwiceIsWalkedOnce) {
  const auto e = shared(grown<200>(A, B, C));
  EXPECT_LE(lowered(e + e).key().size(), lowered(e + A).key().size() + 1);
  EXPECT_EQ(lowered(e + e).graph.size(), lowered(e).graph.size() + 1);
  EXPECT_NE(lowered(e + e).key(), lowered(e + shared(grown<200>(A, B, C))).key());
}

TEST(LongExpression, KnowsWhetherItIsAReduction) {
  EXPECT_FALSE(detail::is_reduced<decltype(grown<40>(A, B, C))>);
  EXPECT_TRUE(detail::is_reduced<decltype(grown<40>(rowwise_sum(A), column, column))>);
  EXPECT_TRUE(detail::is_reduced<decltype(grown<40>(sum(A), 2.0, sum(B)))>);
  const auto number = grown<40>(sum(A), 2.0, sum(B));
  static_assert(decltype(number)::is_scalar);
  EXPECT_EQ(lowered(A * number).graph.roots.size(), 1u);
}

TEST(LongExpression, NamesTheLeavesThatDerivativesReach) {
  using none = detail::types<>;
  using one = detail::types<placeholder<double>>;
  const auto leaves = [](const auto& e) {
    return typename detail::reached_leaves<std::remove_cvref_t<decltype(e)>>::type();
  };
  static_assert(std::is_same_v<decltype(leaves(grown<80>(A, B, cast<double>(I)))), one>);
  static_assert(std::is_same_v<decltype(leaves(grown<80>(stop_gradient(A), I, I))), none>);
  static_assert(std::is_same_v<decltype(leaves(stop_gradient(grown<80>(A, B, C)))), none>);
}

TEST(LongExpression, KeepsFunctionsWithoutDerivativesInSight) {
  const auto e = grown<80>(user_function<no_derivative>(A), B, C);
  EXPECT_EQ(detail::node_count<decltype(e)>, 162u);  // two nodes a term
}

TEST(LongExpression, RefusesOtherSizes) {
  EXPECT_THROW(grown<80>(A, B, C) + placeholder<double>(5, 4, 5), std::invalid_argument);
}

TEST(LongExpression, CostsAsMuchANodeAsAShortOne) {
  const auto words = [](const auto& e) { return lowered(e).key().size(); };
  const std::size_t two = words(grown<200>(A, B, C)), four = words(grown<400>(A, B, C));
  EXPECT_LE(words(grown<800>(A, B, C)) - four, 2 * (four - two) + 3);
  EXPECT_LE(four - two, 300u);  // one and a half for a term
  EXPECT_EQ(lowered(grown<800>(A, B, C)).graph.size(), 803);
}

}  // namespace
}  // namespace fusecl
