// Samples a Bayesian logistic regression: the paper's simulated data, or a table such as breast_cancer.

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>

#include "../common/design.hpp"
#include "../common/logistic_on_host.hpp"
#include "../common/program.hpp"
#include "../common/read_table.hpp"
#include "../common/sampling_program.hpp"
#include "../sampling/counted.hpp"
#include "../sampling/random.hpp"
#include "posterior.hpp"

namespace {

struct options : example::sampling_options {
  int rows = 1000, features = 10;
  std::uint64_t data_seed = 1;
  double prior_scale = -1;
};

void describe(CLI::App& app, options& chosen) {
  app.description(
      "Samples a Bayesian logistic regression on an OpenCL device. Without --data on simulated data: "
      "features are\n"
      "standard normal, and y is 1 with probability inv_logit(3 x1 - 2 x2 + 1).\n");
  app.add_option("-n,--rows", chosen.rows, "rows of simulated data")
      ->check(CLI::Range(1, 100'000'000))
      ->capture_default_str();
  app.add_option("-k,--features", chosen.features, "features of simulated data")
      ->check(CLI::Range(2, 100'000))
      ->capture_default_str();
  app.add_option("--data-seed", chosen.data_seed, "seed of simulated data")
      ->check(example::seed())
      ->capture_default_str();
  app.add_option("--prior-scale", chosen.prior_scale,
                 "standard deviation of the normal prior on intercept and slopes; 0: flat\n"
                 "[default: 0 for simulated data, else 2.5]")
      ->check(example::nonnegative_number());
  describe_columns(app, chosen);
  describe_on_host(app, chosen);
  describe_sampling(
      app, chosen,
      "CSV file in place of simulated data: first line 'rows,features,name of class 0,name of class 1',\n"
      "then the features, which are given mean 0 and standard deviation 1 (n - 1), and the class\n"
      "(0 or 1) of one row a line; or 'breast_cancer'. A file that ends in .names in place of .csv\n"
      "names the features, one a line");
  app.callback([&] {
    if (!chosen.data.empty())
      example::refuse(app, {"--rows", "--features", "--data-seed"}, "of simulated data, but --data is given");
    if (chosen.on_host)
      example::refuse(app, {"--columns", "--kernels", "--device"}, "of a device, but --on-host is given");
  });
}

struct data_set {
  Eigen::MatrixXd design;
  Eigen::VectorXd outcomes;
  std::string predicted = "y = 1";
};

data_set simulated(const options& chosen) {
  sampling::random_source random(chosen.data_seed, 0);
  data_set made{Eigen::MatrixXd(chosen.rows, chosen.features), Eigen::VectorXd(chosen.rows)};
  for (double& element : made.design.reshaped()) element = random.normal();
  for (Eigen::Index i = 0; i < chosen.rows; ++i) {
    const double mu = 3 * made.design(i, 0) - 2 * made.design(i, 1) + 1;
    made.outcomes[i] = random.uniform() < 1 / (1 + std::exp(-mu)) ? 1 : 0;
  }
  return made;
}

std::string prior_of(double scale) {
  char text[80];
  std::snprintf(text, sizeof text, "alpha and every beta ~ normal(0, %g)", scale);
  return scale > 0 ? text : "flat on alpha and every beta";
}

int run(options& chosen) {
  const bool given = !chosen.data.empty();
  if (chosen.data == "breast_cancer") chosen.data = FUSECL_EXAMPLE_DATA_DIR "/breast_cancer.csv";
  if (chosen.prior_scale < 0) chosen.prior_scale = given ? 2.5 : 0;
  if (const double scale = chosen.prior_scale; scale != 0 && !std::isfinite(scale + 1 / (scale * scale)))
    throw std::invalid_argument(
        "--prior-scale must be 0 or a number whose square and its inverse are finite");
  data_set data;
  if (given) {
    const example::table table = example::read_table(chosen.data, example::outcome_type::two_classes);
    data = {example::standardised(table.features), table.outcome, table.outcome_names[1]};
    name_slopes(chosen, table.feature_names);
  } else {
    data = simulated(chosen);
  }
  example::say("data      " + sampling::counted(data.design.rows(), "row") + ", " +
               sampling::counted(data.design.cols(), "feature") + ", " +
               (given ? "from " + chosen.data : "simulated"));
  example::say("model     P(" + data.predicted + ") = inv_logit(alpha + " +
               (given ? "standardised features" : "features") + " * beta)");
  example::say("prior     " + prior_of(chosen.prior_scale));
  if (chosen.on_host) {
    example::logistic_on_host model(data.design, data.outcomes, chosen.prior_scale);
    return example::sample(model, "logistic_regression", chosen);
  }
  example::choose_device(chosen.device);
  sampling::device_model model(example::logistic_posterior(data.design, data.outcomes, chosen.prior_scale),
                               chosen.columns_or_chains());
  return example::sample(model, "logistic_regression", chosen);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("", "fusecl_sample_logistic");
  options chosen;
  describe(app, chosen);
  return example::run_sampling_program(app, argc, argv, [&] { return run(chosen); });
}
