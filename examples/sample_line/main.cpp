// A model of one's own, sampled: a line through measured points, the example of docs/sampling.md.

#include <cmath>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <fusion/fusion.hpp>

#include "../common/program.hpp"
#include "../common/sampling_program.hpp"
#include "../sampling/device_model.hpp"

/// y ~ normal(a + b x, sigma), with a, b ~ normal(0, 10) and sigma ~ normal(0, 10) above 0.
class line_posterior {
 public:
  line_posterior(const Eigen::VectorXd& x, const Eigen::VectorXd& y) : x_(x), y_(y) {}

  /// One for each element of a position, which are a, b and log(sigma) here.
  std::vector<std::string> names() const { return {"a", "b", "sigma"}; }

  /// What a draw says of a position.
  std::vector<double> written(const Eigen::VectorXd& position) const {
    return {position[0], position[1], std::exp(position[2])};
  }

  /// Of the position in column j, from 1, of `at`; up to a constant. The last term is the logarithm of the
  /// Jacobian of sigma = exp(log(sigma)).
  template <class Positions>
  auto log_density(const Positions& at, int j) const {
    const auto a = block(at, 1, j, 1, 1);
    const auto b = block(at, 2, j, 1, 1);
    const auto log_sigma = block(at, 3, j, 1, 1);
    const auto sigma = exp(log_sigma);
    const auto distance = y_ - colwise_broadcast(a) - elt_multiply(x_, colwise_broadcast(b));
    const auto n = static_cast<double>(y_.rows());
    return -0.5 * sum(square(elt_divide(distance, colwise_broadcast(sigma)))) - n * sum(log_sigma) -
           0.005 * sum(square(a) + square(b) + square(sigma)) + sum(log_sigma);
  }

 private:
  fusecl::matrix_cl<double> x_, y_;
};

int main(int argc, char** argv) {
  CLI::App app("Samples a line through measured points.\n", "fusecl_sample_line");
  example::sampling_options chosen;
  describe_columns(app, chosen);
  describe_sampling(app, chosen);
  return example::run_sampling_program(app, argc, argv, [&] {
    const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(8, 1, 8);
    const Eigen::VectorXd y{{1.2, 2.8, 5.3, 7.1, 8.8, 11.4, 12.9, 15.1}};
    example::choose_device(chosen.device);
    sampling::device_model model(line_posterior(x, y), chosen.columns_or_chains());
    return example::sample(model, "line", chosen);
  });
}
