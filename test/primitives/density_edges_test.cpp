// Densities of nothing, of sizes that do not fit, of values outside of supports, and at limits.

#include <cmath>
#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>
#include <support/messages.hpp>
#include <support/operands.hpp>

#include <primitives/density_cases.hpp>

namespace fusecl::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// A vector argument of `n` elements from the middle of its sample interval.
detail::argument vector_of(const density_parameter& p, std::int64_t n, double at_2 = 0,
                           bool replace = false) {
  std::vector<double> values(static_cast<std::size_t>(n));
  for (double& x : values)
    x = p.lies == support::zero_or_one ? 1
        : p.is_count                   ? std::round(0.5 * (p.sample.low + p.sample.high))
                                       : 0.5 * (p.sample.low + p.sample.high);
  if (replace) values[2] = at_2;
  if (p.is_count) return {p.what, matrix_cl<int>(std::vector<int>(values.begin(), values.end()))};
  return {p.what, matrix_cl<double>(values)};
}

/// Values outside of a support; whole ones of counts.
std::vector<double> outside(const density_parameter& p) {
  if (p.lies == support::zero_or_one) return {-1, 2};
  if (p.lies == support::any) return {};
  if (p.is_count) return {-1};
  switch (p.lies) {
    case support::not_nan:
      return {not_a_number};
    case support::finite:
      return {infinity, not_a_number};
    case support::positive:
      return {0, -1, not_a_number};
    case support::positive_finite:
      return {0, infinity};
    case support::nonnegative:
      return {-1, not_a_number};
    case support::nonnegative_finite:
      return {-1, infinity, not_a_number};
    case support::open_unit:
      return {0, 1};
    default:
      return {-0.5, 1.5, not_a_number};
  }
}

class DensityEdges : public ::testing::TestWithParam<density_case> {};

TEST_P(DensityEdges, OfNothingIsZero) {
  FUSECL_NEEDS_DOUBLE;
  std::vector<detail::argument> arguments;
  for (const density_parameter& p : GetParam().parameters) arguments.push_back(vector_of(p, 0));
  EXPECT_EQ(GetParam().value(arguments, false), 0);
  EXPECT_EQ(GetParam().recorded(arguments, true).val(), 0);
  recover_memory();
}

TEST_P(DensityEdges, SizesThatDifferAreNamed) {
  FUSECL_NEEDS_DOUBLE;
  const density_case& density = GetParam();
  for (std::size_t wrong = 1; wrong < density.parameters.size(); ++wrong) {
    std::vector<detail::argument> arguments;
    for (std::size_t k = 0; k < density.parameters.size(); ++k)
      arguments.push_back(vector_of(density.parameters[k], k == wrong ? 4 : 3));
    const std::string message = message_of<std::invalid_argument>([&] { density.value(arguments, false); });
    for (const std::string& part : {density.name + ":", std::string(density.parameters[wrong].what),
                                    std::string("3"), std::string("4")})
      EXPECT_NE(message.find(part), std::string::npos) << "'" << message << "' lacks " << part;
  }
}

TEST_P(DensityEdges, ValuesOutsideOfSupportsAreNamed) {
  FUSECL_NEEDS_DOUBLE;
  const density_case& density = GetParam();
  for (std::size_t wrong = 0; wrong < density.parameters.size(); ++wrong)
    for (const double bad : outside(density.parameters[wrong])) {
      std::vector<detail::argument> arguments;
      for (std::size_t k = 0; k < density.parameters.size(); ++k)
        arguments.push_back(vector_of(density.parameters[k], 5, bad, k == wrong));
      const std::string message = message_of<std::domain_error>([&] { density.value(arguments, false); });
      const std::string wanted = density.name + ": " + density.parameters[wrong].what + "[3] is ";
      EXPECT_EQ(message.substr(0, wanted.size()), wanted) << bad;
    }
}

INSTANTIATE_TEST_SUITE_P(All, DensityEdges, ::testing::ValuesIn(density_cases()),
                         [](const auto& test) { return test.param.name; });

