// What regressions and densities of vectors up to a constant leave out: the terms of their textbook formulas
// that no variable is in, all of them and no others.

#include <cmath>

#include <gtest/gtest.h>
#include <support/operands.hpp>

#include <primitives/primitives.hpp>

namespace fusecl::test {
namespace {

using matrix = matrix_cl<double>;
using variable = var_value<matrix>;
using Eigen::VectorXd, Eigen::MatrixXd;

constexpr int rows = 3;
const double half_log_two_pi = std::log(2 * std::acos(-1.0)) / 2;

/// The whole less what is kept, of `density(propto)`.
template <class Density>
double left_out(const Density& density) {
  return density(std::false_type()).val() - density(std::true_type()).val();
}

/// Design, intercept and weights with data and variables; a regression leaves out the same whichever of these
/// is the variable.
struct predictor {
  MatrixXd design = random_host<double>(rows, 2, -1, 1), weights = random_host<double>(2, 1, -1, 1);
  matrix x{design}, beta{weights};

  /// `f(x, alpha, beta)` with each of these as the variable.
  template <class F>
  void with_each_variable(const F& f) const {
    f(variable(x), 0.25, beta);
    f(x, var(0.25), beta);
    f(x, 0.25, variable(beta));
  }
};

#define EXPECT_LEFT_OUT(WANTED, FUNCTION, ...) \
  EXPECT_NEAR(left_out([&](auto propto) { return FUNCTION<propto()>(__VA_ARGS__); }), WANTED, 1e-13)

class GlmConstants : public ::testing::Test, protected predictor {
 protected:
  void SetUp() override { FUSECL_NEEDS_DOUBLE; }
  void TearDown() override { recover_memory(); }
  VectorXd counts = (VectorXd(rows) << 2, 0, 5).finished(),
           scales = (VectorXd(rows) << 0.5, 2, 1.25).finished();
  matrix scale{scales};
  matrix_cl<int> y{counts.cast<int>().eval()};
};

TEST_F(GlmConstants, OfTheNormalRegression) {
  const matrix outcomes(counts);
  const double constant = -rows * half_log_two_pi, logs = -scales.array().log().sum();
  with_each_variable([&](const auto& x, const auto& alpha, const auto& beta) {
    EXPECT_LEFT_OUT(constant + logs, normal_id_glm_lpdf, outcomes, x, alpha, beta, scale);
    EXPECT_LEFT_OUT(constant - rows * std::log(0.75), normal_id_glm_lpdf, 1.5, x, alpha, beta, 0.75);
    EXPECT_LEFT_OUT(constant, normal_id_glm_lpdf, outcomes, x, alpha, beta, variable(scale));
  });
  EXPECT_LEFT_OUT(constant + logs, normal_id_glm_lpdf, variable(outcomes), x, 0.25, beta, scale);
  EXPECT_LEFT_OUT(constant, normal_id_glm_lpdf, outcomes, x, 0.25, beta, variable(scale));
  EXPECT_LEFT_OUT(constant, normal_id_glm_lpdf, outcomes, x, 0.25, beta, var(0.75));
}

TEST_F(GlmConstants, OfTheLogisticRegressionAreNone) {
  with_each_variable([&](const auto& x, const auto& alpha, const auto& beta) {
    EXPECT_LEFT_OUT(0, bernoulli_logit_glm_lpmf, 1, x, alpha, beta);
  });
}

TEST_F(GlmConstants, OfThePoissonRegression) {
  const double factorials = -(std::log(2.0) + std::log(120.0));
  with_each_variable([&](const auto& x, const auto& alpha, const auto& beta) {
    EXPECT_LEFT_OUT(factorials, poisson_log_glm_lpmf, y, x, alpha, beta);
    EXPECT_LEFT_OUT(-rows * std::log(6.0), poisson_log_glm_lpmf, 3, x, alpha, beta);
  });
}

TEST_F(GlmConstants, OfTheNegativeBinomialRegression) {
  double ways = 0, factorials = 0;  // log(y + phi - 1 over y), of which log(1 / y!)
  for (int i = 0; i < rows; ++i) {
    factorials -= std::lgamma(counts[i] + 1);
    ways += std::lgamma(counts[i] + scales[i]) - std::lgamma(scales[i]);
  }
  ways += factorials;
  with_each_variable([&](const auto& x, const auto& alpha, const auto& beta) {
    EXPECT_LEFT_OUT(ways, neg_binomial_2_log_glm_lpmf, y, x, alpha, beta, scale);
    EXPECT_LEFT_OUT(factorials, neg_binomial_2_log_glm_lpmf, y, x, alpha, beta, variable(scale));
  });
  EXPECT_LEFT_OUT(factorials, neg_binomial_2_log_glm_lpmf, y, x, 0.25, beta, variable(scale));
}

TEST_F(GlmConstants, OfTheBinomialRegression) {
  const double choices = std::log(21.0) + std::log(21.0);  // of 2 and 5 in 7
  with_each_variable([&](const auto& x, const auto& alpha, const auto& beta) {
    EXPECT_LEFT_OUT(choices, binomial_logit_glm_lpmf, y, 7, x, alpha, beta);
  });
}

TEST_F(GlmConstants, OfRegressionsForClassesAreNone) {
  const matrix alpha(MatrixXd::Constant(3, 1, 0.25)), weights(random_host<double>(2, 3, -1, 1)),
      cuts(std::vector<double>{-1, 0.5});
  const matrix_cl<int> classes(std::vector<int>{1, 3, 2});
  EXPECT_LEFT_OUT(0, categorical_logit_glm_lpmf, classes, variable(x), alpha, weights);
  EXPECT_LEFT_OUT(0, categorical_logit_glm_lpmf, classes, x, variable(alpha), weights);
  EXPECT_LEFT_OUT(0, categorical_logit_glm_lpmf, classes, x, alpha, variable(weights));
  EXPECT_LEFT_OUT(0, ordered_logistic_glm_lpmf, classes, variable(x), beta, cuts);
  EXPECT_LEFT_OUT(0, ordered_logistic_glm_lpmf, classes, x, variable(beta), cuts);
  EXPECT_LEFT_OUT(0, ordered_logistic_glm_lpmf, classes, x, beta, variable(cuts));
}

TEST_F(GlmConstants, OfTheMultinomialRegression) {
  const matrix alpha(MatrixXd::Constant(1, 3, 0.25)), weights(random_host<double>(2, 3, -1, 1));
  const matrix_cl<int> all(std::vector<int>{2, 0, 1, 3, 1, 0, 0, 2, 4}, rows, 3);  // columns
  // rows are 2 3 0, 0 1 2 and 1 0 4
  const double ways = std::log(10.0) + std::log(3.0) + std::log(5.0);
  EXPECT_LEFT_OUT(ways, multinomial_logit_glm_lpmf, all, variable(x), alpha, weights);
  EXPECT_LEFT_OUT(ways, multinomial_logit_glm_lpmf, all, x, variable(alpha), weights);
  EXPECT_LEFT_OUT(ways, multinomial_logit_glm_lpmf, all, x, alpha, variable(weights));
}

TEST_F(GlmConstants, OfDensitiesOfVectors) {
  const matrix theta(std::vector<double>{0.25, 0.5, 0.25}), alpha(std::vector<double>{1.5, 2, 3});
  // lgamma(sum(alpha)) - sum(lgamma(alpha))
  double of_sizes = std::lgamma(6.5);
  for (const double a : {1.5, 2.0, 3.0}) of_sizes -= std::lgamma(a);
  EXPECT_LEFT_OUT(of_sizes, dirichlet_lpdf, variable(theta), alpha);
  EXPECT_LEFT_OUT(0, dirichlet_lpdf, theta, variable(alpha));
  EXPECT_LEFT_OUT(std::log(10.0), multinomial_lpmf, matrix_cl<int>(std::vector<int>{2, 0, 3}),
                  variable(theta));
  EXPECT_LEFT_OUT(0, categorical_lpmf, 1, variable(theta));
  EXPECT_LEFT_OUT(0, categorical_logit_lpmf, 1, variable(theta));
  EXPECT_LEFT_OUT(0, ordered_logistic_lpmf, 1, var(0.5), alpha);
  // of a factor with 2, 0.5 and 1.5 along the diagonal
  const matrix factor(MatrixXd((MatrixXd(3, 3) << 2, 0, 0, 0.25, 0.5, 0, -1, 0.75, 1.5).finished()));
  const double constant = -3 * half_log_two_pi;
  EXPECT_LEFT_OUT(constant - std::log(1.5), multi_normal_cholesky_lpdf, variable(theta), alpha, factor);
  EXPECT_LEFT_OUT(constant - std::log(1.5), multi_normal_cholesky_lpdf, theta, variable(alpha), factor);
  EXPECT_LEFT_OUT(constant, multi_normal_cholesky_lpdf, theta, alpha, variable(factor));
}

}  // namespace
}  // namespace fusecl::test
