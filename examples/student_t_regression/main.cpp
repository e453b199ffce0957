// A robust regression on real data, with a likelihood that no library has to know: the Student-t density in
// one line. Finds the posterior mode and shows estimates and the kernels that were generated.

#include <cmath>
#include <cstdio>
#include <string>

#include "../common/design.hpp"
#include "../common/newton.hpp"
#include "../common/program.hpp"
#include "../common/read_table.hpp"
#include "../common/report.hpp"
#include "../sampling/counted.hpp"
#include "posterior.hpp"

namespace {

void run(const example::common_options& chosen) {
  const example::table table = example::read_table(chosen.data, example::outcome_type::number);
  example::say("data      " + sampling::counted(table.features.rows(), "row") + ", " +
               sampling::counted(table.features.cols(), "feature") + ", from " + chosen.data);
  example::choose_device(chosen.device);
  example::say("model     " + table.outcome_names[0] +
               " ~ student_t(nu, intercept + standardised features * slopes, sigma),\n"
               "          gamma(2, 0.1) prior on nu");

  example::posterior model(example::standardised_design(table.features), table.outcome);
  const Eigen::VectorXd start = model.start();
  if (chosen.check) example::print_check(model.check(start));
  const example::target posterior{[&](const auto& at) { return model.evaluate(at); },
                                  [&](const auto& at) { return model.precision(at); }};
  const example::fit fitted = example::find_mode(posterior, start, example::print_progress);

  std::vector<std::string> names{"intercept"};
  names.insert(names.end(), table.feature_names.begin(), table.feature_names.end());
  names.insert(names.end(), {"log(sigma)", "log(nu)"});
  example::print_estimates(names, fitted);
  std::printf("\nsigma is %.4f; nu is %.3f degrees of freedom.\n", std::exp(fitted.mode[model.size() - 2]),
              std::exp(fitted.mode[model.size() - 1]));
  if (!chosen.estimates.empty()) example::write_estimates(chosen.estimates, names, fitted);

  example::print_costs(example::cost_of([&] { model.value(fitted.mode); }),
                       example::cost_of([&] { model.evaluate(fitted.mode); }));
  example::say(model.kernels());
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("", "fusecl_student_t_regression");
  app.description(
      "Fits a regression with Student-t errors on an OpenCL device: posterior mode and standard errors,\n"
      "with the log density written as one expression and its derivatives generated from it.\n");
  example::common_options chosen;
  chosen.data = FUSECL_EXAMPLE_DATA_DIR "/diabetes_hdl.csv";
  describe_common(
      app, chosen,
      "CSV file: first line 'rows,features,name of the outcome',\nthen the features and the outcome "
      "of one row a line");
  return example::run_program(app, argc, argv, [&] { run(chosen); });
}