TEST(Density, RelationsOfArgumentsAreChecked) {
  FUSECL_NEEDS_DOUBLE;
  const matrix_cl<double> y(std::vector<double>{0.5, 0.5, 0.5});
  EXPECT_EQ(
      message_of<std::domain_error>([&] { uniform_lpdf(y, y, 0.25); }),
      "uniform_lpdf: Upper bound parameter is 0.25, but must be greater than the lower bound parameter!");
  const matrix_cl<int> n(std::vector<int>{1, 7, 2});
  EXPECT_EQ(message_of<std::domain_error>([&] { binomial_lpmf(n, 5, 0.5); }),
            "binomial_lpmf: Successes variable[2] is 7, but must be in the interval [0, N]!");
}

struct limit {
  const char* density;
  std::vector<double> arguments;
  double value;
};

TEST(Density, HasTheseLimits) {
  FUSECL_NEEDS_DOUBLE;
  const limit limits[] = {
      {"uniform_lpdf", {2, 0, 1}, -infinity},
      {"uniform_lpdf", {0, 0, 2}, -std::log(2.0)},
      {"lognormal_lpdf", {0, 0, 1}, -infinity},
      {"gamma_lpdf", {-1, 2, 3}, -infinity},
      {"gamma_lpdf", {0, 2, 3}, -infinity},
      {"gamma_lpdf", {0, 1, 3}, std::log(3.0)},
      {"gamma_lpdf", {0, 0.5, 3}, infinity},
      {"inv_gamma_lpdf", {0, 2, 3}, -infinity},
      {"inv_gamma_lpdf", {-1, 2, 3}, -infinity},
      {"exponential_lpdf", {0, 3}, std::log(3.0)},
      {"weibull_lpdf", {0, 1, 4}, -std::log(4.0)},
      {"weibull_lpdf", {0, 2, 4}, -infinity},
      {"weibull_lpdf", {-1, 2, 4}, -infinity},
      {"beta_lpdf", {0, 2, 3}, -infinity},
      {"beta_lpdf", {0, 1, 3}, std::log(3.0)},
      {"beta_lpdf", {1, 3, 1}, std::log(3.0)},
      {"pareto_lpdf", {1, 2, 3}, -infinity},
      {"chi_square_lpdf", {0, 2}, -std::log(2.0)},
      {"normal_lpdf", {infinity, 0, 1}, -infinity},
      {"cauchy_lpdf", {-infinity, 0, 1}, -infinity},
      {"bernoulli_lpmf", {0, 0}, 0},
      {"bernoulli_lpmf", {1, 0}, -infinity},
      {"bernoulli_lpmf", {1, 1}, 0},
      {"bernoulli_logit_lpmf", {1, -infinity}, -infinity},
      {"bernoulli_logit_lpmf", {0, -infinity}, 0},
      {"binomial_lpmf", {0, 5, 0}, 0},
      {"binomial_lpmf", {5, 5, 1}, 0},
      {"binomial_lpmf", {2, 5, 0}, -infinity},
      {"binomial_lpmf", {0, 0, 0.5}, 0},
      {"binomial_logit_lpmf", {0, 0, 0.5}, 0},
      {"poisson_lpmf", {0, 0}, 0},
      {"poisson_lpmf", {3, 0}, -infinity},
      {"poisson_lpmf", {3, infinity}, -infinity},
      {"poisson_log_lpmf", {0, -infinity}, 0},
      {"poisson_log_lpmf", {3, -infinity}, -infinity},
      {"poisson_log_lpmf", {3, infinity}, -infinity},
      {"normal_lcdf", {-infinity, 0, 1}, -infinity},
      {"normal_lcdf", {infinity, 0, 1}, 0},
      {"uniform_lcdf", {3, 0, 1}, 0},
      {"uniform_lcdf", {-3, 0, 1}, -infinity},
      {"uniform_lccdf", {-3, 0, 1}, 0},
      {"lognormal_lcdf", {0, 0, 1}, -infinity},
      {"lognormal_lccdf", {0, 0, 1}, 0},
      {"pareto_lcdf", {1, 2, 3}, -infinity},
      {"exponential_lcdf", {0, 1}, -infinity},
      {"cauchy_lcdf", {infinity, 0, 1}, 0},
      {"scaled_inv_chi_square_lpdf", {0, 2, 3}, -infinity},
      {"scaled_inv_chi_square_lpdf", {-1, 2, 3}, -infinity},
      {"von_mises_lpdf", {1, 2, 0}, -std::log(2 * std::acos(-1.0))},
      {"beta_binomial_lpmf", {-1, 5, 1, 2}, -infinity},
      {"beta_binomial_lpmf", {6, 5, 1, 2}, -infinity},
      {"beta_binomial_lpmf", {0, 0, 1, 2}, 0},
      {"beta_binomial_lpmf", {5, 5, 1, 1}, -std::log(6.0)},
      {"discrete_range_lpmf", {3, 4, 9}, -infinity},
      {"discrete_range_lpmf", {10, 4, 9}, -infinity},
      {"discrete_range_lpmf", {4, 4, 4}, 0},
      {"discrete_range_lcdf", {3, 4, 9}, -infinity},
      {"discrete_range_lcdf", {10, 4, 9}, 0},
      {"discrete_range_lccdf", {3, 4, 9}, 0},
      {"discrete_range_lccdf", {9, 4, 9}, -infinity},
      {"bernoulli_lcdf", {-1, 0.5}, -infinity},
      {"bernoulli_lcdf", {1, 0.5}, 0},
      {"bernoulli_lccdf", {-1, 0.5}, 0},
      {"bernoulli_lccdf", {1, 0.5}, -infinity},
      {"exp_mod_normal_lcdf", {-infinity, 0, 1, 1}, -infinity},
      {"exp_mod_normal_lcdf", {infinity, 0, 1, 1}, 0},
      {"exp_mod_normal_lccdf", {-infinity, 0, 1, 1}, 0},
      {"exp_mod_normal_lccdf", {infinity, 0, 1, 1}, -infinity},
  };
  for (const limit& each : limits) {
    bool found = false;
    for (const density_case& density : density_cases()) {
      if (density.name != each.density) continue;
      found = true;
      std::vector<detail::argument> arguments;
      std::string text = density.name;
      for (std::size_t k = 0; k < each.arguments.size(); ++k) {
        const density_parameter& p = density.parameters[k];
        text += " " + std::to_string(each.arguments[k]);
        if (p.is_count)
          arguments.emplace_back(p.what, matrix_cl<int>(static_cast<int>(each.arguments[k])));
        else
          arguments.emplace_back(p.what, matrix_cl<double>(each.arguments[k]));
      }
      const double value = density.value(arguments, false);
      if (std::isinf(each.value))
        EXPECT_EQ(value, each.value) << text;
      else
        EXPECT_NEAR(value, each.value, 1e-14) << text;
    }
    EXPECT_TRUE(found) << each.density;
  }
}

