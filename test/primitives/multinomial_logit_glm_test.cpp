// Regression for counts in categories against values and derivatives from a computation to many digits.

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <support/both_forms.hpp>
#include <support/messages.hpp>
#include <support/operands.hpp>

#include <primitives/primitives.hpp>

#include "glm_references.inc"

namespace fusecl {
namespace {

using namespace test;
using matrix = matrix_cl<double>;
using variable = var_value<matrix>;
using Eigen::MatrixXd;

MatrixXd map(const double* elements, Eigen::Index rows, Eigen::Index cols) {
  return Eigen::Map<const MatrixXd>(elements, rows, cols);
}
void expect_near(const MatrixXd& found, const double* wanted, const std::string& what) {
  const MatrixXd all = map(wanted, found.rows(), found.cols());
  EXPECT_LE((found - all).cwiseAbs().maxCoeff(), 2e-14 * all.cwiseAbs().maxCoeff()) << what << found << all;
}

struct reference {
  double value;
  const double *alpha, *by_alpha, *by_beta, *by_x;
};
constexpr reference one_alpha{multinomial_value, multinomial_alpha, multinomial_by_alpha, multinomial_by_beta,
                              multinomial_by_x},
    alpha_a_row{multinomial_by_rows_value, multinomial_by_rows_alpha, multinomial_by_rows_by_alpha,
                multinomial_by_rows_by_beta, multinomial_by_rows_by_x};

class MultinomialLogitGlm : public ::testing::Test {
 protected:
  void SetUp() override { FUSECL_NEEDS_DOUBLE; }
  const matrix_cl<int> y{multinomial_counts, 5, 4};
  const MatrixXd x = map(reference_x, 5, 2), beta = map(multinomial_beta, 2, 4);

