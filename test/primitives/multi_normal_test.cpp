// The density of normal vectors by a factor of their covariance: against its definition in long double and
// the closed form of its derivatives, in every mixture of data and variables; what it refuses.

#include <cmath>
#include <limits>
#include <stdexcept>

#include <Eigen/Dense>
#include <gtest/gtest.h>
#include <support/both_forms.hpp>
#include <support/messages.hpp>
#include <support/operands.hpp>

#include <fusion/runtime/counters.hpp>
#include <primitives/primitives.hpp>

namespace fusecl::test {
namespace {

using host_matrix = Eigen::MatrixXd;
using long_matrix = Eigen::Matrix<long double, -1, -1>;
using matrix_var = var_value<matrix_cl<double>>;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct normal_vectors {
  host_matrix y, mu, factor;
};

/// NaN above the diagonal of the factor.
normal_vectors draw(int k, int n) {
  host_matrix factor = random_host<double>(k, k, -1, 1);
  for (int j = 0; j < k; ++j)
    for (int i = 0; i <= j; ++i) factor(i, j) = i == j ? 2 + std::abs(factor(i, j)) : nan;
  return {random_host<double>(k, n, -2, 2), random_host<double>(k, n, -2, 2), factor};
}

/// Value and derivatives: d = inverse(L) (y - mu); by y it is -inverse(L') d, by the lower triangle of L
/// inverse(L') d d' - n / diagonal.
struct expected_density {
  double value, constant;
  host_matrix by_y, by_factor;
};

expected_density expected(const normal_vectors& v) {
  const long_matrix factor = v.factor.cast<long double>().triangularView<Eigen::Lower>();
  const auto lower = factor.triangularView<Eigen::Lower>();
  const long_matrix d = lower.solve((v.y - v.mu).cast<long double>()), turned = factor.transpose();
  const long_matrix by_y = -turned.triangularView<Eigen::Upper>().solve(d);
  const auto n = static_cast<long double>(v.y.cols());
  long_matrix by_factor = (-by_y * d.transpose()).triangularView<Eigen::Lower>();
  by_factor.diagonal().array() -= n / factor.diagonal().array();
  const long double constant = -n * static_cast<long double>(v.y.rows()) * std::log(2 * std::acos(-1.0L)) / 2;
  const long double value = constant - d.squaredNorm() / 2 - n * factor.diagonal().array().log().sum();
  return {static_cast<double>(value), static_cast<double>(constant), by_y.cast<double>(),
          by_factor.cast<double>()};
}

void expect_near(const matrix_var& v, const host_matrix& want) {
  const host_matrix own = v.adj().to_host();
  ASSERT_EQ(own.rows(), want.rows());
  EXPECT_LE((own - want).cwiseAbs().maxCoeff(), 1e-11 * (1 + want.cwiseAbs().maxCoeff()));
}

TEST(MultiNormalCholesky, HasItsValueAndDerivatives) {
  FUSECL_NEEDS_DOUBLE;
  for (const auto& [k, n] : {std::pair(1, 3), std::pair(5, 2)}) {
    SCOPED_TRACE(k);
    const normal_vectors v = draw(k, n);
    const expected_density want = expected(v);
    const matrix_cl<double> y(v.y), mu(v.mu), factor(v.factor);
    const double tolerance = 1e-12 * (1 + std::abs(want.value)),
                 value = multi_normal_cholesky_lpdf(y, mu, factor);
    EXPECT_NEAR(value, want.value, tolerance);
    EXPECT_EQ(multi_normal_cholesky_lpdf<true>(y, mu, factor), 0);
    matrix_var vy = y, vmu = mu, vfactor = factor;
    var lp = multi_normal_cholesky_lpdf(vy, vmu, vfactor);
    lp.grad();
    EXPECT_NEAR(lp.val(), want.value, tolerance);
    expect_near(vy, want.by_y);
    expect_near(vmu, -want.by_y);
    expect_near(vfactor, want.by_factor);
    set_zero_all_adjoints();
    lp = multi_normal_cholesky_lpdf<true>(y, vmu, factor);
    lp.grad();
    expect_near(vmu, -want.by_y);
    set_zero_all_adjoints();
    lp = multi_normal_cholesky_lpdf<true>(y, mu, vfactor);
    lp.grad();
    EXPECT_NEAR(lp.val(), want.value - want.constant, tolerance);
    expect_near(vfactor, want.by_factor);
    recover_memory();
  }
}

TEST(MultiNormalCholesky, IsTheSameInBothForms) {
  FUSECL_NEEDS_DOUBLE;
  const normal_vectors v = draw(40, 3);
  const double want = expected(v).value;
  const matrix_cl<double> y(v.y), mu(v.mu), factor(v.factor);
  in_both_forms(
      [&] { EXPECT_NEAR(multi_normal_cholesky_lpdf(y, mu, factor), want, 1e-12 * (1 + std::abs(want))); });
}

TEST(MultiNormalCholesky, OneVectorStandsForAllAndRowsAreTurned) {
  FUSECL_NEEDS_DOUBLE;
  normal_vectors v = draw(4, 5);
  v.mu = v.mu.col(0).replicate(1, 5).eval();
  const double want = expected(v).value;
  const matrix_cl<double> y(v.y), mu(host_matrix(v.mu.col(0))), row(host_matrix(v.mu.col(0).transpose())),
      factor(v.factor);
  EXPECT_NEAR(multi_normal_cholesky_lpdf(y, mu, factor), want, 1e-12 * std::abs(want));
  EXPECT_NEAR(multi_normal_cholesky_lpdf(y, row, factor), want, 1e-12 * std::abs(want));
  v.mu.setConstant(0.5);
  const double same = expected(v).value;
  EXPECT_NEAR(multi_normal_cholesky_lpdf(y, 0.5, factor), same, 1e-12 * std::abs(same));
}

/// A covariance that is itself computed, and the factor with it: all of it is one statement with one wait.
TEST(MultiNormalCholesky, TakesAFactorThatIsAnExpression) {
  FUSECL_NEEDS_DOUBLE;
  const host_matrix own = random_host<double>(6, 6, -1, 1),
                    s = own * own.transpose() + 6 * host_matrix::Identity(6, 6);
  const normal_vectors v{random_host<double>(6, 1, -1, 1), random_host<double>(6, 1, -1, 1),
                         host_matrix(s.llt().matrixL())};
  const double want = expected(v).value;
  const matrix_cl<double> y(v.y), mu(v.mu), covariance(s);
  const auto evaluate = [&] { return multi_normal_cholesky_lpdf(y, mu, cholesky_decompose(covariance)); };
  EXPECT_NEAR(evaluate(), want, 1e-12 * std::abs(want));
  const counters before = runtime_counters();
  evaluate();
  EXPECT_EQ((runtime_counters() - before).host_waits, 1u);
  const matrix_cl<double> negative(host_matrix(-s));
  EXPECT_THROW(multi_normal_cholesky_lpdf(y, mu, cholesky_decompose(negative)), std::domain_error);
}

TEST(MultiNormalCholesky, OfNothingIsZero) {
  FUSECL_NEEDS_DOUBLE;
  const matrix_cl<double> none(0, 1), empty(0, 0), no_outcomes(3, 0),
      factor(host_matrix(host_matrix::Identity(3, 3)));
  EXPECT_EQ(multi_normal_cholesky_lpdf(none, none, empty), 0);
  EXPECT_EQ(multi_normal_cholesky_lpdf(no_outcomes, 0.0, factor), 0);
}

TEST(MultiNormalCholesky, RefusesWhatDoesNotFit) {
  FUSECL_NEEDS_DOUBLE;
  const normal_vectors v = draw(3, 1);
  const matrix_cl<double> y(v.y), mu(v.mu), factor(v.factor), other(4, 1), wide(3, 4);
  expect_message<std::invalid_argument>([&] { multi_normal_cholesky_lpdf(y, mu, wide); },
                                        "covariance parameter (3 x 4) must be square with as many rows as "
                                        "Random variable (3 x 1) has elements");
  expect_message<std::invalid_argument>([&] { multi_normal_cholesky_lpdf(y, other, factor); },
                                        "multi_normal_cholesky_lpdf: Random variable (3 x 1) and Location");
  host_matrix bad = v.mu;
  bad(1, 0) = std::numeric_limits<double>::infinity();
  expect_message<std::domain_error>([&] { multi_normal_cholesky_lpdf(y, matrix_cl<double>(bad), factor); },
                                    "Location parameter[2] is inf, but must be finite!");
  bad(1, 0) = nan;
  expect_message<std::domain_error>([&] { multi_normal_cholesky_lpdf(matrix_cl<double>(bad), mu, factor); },
                                    "Random variable[2] is nan, but must be not nan!");
  for (const double value : {0.0, nan}) {
    host_matrix singular = v.factor;
    singular(2, 2) = value;
    expect_message<std::domain_error>([&] { multi_normal_cholesky_lpdf(y, mu, matrix_cl<double>(singular)); },
                                      "diagonal of covariance parameter[3] is " +
                                          std::string(value == 0 ? "0" : "nan") +
                                          ", but must be other than 0!");
  }
  host_matrix unknown = v.factor;
  unknown(0, 2) = nan;  // above the diagonal nobody reads
  EXPECT_TRUE(std::isfinite(multi_normal_cholesky_lpdf(y, mu, matrix_cl<double>(unknown))));
  unknown(2, 0) = nan;
  expect_message<std::domain_error>([&] { multi_normal_cholesky_lpdf(y, mu, matrix_cl<double>(unknown)); },
                                    "covariance parameter[3, 1] is nan, but must be not nan!");
}

TEST(MultiNormalCholesky, TakesColumnsOfAnySign) {
  FUSECL_NEEDS_DOUBLE;
  const normal_vectors v = draw(4, 3);
  host_matrix turned = v.factor;
  for (const int j : {0, 3}) turned.col(j) *= -1;
  const matrix_cl<double> y(v.y), mu(v.mu);
  const double value = multi_normal_cholesky_lpdf(y, mu, matrix_cl<double>(v.factor));
  EXPECT_NEAR(multi_normal_cholesky_lpdf(y, mu, matrix_cl<double>(turned)), value, 1e-12 * std::abs(value));
  const auto derivative = [&](const host_matrix& factor) {
    const matrix_var l = matrix_cl<double>(factor);
    var lp = multi_normal_cholesky_lpdf(y, mu, l);
    lp.grad();
    return l.adj().to_host();
  };
  host_matrix want = derivative(v.factor);
  for (const int j : {0, 3}) want.col(j) *= -1;
  const host_matrix own = derivative(turned);
  EXPECT_LE((own - want).cwiseAbs().maxCoeff(), 1e-11 * (1 + want.cwiseAbs().maxCoeff()));
  turned(3, 0) = -std::numeric_limits<double>::infinity();  // what is made of it is no number
  EXPECT_FALSE(std::isfinite(multi_normal_cholesky_lpdf(y, mu, matrix_cl<double>(turned))));
  recover_memory();
}

}  // namespace
}  // namespace fusecl::test
