// Maximum-likelihood fits to real data against fits_reference.csv, which fits_reference.py writes from
// statsmodels and scikit-learn. data/PROVENANCE.md says where the data are from.

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <limits>
#include <sstream>
#include <stdexcept>

#include <gtest/gtest.h>
#include <support/numbers_in.hpp>
#include <support/operands.hpp>

#include <primitives/primitives.hpp>

namespace fusecl::test {
namespace {

using Eigen::MatrixXd, Eigen::VectorXd, Eigen::Index;
using variable = var_value<matrix_cl<double>>;

const std::string folder = FUSECL_TEST_DIR "/primitives/";

/// The numbers of a line.
VectorXd cells_of(const std::string& line) {
  const std::vector<double> numbers = numbers_in(line, ',');
  return Eigen::Map<const VectorXd>(numbers.data(), static_cast<Index>(numbers.size()));
}

/// The lines of a file but the first.
MatrixXd table(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  std::vector<VectorXd> rows;
  while (std::getline(file, line)) rows.push_back(cells_of(line));
  MatrixXd all(static_cast<Index>(rows.size()), rows.empty() ? 0 : rows[0].size());
  for (std::size_t i = 0; i < rows.size(); ++i) all.row(static_cast<Index>(i)) = rows[i];
  return all;
}

/// Columns with mean 0 and standard deviation 1.
MatrixXd standardised(const MatrixXd& x) {
  const MatrixXd centred = x.rowwise() - x.colwise().mean();
  const Eigen::RowVectorXd scales =
      (centred.colwise().squaredNorm() / static_cast<double>(x.rows())).cwiseSqrt();
  return centred.array().rowwise() / scales.array();
}

/// The log likelihood and its gradient at some parameters.
using log_likelihood = std::function<double(const VectorXd&, VectorXd&)>;

/// -infinity where the parameters are refused.
double value_at(const log_likelihood& f, const VectorXd& at, VectorXd& gradient) {
  try {
    return f(at, gradient);
  } catch (const std::domain_error&) {
    recover_memory();
    return -std::numeric_limits<double>::infinity();
  }
}

struct maximum {
  VectorXd at;
  double value;
};

/// Climbs by BFGS steps, each halved until the function rises enough, from `at` to where the gradient is
/// rounding.
maximum climb(const log_likelihood& f, VectorXd at, int most_steps) {
  VectorXd gradient(at.size()), next_gradient(at.size());
  double value = value_at(f, at, gradient);
  MatrixXd inverse = MatrixXd::Identity(at.size(), at.size()) / gradient.norm();
  for (int step = 0; step < most_steps && gradient.norm() > 1e-11 * std::fabs(value); ++step) {
    const VectorXd direction = inverse * gradient;
    const double slope = gradient.dot(direction);
    double length = 1, next = 0;
    for (; length > 1e-10; length /= 2) {
      next = value_at(f, at + length * direction, next_gradient);
      if (next >= value + 1e-4 * length * slope - 1e-14 * std::fabs(value)) break;
    }
    if (length <= 1e-10) break;
    const VectorXd s = length * direction, y = gradient - next_gradient;
    const double curvature = s.dot(y);
    if (curvature > 0) {
      if (step == 0) inverse *= curvature / y.squaredNorm() * gradient.norm();
      const VectorXd image = inverse * y;
      inverse += (curvature + y.dot(image)) / (curvature * curvature) * s * s.transpose() -
                 (image * s.transpose() + s * image.transpose()) / curvature;
    }
    at += s;
    value = next;
    gradient = next_gradient;
  }
  return {at, value};
}

/// The estimates are those of the reference to six digits (eight decimals below 0.01), and the likelihood is
/// as large.
void expect_reference(const std::string& name, const VectorXd& estimates, double value) {
  std::ifstream file(folder + "fits_reference.csv");
  for (std::string line; std::getline(file, line);) {
    if (line.substr(0, line.find(',')) != name) continue;
    const VectorXd want = cells_of(line.substr(line.find(',') + 1));
    ASSERT_EQ(estimates.size() + 1, want.size()) << name;
    EXPECT_NEAR(value, want[0], 1e-9 * std::fabs(want[0])) << name;
    for (Index k = 0; k < estimates.size(); ++k)
      EXPECT_NEAR(estimates[k], want[k + 1], 1e-6 * std::max(std::fabs(want[k + 1]), 1e-2))
          << name << " " << k;
    return;
  }
  FAIL() << name << " has no reference";
}

VectorXd joined(double first, const VectorXd& rest) {
  VectorXd all(rest.size() + 1);
  all << first, rest;
  return all;
}
VectorXd joined(const VectorXd& first, double last) {
  VectorXd all(first.size() + 1);
  all << first, last;
  return all;
}
VectorXd adjoint(const variable& v) { return from_matrix_cl<VectorXd>(v.adj()); }
matrix_cl<int> whole(const VectorXd& y) { return matrix_cl<int>(Eigen::VectorXi(y.cast<int>())); }

/// Log likelihood and gradient of a regression with intercept and coefficients, and after these the logarithm
/// of a further number where it has one.
template <class Density>
log_likelihood with_intercept(bool has_further, const Density& density) {
  return [=](const VectorXd& at, VectorXd& gradient) {
    const Index k = at.size() - 1 - (has_further ? 1 : 0);
    var alpha = at[0], further = std::exp(at[at.size() - 1]);
    const variable beta(matrix_cl<double>(VectorXd(at.segment(1, k))));
    const var density_value = density(alpha, beta, further);
    density_value.grad();
    gradient = joined(alpha.adj(), adjoint(beta));
    if (has_further) gradient = joined(gradient, further.val() * further.adj());
    const double value = density_value.val();
    recover_memory();
    return value;
  };
}

TEST(Fit, OfDoctorVisitsIsThatOfStatsmodels) {
  FUSECL_NEEDS_DOUBLE;
  const MatrixXd data = table(folder + "data/randhie.csv");
  const matrix_cl<int> y = whole(data.col(0));
  const matrix_cl<double> x(standardised(data.rightCols(9)));
  const auto poisson = with_intercept(
      false, [&](auto& alpha, auto& beta, auto&) { return poisson_log_glm_lpmf(y, x, alpha, beta); });
  const maximum rate = climb(poisson, VectorXd::Zero(10), 200);
  expect_reference("randhie_poisson", rate.at, rate.value);
  const auto neg_binomial = with_intercept(true, [&](auto& alpha, auto& beta, auto& phi) {
    return neg_binomial_2_log_glm_lpmf(y, x, alpha, beta, phi);
  });
  maximum dispersed = climb(neg_binomial, joined(rate.at, 0), 200);
  dispersed.at[10] = std::exp(dispersed.at[10]);
  expect_reference("randhie_neg_binomial", dispersed.at, dispersed.value);
}

TEST(Fit, OfMarriagesIsThatOfStatsmodels) {
  FUSECL_NEEDS_DOUBLE;
  const MatrixXd data = table(folder + "data/fair.csv");
  const matrix_cl<int> y = whole(data.col(0));
  const matrix_cl<double> x(standardised(data.rightCols(8)));
  const log_likelihood ordered = [&](const VectorXd& at, VectorXd& gradient) {
    const variable beta(matrix_cl<double>(VectorXd(at.head(8)))),
        cuts(matrix_cl<double>(VectorXd(at.tail(4))));
    const var density = ordered_logistic_glm_lpmf(y, x, beta, cuts);
    density.grad();
    gradient.resize(12);
    gradient << adjoint(beta), adjoint(cuts);
    const double value = density.val();
    recover_memory();
    return value;
  };
  VectorXd start = VectorXd::Zero(12);
  start.tail(4) << -3, -1.5, 0, 1.5;
  const maximum found = climb(ordered, start, 300);
  expect_reference("fair_ordered", found.at, found.value);
}

TEST(Fit, OfDiabetesIsThatOfStatsmodels) {
  FUSECL_NEEDS_DOUBLE;
  const MatrixXd data = table(folder + "data/diabetes.csv");
  const matrix_cl<double> y(VectorXd(data.col(0))), x(standardised(data.rightCols(10)));
  const auto normal = with_intercept(true, [&](auto& alpha, auto& beta, auto& sigma) {
    return normal_id_glm_lpdf(y, x, alpha, beta, sigma);
  });
  maximum found = climb(normal, joined(joined(150, VectorXd::Zero(10)), 4), 500);
  found.at[11] = std::exp(found.at[11]);
  expect_reference("diabetes_normal", found.at, found.value);
}

TEST(Fit, OfTumoursIsThatOfStatsmodels) {
  FUSECL_NEEDS_DOUBLE;
  const MatrixXd data = table(FUSECL_TEST_DIR "/../examples/data/breast_cancer.csv");
  const matrix_cl<int> y = whole(data.rightCols(1));
  const matrix_cl<double> x(standardised(data.leftCols(5)));
  const auto bernoulli = with_intercept(
      false, [&](auto& alpha, auto& beta, auto&) { return bernoulli_logit_glm_lpmf(y, x, alpha, beta); });
  const maximum found = climb(bernoulli, VectorXd::Zero(6), 300);
  expect_reference("breast_cancer_bernoulli", found.at, found.value);
}

/// With a standard normal prior of the coefficients: pixels that are never set, and classes that some pixels
/// tell apart, have no estimate without. What is added to all intercepts changes nothing.
TEST(Fit, OfDigitsIsThatOfScikitLearn) {
  FUSECL_NEEDS_DOUBLE;
  const MatrixXd data = table(folder + "data/digits.csv");
  const matrix_cl<int> y = whole(data.col(64).array() + 1);
  const matrix_cl<double> x(MatrixXd(data.leftCols(64) / 16));
  const log_likelihood categorical = [&](const VectorXd& at, VectorXd& gradient) {
    const MatrixXd weights = Eigen::Map<const MatrixXd>(at.data() + 10, 64, 10);
    const variable alpha(matrix_cl<double>(VectorXd(at.head(10)))), beta{matrix_cl<double>(weights)};
    const var density = categorical_logit_glm_lpmf(y, x, alpha, beta);
    density.grad();
    const auto by_weights = from_matrix_cl<MatrixXd>(beta.adj());
    gradient.resize(at.size());
    gradient << adjoint(alpha), by_weights.reshaped() - weights.reshaped();
    const double value = density.val() - 0.5 * weights.squaredNorm();
    recover_memory();
    return value;
  };
  maximum found = climb(categorical, VectorXd::Zero(650), 1000);
  found.at.head(10).array() -= found.at.head(10).mean();
  expect_reference("digits_categorical", found.at, found.value);
}

}  // namespace
}  // namespace fusecl::test
