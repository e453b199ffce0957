// The main job: a Bayesian logistic regression on real data. Reads a CSV file, standardises it on an OpenCL
// device, finds the posterior mode, and shows estimates, the kernels that were generated and what fusing
// gains.

#include <cstdio>
#include <exception>
#include <new>
#include <string>

#include <CLI/CLI.hpp>

#include "comparison.hpp"
#include "newton.hpp"
#include "posterior.hpp"
#include "read_table.hpp"
#include "report.hpp"

namespace {

struct options {
  std::string data = FUSECL_EXAMPLE_DATA_DIR "/breast_cancer.csv";
  std::string device;
  std::string estimates;
  double prior_scale = 2.5;
  std::int64_t rows = 500'000;
  bool quick = false;
};

void describe(CLI::App& app, options& chosen) {
  app.description(
      "Fits a Bayesian logistic regression on an OpenCL device: posterior mode and standard errors,\n"
      "with log density and gradient written as fused expressions.\n");
  app.add_option(
         "--data", chosen.data,
         "CSV file: first line 'rows,features,name of class 0,name of class 1',\nthen the features and the "
         "class (0 or 1) of one row a line")
      ->capture_default_str();
  app.add_option("--device", chosen.device,
                 "part of the name of the device to use; the best one if not given");
  app.add_option("--prior-scale", chosen.prior_scale,
                 "standard deviation of the normal prior on every coefficient")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--rows", chosen.rows, "rows of the larger data set that is timed, made of copies")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40))
      ->capture_default_str();
  app.add_option("--estimates", chosen.estimates, "also write the estimates to this CSV file");
  app.add_flag("--quick", chosen.quick, "time the data as they are only, in few repetitions");
  app.footer("The exit code is 0 if all went well.");
}

void say(const std::string& text) {
  std::printf("%s\n", text.c_str());
  std::fflush(stdout);  // progress shows at once, through pipes too
}

void run(const options& chosen) {
  const example::labelled_table table = example::read_table(chosen.data);
  say("data      " + std::to_string(table.features.rows()) + " rows, " +
      std::to_string(table.features.cols()) + " features, " +
      std::to_string(static_cast<long>(table.classes.sum())) + " " + table.class_names[1] + ", from " +
      chosen.data);
  if (!chosen.device.empty()) fusecl::select_device(chosen.device);
  say("device    " + fusecl::opencl_context.capabilities().name);

  const fusecl::matrix_cl<double> design = example::standardised_design(table.features);
  example::posterior model(design, table.classes, chosen.prior_scale);
  char scale[32];
  std::snprintf(scale, sizeof scale, "%g", chosen.prior_scale);
  say("model     P(" + table.class_names[1] + ") = inv_logit(intercept + standardised features * slopes),\n" +
      "          normal(0, " + scale + ") prior on intercept and slopes");

  const example::fit fitted = example::find_mode(model, [](const example::progress& p) {
    std::printf("fitting   iteration %2d: log density %14.8f, %8.1e standard deviations from the mode\n",
                p.iteration, p.log_density, p.distance);
    std::fflush(stdout);
  });
  std::vector<std::string> names{"intercept"};
  names.insert(names.end(), table.feature_names.begin(), table.feature_names.end());
  example::print_estimates(names, fitted);
  std::printf("\n%.2f %% of the rows are classified correctly.\n", 100 * model.share_classified(fitted.mode));
  if (!chosen.estimates.empty()) example::write_estimates(chosen.estimates, names, fitted);

  const std::uint64_t before = fusecl::runtime_counters().launches;
  model.evaluate(fitted.mode);
  const auto launches = static_cast<unsigned>(fusecl::runtime_counters().launches - before);
  std::printf("\nOne evaluation of log density and gradient launches %u kernels, generated for it:\n\n",
              launches);
  say(model.kernels());

  const Eigen::MatrixXd host_design = fusecl::from_matrix_cl(design);
  std::vector<example::comparison> comparisons;
  for (const std::int64_t rows : {table.features.rows(), chosen.rows}) {
    if (!comparisons.empty() && (chosen.quick || rows < 2 * table.features.rows())) break;
    say("timing    " + std::to_string(rows) + " rows ...");
    comparisons.push_back(example::compare_ways(host_design, table.classes, chosen.prior_scale, rows,
                                                fitted.mode, chosen.quick ? 5 : 15));
  }
  example::print_comparisons(comparisons);
}

}  // namespace

int main(int argc, char** argv) {
  constexpr const char* name = "fusecl_logistic_regression";
  options chosen;
  CLI::App app("", name);
  describe(app, chosen);
  CLI11_PARSE(app, argc, argv);
  try {
    run(chosen);
    return 0;
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "%s: not enough memory; try fewer --rows\n", name);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s: %s\n", name, e.what());
  }
  return 1;
}