TEST(Density, CountsInPublicFunctionsAndDistributionFunctions) {
  FUSECL_NEEDS_DOUBLE;
  const matrix_cl<int> n(std::vector<int>{0, 3});
  EXPECT_NEAR(poisson_lpmf(n, 1.0), -2 - std::log(6.0), 1e-15);
  EXPECT_NEAR((poisson_lpmf<true>(n, var(1.0)).val()), -2, 1e-15);
  var mu = 0.5;
  const matrix_cl<double> y(std::vector<double>{0.5, 1.5});
  var p = normal_cdf(y, mu, 1.0);
  p.grad();
  const double upper = 0.5 * std::erfc(-1 / std::sqrt(2.0)), root = std::sqrt(2 * std::acos(-1.0));
  EXPECT_NEAR(p.val(), 0.5 * upper, 1e-15);
  EXPECT_NEAR(mu.adj(), -(upper + 0.5 * std::exp(-0.5)) / root, 1e-15);
  EXPECT_NEAR(normal_cdf(0.5, 0.5, 2), 0.5, 1e-15);
  recover_memory();
}

TEST(Density, UpToAConstantHasNoTermOfDataAlone) {
  FUSECL_NEEDS_DOUBLE;
  const double y = 1.3, a = 2.2, b = 0.7;
  const auto expect = [](const char* what, const var& found, double wanted) {
    EXPECT_NEAR(found.val(), wanted, 1e-14) << what;
  };
  const double log_y = std::log(y), log_b = std::log(b);
  expect("gamma, shape", gamma_lpdf<true>(y, var(a), b), a * log_b - std::lgamma(a) + (a - 1) * log_y);
  expect("gamma, scale", gamma_lpdf<true>(y, a, var(b)), a * log_b - b * y);
  expect("inv_gamma, shape", inv_gamma_lpdf<true>(y, var(a), b),
         a * log_b - std::lgamma(a) - (a + 1) * log_y);
  expect("chi_square", chi_square_lpdf<true>(y, var(a)),
         (a / 2 - 1) * log_y - a / 2 * std::log(2.0) - std::lgamma(a / 2));
  expect("inv_chi_square", inv_chi_square_lpdf<true>(y, var(a)),
         -(a / 2 + 1) * log_y - a / 2 * std::log(2.0) - std::lgamma(a / 2));
  expect("frechet, y", frechet_lpdf<true>(var(y), a, b), -(1 + a) * log_y - std::pow(y / b, -a));
  expect("frechet, scale", frechet_lpdf<true>(y, a, var(b)), a * log_b - std::pow(y / b, -a));
  expect("pareto, y", pareto_lpdf<true>(var(y), b, a), -(a + 1) * log_y);
  expect("pareto, y_min", pareto_lpdf<true>(y, var(b), a), a * log_b);
  expect("beta_proportion, y", beta_proportion_lpdf<true>(var(0.4), b, a),
         (b * a - 1) * std::log(0.4) + ((1 - b) * a - 1) * std::log(0.6));
  for (const int n : {0, 3})
    expect("neg_binomial", neg_binomial_lpmf<true>(n, a, var(b)),
           a * std::log(b / (1 + b)) - n * std::log(1 + b));
  recover_memory();
}

