// Scalar expressions, of data and of variables, as arguments of densities and regressions: they are numbers
// that belong to the statement.

#include <cmath>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>
#include <support/operands.hpp>

#include <primitives/primitives.hpp>

namespace fusecl::test {
namespace {

using matrix = matrix_cl<double>;

class ScalarArguments : public ::testing::Test {
 protected:
  void SetUp() override { FUSECL_NEEDS_DOUBLE; }
  void TearDown() override { recover_memory(); }

  matrix y = matrix(std::vector<double>{0.5, 1.5, 4});
  matrix_cl<int> n = matrix_cl<int>(std::vector<int>{2, 0, 1});
};

TEST_F(ScalarArguments, OfDataAreNumbersInTheSameStatement) {
  const double centre = mean(y), width = sd(y);
  const double wanted = normal_lpdf(y, centre, width);
  double found = 0;
  counters spent;
  for (int k = 0; k < 2; ++k) {
    const counters before = runtime_counters();
    found = normal_lpdf(y, mean(y), sd(y));
    spent = runtime_counters() - before;
  }
  EXPECT_NEAR(found, wanted, 1e-14);
  EXPECT_EQ(spent.host_waits, 1u);
  EXPECT_NEAR(normal_lpdf(y, y[1], sum(n)), normal_lpdf(y, 1.5, 3), 1e-14);
  EXPECT_NEAR(poisson_lpmf(count(y > 1.0), max(y)), poisson_lpmf(2, 4.0), 1e-14);
}

TEST_F(ScalarArguments, WholeNumbersOfEveryTypeAreCounts) {
  const double wanted = poisson_lpmf(n, 1.5), of_class = categorical_lpmf(2, y / 6.0);
  EXPECT_EQ(poisson_lpmf(matrix_cl<long>(cast<long>(n)), 1.5), wanted);
  EXPECT_EQ(poisson_lpmf(matrix_cl<unsigned>(cast<unsigned>(n)), 1.5), wanted);
  EXPECT_EQ(poisson_lpmf(cast<long>(n) + 0L, 1.5), wanted);
  EXPECT_EQ(bernoulli_lpmf(n > 0, 0.25), bernoulli_lpmf(matrix_cl<int>(std::vector<int>{1, 0, 1}), 0.25));
  EXPECT_EQ(poisson_lpmf(2L, 1.5), poisson_lpmf(2, 1.5));
  EXPECT_EQ(poisson_lpmf(2u, 1.5), poisson_lpmf(2, 1.5));
  EXPECT_EQ(bernoulli_lpmf(true, 0.25), bernoulli_lpmf(1, 0.25));
  EXPECT_EQ(categorical_lpmf(2L, y / 6.0), of_class);
  EXPECT_EQ(categorical_lpmf(2u, y / 6.0), of_class);
}

TEST_F(ScalarArguments, OfVariablesPassDerivativesOn) {
  var_value<matrix_cl<double>> x(y);
  var log_width = 0.3;
  const var density = normal_lpdf(n * 1.0, mean(x), exp(log_width));
  density.grad();
  var centre = 2.0, width = std::exp(0.3);
  const var wanted = normal_lpdf(n * 1.0, centre, width);
  wanted.grad();
  EXPECT_NEAR(density.val(), wanted.val(), 1e-14);
  EXPECT_NEAR(log_width.adj(), width.adj() * std::exp(0.3), 1e-13);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(x.adj()(k), centre.adj() / 3, 1e-14);
  EXPECT_EQ(normal_lpdf<true>(0.5, mean(y), exp(var(0.0))).val(),
            normal_lpdf<true>(0.5, 2.0, exp(var(0.0))).val());
}

TEST_F(ScalarArguments, OfRegressionsTakeThePlaceOfNumbers) {
  const matrix design(random_host<double>(3, 2, -1, 1)), beta(Eigen::MatrixXd::Ones(2, 1));
  var_value<matrix_cl<double>> x(y);
  var log_width = 0.3;
  const var found = normal_id_glm_lpdf(y, design, mean(x), beta, exp(log_width));
  found.grad();
  var intercept = 2.0, width = std::exp(0.3);
  const var wanted = normal_id_glm_lpdf(y, design, intercept, beta, width);
  wanted.grad();
  EXPECT_NEAR(found.val(), wanted.val(), 1e-14);
  EXPECT_NEAR(log_width.adj(), width.adj() * std::exp(0.3), 1e-13);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(x.adj()(k), intercept.adj() / 3, 1e-13);
}

TEST_F(ScalarArguments, AreCheckedAndNamed) {
  try {
    normal_lpdf(y, mean(y), -sd(n));
    ADD_FAILURE();
  } catch (const std::domain_error& e) {
    EXPECT_STREQ(e.what(), "normal_lpdf: Scale parameter is -1, but must be positive!");
  }
}

}  // namespace
}  // namespace fusecl::test
