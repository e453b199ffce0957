// The key of a statement: equal for statements that one kernel serves, different for all others; and the walk
// of the lowering, which reads the key as the binder wrote it.

#include <set>

#include <gtest/gtest.h>
#include <support/placeholder.hpp>

#include <fusion/fusion.hpp>

namespace fusecl {
namespace {

using namespace test;

const placeholder<double> A(0), B(1), C(2), D(3);

template <class E>
std::vector<std::uint32_t> key(const E& e) {
  return lowered(e).key();
}
template <class E>
std::string text(const E& e) {
  const ir::graph g = lowered(e).graph;
  return formula(g, g.roots[0]);
}

TEST(Key, SeesWhichOperandsRepeat) {
  const auto of = [](auto a, auto b, auto c, auto d) { return key((a + b) - (c + d)); };
  const std::set<std::vector<std::uint32_t>> keys = {
      of(A, B, C, D), of(A, A, C, D), of(A, B, A, D), of(A, B, C, A), of(A, B, B, D),
      of(A, B, C, B), of(A, B, C, C), of(A, A, B, B), of(A, B, A, B), of(A, B, B, A),
      of(A, A, A, B), of(A, A, B, A), of(A, B, A, A), of(A, B, B, B), of(A, A, A, A)};
  EXPECT_EQ(keys.size(), 15u);  // the partitions of four places
}

TEST(Key, DoesNotSeeWhichMatricesTheyAre) {
  EXPECT_EQ(key(A + B), key(C + D));
  EXPECT_EQ(key(A + A), key(B + B));
}

TEST(Key, DoesNotSeeSizes) {
  EXPECT_EQ(key(A + B), key(placeholder<double>(0, 7, 9) + placeholder<double>(1, 7, 9)));
}

TEST(Key, SeesViewsAndPaddingOfOperands) {
  EXPECT_NE(key(A + B), key(A + placeholder<double>(1, 5, 5, matrix_cl_view::Lower)));
  binder padded, bare;
  padded.matrix({&padded, 5, 5, scalar_type::float64, matrix_cl_view::Entire, true});
  bare.matrix({&padded, 5, 5, scalar_type::float64, matrix_cl_view::Entire, false});
  EXPECT_NE(padded.key()[0], bare.key()[0]);
}

TEST(Key, TellsTheSameMemoryWithAnotherViewApart) {
  const auto e = A + placeholder<double>(0, 5, 5, matrix_cl_view::Lower);
  EXPECT_EQ(lowered(e).bound->matrices().size(), 2u);
}

TEST(Key, HoldsNumbersThatPassesUseAndNoOthers) {
  EXPECT_NE(key(A * 1.0), key(A * 3.0));
  EXPECT_NE(key(A * 0.0), key(A * -0.0));
  EXPECT_EQ(key(A * 3.0), key(A * 4.0));
  EXPECT_EQ(text(A * 2.0), "x0 * 2");
  EXPECT_EQ(text(A * -0.0), "x0 * s0");
  EXPECT_EQ(text(A * 3.0), "x0 * s0");
}

TEST(Key, SeesWhichNumbersAreCopies) {
  const auto once = exp(A * 0.37);
  const lowered_statement copied = lowered(once == max(once)),
                          written_twice = lowered(exp(A * 0.37) == max(exp(A * 0.37)));
  EXPECT_EQ(formula(copied.graph, copied.graph.roots[0]), "exp(x0 * s0) == max(exp(x0 * s0))");
  EXPECT_EQ(copied.bound->scalars().size(), 1u);
  EXPECT_EQ(written_twice.bound->scalars().size(), 2u);
  EXPECT_NE(copied.key(), written_twice.key());
}

TEST(Key, FoldsCopiesOfANumberWhereItIsFolded) {
  const auto two = as_operation_cl(2.0), other = as_operation_cl(0.3);
  EXPECT_EQ(text(A * two + B * other + two + other), "s1 + (2 + (x0 * 2 + x1 * s1))");
  EXPECT_EQ(text(B * other + A * two + two + other), "s0 + (2 + (x0 * s0 + x1 * 2))");
  const auto e = A * two + B * other + two + other;
  binder bound;
  e.gather(bound);
  ir::graph g;
  lowering low(g, bound, false);
  EXPECT_EQ(formula(g, e.lower(low)), "s1 + (s0 + (x0 * s0 + x1 * s1))");
}

TEST(Key, SeesCopiesOfNumbersAmongManyOthers) {
  const auto a = as_operation_cl(0.3), b = as_operation_cl(0.7), c = as_operation_cl(0.9);
  EXPECT_EQ(text(A * c + a + b + c + a + b), "s2 + (s1 + (s0 + (x0 * s0 + s1 + s2)))");
  EXPECT_EQ(text(A * b + c + a + c + b), "s0 + (s1 + (x0 * s0 + s1 + s2))");
}

TEST(Key, TellsEqualFromDifferentSharedParts) {
  const auto e = shared(A + B), f = shared(A + B);
  EXPECT_NE(key(e - e), key(e - f));
  EXPECT_EQ(lowered(e - f).graph.size(), lowered(e - e).graph.size());
}

TEST(Key, SeesWhatAnOptionalBroadcastDoes) {
  const auto of = [](std::int64_t rows, std::int64_t cols) {
    return key(A + optional_broadcast<true, true>(placeholder<double>(1, rows, cols)));
  };
  const std::set<std::vector<std::uint32_t>> keys = {of(5, 5), of(1, 5), of(5, 1), of(1, 1)};
  EXPECT_EQ(keys.size(), 4u);
}

TEST(Key, SeesWhichSizesAreFree) {
  EXPECT_NE(key(constant(3.0)), key(constant(3.0, 5, 5)));
  EXPECT_EQ(key(constant(3.0, 2, 2)), key(constant(3.0, 5, 5)));
}

TEST(Lowering, RepeatedOperandsAreOneNode) {
  EXPECT_EQ(lowered((A + B) - (A + B)).graph.size(), 4);
  EXPECT_EQ(text((A + B) - (C + A)), "x0 + x1 - (x0 + x2)");
}

TEST(Lowering, ScalarsAreNumberedAsTheyAreMet) {
  EXPECT_EQ(text((A + 3.0) - (B + 4.0)), "x0 + s0 - (x1 + s1)");
  const lowered_statement s = lowered((A + 3.0) - (B + 4.0f));
  ASSERT_EQ(s.bound->scalars().size(), 2u);
  EXPECT_EQ(s.bound->scalars()[1].type, scalar_type::float32);
}

TEST(Lowering, ExtentsFollowTheirOperandsWhateverStandsBetween) {
  const placeholder<double> a(0, 5, 4), b(1, 5, 4);
  const auto e = constant(3.0, 5, 4) + constant(5.0, 5, 4) + (a - constant(4.0, 5, 4)) +
                 elt_multiply(b, rep_matrix(2.5, 5, 4));
  const lowered_statement s = lowered(e, sum(constant(3.0, 2, 3)), sum(a));
  ASSERT_NO_THROW(ir::verify(s.graph));
  const ir::host_bindings host{{{5, 4, list_of<long double>(20, 1)}, {5, 4, list_of<long double>(20, 2)}},
                               {3, 5, 4, 2.5, 3},
                               s.extents()};
  const list_of<ir::host_matrix> results = results_of(s.graph, host);
  EXPECT_EQ(results[0].values, list_of<long double>(20, 3 + 5 + (1 - 4) + 2 * 2.5L));
  EXPECT_EQ(results[1].values, list_of<long double>{18});
  EXPECT_EQ(results[2].values, list_of<long double>{20});
}

TEST(Lowering, SharedPartsAreWalkedOnce) {
  const auto one = shared(elt_multiply(A, A));
  const auto two = shared(elt_multiply(one, one));
  const auto three = shared(elt_multiply(two, two));
  const lowered_statement s = lowered(three);
  EXPECT_EQ(s.graph.size(), 4);
  EXPECT_LE(s.key().size(), 12u);
}

TEST(Lowering, SeveralResultsShareOperandsAndNodes) {
  const lowered_statement s = lowered(A + B, B + A, A - B);
  EXPECT_EQ(s.bound->matrices().size(), 2u);
  EXPECT_EQ(s.graph.roots[0], s.graph.roots[1]);
}

TEST(Sizes, ThatDoNotFitAreNamed) {
  try {
    const auto e = A + placeholder<double>(1, 4, 5);
    FAIL() << e.rows();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(),
                 "operator+: rows of a (5) and rows of b (4) must match in size: a is 5 x 5, b is 4 x 5");
  }
  EXPECT_THROW(elt_multiply(A, placeholder<double>(1, 5, 4)), std::invalid_argument);
  EXPECT_THROW(select(A < B, A, placeholder<double>(1, 5, 4)), std::invalid_argument);
  EXPECT_THROW(rowwise_broadcast(A), std::invalid_argument);
  EXPECT_THROW(colwise_broadcast(A), std::invalid_argument);
  EXPECT_THROW(lowered(sum(constant(2.0))), std::invalid_argument);
}

TEST(Sizes, OfAnExpressionAreThoseOfItsMatrices) {
  const placeholder<double> m(0, 3, 4), column(1, 3, 1);
  const auto size = [](const auto& e) { return std::pair(e.rows(), e.cols()); };
  EXPECT_EQ(size(1.0 + m), (std::pair<std::int64_t, std::int64_t>(3, 4)));
  EXPECT_EQ(size(constant(2.0) + m), (std::pair<std::int64_t, std::int64_t>(3, 4)));
  EXPECT_EQ(size(m + rowwise_broadcast(column)), (std::pair<std::int64_t, std::int64_t>(3, 4)));
  EXPECT_EQ(size(rowwise_sum(m)), (std::pair<std::int64_t, std::int64_t>(3, 1)));
  EXPECT_EQ(size(colwise_sum(m)), (std::pair<std::int64_t, std::int64_t>(1, 4)));
  EXPECT_EQ(size(sum(m) + 1.0), (std::pair<std::int64_t, std::int64_t>(1, 1)));
  EXPECT_EQ(size(select(m > 0.0, 1.0, 2.0)), (std::pair<std::int64_t, std::int64_t>(3, 4)));
  EXPECT_EQ(size(fma(2.0, m, 1.0)), (std::pair<std::int64_t, std::int64_t>(3, 4)));
}

}  // namespace
}  // namespace fusecl
