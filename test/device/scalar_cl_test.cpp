// Numbers that stay on the device: they combine with any size, are results, and cost no wait.

#include <sstream>

#include <support/compare.hpp>
#include <support/messages.hpp>
#include <support/spent_by.hpp>

namespace fusecl {
namespace {

using namespace test;

using matrix = matrix_cl<float>;
using number = scalar_cl<float>;

constexpr float two = 2.5f;

class ScalarCl : public ::testing::TestWithParam<size_pair> {
 protected:
  const host<float> values = random_host<float>(GetParam().rows, GetParam().cols);
  const matrix a{values};
  const number s{two};
};
INSTANTIATE_TEST_SUITE_P(Sizes, ScalarCl,
                         ::testing::Values(size_pair{0, 0}, size_pair{1, 1}, size_pair{1, 3},
                                           size_pair{71, 33}, size_pair{257, 1}));

TEST_P(ScalarCl, IsANumberToEveryOperation) {
  expect_same<float>(from_matrix_cl(a + s), (values.array() + two).matrix());
  expect_same<float>(from_matrix_cl(s - a), (two - values.array()).matrix());
  expect_same<float>(from_matrix_cl(s * a), values * two);
  expect_same<float>(from_matrix_cl(a * s), values * two);
  expect_same<float>(from_matrix_cl(elt_multiply(s, a)), values * two);
  expect_same<float>(from_matrix_cl(select(a > 0.0f, s, a)),
                     (values.array() > 0.0f).select(host<float>::Constant(a.rows(), a.cols(), two), values));
  expect_matches(matrix(a / s), expected(a / two));
  expect_matches(matrix(pow(fabs(a), s)), expected(pow(fabs(a), two)));
  expect_matches(matrix(rowwise_sum(a * s) + s), expected(rowwise_sum(a * two) + two));
  expect_matches(matrix(transpose(a) * (a * s)), expected(transpose(a) * (a * two)));
  matrix sum_of_both = a;
  sum_of_both += s;
  expect_same<float>(from_matrix_cl(sum_of_both), (values.array() + two).matrix());
}

TEST_P(ScalarCl, IsAResultAmongMatrices) {
  number most, least;
  matrix scaled;
  const float top = max(a) + two;
  results(most, scaled, least) = expressions(max(a) + s, a * s, s - 1.0f);
  EXPECT_EQ(to_host(most), top);
  EXPECT_EQ(to_host(least), two - 1.0f);
  expect_same<float>(from_matrix_cl(scaled), values * two);
  results(least, scaled) += expressions(s, a);
  EXPECT_EQ(to_host(least), 2 * two - 1.0f);
  expect_matches(scaled, expected(a * two + a));
}

TEST(ScalarClAlone, CombinesWithNumbersAndItsLike) {
  const number a(3.0f), b(-2.0f);
  EXPECT_EQ(to_host(a + b), 1.0f);
  EXPECT_EQ(to_host(a * b - 1.0f), -7.0f);
  EXPECT_EQ(to_host(2 * a / b), -3.0f);
  EXPECT_EQ(to_host(-b), 2.0f);
  EXPECT_EQ(to_host(fmax(a, b)), 3.0f);
  EXPECT_EQ(to_host(ldexp(a, 3)), 24.0f);
  EXPECT_EQ(to_host(square(b)), 4.0f);
  const float converted = a;
  EXPECT_EQ(converted, 3.0f);
  const scalar_cl<int> whole = 3;
  EXPECT_EQ(to_host(whole * 2 + 1), 7);
  EXPECT_EQ(to_host(a + whole), 6.0f);
  const scalar_cl of_a_sum = sum(matrix(host<float>::Ones(3, 5)));
  static_assert(std::is_same_v<decltype(of_a_sum), const number>);
  EXPECT_EQ(to_host(of_a_sum), 15.0f);
  EXPECT_EQ(to_host(number()), 0.0f);
  std::ostringstream out;
  out << a;
  EXPECT_EQ(out.str(), "3");
}

TEST(ScalarClAlone, IsAssignedAndCopied) {
  const number t(3.0f);
  number s(2.0f);
  s += t;
  s -= 1.0f;
  s *= t;
  s /= 4.0f;
  EXPECT_EQ(to_host(s), 3.0f);
  const matrix one(10.0f);
  s += one;
  EXPECT_EQ(to_host(s), 13.0f);
  s = one * t + 1.0f;
  EXPECT_EQ(to_host(s), 31.0f);
  number copy = s;
  s = 5.0f;
  EXPECT_EQ(to_host(copy), 31.0f);
  const number moved = std::move(copy);
  EXPECT_EQ(to_host(moved), 31.0f);
  EXPECT_EQ(to_host(copy), 31.0f);
  copy = s;
  copy = copy;  // NOLINT: on purpose
  EXPECT_EQ(to_host(copy), 5.0f);
  float wanted = 1.0f;
  s = 1.0f;
  for (int k = 0; k < 20; ++k) {
    s = s * 1.5f + 0.25f;
    wanted = wanted * 1.5f + 0.25f;
  }
  EXPECT_NEAR(to_host(s), wanted, 1e-5f * wanted);
}

TEST(ScalarClAlone, OfManyElementsIsRefusedAndLeftAsItWas) {
  const matrix a(random_host<float>(3, 2)), none(0, 0);
  number s(2.0f);
  matrix r(1.0f);
  EXPECT_THROW(number(a * s), std::invalid_argument);
  EXPECT_THROW(number(none + 1.0f), std::invalid_argument);
  EXPECT_THROW(s = a * 2.0f, std::invalid_argument);
  EXPECT_THROW(s += a, std::invalid_argument);
  EXPECT_EQ(message_of<std::invalid_argument>([&] { results(r, s) = expressions(a + 1.0f, a); }),
            "results = expressions: a scalar_cl: the value repeated (3 x 2) must be a scalar or 1 x 1");
  EXPECT_EQ(message_of<std::invalid_argument>([&] { results(s, s) = expressions(sum(a), sum(a)); }),
            "results = expressions: results 1 and 2 are the same matrix");
  EXPECT_EQ(to_host(s), 2.0f);
  EXPECT_EQ(r(0), 1.0f);
}

TEST(ScalarClAlone, CostsNoWaitAndNoLaunchOfItsOwn) {
  const matrix a(random_host<float>(711, 33));
  number s(2.0f);
  matrix r;
  const counters used = spent_by([&] { r = exp(a * s) + s; });
  EXPECT_EQ(used.launches, 1u);
  EXPECT_EQ(used.host_waits, 0u);
  matrix one(1, 1);
  const counters summed = spent_by([&] { one = sum(a); });
  const counters chained = spent_by([&] {
    s = sum(a);
    r = a * s;
  });
  EXPECT_EQ(chained.launches, summed.launches + 1);
  EXPECT_EQ(chained.host_waits, 0u);
  EXPECT_EQ(chained.buffers_created, 0u);
}

TEST(ScalarClAlone, IsBuiltAhead) {
  const matrix a(random_host<float>(5, 7));
  number s(1.0f);
  prepare(s, sum(a) * s);
  const counters before = runtime_counters();
  s = sum(a) * s;
  EXPECT_EQ((runtime_counters() - before).programs_built, 0u);
}

TEST(ScalarClAlone, HasStanMathsNames) {
  const opencl::ScalarCl<float> s(0.0f);
  EXPECT_EQ(opencl::to_host(opencl::inv_logit(s)), 0.5f);
  matrix a(Eigen::MatrixXf{{4, 2}, {2, 3}});
  opencl::cholesky_decompose(a);
  EXPECT_EQ(a(0, 0), 2.0f);
  EXPECT_EQ(a(1, 0), 1.0f);
  EXPECT_EQ(a(0, 1), 0.0f);
}

}  // namespace
}  // namespace fusecl