TEST(Density, OutsideOfItsSupportHasTheSameValueUpToAConstant) {
  FUSECL_NEEDS_DOUBLE;
  for (const double shape : {0.5, 1.0, 2.0}) {
    EXPECT_EQ(gamma_lpdf(infinity, shape, 1.0), -infinity);
    for (const double y : {-1.0, infinity}) {
      EXPECT_EQ(gamma_lpdf<true>(y, var(shape), 2.0).val(), -infinity);
      EXPECT_EQ(gamma_lpdf<true>(y, shape, var(2.0)).val(), -infinity);
    }
    EXPECT_EQ(chi_square_lpdf<true>(infinity, var(shape)).val(), -infinity);
  }
  var y = infinity;
  var l = gamma_lpdf(y, 2.0, 3.0);
  l.grad();
  EXPECT_EQ(y.adj(), 0);
  recover_memory();
}

/// The derivative of a density of one variable, here.
template <class F>
double derivative_at(double x, const F& density) {
  var v = x;
  var value = density(v);
  value.grad();
  const double result = v.adj();
  recover_memory();
  return result;
}
void expect_relative(double got, double wanted, double bound = 1e-13) {
  EXPECT_LE(std::abs(got - wanted), bound * std::abs(wanted)) << got << " for " << wanted;
}

// Wanted values by mpmath with 50 digits.
TEST(Density, DerivativesThatAreSmallDifferencesKeepTheirDigits) {
  FUSECL_NEEDS_DOUBLE;
  expect_relative(derivative_at(1e-6, [](var y) { return gumbel_lpdf(y, 0.0, 1.0); }),
                  -9.99999500000166667e-7);
  expect_relative(derivative_at(1e-10, [](var y) { return gumbel_lpdf(y, 0.0, 1.0); }), -9.9999999995e-11);
  expect_relative(derivative_at(3.0, [](var s) { return weibull_lpdf(2.0, 1e-6, s); }),
                  -1.35155008635733e-13);
  expect_relative(derivative_at(3e-7, [](var a) { return binomial_logit_lpmf(1, 2, a); }),
                  -1.49999999999998875e-7);
  expect_relative(derivative_at(1e-10, [](var a) { return binomial_logit_lpmf(1, 2, a); }), -5e-11);
  expect_relative(derivative_at(-20.0, [](var a) { return binomial_logit_lpmf(1, 4, a); }),
                  0.99999999175538560);
  EXPECT_EQ(gumbel_lpdf(-900.0, 0.0, 1.0), -infinity);
}

