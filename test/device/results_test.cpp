// results(...) = expressions(...): several results of one statement, compound assignment, dropped results.

#include <algorithm>

#include <support/compare.hpp>

#include <fusion/runtime/counters.hpp>

namespace fusecl {
namespace {

using namespace test;

using matrix = matrix_cl<float>;

TEST(Results, MixElementWiseAndReduced) {
  for (const auto [rows, cols] : all_sizes()) {
    const auto a = random_matrix<float>(rows, cols), b = random_matrix<float>(rows, cols);
    EXPECT_ALL_MATCH_REFERENCE(a + b, a - b, sum(a), rowwise_sum(b), colwise_max(a + b), max_2d(b),
                               a / sum(b));
  }
}

TEST(Results, MixTypes) {
  const auto a = random_matrix<float>(71, 33);
  const auto b = random_matrix<int>(71, 33);
  const auto c = random_matrix<long>(71, 33);
  EXPECT_ALL_MATCH_REFERENCE(a + b, b + c, a < b, cast<unsigned>(b), sum(c), rowwise_sum(a > b),
                             colwise_sum(c));
}

TEST(Results, OfDifferentReductionsHaveTheirOwnSizes) {
  const auto a = random_matrix<float>(71, 33);
  matrix rows, cols, all;
  results(rows, cols, all) = expressions(rowwise_sum(a), colwise_sum(a), sum(a));
  EXPECT_EQ(rows.rows(), 71);
  EXPECT_EQ(rows.cols(), 1);
  EXPECT_EQ(cols.rows(), 1);
  EXPECT_EQ(cols.cols(), 33);
  EXPECT_EQ(all.size(), 1);
}

TEST(Results, ReductionsOfWhatHasNoSizeTakeThatOfWhatTheOthersReduce) {
  const auto a = random_matrix<float>(7, 5);
  matrix s, r, c;
  for (int again = 0; again < 2; ++again) {
    results(s, r, c) = expressions(sum(a), colwise_sum(constant(1.0f)), rowwise_max(constant(2.0f)) + 1.0f);
    expect_same<float>(from_matrix_cl(r), host<float>::Constant(1, 5, 7.0f));
    expect_same<float>(from_matrix_cl(c), host<float>::Constant(7, 1, 3.0f));
    EXPECT_EQ(s.rows(), 1);
  }
  EXPECT_THROW((results(s, r) = expressions(sum(constant(1.0f)), colwise_sum(constant(1.0f)))),
               std::invalid_argument);
  EXPECT_THROW((results(s, r) = expressions(sum(a), constant(1.0f))), std::invalid_argument);
}

TEST(Results, OfANumberHaveOneElementAndAddedItGoesToAll) {
  const auto a = random_matrix<float>(3, 4);
  matrix r, s, q = a;
  results(r, s) = expressions(3.0f, a);
  EXPECT_EQ(r.size(), 1);
  results(r, s) = expressions(constant(3.0f), a);
  EXPECT_EQ(r.size(), 12);
  results(r, q) += expressions(4.0f, a);
  expect_same<float>(from_matrix_cl(r), host<float>::Constant(3, 4, 7.0f));
  expect_matches(q, expected(a + a));
}

TEST(Results, MayBeMoreThanEight) {
  const auto a = random_matrix<float>(71, 33, matrix_cl_view::Entire, 1, 2);
  EXPECT_ALL_MATCH_REFERENCE(a + 1, a + 2, a + 3, a * 4, a * 5, a * 6, a - 7, a - 8, a - 9, 10 - a, exp(a),
                             log(a), rowwise_sum(a), colwise_sum(a), sum(a));
}

TEST(Results, OfEmptyListsAreNothing) {
  const auto before = runtime_counters();
  results() = expressions();
  EXPECT_EQ(runtime_counters() - before, counters{});
}

TEST(Results, MayBeOne) {
  const auto a = random_matrix<float>(9, 4);
  const expected_values wanted = expected(a + 1);
  matrix r;
  results(r) = expressions(a + 1);
  expect_matches(r, wanted);
}

TEST(Results, AreAddedByPlusAssign) {
  const auto a = random_matrix<float>(9, 4), b = random_matrix<float>(9, 4);
  matrix r = random_matrix<float>(9, 4), s = random_matrix<float>(9, 1);
  const expected_values sum_r = expected(r + elt_multiply(a, b)), sum_s = expected(s + rowwise_sum(b));
  results(r, s) += expressions(elt_multiply(a, b), rowwise_sum(b));
  expect_matches(r, sum_r);
  expect_matches(s, sum_s);
}

TEST(Results, AreDroppedByCalcIf) {
  const auto a = random_matrix<float>(9, 4);
  const expected_values wanted = expected(a * 3);
  matrix kept, untouched = random_matrix<float>(2, 2);
  const host<float> before = from_matrix_cl(untouched);
  results(untouched, kept) = expressions(calc_if<false>(exp(a)), calc_if<true>(a * 3));
  expect_matches(kept, wanted);
  expect_same<float>(from_matrix_cl(untouched), before);
  results(calc_if<false>(untouched), kept) = expressions(exp(a), a * 3);
  expect_matches(kept, wanted);
  const auto counted = runtime_counters();
  results(kept) = expressions(calc_if<false>(a));
  EXPECT_EQ((runtime_counters() - counted).launches, 0u);
}

template <bool First>
void one_of_two_results() {
  const auto a = random_matrix<float>(2, 3);
  const host<float> zeros = host<float>::Zero(4, 4), of_a = from_matrix_cl(a);
  matrix first(zeros), second(zeros), whole;
  results(calc_if<First>(block(first, 1, 1, 2, 3)), calc_if<!First>(second), calc_if<true>(whole)) =
      expressions(calc_if<First>(a), calc_if<!First>(a + a), calc_if<true>(a));
  expect_same<float>(from_matrix_cl(whole), of_a);
  if (First) {
    expect_same<float>(from_matrix_cl(first).topLeftCorner(2, 3), of_a);
    expect_same<float>(from_matrix_cl(second), zeros);
  } else {
    expect_same<float>(from_matrix_cl(first), zeros);
    expect_same<float>(from_matrix_cl(second), 2 * of_a);
  }
  results(calc_if<First>(whole)) += expressions(calc_if<First>(a));
  expect_same<float>(from_matrix_cl(whole), First ? host<float>(2 * of_a) : of_a);
}
TEST(Results, AreKeptByCalcIfOnEitherSide) {
  one_of_two_results<true>();
  one_of_two_results<false>();
}

TEST(Results, GiveTheirKernelsAsText) {
  const auto a = random_matrix<float>(9, 4);
  matrix r, s;
  const auto before = runtime_counters();
  const std::string text = results(r, s).get_kernel_source_for_evaluating(expressions(a + 1, exp(a)));
  const std::string single = (a + 1).get_kernel_source_for_evaluating_into(r);
  EXPECT_EQ(runtime_counters() - before, counters{});
  EXPECT_NE(text.find("exp("), std::string::npos) << text;
  EXPECT_NE(single.find("kernel"), std::string::npos) << single;
  EXPECT_EQ(r.size(), 0);
}

TEST(Results, HaveKernelsInWhichOperatorsCanBeCounted) {
  const auto a = random_matrix<float>(9, 4), b = random_matrix<float>(9, 4, matrix_cl_view::Entire, 1, 2);
  const auto quotient = shared(elt_divide(a, b));
  const std::string text = elt_multiply(quotient, quotient).get_kernel_source_for_evaluating_into(a);
  EXPECT_EQ(std::count(text.begin(), text.end(), '/'), 1) << text;
  matrix r, s;
  const std::string twice =
      results(r, s).get_kernel_source_for_evaluating(expressions(quotient, quotient - b));
  EXPECT_EQ(std::count(twice.begin(), twice.end(), '/'), 1) << twice;
}

TEST(CompoundAssignment, IsInPlace) {
  const auto b = random_matrix<float>(71, 33);
  matrix a = random_matrix<float>(71, 33);
  const auto memory = a.storage();
  const expected_values wanted = expected(((a + b) - b * 2) * 3 / 4);
  a += b;
  a -= b * 2;
  a *= 3;
  a /= 4;
  expect_matches(a, wanted);
  EXPECT_EQ(a.storage(), memory);
}

TEST(CompoundAssignment, TakesScalarsAndItself) {
  matrix_cl<int> a = random_matrix<int>(9, 5);
  const expected_values wanted = expected((a + 2 + (a + 2)) * 3);
  a += 2;
  a += a;
  a *= 3;
  expect_matches(a, wanted);
}

TEST(CompoundAssignment, TakesScalarExpressions) {
  matrix a = random_matrix<float>(9, 5, matrix_cl_view::Entire, 1, 2);
  const expected_values wanted = expected(a / sum(a));
  a /= sum(a);
  expect_matches(a, wanted);
}

TEST(Results, MayBeNumbersOfTheHost) {
  const auto a = random_matrix<int>(71, 33);
  const auto b = random_matrix<float>(71, 33, matrix_cl_view::Entire, 1, 2);
  const auto ha = from_matrix_cl(a).cast<long>().eval();
  const auto wanted = expected(b + 1.0f);
  long total = 0;
  int largest = 0;
  short how_many = 0;
  float smallest = 0;
  bool any_at_all = false;
  matrix c;
  const auto run = [&] {
    results(total, c, largest, calc_if<false>(c), smallest, any_at_all, how_many) = expressions(
        sum(cast<long>(a)) + (1L << 60), b + 1.0f, max_2d(a), b, min_2d(b), any(a > 3), count(a == a));
  };
  run();
  EXPECT_EQ(total, ha.sum() + (1L << 60));  // beyond what a double holds
  EXPECT_EQ(largest, ha.maxCoeff());
  EXPECT_EQ(smallest, from_matrix_cl(b).minCoeff());
  EXPECT_EQ(any_at_all, (ha.array() > 3).any());
  EXPECT_EQ(how_many, 71 * 33);
  expect_matches(c, wanted);
  const counters before = runtime_counters();
  run();
  EXPECT_EQ((runtime_counters() - before).host_waits, 1u);
  float alone = 0;
  results(alone) = expressions(transpose(col(b, 1)) * col(b, 1));
  EXPECT_FLOAT_EQ(alone, from_matrix_cl(b).col(0).squaredNorm());
  results(block(c, 1, 1, 71, 33), alone) = expressions(c + c, sum(c - c));
  expect_matches(c, expected(b + 1.0f + (b + 1.0f)));
  EXPECT_EQ(alone, 0);
}

TEST(Results, ThatAreNumbersOfTheHostMayBeAddedTo) {
  matrix a = matrix(std::vector<float>{1, 2, 3});
  float total = 10, factor = 4;
  results(total, a) += expressions(sum(a), a);
  EXPECT_EQ(total, 16);
  EXPECT_EQ(Eigen::VectorXf(a), Eigen::Vector3f(2, 4, 6));
  results(total, factor) -= expressions(sum(a) * factor, total - total);
  EXPECT_EQ(total, 16 - 48);
  EXPECT_EQ(factor, 4);
  results(factor) *= expressions(max_2d(a));
  results(total) /= expressions(min_2d(a));
  EXPECT_EQ(factor, 24);
  EXPECT_EQ(total, -16);
}

TEST(Results, ThatAreTheSameNumberAreRefused) {
  const matrix a = matrix(std::vector<float>{1, 2, 3});
  float total = 10;
  EXPECT_THROW(results(total, total) = expressions(sum(a), max_2d(a)), std::invalid_argument);
  EXPECT_THROW(results(total) = expressions(a * transpose(a)), std::invalid_argument);
  EXPECT_EQ(total, 10);
}

}  // namespace
}  // namespace fusecl
