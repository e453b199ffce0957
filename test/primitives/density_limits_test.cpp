// Values and all derivatives of densities and probabilities at the ends of their supports and far out,
// against limits of their definitions (tools/density_limits.py).

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <support/operands.hpp>

#include <primitives/density_cases.hpp>

namespace fusecl::test {
namespace {

[[maybe_unused]] constexpr double infinity = std::numeric_limits<double>::infinity();

struct limit_row {
  const char* name;
  std::vector<double> arguments;
  double value;
  std::vector<double> partials;
};
const limit_row limit_rows[] = {
#include "density_limits.inc"
};

/// The value on the tape of a density or a probability with these arguments.
template <class Density>
var recorded_of(std::span<const detail::argument> a) {
  const detail::density_scope scope(Density::function, false, a);
  const auto terms = [&]<std::size_t... K>(std::index_sequence<K...>) {
    return Density::terms(scope, a[K]...);
  }
  (std::make_index_sequence<Density::arity>());
  return var(detail::record_density(
      terms, detail::type_of_statement<detail::reverse_tag, detail::density_tag<Density>>));
}
var recorded_by_name(const std::string& name, std::span<const detail::argument> a) {
#define FUSECL_PROBABILITY(NAME)                               \
  if constexpr (detail::has_probability<density::NAME##_lcdf>) \
    if (name == #NAME "_cdf")                                  \
      return recorded_of<detail::recorded_density<density::NAME##_lcdf, detail::recorded_as::probability>>(a);
  FUSECL_DISTRIBUTIONS(FUSECL_PROBABILITY)
#undef FUSECL_PROBABILITY
  for (const density_case& density : density_cases())
    if (density.name == name) return density.recorded(a, false);
  throw std::invalid_argument(name);
}

void expect_equal(double found, double wanted, const std::string& what) {
  if (std::isinf(wanted))
    EXPECT_EQ(found, wanted) << what;
  else
    EXPECT_NEAR(found, wanted, is_zero(wanted) ? 1e-15 : 1e-13 * std::fabs(wanted)) << what;
}

/// Whether the k-th argument is one by which nobody takes a derivative.
bool is_count(const std::string& name, std::size_t k) {
  for (const density_case& density : density_cases())
    if (density.name == name) return density.parameters[k].is_count;
  return false;
}

void expect_limit(const limit_row& row) {
  std::vector<std::unique_ptr<var>> variables;
  std::vector<detail::argument> arguments;
  std::string what = row.name;
  for (const double x : row.arguments) {
    what += " " + std::to_string(x);
    variables.push_back(std::make_unique<var>(x));
    arguments.emplace_back("x", *variables.back());
  }
  const var value = recorded_by_name(row.name, arguments);
  value.grad();
  expect_equal(value.val(), row.value, what);
  for (std::size_t k = 0; k < row.partials.size(); ++k)
    if (!is_count(row.name, k))
      expect_equal(variables[k]->adj(), row.partials[k], what + ", derivative " + std::to_string(k + 1));
  recover_memory();
}

TEST(DensityLimits, ValuesAndDerivativesAreLimits) {
  FUSECL_NEEDS_DOUBLE;
  for (const limit_row& row : limit_rows) expect_limit(row);
}

TEST(DensityLimits, FewDegreesOfFreedomHaveADerivative) {
  FUSECL_NEEDS_DOUBLE;
  for (const double few : {1e-90, 1e-110, 1e-160}) {
    const var nu = few, lp = student_t_lpdf(1.5, nu, 0.5, 2.0);
    lp.grad();
    EXPECT_NEAR(lp.val(), std::log(few) - std::log(2.0), 1e-10);  // the density is nu / (2 |y - mu|) then
    EXPECT_NEAR(nu.adj() * few, 1, 1e-13);
    recover_memory();
  }
}

TEST(DensityLimits, SmallConcentrationsHaveADerivative) {
  FUSECL_NEEDS_DOUBLE;
  const var_value<matrix_cl<double>> alpha(matrix_cl<double>{1e-160, 1.0});
  const var lp = dirichlet_lpdf(matrix_cl<double>{0.5, 0.5}, alpha);
  lp.grad();
  const Eigen::MatrixXd found = from_matrix_cl(alpha.adj());
  EXPECT_NEAR(found(0, 0) * 1e-160, 1, 1e-13);
  EXPECT_NEAR(found(1, 0), -std::log(2.0), 1e-13);
  recover_memory();
}

/// Derivative of a probability where its logarithm is infinite.
void expect_derivative_at(double at, double wanted, var (*probability)(const var&)) {
  const var x = at, p = probability(x);
  p.grad();
  EXPECT_EQ(p.val(), 0);
  EXPECT_NEAR(x.adj(), wanted, 1e-15);
  recover_memory();
}

TEST(DensityLimits, ProbabilitiesOfZeroHaveDerivatives) {
  FUSECL_NEEDS_DOUBLE;
  expect_derivative_at(1, -1, [](const var& theta) -> var { return bernoulli_cdf(0, theta); });
  expect_derivative_at(0, std::exp(-2.0), [](const var& tau) -> var {
    return skew_double_exponential_cdf(-1.0, 0.0, 1.0, tau);
  });
  expect_derivative_at(0, 3,
                       [](const var& tau) -> var { return skew_double_exponential_cdf(1.0, 0.0, 1.0, tau); });
}

/// A log probability that is 0 whatever the other arguments are, and so are all derivatives.
void expect_certain(const density_case& distribution, double y) {
  std::vector<std::unique_ptr<var>> variables;
  std::vector<detail::argument> arguments;
  for (const density_parameter& p : distribution.parameters) {
    variables.push_back(
        std::make_unique<var>(variables.empty() ? y : 0.6 * p.sample.low + 0.4 * p.sample.high));
    arguments.emplace_back(p.what, *variables.back());
  }
  const var value = distribution.recorded(arguments, false);
  value.grad();
  EXPECT_EQ(value.val(), 0) << distribution.name;
  for (const auto& each : variables) EXPECT_EQ(each->adj(), 0) << distribution.name;
  recover_memory();
}

TEST(DensityLimits, WhatIsCertainHasDerivativesOfZero) {
  FUSECL_NEEDS_DOUBLE;
  for (const density_case& each : density_cases()) {
    if (each.parameters[0].is_count) continue;
    if (each.name.ends_with("_lcdf")) expect_certain(each, infinity);
    if (each.name.ends_with("_lccdf") && each.parameters[0].lies == support::not_nan)
      expect_certain(each, -infinity);
  }
  for (const double y : {-infinity, infinity}) {
    const var mu = 0.5, sigma = 2, tau = 0.25, p = skew_double_exponential_cdf(y, mu, sigma, tau);
    p.grad();
    EXPECT_EQ(p.val(), y > 0 ? 1 : 0);
    for (const var& each : {mu, sigma, tau}) EXPECT_EQ(each.adj(), 0);
    recover_memory();
  }
}

/// The probability is that of the wait alone: exp(lambda^2 sigma^2 / 2 - lambda (y - mu)).
TEST(DensityLimits, WaitIsAllThatIsLeftFarOut) {
  FUSECL_NEEDS_DOUBLE;
  for (const double distance : {1e100, infinity}) {
    const var y = distance, mu = 0.5, sigma = 2, lambda = 1.5, p = exp_mod_normal_lccdf(y, mu, sigma, lambda);
    p.grad();
    const bool possible = distance < infinity;
    EXPECT_DOUBLE_EQ(p.val(), -1.5 * distance);
    EXPECT_NEAR(y.adj(), possible ? -1.5 : 0, 1e-13);
    EXPECT_NEAR(mu.adj(), possible ? 1.5 : 0, 1e-13);
    EXPECT_NEAR(sigma.adj(), possible ? 4.5 : 0, 1e-13);
    EXPECT_DOUBLE_EQ(lambda.adj(), possible ? -distance : 0);
    recover_memory();
  }
}

TEST(DensityLimits, NothingIsBelowMinusInfinity) {
  FUSECL_NEEDS_DOUBLE;
  const var y = -infinity, mu = 0.5, sigma = 2, lambda = 1.25, p = exp_mod_normal_lcdf(y, mu, sigma, lambda);
  p.grad();
  EXPECT_EQ(p.val(), -infinity);
  for (const var& each : {y, mu, sigma, lambda}) EXPECT_EQ(each.adj(), 0);
  recover_memory();
}

TEST(DensityLimits, NormalAndVeryShortWait) {
  FUSECL_NEEDS_DOUBLE;
  for (const double rate : {1e4, 1e9, 1e200})
    EXPECT_NEAR(exp_mod_normal_lpdf(0.25, 0.5, 2.0, rate), normal_lpdf(0.25, 0.5, 2.0), 1 / rate + 1e-12);
}

TEST(DensityLimits, ProbabilitiesOfSeveralElementsAreProducts) {
  FUSECL_NEEDS_DOUBLE;
  var_value<matrix_cl<double>> y(matrix_cl<double>(std::vector<double>{0, 1, 2}));
  var rate = 0.5;
  const var all = exponential_cdf(y, rate);
  all.grad();
  const double first = -std::expm1(-0.5), second = -std::expm1(-1.0);
  EXPECT_EQ(all.val(), 0);
  EXPECT_NEAR(y.adj()(0, 0), 0.5 * first * second, 1e-15);
  EXPECT_EQ(y.adj()(1, 0), 0);
  EXPECT_EQ(y.adj()(2, 0), 0);
  EXPECT_EQ(rate.adj(), 0);
  EXPECT_EQ(exponential_cdf(0, 2), 0);
  EXPECT_NEAR(exponential_cdf(matrix_cl<double>(std::vector<double>{1, 2}), 0.5), first * second, 1e-15);
  EXPECT_EQ(exponential_cdf(matrix_cl<double>(0, 1), 0.5), 1);
  EXPECT_THROW(exponential_cdf(-1.0, 0.5), std::domain_error);
  recover_memory();
}

/// The probability and its derivatives are those of the exponential of its logarithm.
template <class Record>
void expect_exponential(const char* name) {
  std::vector<std::unique_ptr<var>> variables;
  std::vector<detail::argument> arguments;
  for (const density_parameter& p : Record::parameters) {
    variables.push_back(std::make_unique<var>(0.6 * p.sample.low + 0.4 * p.sample.high));
    arguments.emplace_back(p.what, *variables.back());
  }
  const var logarithm = recorded_of<detail::recorded_density<Record>>(arguments);
  logarithm.grad();
  std::vector<double> wanted;
  for (const auto& each : variables) wanted.push_back(each->adj() * std::exp(logarithm.val()));
  set_zero_all_adjoints();
  const var probability =
      recorded_of<detail::recorded_density<Record, detail::recorded_as::probability>>(arguments);
  probability.grad();
  EXPECT_NEAR(probability.val(), std::exp(logarithm.val()), 1e-15) << name;
  for (std::size_t k = 0; k < wanted.size(); ++k)
    EXPECT_NEAR(variables[k]->adj(), wanted[k], 1e-14) << name << " " << k;
  recover_memory();
}

TEST(SkewDoubleExponential, IsFlatAtItsPeak) {
  FUSECL_NEEDS_DOUBLE;
  var y = 0.5, mu = 0.5, sigma = 2, tau = 0.25, density = skew_double_exponential_lpdf(y, mu, sigma, tau);
  density.grad();
  EXPECT_DOUBLE_EQ(density.val(), std::log(2 * 0.25 * 0.75 / 2));
  EXPECT_EQ(y.adj(), 0);
  EXPECT_EQ(mu.adj(), 0);
  EXPECT_EQ(sigma.adj(), -0.5);
  EXPECT_DOUBLE_EQ(tau.adj(), 1 / 0.25 - 1 / 0.75);
  recover_memory();
}

TEST(DensityLimits, ProbabilitiesAreExponentialsOfTheirLogarithms) {
  FUSECL_NEEDS_DOUBLE;
#define FUSECL_EXPECT(NAME)                                    \
  if constexpr (detail::has_probability<density::NAME##_lcdf>) \
    expect_exponential<density::NAME##_lcdf>(#NAME);
  FUSECL_DISTRIBUTIONS(FUSECL_EXPECT)
#undef FUSECL_EXPECT
}

}  // namespace
}  // namespace fusecl::test