TEST(Density, DerivativesAtTheEndOfASupportAreLimitsFromWithin) {
  FUSECL_NEEDS_DOUBLE;
  EXPECT_EQ(derivative_at(1.0, [](var t) { return bernoulli_lpmf(0, t); }), -infinity);
  EXPECT_EQ(derivative_at(1.0, [](var t) { return binomial_lpmf(2, 5, t); }), -infinity);
  EXPECT_EQ(derivative_at(1.0, [](var x) { return var(sum(log1m(x))); }), -infinity);
  EXPECT_EQ(skew_normal_lpdf(infinity, 0.0, 1.0, 0.0), -infinity);
  EXPECT_EQ(skew_normal_lpdf(-infinity, 0.0, 1.0, 0.0), -infinity);
}

TEST(Density, ProbabilitiesHaveTheirOwnName) {
  FUSECL_NEEDS_DOUBLE;
  const auto message = [](const auto& f) { return message_of<std::domain_error>(f); };
  EXPECT_EQ(message([] { return normal_cdf(not_a_number, 0.0, 1.0); }).substr(0, 12), "normal_cdf: ");
  EXPECT_EQ(message([] { return uniform_cdf(not_a_number, 0.0, 1.0); }).substr(0, 13), "uniform_cdf: ");
  EXPECT_EQ(message([] { return normal_lcdf(not_a_number, 0.0, 1.0); }).substr(0, 13), "normal_lcdf: ");
}

/// A log density of minus infinity is that of something impossible: as in Stan Math nothing gets an adjoint
/// of it, neither the elements that make it so nor the others, and what is added to it has its own.
TEST(Density, OfMinusInfinityGivesNoAdjoints) {
  FUSECL_NEEDS_DOUBLE;
  using vector_var = var_value<matrix_cl<double>>;
  const auto vector = [](std::vector<double> values) { return matrix_cl<double>(values); };
  const auto none = [](const vector_var& x) { EXPECT_TRUE(x.adj().to_host().isZero(0)); };
  const vector_var y(vector({0.3, 0.8, 14})), low(vector({0.2, 0.4, -1})), high(vector({0.4, 1.5, 5}));
  var scale = 1.3;
  var impossible = uniform_lpdf(y, low, high);
  EXPECT_EQ(impossible.val(), -infinity);
  (impossible + normal_lpdf(y, 0.0, scale)).grad();
  EXPECT_NEAR(y.adj().to_host()(2), -14 / (1.3 * 1.3), 1e-14);
  EXPECT_NEAR(scale.adj(), (0.09 + 0.64 + 196) / (1.3 * 1.3 * 1.3) - 3 / 1.3, 1e-11);
  none(low);
  none(high);
  set_zero_all_adjoints();
  for (const auto density : {+[](const vector_var&x, const var&s) { return pareto_lpdf(x, 12.3, s); },
                             +[](const vector_var&x, const var&s) { return pareto_lcdf(x, 12.3, s); },
                             +[](const vector_var&x, const var&s) { return gumbel_lcdf(x, s, 1e-3); },
                             +[](const vector_var&x, const var&s) { return lognormal_lpdf(0.0 * x, s, 1.0); },
                             +[](const vector_var&x, const var&s) { return poisson_lpmf(3, s * 0.0 * x); }}) {
    const vector_var x(vector({0.3, 0.8, 0.1}));
    var s = 2;
    var value = density(x, s);
    EXPECT_EQ(value.val(), -infinity);
    value.grad();
    none(x);
    EXPECT_EQ(s.adj(), 0);
  }
  recover_memory();
}

