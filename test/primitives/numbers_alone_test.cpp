// Statements of numbers alone: computed on the host, without a launch or a wait, as the device would.

#include <support/operands.hpp>

#include <fusion/base/environment.hpp>
#include <fusion/eval/validate.hpp>
#include <primitives/primitives.hpp>

namespace fusecl {
namespace {

using namespace test;

/// What `run` has the library do from the second time on, and that the first time builds nothing.
template <class Run>
void expect_no_device(Run run) {
  const counters before = runtime_counters();
  run();
  run();
  const counters used = runtime_counters() - before;
  EXPECT_EQ(used.launches, 0u);
  EXPECT_EQ(used.host_waits, 0u);
  EXPECT_EQ(used.buffers_created, 0u);
  EXPECT_EQ(used.programs_built, 0u);
}

class NumbersAlone : public ::testing::Test {
 protected:
  void SetUp() override {
    FUSECL_NEEDS_DOUBLE;
    if (fusecl::detail::validates || !switch_is_on("FUSECL_HOST_NUMBERS", true))
      GTEST_SKIP() << "numbers are computed on the device";
  }
  void TearDown() override { recover_memory(); }
};

TEST_F(NumbersAlone, ScalarExpressionsAreComputedOnTheHost) {
  const parameter<double> p(0.7), q(-0.2);
  const parameter<float> f(0.3f);
  double value = 0;
  float of_float = 0;
  bool larger = false;
  expect_no_device([&] {
    value = exp(p) * q + log1p(q * 2.0) - 1.5;
    of_float = exp(f) * 3.0f;
    larger = p > q && !isnan(p);
  });
  EXPECT_DOUBLE_EQ(value, std::exp(0.7) * -0.2 + std::log1p(-0.4) - 1.5);
  EXPECT_FLOAT_EQ(of_float, std::exp(0.3f) * 3.0f);
  EXPECT_TRUE(larger);
  EXPECT_TRUE(std::isnan(double(log(q))));
  EXPECT_EQ(double(sum(p * 2.0)), 1.4);
  EXPECT_DOUBLE_EQ(double(max(p)) + double(min(q)), 0.5);
}

TEST_F(NumbersAlone, SeveralResultsAndWholeNumbersAreExact) {
  const parameter<double> p(0.7);
  const parameter<float> f(0.25f);
  double a = 0;
  float b = 0;
  expect_no_device([&] { results(a, b) = expressions(p * 3.0, f * 2.0f); });
  EXPECT_EQ(a, 0.7 * 3.0);
  EXPECT_EQ(b, 0.5f);
}

TEST_F(NumbersAlone, DensitiesOfNumbers) {
  double data = 0, probability = 0;
  expect_no_device([&] {
    data = normal_lpdf(0.3, 0.1, 2.0) + gamma_lpdf(1.5, 2.0, 3.0) + poisson_lpmf(3, 2.5);
    probability = normal_cdf(0.3, 0.0, 1.0) + log_mix(0.3, 0.1, 0.2);
  });
  const matrix_cl<double> x{0.3}, y{1.5};
  const matrix_cl<int> n{3};
  const double on_device = normal_lpdf(x, 0.1, 2.0) + gamma_lpdf(y, 2.0, 3.0) + poisson_lpmf(n, 2.5);
  EXPECT_NEAR(data, on_device, 1e-14 * std::abs(on_device));
  EXPECT_NEAR(probability,
              0.5 * std::erfc(-0.3 / std::sqrt(2.0)) + std::log(0.3 * std::exp(0.1) + 0.7 * std::exp(0.2)),
              1e-14);
  EXPECT_THROW(normal_lpdf(0.3, 0.0, -1.0), std::domain_error);
  EXPECT_THROW(poisson_lpmf(3, -2.5), std::domain_error);
  EXPECT_EQ(gamma_lpdf(-1.0, 2.0, 3.0), -HUGE_VAL);
}

TEST_F(NumbersAlone, PriorsOfVariables) {
  double value = 0, by_a = 0, by_b = 0, by_c = 0;
  expect_no_device([&] {
    var a = 0.1, b = 0.4, c = 0.5, lp = 0;
    const var positive = lb_constrain(a, 0.5, lp), between = lub_constrain(b, -1.0, 2.0, lp);
    lp += normal_lpdf(positive, between, exp(c)) + beta_lpdf(inv_logit(b), 2.0, 3.0) +
          student_t_lpdf(c, 4.0, 0.0, 1.0);
    lp.grad();
    value = lp.val();
    by_a = a.adj();
    by_b = b.adj();
    by_c = c.adj();
    recover_memory();
  });
  const auto log_density = [](const double* x) {
    const double positive = std::exp(x[0]) + 0.5, p = 1 / (1 + std::exp(-x[1])), between = 3 * p - 1;
    const double z = (positive - between) / std::exp(x[2]);
    return x[0] + std::log(3 * p * (1 - p)) - 0.5 * z * z - x[2] - 0.5 * std::log(2 * pi()) +
           std::log(12 * p * (1 - p) * (1 - p)) + std::lgamma(2.5) - std::lgamma(2.0) -
           0.5 * std::log(4 * pi()) - 2.5 * std::log1p(x[2] * x[2] / 4);
  };
  const double at[] = {0.1, 0.4, 0.5}, h = 1e-5;
  EXPECT_NEAR(value, log_density(at), 1e-13);
  const double gradient[] = {by_a, by_b, by_c};
  for (int k = 0; k < 3; ++k) {
    double up[] = {at[0], at[1], at[2]}, down[] = {at[0], at[1], at[2]};
    up[k] += h;
    down[k] -= h;
    EXPECT_NEAR(gradient[k], (log_density(up) - log_density(down)) / (2 * h), 1e-8) << k;
  }
  var s = -1.0;
  EXPECT_THROW(normal_lpdf(0.3, 0.0, s), std::domain_error);
}

TEST_F(NumbersAlone, MayBePreparedAndComputedWhenFrozen) {
  const parameter<double> p(0.7);
  double value = 0;
  prepare([&] { value = log1p(exp(p)) * 3.25; });
  freeze();
  double density = 0;
  EXPECT_NO_THROW(value = log1p(exp(p)) * 3.25);
  unfreeze();
  density = normal_lpdf(value, 0.0, 1.0);
  EXPECT_DOUBLE_EQ(value, std::log1p(std::exp(0.7)) * 3.25);
  EXPECT_NEAR(density, -0.5 * value * value - 0.5 * std::log(2 * pi()), 1e-14);
}

}  // namespace
}  // namespace fusecl
