#pragma once
// Two Gaussian processes, their log likelihoods FuseCL statements on the device.

#include <fusion/fusion.hpp>
#include <primitives/primitives.hpp>

#include "gaussian_process.hpp"

namespace example {

/// Regression on one covariate:
///
///   y ~ multi_normal(0, K),  K(i, j) = alpha^2 exp(-(x(i) - x(j))^2 / (2 rho^2)), plus sigma^2 where i = j
///   rho ~ inv_gamma(8.91924, 34.5805), alpha ~ normal(0, 2), sigma ~ normal(0, 1)
///
/// The priors are those of M. Betancourt, Robust Gaussian Processes in Stan, part 3, 2017: the first has 1 %
/// of its mass below 2 and 1 % above 10.
struct smooth_function {
  static std::vector<hyper_parameter> parameters() {
    return {{"rho", prior::inverse_gamma(8.91924, 34.5805), "length scale, in units of x"},
            {"alpha", prior::half_normal(2), "standard deviation of the function, in units of y"},
            {"sigma", prior::half_normal(1), "standard deviation of the noise, in units of y"}};
  }

  /// The covariance of the function at two lists of points, or at one with itself; theta holds numbers or
  /// variables, as named above.
  template <class Theta, class... X>
  static auto covariance(const Theta& theta, const X&... x) {
    return gp_exp_quad_cov(x..., theta[1], theta[0]);
  }
  /// The variance that each outcome has besides.
  template <class Theta>
  static auto noise(const Theta& theta) {
    return theta[2] * theta[2];
  }
  /// Of the function at any point.
  static double variance(const Eigen::VectorXd& theta) { return theta[1] * theta[1]; }
};

/// Carbon dioxide over the years, after C. E. Rasmussen and C. K. I. Williams, Gaussian Processes for Machine
/// Learning, 2006, section 5.4.3: a trend, a season that changes its shape slowly, what lasts months, and
/// noise. With distances d in years,
///
///   K = trend_scale^2 exp(-d^2 / (2 trend_length^2))
///     + season_scale^2 exp(-2 sin^2(pi d) / season_shape^2 - d^2 / (2 season_length^2))
///     + short_scale^2 exp(-d^2 / (2 short_length^2)), plus sigma^2 where i = j.
///
/// The book fixes the hyper-parameters where their likelihood is largest; here each has a log-normal prior
/// about that magnitude, of scale 1, or 0.5 for the lengths of trend and season, which 44 years say little
/// of.
struct carbon_dioxide {
  static std::vector<hyper_parameter> parameters() {
    return {{"trend_scale", prior::log_normal(60, 1), "of the trend, ppm"},
            {"trend_length", prior::log_normal(60, 0.5), "over which it changes, years"},
            {"season_scale", prior::log_normal(2.5, 1), "of the season, ppm"},
            {"season_shape", prior::log_normal(1, 1), "how smooth it is within a year, no unit"},
            {"season_length", prior::log_normal(90, 0.5), "over which it changes, years"},
            {"short_scale", prior::log_normal(0.5, 1), "of what lasts months, ppm"},
            {"short_length", prior::log_normal(1, 1), "how long that lasts, years"},
            {"sigma", prior::log_normal(0.2, 1), "of the noise of a month, ppm"}};
  }

  template <class Theta, class... X>
  static auto covariance(const Theta& theta, const X&... x) {
    const auto trend = gp_exp_quad_cov(x..., theta[0], theta[1]);
    const auto season =
        elt_multiply(gp_periodic_cov(x..., theta[2], theta[3], 1.0), gp_exp_quad_cov(x..., 1.0, theta[4]));
    return trend + season + gp_exp_quad_cov(x..., theta[5], theta[6]);
  }
  template <class Theta>
  static auto noise(const Theta& theta) {
    return theta[7] * theta[7];
  }
  static double variance(const Eigen::VectorXd& theta) {
    return theta[0] * theta[0] + theta[2] * theta[2] + theta[5] * theta[5];
  }
};

/// Mean and standard deviation of an outcome at each of some places.
struct prediction {
  Eigen::VectorXd mean, sd;
};

/// A process with one of the covariances above.
template <class Process>
class process_on_device : public gaussian_process {
 public:
  process_on_device(const Eigen::VectorXd& x, const Eigen::VectorXd& y)
      : gaussian_process(Process::parameters()), x_(x), y_(y) {}

  /// New outcomes at `places` given the data and hyper-parameters `theta`. Throws std::domain_error where the
  /// covariance is not positive definite.
  prediction predict(const Eigen::VectorXd& theta, const Eigen::VectorXd& places) const;
  /// Of the kernel that makes the covariance only.
  std::string kernels() const override;

 protected:
  double likelihood(const Eigen::VectorXd& theta, Eigen::VectorXd& gradient) override;

 private:
  template <class Theta>
  auto covariance(const Theta& theta) const {
    return add_diag(Process::covariance(theta, x_), Process::noise(theta));
  }

  fusecl::matrix_cl<double> x_, y_;
};

extern template class process_on_device<smooth_function>;
extern template class process_on_device<carbon_dioxide>;

}  // namespace example