/// Differences and squares beyond the largest double have a density that is none.
TEST(Density, OfNormalVariablesFarApart) {
  FUSECL_NEEDS_DOUBLE;
  const auto at = [](double y) { return matrix_cl<double>(std::vector<double>{y}); };
  const double log_scale = std::log(1e308), half_log_two_pi = 0.5 * std::log(2 * std::acos(-1.0));
  EXPECT_NEAR(normal_lpdf(at(-1e308), 1e308, 1e308), -2 - log_scale - half_log_two_pi, 1e-12);
  EXPECT_NEAR(normal_lpdf(at(-1.5e154), 0.0, 1.0) / -1.125e308, 1, 1e-15);
  EXPECT_NEAR(normal_lpdf(at(1.5e308), 0.0, 1e154) / -1.125e308, 1, 1e-15);
  EXPECT_NEAR(std_normal_lpdf(at(-1.5e154)) / -1.125e308, 1, 1e-15);
  EXPECT_NEAR(normal_lcdf(at(-1e308), 1e308, 1e308), std::log(std::erfc(std::sqrt(2.0)) / 2), 1e-14);
  EXPECT_NEAR(normal_lccdf(at(1e308), -1e308, 1e308), std::log(std::erfc(std::sqrt(2.0)) / 2), 1e-14);
  EXPECT_NEAR(normal_cdf(at(-1e308), 1e308, 1e308), std::erfc(std::sqrt(2.0)) / 2, 1e-16);
  const double least = std::numeric_limits<double>::denorm_min();  // which has no half
  EXPECT_NEAR(normal_lpdf(at(5 * least), 0.0, 3 * least),
              -0.5 * 25 / 9.0 - std::log(3 * least) - half_log_two_pi, 1e-12);
  EXPECT_NEAR(normal_lcdf(at(5 * least), 0.0, 3 * least), std::log(std::erfc(-5 / (3 * std::sqrt(2.0))) / 2),
              1e-15);
  var_value<matrix_cl<double>> y(at(-1e308));
  var mu = 1e308;
  normal_lpdf(y, mu, 1e308).grad();
  EXPECT_NEAR(mu.adj() / -2e-308, 1, 1e-14);
  EXPECT_NEAR(y.adj().to_host()(0) / 2e-308, 1, 1e-14);
  recover_memory();
}

// Squares of numbers of the size of 1e200 overflow, their derivatives do not.
TEST(Density, StandardNormalTailsHaveDerivativesWhereTheyAreInfinite) {
  FUSECL_NEEDS_DOUBLE;
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double far : {-1e100, -1e200, -1.5e308, -infinity}) {
    var_value<matrix_cl<double>> below(matrix_cl<double>(std::vector<double>{far, 0})),
        above(matrix_cl<double>(std::vector<double>{-far, 0}));
    const var under = std_normal_lcdf(below), over = std_normal_lccdf(above);
    var(under + over).grad();
    EXPECT_LE(under.val(), -1e198);
    EXPECT_EQ(over.val(), under.val());
    const Eigen::MatrixXd by_below = below.adj().to_host(), by_above = above.adj().to_host();
    if (std::isinf(far))
      EXPECT_EQ(by_below(0), infinity);
    else
      EXPECT_NEAR(by_below(0) / -far, 1, 1e-13);
    EXPECT_EQ(by_above(0), -by_below(0));
    EXPECT_NEAR(by_below(1), std::sqrt(2 / std::numbers::pi), 1e-14);
    recover_memory();
  }
}

TEST(Density, SizesAreNamedAsTheyWereWritten) {
  FUSECL_NEEDS_DOUBLE;
  const auto message = [](const matrix_cl<double>& x, const matrix_cl<double>& mu) {
    return message_of<std::invalid_argument>([&] { normal_lpdf(x, mu, 1.0); });
  };
  const matrix_cl<double> row(1, 4), column(3, 1), square(2, 2), nothing, none(0, 1);
  EXPECT_EQ(
      message(row, column),
      "normal_lpdf: elements of Random variable (1 x 4) and elements of Location parameter (3 x 1) must "
      "match in size");
  EXPECT_EQ(
      message(square, row),
      "normal_lpdf: rows and columns of Random variable (2 x 2) and elements of Location parameter (1 x "
      "4) must match in size");
  EXPECT_EQ(
      message(nothing, none),
      "normal_lpdf: rows and columns of Random variable (0 x 0) and elements of Location parameter (0 x "
      "1) must match in size");
  EXPECT_EQ(normal_lpdf(none, matrix_cl<double>(1, 0), 1.0), 0);  // both vectors
}

}  // namespace
}  // namespace fusecl::test
