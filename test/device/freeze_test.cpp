// What is built when: values of host numbers build nothing after freeze(), however many there are; prepare()
// builds without running.

#include <limits>

#include <support/compare.hpp>
#include <support/freezing.hpp>

#include <fusion/autodiff/value_and_gradient.hpp>

namespace fusecl {
namespace {

using namespace test;

std::uint64_t programs() {
  const counters now = runtime_counters();
  return now.programs_built + now.programs_loaded;
}

constexpr float awkward[] = {0,
                             1,
                             -1,
                             2,
                             0.5f,
                             -0.0f,
                             0.3f,
                             std::numeric_limits<float>::infinity(),
                             std::numeric_limits<float>::quiet_NaN()};

TEST(Freeze, NoValueOfANumberBuildsAnythingAfterAnOrdinaryOne) {
  const auto a = random_matrix<float>(71, 33);
  matrix_cl<float> r = fabs(a * 0.3f);
  const freezing here;
  for (float h : awkward) EXPECT_NO_THROW(r = fabs(a * h)) << h;
  expect_matches_reference(fabs(a * 0.5f));
}

TEST(Freeze, NoValueOfANumberBuildsAnythingAfterASpecialOne) {
  const auto a = random_matrix<float>(71, 33);
  for (float first : {0.0f, 1.0f, 2.0f}) {
    matrix_cl<float> r = square(exp(a) * first + first) + static_cast<float>(sum(a * first));
    const freezing here;
    for (float h : awkward)
      EXPECT_NO_THROW(r = square(exp(a) * h + h) + static_cast<float>(sum(a * h))) << first << " then " << h;
  }
}

/// Shapes that were each seen with another value, special or ordinary.
TEST(Freeze, NoValueOfANumberBuildsAnythingForAShapeSeenWithAnother) {
  const auto many = random_matrix<float>(1000, 3), few = random_matrix<float>(3, 100000);
  const auto scaled = [](const matrix_cl<float>& a, float h) { return matrix_cl<float>(rowwise_sum(a * h)); };
  scaled(many, 1), scaled(few, 0.3f), scaled(few, 2);
  const freezing here;
  for (float h : awkward) {
    EXPECT_NO_THROW(scaled(many, h)) << h;
    EXPECT_NO_THROW(scaled(few, h)) << h;
    EXPECT_NO_THROW(prepare(rowwise_sum(many * h))) << h;
    EXPECT_NO_THROW(prepare(rowwise_sum(few * h))) << h;
  }
  expect_matches_reference(rowwise_sum(many * 2.0f));
}

TEST(Freeze, ANewSizeOfTheSameKindBuildsNothingEither) {
  const auto a = random_matrix<float>(711, 33), b = random_matrix<float>(711, 35);
  matrix_cl<float> r = fabs(a * 2.0f) + 3.0f;
  const freezing here;
  EXPECT_NO_THROW(r = fabs(b * 0.7f) + 3.0f);
}

TEST(Freeze, WhatIsNewStillThrows) {
  const auto a = random_matrix<float>(7, 3);
  matrix_cl<float> r;
  const freezing here;
  try {
    r = tanh(cos(a * 1.0f));
    ADD_FAILURE() << "nothing thrown";
  } catch (const frozen_error& e) {
    EXPECT_NE(std::string(e.what()).find("y0 = tanh(cos(x0"), std::string::npos) << e.what();
  }
}

TEST(Numbers, PlansAreBoundedWhateverTheirValues) {
  const auto a = random_matrix<float>(9, 5);
  matrix_cl<float> r;
  const std::uint64_t before = programs();
  for (float s : awkward)
    for (float t : awkward)
      for (float u : awkward) r = fabs(a * s + t) - u;
  EXPECT_LE(programs() - before, 17u);
  for (float s : {0.0f, 1.0f, -1.0f, 2.0f}) expect_matches_reference(fabs(a * s + 0.5f) - s);
}

TEST(Numbers, SpecialOnesStillSimplify) {
  const auto a = random_matrix<float>(9, 5);
  EXPECT_NE(kernel_source(matrix_cl<float>(), log(1.0f + a)).find("log1p"), std::string::npos);
  EXPECT_EQ(kernel_source(matrix_cl<float>(), log(1.5f + a)).find("log1p"), std::string::npos);
}

TEST(Prepare, BuildsAndDoesNotRun) {
  const auto a = random_matrix<float>(71, 33);
  matrix_cl<float> r = a;
  const counters before = runtime_counters();
  prepare(asin(a / 20.0f) - rowwise_broadcast(rowwise_sum(a)));
  prepare(r, elt_multiply(cosh(r / 10.0f), a));
  prepare(sum(sinh(a / 10.0f)));
  matrix_cl<float> s, t;
  prepare(results(s, t), expressions(acos(a / 20.0f), colwise_max(a - 4.0f)));
  const counters spent = runtime_counters() - before;
  EXPECT_EQ(spent.launches, 0u);
  EXPECT_EQ(spent.buffers_created + spent.buffers_reused, 0u);
  EXPECT_GE(spent.programs_built + spent.programs_loaded, 4u);
  const freezing here;
  const matrix_cl<float> q = asin(a / 20.0f) - rowwise_broadcast(rowwise_sum(a));
  EXPECT_NO_THROW(r = elt_multiply(cosh(r / 10.0f), a));
  EXPECT_NO_THROW(static_cast<void>(static_cast<float>(sum(sinh(a / 10.0f)))));
  EXPECT_NO_THROW(results(s, t) = expressions(acos(a / 20.0f), colwise_max(a - 4.0f)));
}

TEST(Prepare, KnowsGradients) {
  const auto a = random_matrix<float>(71, 33);
  parameter<float> p(0.25f);
  prepare(sum(exp(a * p)), wrt(a, p));
  const freezing here;
  EXPECT_NO_THROW(value_and_gradient(sum(exp(a * p)), wrt(a, p)));
}

TEST(Prepare, BuildsAssignmentsToParts) {
  auto a = random_matrix<float>(7, 3);
  const auto b = random_matrix<float>(7, 1);
  const host<float> before = from_matrix_cl(a);
  prepare(col(a, 2), atan(b) * 0.37f);
  EXPECT_EQ(from_matrix_cl(a), before);
  EXPECT_NE(kernel_source(col(a, 2), (atan(b) * 0.37f)).find("atan"), std::string::npos);
  const freezing here;
  EXPECT_NO_THROW(col(a, 2) = atan(b) * 0.37f);
}

/// What `prepare` and the statement itself take: a part of `a`, its right side and one of `r`.
#define FUSECL_EXPECT_PREPARED(A, LEFT, RIGHT)         \
  do {                                                 \
    const host<float> before = from_matrix_cl(A);      \
    const matrix_cl_view view = (A).view();            \
    const counters start = runtime_counters();         \
    prepare(LEFT, RIGHT);                              \
    const counters spent = runtime_counters() - start; \
    EXPECT_EQ(spent.launches + spent.host_waits, 0u);  \
    EXPECT_EQ(from_matrix_cl(A), before);              \
    EXPECT_EQ((A).view(), view);                       \
    const freezing here;                               \
    EXPECT_NO_THROW((LEFT) = RIGHT);                   \
  } while (false)

TEST(Prepare, BuildsResultsInPartsOfWhatIsRead) {
  auto a = random_matrix<float>(7, 7), r = random_matrix<float>(3, 3);
  const host<float> other = from_matrix_cl(r);
  prepare(results(block(a, 1, 1, 3, 3), r), expressions(block(a, 2, 2, 3, 3) * 1.37f, sinh(r / 9.0f)));
  EXPECT_EQ(from_matrix_cl(r), other);
  FUSECL_EXPECT_PREPARED(a, results(block(a, 1, 1, 3, 3), r),
                         expressions(block(a, 2, 2, 3, 3) * 1.37f, sinh(r / 9.0f) - block(a, 1, 2, 3, 3)));
}

TEST(Prepare, BuildsResultsInPartsThatWidenAView) {
  auto a = random_matrix<float>(7, 7, matrix_cl_view::Lower);
  const auto b = random_matrix<float>(3, 3);
  matrix_cl<float> r;
  FUSECL_EXPECT_PREPARED(a, results(block(a, 1, 5, 3, 3), r), expressions(tan(b / 20.0f), b * 0.77f));
}

TEST(Prepare, BuildsResultsInPartsOfTriangles) {
  auto a = random_matrix<float>(7, 7);
  const auto b = random_matrix<float>(3, 3, matrix_cl_view::Upper);
  matrix_cl<float> r;
  FUSECL_EXPECT_PREPARED(a, results(block(a, 1, 1, 3, 3), r),
                         expressions(b * 0.73f, block(a, 2, 2, 3, 3) * 0.79f));
}

TEST(Prepare, BuildsResultsWithChecks) {
  const auto b = random_matrix<float>(3, 3);
  auto a = random_matrix<float>(3, 3);
  float total = -7;
  FUSECL_EXPECT_PREPARED(a, results(check_cl("f", "b", b, "small"), a, total),
                         expressions(b < 1e6f, atan(b) * 0.83f, sum(b * 0.87f)));
  EXPECT_NEAR(total, 0.87f * from_matrix_cl(b).sum(), 1e-4f);
  auto c = random_matrix<float>(7, 7);
  FUSECL_EXPECT_PREPARED(c, results(check_cl("f", "b", b, "small"), block(c, 2, 3, 3, 3)),
                         expressions(b < 1e5f, atan(b) * 0.89f));
  prepare(results(check_cl("f", "b", b, "small"), total), expressions(b < 1e6f, sum(b)));
  EXPECT_NEAR(total, 0.87f * from_matrix_cl(b).sum(), 1e-4f);
}

}  // namespace
}  // namespace fusecl
