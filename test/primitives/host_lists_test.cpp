// Densities and regressions of std::vectors, and of Eigen objects and std::vectors of var.

#include <support/both_forms.hpp>
#include <support/compare.hpp>
#include <support/messages.hpp>

#include <primitives/primitives.hpp>

namespace fusecl {
namespace {

using namespace test;
using Eigen::MatrixXd, Eigen::VectorXd;

const std::vector<int> y{1, 0, 1};
const std::vector<double> s{.1, .2, .3};
const VectorXd e = Eigen::Map<const VectorXd>(s.data(), 3);
const MatrixXd x = (MatrixXd(3, 2) << .5, -1, 2, .25, -.75, 1).finished();

TEST(HostLists, AreArgumentsOfDensities) {
  FUSECL_NEEDS_DOUBLE;
  EXPECT_EQ(bernoulli_logit_lpmf(y, s), bernoulli_logit_lpmf(to_matrix_cl(y), e));
  EXPECT_EQ(bernoulli_logit_lpmf(y, e), bernoulli_logit_lpmf(to_matrix_cl(y), e));
  EXPECT_EQ(normal_lcdf(s, 0, 2), normal_lcdf(e, 0, 2));
  EXPECT_EQ(normal_lccdf(s, e, 2), normal_lccdf(e, e, 2));
  EXPECT_EQ(uniform_cdf(s, 0, 2), uniform_cdf(e, 0, 2));
  EXPECT_EQ(dirichlet_lpdf(std::vector<double>{.2, .3, .5}, s), dirichlet_lpdf(VectorXd{{.2, .3, .5}}, e));
  EXPECT_EQ(normal_lpdf(std::vector<double>(), 0, 1), 0);
  expect_message<std::invalid_argument>(
      [] {
        normal_lpdf(std::vector<double>{1, 2}, s, 1);
      },
      "normal_lpdf: elements of Random variable (2 x 1)");
}

/// Each vector of such a list would be a row of the matrix.
template <class X>
concept is_matrix_of_a_regression = requires(const X& of) {
  bernoulli_logit_glm_lpmf(y, of, 0.5, e);
};
static_assert(is_matrix_of_a_regression<MatrixXd>);
static_assert(!is_matrix_of_a_regression<std::vector<Eigen::RowVectorXd>>);

TEST(HostLists, AreArgumentsOfNormalDensitiesOfVectors) {
  FUSECL_NEEDS_DOUBLE;
  const MatrixXd covariance = MatrixXd::Identity(3, 3) * 2, columns = (MatrixXd(3, 2) << e, 2 * e).finished();
  const std::vector<VectorXd> outcomes{e, 2 * e};
  EXPECT_EQ(multi_normal_lpdf(s, e, covariance), multi_normal_lpdf(e, e, covariance));
  EXPECT_EQ(multi_normal_prec_lpdf(outcomes, e, covariance), multi_normal_prec_lpdf(columns, e, covariance));
  const std::vector<VectorXd> none;
  EXPECT_EQ(multi_normal_lpdf(none, e, covariance), 0);
  EXPECT_EQ(multi_normal_lpdf(e, none, covariance), 0);
  EXPECT_EQ(dirichlet_lpdf(none, e), 0);
  EXPECT_EQ(dirichlet_lpdf(std::vector<VectorXd>{VectorXd{{.2, .3, .5}}}, e),
            dirichlet_lpdf(VectorXd{{.2, .3, .5}}, e));
  Eigen::Matrix<var, -1, -1> factor = covariance.cast<var>();
  var density = multi_normal_cholesky_lpdf(2 * e, e, factor);
  density.grad();
  EXPECT_NEAR(factor(1, 1).adj(), .04 / 8 - .5, 1e-14);
  recover_memory();
}

TEST(HostLists, AreArgumentsOfRegressions) {
  FUSECL_NEEDS_DOUBLE;
  const VectorXd b{{.5, -.25}};
  const std::vector<double> listed{.5, -.25};
  EXPECT_EQ(bernoulli_logit_glm_lpmf(y, x, s, listed), bernoulli_logit_glm_lpmf(to_matrix_cl(y), x, e, b));
  EXPECT_EQ(poisson_log_glm_lpmf(y, x, 0.5, b), poisson_log_glm_lpmf(to_matrix_cl(y), x, 0.5, listed));
  EXPECT_EQ(normal_id_glm_lpdf(s, x, 0.5, b, s), normal_id_glm_lpdf(e, x, 0.5, b, e));
  const std::vector<int> classes{1, 3, 2};
  EXPECT_EQ(categorical_logit_glm_lpmf(classes, x, s, MatrixXd(MatrixXd::Ones(2, 3))),
            categorical_logit_glm_lpmf(to_matrix_cl(classes), x, e, MatrixXd(MatrixXd::Ones(2, 3))));
  EXPECT_EQ(ordered_logistic_glm_lpmf(classes, x, listed, std::vector<double>{-1, 1}),
            ordered_logistic_glm_lpmf(to_matrix_cl(classes), x, b, VectorXd{{-1, 1}}));
}

TEST(HostMatricesOfVar, AreArgumentsOfDensitiesBesideNumbersAndMatricesOfTheDevice) {
  FUSECL_NEEDS_DOUBLE;
  vector_v v = e;
  const row_vector_v across = v.transpose();
  const vector_v inside = VectorXd{{.2, .3, .5}};
  const matrix_cl<double> outcome(e);
  const var_value<matrix_cl<double>> on_tape(e);
  const var scale = 1.5;
  const auto value = [](const var& density) { return density.val(); };
  EXPECT_EQ(value(normal_lpdf(v, 0.0, 2.0)), normal_lpdf(e, 0.0, 2.0));
  EXPECT_EQ(value(normal_lpdf<false>(across, 0.0, scale)), normal_lpdf(e, 0.0, 1.5));
  EXPECT_EQ(value(normal_lpdf<true>(e, v, scale) - normal_lpdf<true>(outcome, v, scale)), 0);
  EXPECT_EQ(value(normal_lpdf(v, on_tape, scale)), normal_lpdf(e, e, 1.5));
  EXPECT_EQ(value(bernoulli_lpmf(1, inside)), bernoulli_lpmf(1, VectorXd{{.2, .3, .5}}));
  EXPECT_EQ(value(bernoulli_lpmf(y, inside)), bernoulli_lpmf(y, VectorXd{{.2, .3, .5}}));
  EXPECT_EQ(value(poisson_log_lpmf(2, v)), poisson_log_lpmf(2, e));
  EXPECT_EQ(value(student_t_lpdf(v, 3.0, 0.0, scale)), student_t_lpdf(e, 3.0, 0.0, 1.5));
  EXPECT_EQ(value(normal_lcdf(v, 0.0, 2.0)), normal_lcdf(e, 0.0, 2.0));
  EXPECT_EQ(value(exponential_lccdf(inside, scale)), exponential_lccdf(VectorXd{{.2, .3, .5}}, 1.5));
  EXPECT_EQ(value(uniform_cdf(inside, 0, 2)), uniform_cdf(VectorXd{{.2, .3, .5}}, 0, 2));
  var density = normal_lpdf(v, 0.0, 2.0);
  density.grad();
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(v(k).adj(), -e(k) / 4, 1e-14);
  recover_memory();
}

TEST(HostLists, OfVarGetTheirDerivatives) {
  FUSECL_NEEDS_DOUBLE;
  std::vector<var> listed{.1, .2, .3};
  Eigen::Matrix<var, Eigen::Dynamic, 1> mean(3);
  mean << 1, 2, 3;
  var density = normal_lpdf(listed, mean, 2.0) + std_normal_lpdf(listed);
  density.grad();
  for (int k = 0; k < 3; ++k) {
    const double apart = (s[k] - (k + 1)) / 4;
    EXPECT_NEAR(listed[k].adj(), -apart - s[k], 1e-14);
    EXPECT_NEAR(mean(k).adj(), apart, 1e-14);
  }
  recover_memory();
}

}  // namespace
}  // namespace fusecl
