// Constraining transforms and mixtures: values, the increments of the log density and derivatives against
// their definitions, at infinite bounds and ends, and what they refuse.

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>
#include <support/both_forms.hpp>
#include <support/messages.hpp>
#include <support/operands.hpp>

#include <primitives/primitives.hpp>

namespace fusecl::test {
namespace {

using matrix = matrix_cl<double>;
using matrix_var = var_value<matrix>;
using host_matrix = host<double>;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

class Constraints : public ::testing::Test {
 protected:
  void SetUp() override { FUSECL_NEEDS_DOUBLE; }
  void TearDown() override { recover_memory(); }
};

double inv_logit_of(double x) { return 1 / (1 + std::exp(-x)); }

/// What a transform is on the host: of x, and two numbers; its value and the logarithm of its derivative.
using transform = std::function<double(double, double, double)>;

/// Compares values, increments and the derivative of `weights . y + lp` by x with differences.
template <class OnDevice>
void expect_transform(const OnDevice& on_device, const transform& value, const transform& log_derivative,
                      const host_matrix& x, double first, double second) {
  const auto on_host = [&](const host_matrix& at, double* lp) {
    host_matrix y = at;
    for (Eigen::Index k = 0; k < at.size(); ++k) {
      y.data()[k] = value(at.data()[k], first, second);
      *lp += log_derivative(at.data()[k], first, second);
    }
    return y;
  };
  double wanted_lp = 2, lp = 2;
  const host_matrix wanted = on_host(x, &wanted_lp);
  const matrix device_x(x);
  EXPECT_TRUE(from_matrix_cl(on_device(device_x)).isApprox(wanted, 1e-14));
  EXPECT_TRUE(from_matrix_cl(on_device(device_x, lp)).isApprox(wanted, 1e-14));
  EXPECT_NEAR(lp, wanted_lp, 1e-12);
  scalar_cl<double> kept_lp = 2;
  EXPECT_TRUE(from_matrix_cl(on_device(device_x, kept_lp)).isApprox(wanted, 1e-14));
  EXPECT_NEAR(to_host(kept_lp), wanted_lp, 1e-12);

  const host_matrix weights = random_host<double>(x.rows(), x.cols(), 0.5, 1);
  const matrix_var variable(x);
  var total = 2;
  const matrix_var y = on_device(variable, total);
  total += sum(elt_multiply(y, matrix(weights)));
  EXPECT_NEAR(total.val(), wanted_lp + wanted.cwiseProduct(weights).sum(), 1e-11);
  total.grad();
  const host_matrix gradient = variable.adj().to_host();
  for (Eigen::Index k = 0; k < x.size(); ++k) {
    const double step = 1e-5;
    double sums[2] = {0, 0};
    for (const int side : {0, 1}) {
      host_matrix moved = x;
      moved.data()[k] += side == 1 ? step : -step;
      const host_matrix at = on_host(moved, &sums[side]);
      sums[side] += at.cwiseProduct(weights).sum();
    }
    EXPECT_NEAR(gradient.data()[k], (sums[1] - sums[0]) / (2 * step), 1e-6);
  }
  recover_memory();
}

const transform lower_value = [](double x, double lb, double) {
  return lb == -infinity ? x : lb + std::exp(x);
};
const transform lower_log = [](double x, double lb, double) { return lb == -infinity ? 0 : x; };
const transform upper_value = [](double x, double ub, double) {
  return ub == infinity ? x : ub - std::exp(x);
};
const transform upper_log = [](double x, double ub, double) { return ub == infinity ? 0 : x; };
const transform between_value = [](double x, double lb, double ub) {
  if (lb == -infinity) return upper_value(x, ub, 0);
  return ub == infinity ? lb + std::exp(x) : lb + (ub - lb) * inv_logit_of(x);
};
const transform between_log = [](double x, double lb, double ub) {
  if (lb == -infinity) return upper_log(x, ub, 0);
  if (ub == infinity) return x;
  return std::log(ub - lb) + std::log(inv_logit_of(x)) + std::log1p(-inv_logit_of(x));
};

TEST_F(Constraints, OfOneBound) {
  in_both_forms([] {
    for (const double bound : {-1.5, 0.0, infinity, -infinity})
      for (const int rows : {0, 7}) {
        const host_matrix x = random_host<double>(rows, 2, -2, 2);
        if (bound != infinity)
          expect_transform([&](const auto& at, auto&... lp) { return lb_constrain(at, bound, lp...); },
                           lower_value, lower_log, x, bound, 0);
        if (bound != -infinity)
          expect_transform([&](const auto& at, auto&... lp) { return ub_constrain(at, bound, lp...); },
                           upper_value, upper_log, x, bound, 0);
      }
  });
}

TEST_F(Constraints, OfTwoBounds) {
  in_both_forms([] {
    for (const double low : {-infinity, -1.0})
      for (const double high : {2.5, infinity}) {
        const host_matrix x = random_host<double>(5, 2, -2, 2);
        const matrix lows = rep_matrix(low, 5, 2), highs = rep_matrix(high, 5, 2);
        const auto numbers = [&](const auto& at, auto&... lp) { return lub_constrain(at, low, high, lp...); };
        const auto matrices = [&](const auto& at, auto&... lp) {
          return lub_constrain(at, lows, highs, lp...);
        };
        expect_transform(numbers, between_value, between_log, x, low, high);
        expect_transform(matrices, between_value, between_log, x, low, high);
      }
  });
}

TEST_F(Constraints, OfOffsetAndMultiplier) {
  in_both_forms([] {
    const host_matrix x = random_host<double>(6, 1, -2, 2);
    const matrix offsets = rep_matrix(0.5, 6, 1), multipliers = rep_matrix(3.0, 6, 1);
    const transform value = [](double at, double mu, double sigma) { return mu + sigma * at; };
    const transform logarithm = [](double, double, double sigma) { return std::log(sigma); };
    const auto numbers = [&](const auto& at, auto&... lp) {
      return offset_multiplier_constrain(at, 0.5, 3.0, lp...);
    };
    const auto matrices = [&](const auto& at, auto&... lp) {
      return offset_multiplier_constrain(at, offsets, multipliers, lp...);
    };
    expect_transform(numbers, value, logarithm, x, 0.5, 3);
    expect_transform(matrices, value, logarithm, x, 0.5, 3);
  });
}

TEST_F(Constraints, OfScalars) {
  var x = 0.3, lp = 0;
  var y = lb_constrain(x, 1.0, lp) + 2.0 * ub_constrain(x, 1.0, lp) + 3.0 * lub_constrain(x, -1.0, 2.0, lp) +
          4.0 * offset_multiplier_constrain(x, 1.0, 2.0, lp);
  var both = y + lp;
  both.grad();
  const double e = std::exp(0.3), p = 1 / (1 + 1 / e);
  EXPECT_NEAR(y.val(), 1 + e + 2 * (1 - e) + 3 * (-1 + 3 * p) + 4 * 1.6, 1e-13);
  EXPECT_NEAR(lp.val(), 0.6 + std::log(3 * p * (1 - p)) + std::log(2), 1e-13);
  EXPECT_NEAR(x.adj(), e - 2 * e + 9 * p * (1 - p) + 8 + 2 + (1 - 2 * p), 1e-13);
  double total = 0;
  const double number = lb_constrain(0.3, 1.0, total);
  EXPECT_NEAR(number, 1 + e, 1e-15);
  EXPECT_NEAR(total, 0.3, 1e-15);
  parameter q = 0.3;
  const auto [value, gradient] = value_and_gradient(square(lb_constrain(q, 1.0)), wrt(q));
  EXPECT_NEAR(value, (1 + e) * (1 + e), 1e-13);
  EXPECT_NEAR(std::get<0>(gradient).to_host()(0, 0), 2 * (1 + e) * e, 1e-13);
}

TEST_F(Constraints, HaveDerivativesByTheirBounds) {
  const host_matrix x = random_host<double>(4, 1, -1, 1);
  const matrix data(x);
  var low = -1, high = 2, lp = 0;
  const matrix_var y = lub_constrain(data, low, high, lp);
  var total = lp + sum(y);
  total.grad();
  double by_low = 0, by_high = 0;
  for (const double at : x.reshaped()) {
    by_low += 1 - inv_logit_of(at) - 1.0 / 3;
    by_high += inv_logit_of(at) + 1.0 / 3;
  }
  EXPECT_NEAR(low.adj(), by_low, 1e-13);
  EXPECT_NEAR(high.adj(), by_high, 1e-13);
}

TEST_F(Constraints, MakeUnitVectors) {
  in_both_forms([] {
    const host_matrix x = random_host<double>(9, 1, -1, 1);
    double lp = 1;
    EXPECT_TRUE(from_matrix_cl(unit_vector_constrain(matrix(x), lp)).isApprox(x / x.norm(), 1e-14));
    EXPECT_NEAR(lp, 1 - 0.5 * x.squaredNorm(), 1e-14);
    const matrix_var v(x);
    var increment = 0;
    const matrix_var unit = unit_vector_constrain(v, increment);
    const host_matrix c = random_host<double>(9, 1);
    var total = increment + sum(elt_multiply(unit, matrix(c)));
    total.grad();
    const double length = x.norm(), along = c.col(0).dot(x.col(0));
    EXPECT_TRUE(v.adj().to_host().isApprox(c / length - x * (along / std::pow(length, 3)) - x, 1e-13));
    recover_memory();
  });
}

// A number has as many derivatives as there are offsets.
TEST_F(Constraints, OfANumberCountTheElementsOfTheResult) {
  const matrix offsets = rep_matrix(1.0, 4, 1), multipliers = rep_matrix(2.0, 4, 1);
  double by_number = 0, by_matrix = 0, alone = 0;
  const host_matrix y = from_matrix_cl(offset_multiplier_constrain(0.3, offsets, 2.0, by_number));
  EXPECT_EQ(y, host_matrix::Constant(4, 1, 1.6));
  EXPECT_EQ(from_matrix_cl(offset_multiplier_constrain(0.3, offsets, multipliers, by_matrix)), y);
  EXPECT_NEAR(by_number, 4 * std::log(2), 1e-14);
  EXPECT_NEAR(by_matrix, by_number, 1e-14);
  EXPECT_EQ(double(offset_multiplier_constrain(0.3, 1.0, 2.0, alone)), 1.6);
  EXPECT_NEAR(alone, std::log(2), 1e-15);
}

TEST_F(Constraints, RefuseWhatHasNoSupport) {
  const matrix x(random_host<double>(3, 1));
  EXPECT_THROW(lub_constrain(x, 1.0, 1.0), std::domain_error);
  EXPECT_THROW(lub_constrain(x, rep_matrix(1.0, 3, 1), 0.5), std::domain_error);
  EXPECT_THROW(lub_constrain(x, nan, 1.0), std::domain_error);
  EXPECT_THROW(lub_constrain(x, rep_matrix(1.0, 2, 1), 2.0), std::invalid_argument);
  EXPECT_THROW(lb_constrain(x, rep_matrix(1.0, 2, 1)), std::invalid_argument);
  EXPECT_THROW(offset_multiplier_constrain(x, infinity, 1.0), std::domain_error);
  EXPECT_THROW(offset_multiplier_constrain(x, 0.0, -1.0), std::domain_error);
  EXPECT_THROW(offset_multiplier_constrain(x, 0.0, rep_matrix(0.0, 3, 1)), std::domain_error);
  EXPECT_THROW(unit_vector_constrain(matrix(0, 1)), std::invalid_argument);
  EXPECT_THROW(unit_vector_constrain(matrix(rep_matrix(0.0, 3, 1))), std::domain_error);
  double lp = 7;
  EXPECT_THROW(lub_constrain(x, 2.0, 1.0, lp), std::domain_error);
  EXPECT_EQ(lp, 7);
}

double log_mix_of(const Eigen::VectorXd& theta, const host_matrix& lambda) {
  long double total = 0;
  for (Eigen::Index j = 0; j < lambda.cols(); ++j) {
    long double s = 0;
    for (Eigen::Index i = 0; i < lambda.rows(); ++i)
      s += static_cast<long double>(theta(i)) * std::exp(static_cast<long double>(lambda(i, j)));
    total += std::log(s);
  }
  return static_cast<double>(total);
}

TEST_F(Constraints, LogMixHasItsValueAndDerivatives) {
  in_both_forms([] {
    for (const int n : {1, 2, 5})
      for (const int cols : {1, 3}) {
        const Eigen::VectorXd theta = random_host<double>(n, 1, 0, 1) / n;
        const host_matrix lambda = random_host<double>(n, cols, -3, 3);
        EXPECT_NEAR(log_mix(matrix(theta), matrix(lambda)), log_mix_of(theta, lambda), 1e-12);
        const matrix_var of_theta(host_matrix(theta.transpose())), of_lambda(lambda);
        var mixed = log_mix(of_theta, of_lambda);
        mixed.grad();
        host_matrix by_lambda = lambda.array().exp().matrix(), by_theta(1, n);
        for (int j = 0; j < cols; ++j) by_lambda.col(j) /= theta.dot(by_lambda.col(j));
        by_theta = by_lambda.rowwise().sum().transpose();
        by_lambda = (theta.asDiagonal() * by_lambda).eval();
        EXPECT_TRUE(of_theta.adj().to_host().isApprox(by_theta, 1e-12));
        EXPECT_TRUE(of_lambda.adj().to_host().isApprox(by_lambda, 1e-12));
        recover_memory();
      }
  });
}

TEST_F(Constraints, LogMixOfTwoParts) {
  for (const double theta : {0.0, 1e-300, 0.3, 1.0})
    for (const auto& [first, second] :
         {std::pair(0.5, 0.25), {-800.0, -801.0}, {2.0, -infinity}, {700.0, -700.0}}) {
      // by the two-part form of columns, whose derivatives are compared above
      const double wanted =
          log_mix(matrix(Eigen::Vector2d(theta, 1 - theta)), matrix(Eigen::Vector2d(first, second)));
      const double found = log_mix(theta, first, second);
      if (std::isinf(wanted))
        EXPECT_EQ(found, wanted) << theta << ' ' << first;
      else
        EXPECT_NEAR(found, wanted, 1e-15 * (1 + std::fabs(wanted))) << theta << ' ' << first;
    }
  const double e1 = std::exp(0.5), e2 = std::exp(0.25);
  for (const double at : {0.0, 0.3, 1.0}) {
    var theta = at, first = 0.5, second = 0.25;
    var mixed = log_mix(theta, first, second);
    mixed.grad();
    const double all = at * e1 + (1 - at) * e2;
    EXPECT_NEAR(mixed.val(), std::log(all), 1e-15);
    EXPECT_NEAR(theta.adj(), (e1 - e2) / all, 1e-15);
    EXPECT_NEAR(first.adj(), at * e1 / all, 1e-15);
    EXPECT_NEAR(second.adj(), (1 - at) * e2 / all, 1e-15);
    recover_memory();
  }
  const matrix parts(Eigen::Vector3d(0, 1, -2));
  const host_matrix each = from_matrix_cl(matrix(log_mix(0.25, parts, 0.5 * parts)));
  for (Eigen::Index k = 0; k < 3; ++k)
    EXPECT_NEAR(each(k), std::log(0.25 * std::exp(parts(k)) + 0.75 * std::exp(0.5 * parts(k))), 1e-15);
}

TEST_F(Constraints, LogMixOfWhatIsNoMixtureIsNaN) {
  for (const auto& [theta, first, second] : {std::array{0.5, 0.0, nan},
                                             {0.5, nan, -800.0},
                                             {0.0, 0.0, nan},
                                             {1.5, 0.0, 0.0},
                                             {-0.1, 0.0, 800.0},
                                             {nan, 0.0, 0.0}})
    EXPECT_TRUE(std::isnan(log_mix(theta, first, second))) << theta << ' ' << first << ' ' << second;
}

TEST_F(Constraints, TakeScalarExpressions) {
  const matrix x(Eigen::Vector3d(-1, 0, 2));
  const host_matrix above = from_matrix_cl(matrix(lb_constrain(x, sum(x))));
  EXPECT_NEAR(above(2), 1 + std::exp(2.0), 1e-14);
  const host_matrix moved = from_matrix_cl(matrix(offset_multiplier_constrain(x, max_2d(x), 2.0)));
  EXPECT_EQ(moved, (host_matrix(3, 1) << 0, 2, 6).finished());
  const host_matrix bounds = from_matrix_cl(matrix(lb_constrain(sum(x), matrix(Eigen::Vector3d(1, 2, 3)))));
  EXPECT_NEAR(bounds(1), 2 + std::exp(1.0), 1e-14);
}

TEST_F(Constraints, NameWhatDoesNotFit) {
  const matrix x(Eigen::Vector3d(1, 2, 3)), two(Eigen::Vector2d(1, 2)), three(Eigen::Vector3d(0.5, 1, 2));
  double lp = 0;
  const auto expect = [](const auto& statement, const std::string& wanted) {
    EXPECT_EQ(message_of<std::invalid_argument>(statement).substr(0, wanted.size()), wanted);
  };
  expect([&] { lb_constrain(x, two); }, "lb_constrain: rows of lb (2) and rows of x (3)");
  expect([&] { lb_constrain(x, two, lp); }, "lb_constrain: rows of lb (2) and rows of x (3)");
  expect([&] { ub_constrain(x, two); }, "ub_constrain: rows of ub (2) and rows of x (3)");
  expect([&] { ub_constrain(x, two, lp); }, "ub_constrain: rows of ub (2) and rows of x (3)");
  expect([&] { lub_constrain(x, two, three); }, "lub_constrain: rows of lb (2) and rows of x (3)");
  expect([&] { lub_constrain(x, 0, two, lp); }, "lub_constrain: rows of ub (2) and rows of x (3)");
  expect([&] { offset_multiplier_constrain(x, two, 1); },
         "offset_multiplier_constrain: rows of offset (2) and rows of x (3)");
  expect([&] { offset_multiplier_constrain(x, 1, two, lp); },
         "offset_multiplier_constrain: rows of multiplier (2) and rows of x (3)");
  EXPECT_EQ(lp, 0);
}

TEST_F(Constraints, LogMixAtItsEnds) {
  const matrix theta(Eigen::Vector2d(0, 1));
  EXPECT_EQ(log_mix(theta, matrix(Eigen::Vector2d(1000, 2))), 2);
  EXPECT_EQ(log_mix(theta, matrix(Eigen::RowVector2d(-infinity, -infinity))), -infinity);
  EXPECT_EQ(log_mix(theta, matrix(Eigen::Vector2d(infinity, 2))), 2);
  EXPECT_EQ(log_mix(matrix(Eigen::Vector2d(0.5, 0.5)), matrix(Eigen::Vector2d(infinity, 0))), infinity);
  EXPECT_NEAR(log_mix(matrix(Eigen::Vector2d(0.25, 0.75)), matrix(Eigen::Vector2d(-800, -801))),
              -800 + std::log(0.25 + 0.75 * std::exp(-1.0)), 1e-12);
  const matrix_var proportions(Eigen::Vector2d(0, 1));
  var mixed = log_mix(proportions, matrix(Eigen::Vector2d(1, 2)));
  mixed.grad();
  EXPECT_TRUE(proportions.adj().to_host().isApprox(Eigen::Vector2d(std::exp(-1.0), 1), 1e-14));
  EXPECT_EQ(log_mix(matrix(0, 1), matrix(0, 4)), 0);
  EXPECT_THROW(log_mix(theta, matrix(3, 2)), std::invalid_argument);
  EXPECT_THROW(log_mix(theta, matrix(Eigen::Vector2d(nan, 1))), std::domain_error);
  EXPECT_THROW(log_mix(matrix(Eigen::Vector2d(1.5, 0)), matrix(Eigen::Vector2d(1, 1))), std::domain_error);
}

}  // namespace
}  // namespace fusecl::test
