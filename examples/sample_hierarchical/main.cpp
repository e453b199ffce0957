// Samples a Poisson regression with grouped intercepts: doctor visits in the RAND health insurance
// experiment.

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>

#include "../common/design.hpp"
#include "../common/program.hpp"
#include "../common/read_table.hpp"
#include "../common/sampling_program.hpp"
#include "../sampling/counted.hpp"
#include "posterior.hpp"

namespace {

/// As in the file, but for its last digits.
std::string text_of(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", number);
  return text;
}

int run(example::sampling_options& chosen) {
  const example::table table = example::read_table(chosen.data, example::outcome_type::number, 1);
  const Eigen::Index rows = table.features.rows(), features = table.features.cols() - 1;
  if (features < 1)
    throw example::table_error(chosen.data + ": expected at least one feature beside the group");
  Eigen::VectorXi group(rows);
  for (Eigen::Index i = 0; i < rows; ++i) {
    const double number = table.features(i, features), count = table.outcome[i];
    if (number < 1 || number > 1e6 || number != std::floor(number))
      table.fail(i, features, "expected a group, counted from 1, found " + text_of(number));
    if (count < 0 || count != std::floor(count))
      table.fail(i, features + 1, "expected a count, found " + text_of(count));
    group[i] = static_cast<int>(number) - 1;
  }
  const int groups = group.maxCoeff() + 1;
  example::say("data      " + sampling::counted(rows, "row") + ", " + sampling::counted(features, "feature") +
               ", " + sampling::counted(groups, "group") + ", from " + chosen.data);
  example::say("model     " + table.outcome_names[0] +
               " ~ Poisson(exp(alpha of the group + standardised features * beta)),\n"
               "          alpha ~ normal(mu, tau)\n"
               "prior     mu, beta ~ normal(0, 1), tau ~ normal(0, 1) above 0");
  name_slopes(chosen, {table.feature_names.begin(), table.feature_names.end() - 1});
  example::choose_device(chosen.device);
  sampling::device_model model(
      example::hierarchical_posterior(example::standardised(table.features.leftCols(features)), group, groups,
                                      table.outcome),
      chosen.columns_or_chains());
  return example::sample(model, "hierarchical_poisson", chosen);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("", "fusecl_sample_hierarchical");
  example::sampling_options chosen;
  chosen.data = FUSECL_EXAMPLE_DATA_DIR "/randhie.csv";
  app.description(
      "Samples a Bayesian Poisson regression with an intercept for each group on an OpenCL device.\n");
  describe_columns(app, chosen);
  describe_sampling(
      app, chosen,
      "CSV file: first line 'rows,columns before the count,name of the count', then of one row a line the\n"
      "features, which are given mean 0 and standard deviation 1 (n - 1), the group, counted from 1, and "
      "the\n"
      "count. A file that ends in .names in place of .csv names features and group, one a line");
  return example::run_sampling_program(app, argc, argv, [&] { return run(chosen); });
}