  template <bool Varies>
  static auto made(const MatrixXd& m) {
    if constexpr (Varies)
      return variable(matrix(m));
    else
      return matrix(m);
  }
  /// Which of x, alpha and beta are variables, as bits.
  template <unsigned Vars>
  void expect_mixture(const reference& r, const MatrixXd& host_alpha) {
    const std::string what = "variables " + std::to_string(Vars) + "\n";
    const auto design = made<(Vars & 1) != 0>(x), alpha = made<(Vars & 2) != 0>(host_alpha),
               weights = made<(Vars & 4) != 0>(beta);
    auto density = multinomial_logit_glm_lpmf(y, design, alpha, weights);
    if constexpr (Vars == 0) {
      EXPECT_NEAR(density, r.value, 1e-14 * std::fabs(r.value));
      EXPECT_EQ(multinomial_logit_glm_lpmf<true>(y, design, alpha, weights), 0);
    } else {
      EXPECT_NEAR(density.val(), r.value, 1e-14 * std::fabs(r.value)) << what;
      density.grad();
      if constexpr ((Vars & 1) != 0) expect_near(from_matrix_cl(design.adj()), r.by_x, what);
      if constexpr ((Vars & 2) != 0) expect_near(from_matrix_cl(alpha.adj()), r.by_alpha, what);
      if constexpr ((Vars & 4) != 0) expect_near(from_matrix_cl(weights.adj()), r.by_beta, what);
      recover_memory();
    }
  }
};

TEST_F(MultinomialLogitGlm, ValuesAndDerivativesOfEveryMixture) {
  const MatrixXd alpha = map(one_alpha.alpha, 1, 4);
  [&]<unsigned... Vars>(std::integer_sequence<unsigned, Vars...>) {
    (expect_mixture<Vars>(one_alpha, alpha), ...);
  }
  (std::make_integer_sequence<unsigned, 8>{});
}

TEST_F(MultinomialLogitGlm, ValuesAndDerivativesInBothForms) {
  in_both_forms([&] {
    expect_mixture<7>(one_alpha, map(one_alpha.alpha, 4, 1));
    expect_mixture<7>(alpha_a_row, map(alpha_a_row.alpha, 5, 4));
  });
}

TEST_F(MultinomialLogitGlm, LeavesOutWhatIsConstant) {
  const variable alpha(matrix(map(one_alpha.alpha, 1, 4))), weights{matrix(beta)};
  const matrix ones = matrix::Constant(5, 4, 1);
  const auto log_factorials = sum(lgamma(rowwise_sum(y) + 1.0)) - sum(lgamma(y + ones));
  const var all = multinomial_logit_glm_lpmf(y, matrix(x), alpha, weights);
  const var rest = multinomial_logit_glm_lpmf<true>(y, matrix(x), alpha, weights);
  EXPECT_NEAR(all.val() - rest.val(), log_factorials, 1e-12 * std::fabs(log_factorials));
  recover_memory();
}

TEST_F(MultinomialLogitGlm, ExtremeArguments) {
  const matrix none(1, 0), no_weights(0, 3);
  for (const counts_extreme& e : multinomial_extremes) {
    const MatrixXd counts = map(e.counts, 1, 3);
    const double unit = 4e-16 * counts.sum();  // a count times what its log share is rounded by
    const variable alpha(matrix(map(e.eta, 1, 3)));
    const var density = multinomial_logit_glm_lpmf(matrix(counts), none, alpha, no_weights);
    EXPECT_NEAR(density.val(), e.value, 1e-13 * std::fabs(e.value) + unit) << e.counts[0];
    density.grad();
    const MatrixXd by = from_matrix_cl(alpha.adj());
    for (int c = 0; c < 3; ++c)
      EXPECT_NEAR(by(c), e.by[c], 1e-13 * std::fabs(e.by[c]) + unit) << e.counts[0] << ' ' << c;
    recover_memory();
  }
}

TEST_F(MultinomialLogitGlm, OfACategoryThatCannotBe) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const MatrixXd one = MatrixXd::Zero(1, 0);
  Eigen::RowVector3d eta(0.25, -infinity, 1);
  const variable alpha{matrix(MatrixXd(eta))};
  const matrix_cl<int> without(Eigen::MatrixXi(Eigen::RowVector3i(2, 0, 1)));
  const var density = multinomial_logit_glm_lpmf(without, matrix(one), alpha, matrix(0, 3));
  density.grad();
  const double p = 1 / (1 + std::exp(0.75));
  EXPECT_NEAR(density.val(), std::log(3 * p * p * (1 - p)), 1e-14);
  expect_near(from_matrix_cl(alpha.adj()), std::vector<double>{2 - 3 * p, 0, 1 - 3 * (1 - p)}.data(), "");
  recover_memory();
  EXPECT_EQ(multinomial_logit_glm_lpmf(std::vector<std::vector<int>>{{0, 1, 0}}, matrix(one),
                                       matrix(MatrixXd(eta)), matrix(0, 3)),
            -infinity);
  // a row in which no category can be has no probabilities, unless nothing was counted in it
  const variable none{matrix(MatrixXd(MatrixXd::Constant(1, 3, -infinity)))};
  EXPECT_EQ(
      failure([&] { multinomial_logit_glm_lpmf(without, matrix(one), none, matrix(0, 3)); }),
      "domain: multinomial_logit_glm_lpmf: the largest of x * beta + alpha in a row[1] is -inf, but must be "
      "above -infinity!");
  EXPECT_EQ(
      multinomial_logit_glm_lpmf(std::vector<std::vector<int>>{{0, 0, 0}}, matrix(one), none, matrix(0, 3))
          .val(),
      0);
}

TEST_F(MultinomialLogitGlm, CountsAsLists) {
  const std::vector<std::vector<int>> rows = {{1, 2}, {0, 4}, {3, 3}};
  const matrix design(random_host<double>(3, 2, -1, 1)), weights(random_host<double>(2, 2, -1, 1));
  const std::vector<double> shifts = {0.5, -0.25};
  const Eigen::MatrixXi all = (Eigen::MatrixXi(3, 2) << 1, 2, 0, 4, 3, 3).finished();
  const double wanted = multinomial_logit_glm_lpmf(matrix_cl<int>(all), design, matrix(shifts), weights);
  EXPECT_EQ(multinomial_logit_glm_lpmf(rows, design, matrix(shifts), weights), wanted);
  EXPECT_EQ(multinomial_logit_glm_lpmf(rows, design, shifts, weights), wanted);
  EXPECT_EQ(multinomial_logit_glm_lpmf(matrix_cl<int>(all), design, shifts, weights), wanted);
  EXPECT_EQ(multinomial_logit_glm_lpmf(std::vector<std::vector<int>>(), matrix(0, 2), shifts, matrix(2, 0)),
            0);
}

TEST_F(MultinomialLogitGlm, RefusesWhatDoesNotFit) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const matrix design{x}, weights{beta}, alpha(map(multinomial_alpha, 1, 4));
  const auto at = [&](const auto& counts, const auto& d, const auto& a, const auto& w) {
    return failure([&] { multinomial_logit_glm_lpmf(counts, d, a, w); });
  };
  const std::string invalid = "invalid: multinomial_logit_glm_lpmf: ",
                    domain = "domain: multinomial_logit_glm_lpmf: ";
  EXPECT_EQ(at(matrix_cl<int>(4, 4), design, alpha, weights).rfind(invalid + "outcome counts (4 x 4)", 0),
            0u);
  EXPECT_EQ(at(y, design, alpha, matrix(3, 4)).rfind(invalid, 0), 0u);
  EXPECT_EQ(at(y, design, matrix(1, 3), weights).rfind(invalid + "Intercept (1 x 3)", 0), 0u);
  EXPECT_EQ(at(y, design, 0.5, weights), invalid + "Intercept is a number, but must be a matrix");
  EXPECT_EQ(at(std::vector<std::vector<int>>{{1, 2}, {3}}, design, alpha, weights),
            invalid + "outcome counts[2] has 1 elements, outcome counts[1] 2");
  Eigen::MatrixXi negative = Eigen::MatrixXi::Ones(5, 4);
  negative(3, 2) = -1;
  EXPECT_EQ(at(matrix_cl<int>(negative), design, alpha, weights),
            domain + "outcome counts[4, 3] is -1, but must be a nonnegative whole number!");
  MatrixXd bad = x;
  bad(2, 1) = nan;
  EXPECT_EQ(at(y, matrix(bad), alpha, weights), domain + "Design matrix[3, 2] is nan, but must be finite!");
  MatrixXd infinite = map(multinomial_alpha, 1, 4);
  infinite(3) = INFINITY;
  EXPECT_EQ(at(y, design, matrix(infinite), weights).rfind(domain + "Intercept[", 0), 0u);
  bad = beta;
  bad(1, 0) = -INFINITY;
  EXPECT_EQ(at(y, design, alpha, matrix(bad)), domain + "Weight matrix[2, 1] is -inf, but must be finite!");
}

}  // namespace
}  // namespace fusecl
