// Regression by a Gaussian process, on made data: the fourth model of docs/write_your_own_likelihood.md.

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <random>

#include <fusion/fusion.hpp>
#include <primitives/primitives.hpp>

using namespace fusecl;

/// Log density of y = f(x) + noise, where f is a Gaussian process, up to a constant, with priors of the
/// logarithms of its scale, its length scale and the noise.
var log_density(const matrix_cl<double>& x, const matrix_cl<double>& y, const var& log_alpha,
                const var& log_rho, const var& log_sigma) {
  const var alpha = exp(log_alpha), rho = exp(log_rho), sigma = exp(log_sigma);
  const auto covariance = add_diag(gp_exp_quad_cov(x, alpha, rho), square(sigma));
  const var likelihood = multi_normal_lpdf<true>(y, 0.0, covariance);
  return likelihood - 0.5 * (log_alpha * log_alpha + log_rho * log_rho + log_sigma * log_sigma);
}

int main() {
  constexpr int observations = 100;
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  Eigen::VectorXd places(observations), outcomes(observations);
  for (int i = 0; i < observations; ++i) {
    places[i] = 0.1 * i;
    outcomes[i] = std::sin(places[i]) + 0.2 * normal(random);
  }
  const matrix_cl<double> x(places), y(outcomes);

  Eigen::Vector3d at = Eigen::Vector3d::Zero(), gradient;
  double value = 0;
  for (int step = 0; step < 150; ++step) {
    var log_alpha = at[0], log_rho = at[1], log_sigma = at[2];
    var density = log_density(x, y, log_alpha, log_rho, log_sigma);
    density.grad();
    gradient = {log_alpha.adj(), log_rho.adj(), log_sigma.adj()};
    value = density.val();
    recover_memory();
    at += 0.2 * gradient / (1 + gradient.norm());
  }
  const double alpha = std::exp(at[0]), rho = std::exp(at[1]), sigma = std::exp(at[2]);
  std::cout << "log density " << value << "\nalpha " << alpha << "  rho " << rho << "  sigma " << sigma
            << '\n';

  const matrix_cl<double> new_x(Eigen::VectorXd(Eigen::VectorXd::LinSpaced(5, 0.5, 9.5)));
  const auto covariance = add_diag(gp_exp_quad_cov(x, alpha, rho), sigma * sigma);
  const Eigen::VectorXd mean = gp_exp_quad_cov(new_x, x, alpha, rho) * mdivide_left_spd(covariance, y);
  const double error = (mean - new_x.to_host().array().sin().matrix()).cwiseAbs().maxCoeff();
  std::cout << "mean at new points\n"
            << mean << "\nlargest distance from what made the data " << error << '\n';
  return std::fabs(sigma - 0.2) < 0.05 && error < 0.2 ? EXIT_SUCCESS : EXIT_FAILURE;
}
