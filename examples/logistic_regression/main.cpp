// The main job: a Bayesian logistic regression on real data. Reads a CSV file, standardises it on an OpenCL
// device, finds the posterior mode, and shows estimates, the kernels that were generated and what fusing
// gains.

#include <cstdio>
#include <new>
#include <stdexcept>
#include <string>

#include "../common/design.hpp"
#include "../common/newton.hpp"
#include "../common/program.hpp"
#include "../common/read_table.hpp"
#include "../common/report.hpp"
#include "../sampling/counted.hpp"
#include "comparison.hpp"
#include "posterior.hpp"

namespace {

struct options : example::common_options {
  double prior_scale = 2.5;
  std::int64_t rows = 500'000;
  bool quick = false;
};

void describe(CLI::App& app, options& chosen) {
  app.description(
      "Fits a Bayesian logistic regression on an OpenCL device: posterior mode and standard errors,\n"
      "with the log density written as one expression and its gradient generated from it.\n");
  describe_common(app, chosen,
                  "CSV file: first line 'rows,features,name of class 0,name of class 1',\nthen the features "
                  "and the class (0 or 1) of one row a line");
  app.add_option("--prior-scale", chosen.prior_scale,
                 "standard deviation of the normal prior on every coefficient")
      ->check(example::positive_number())
      ->capture_default_str();
  app.add_option("--rows", chosen.rows, "rows of the larger data set that is timed, made of copies")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40))
      ->capture_default_str();
  app.add_flag("--quick", chosen.quick, "time the data as they are only, in few repetitions");
}

void time_ways(const options& chosen, const Eigen::MatrixXd& design, const Eigen::VectorXd& classes,
               const Eigen::VectorXd& at) {
  std::vector<example::comparison> comparisons;
  for (const std::int64_t rows : {design.rows(), chosen.rows}) {
    if (!comparisons.empty() && (chosen.quick || rows < 2 * design.rows())) break;
    example::say("timing    " + sampling::counted(rows, "row") + " ...");
    try {
      comparisons.push_back(
          example::compare_ways(design, classes, chosen.prior_scale, rows, at, chosen.quick ? 5 : 15));
    } catch (const std::bad_alloc&) {
      throw std::runtime_error("not enough memory; try fewer --rows");
    }
  }
  example::print_comparisons(comparisons);
}

void run(const options& chosen) {
  const example::table table = example::read_table(chosen.data, example::outcome_type::two_classes);
  const std::string& class_1 = table.outcome_names[1];
  example::say("data      " + sampling::counted(table.features.rows(), "row") + ", " +
               sampling::counted(table.features.cols(), "feature") + ", " +
               std::to_string(static_cast<long>(table.outcome.sum())) + " " + class_1 + ", from " +
               chosen.data);
  example::choose_device(chosen.device);

  const fusecl::matrix_cl<double> design = example::standardised_design(table.features);
  example::posterior model(design, table.outcome, chosen.prior_scale);
  std::printf(
      "model     P(%s) = inv_logit(intercept + standardised features * slopes),\n"
      "          normal(0, %g) prior on intercept and slopes\n",
      class_1.c_str(), chosen.prior_scale);

  const example::target posterior{[&](const auto& at) { return model.evaluate(at); },
                                  [&](const auto& at) { return model.precision(at); }};
  const Eigen::VectorXd start = Eigen::VectorXd::Zero(model.size());
  if (chosen.check) example::print_check(model.check(start));
  const example::fit fitted = example::find_mode(posterior, start, example::print_progress);
  std::vector<std::string> names{"intercept"};
  names.insert(names.end(), table.feature_names.begin(), table.feature_names.end());
  example::print_estimates(names, fitted);
  std::printf("\n%.2f %% of the rows are classified correctly.\n", 100 * model.share_classified(fitted.mode));
  if (!chosen.estimates.empty()) example::write_estimates(chosen.estimates, names, fitted);

  example::print_costs(example::cost_of([&] { model.value(fitted.mode); }),
                       example::cost_of([&] { model.evaluate(fitted.mode); }));
  example::say(model.kernels());
  time_ways(chosen, fusecl::from_matrix_cl(design), table.outcome, fitted.mode);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("", "fusecl_logistic_regression");
  options chosen;
  chosen.data = FUSECL_EXAMPLE_DATA_DIR "/breast_cancer.csv";
  describe(app, chosen);
  return example::run_program(app, argc, argv, [&] { run(chosen); });
}
