// A logistic regression with an intercept for each group, on made data: the third model of
// docs/write_your_own_likelihood.md.

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <random>

#include <fusion/autodiff.hpp>
#include <fusion/fusion.hpp>

using namespace fusecl;

/// Up to a constant.
template <class Classes, class Design, class Group, class Coefficients, class Intercepts>
auto log_density(const Classes& classes, const Design& design, const Group& group, const Coefficients& beta,
                 const Intercepts& alpha, const parameter<double>& log_sigma) {
  const auto eta = shared(design * beta + alpha[group]);
  const auto groups = static_cast<double>(alpha.rows());
  return sum(elt_multiply(classes, eta) - log1p_exp(eta)) - 0.5 * dot_self(beta) -
         0.5 * dot_self(alpha / exp(log_sigma)) - groups * log_sigma - 0.5 * log_sigma * log_sigma;
}

int main() {
  constexpr int observations = 4000, groups = 40;
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  const Eigen::MatrixXd design =
      Eigen::MatrixXd::NullaryExpr(observations, 3, [&] { return normal(random); });
  const Eigen::VectorXd effects = Eigen::VectorXd::NullaryExpr(groups, [&] { return normal(random); });
  Eigen::VectorXi group_of(observations);
  Eigen::VectorXd classes(observations);
  for (int i = 0; i < observations; ++i) {
    group_of(i) = static_cast<int>(random() % groups);
    const double eta = design(i, 0) - 0.5 * design(i, 1) + effects(group_of(i));
    classes(i) = std::generate_canonical<double, 32>(random) < 1 / (1 + std::exp(-eta)) ? 1 : 0;
  }

  const matrix_cl<double> y(classes), x(design);
  const matrix_cl<int> group(group_of);  // of each observation, counted from 0
  matrix_cl<double> beta(Eigen::VectorXd::Zero(3)), alpha(Eigen::VectorXd::Zero(groups));
  parameter log_sigma = 0.0;
  const auto density = log_density(y, x, group, beta, alpha, log_sigma);
  matrix_cl<double> by_beta, by_alpha;
  double by_log_sigma = 0, value = 0;
  for (int step = 0; step < 300; ++step) {
    value = value_and_gradient_into(density, wrt(beta, alpha, log_sigma), by_beta, by_alpha, by_log_sigma);
    beta += by_beta * (2.0 / observations);
    alpha += by_alpha * (1.0 * groups / observations);
    log_sigma = log_sigma.value() + by_log_sigma / (4.0 * groups);
  }
  std::cout << "log density " << value << "\nbeta\n"
            << beta << "\nsigma " << std::exp(log_sigma.value()) << '\n';
  const auto checked = check_gradient(
      [&](const auto& b, const auto& a) { return log_density(y, x, group, b, a, log_sigma); }, beta, alpha);
  const double error = (alpha.to_host() - effects).norm() / effects.norm();
  std::cout << "intercepts, relative distance from those that made the data " << error << '\n';
  return checked.passed() && error < 0.5 ? EXIT_SUCCESS : EXIT_FAILURE;
}
