// One place for the texts of options.

#include "options.hpp"

#include "../common/program.hpp"

namespace example {

void describe(CLI::App& app, process_options& chosen) {
  app.description(
      "Samples the hyper-parameters of a Gaussian process by Hamiltonian Monte Carlo, its log density and\n"
      "gradient computed on an OpenCL device: the regression of the paper, or carbon dioxide over Mauna "
      "Loa.\n");
  app.add_option("--process", chosen.process, "regression or co2")
      ->check(CLI::IsMember({"regression", "co2"}))
      ->capture_default_str();
  app.add_option("--n", chosen.n, "outcomes of the regression that are made, where no --data is given")
      ->check(CLI::Range(Eigen::Index{1}, Eigen::Index{1} << 20))
      ->capture_default_str();
  app.add_option("--data-seed", chosen.data_seed, "of the outcomes that are made")
      ->check(seed())
      ->capture_default_str();
  app.add_option("--every", chosen.every, "of the monthly means of carbon dioxide every so many-th is taken")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  app.add_option(
         "--predictions", chosen.predictions,
         "CSV file to write after the last draw: place, mean and standard deviation of a new outcome\n"
         "there, over 400 to 800 draws at even distances among those of all chains; of the regression\n"
         "at 241 places from a tenth of the range of x before its smallest to as much after its\n"
         "largest, of co2 in the months after the last one")
      ->check(not_empty());
  app.add_option("--months", chosen.months, "how many months of carbon dioxide are predicted")
      ->check(CLI::Range(1, 12'000))
      ->capture_default_str();
  describe_on_host(app, chosen);
  describe_sampling(
      app, chosen,
      "CSV file: for the regression a first line 'rows,1,name of the outcome', then x and y of a row\n"
      "a line; for co2 a first line 'date,co2', then yyyymmdd and ppm of a week a line",
      "print the kernel that makes the covariance, too");
  app.callback([&] {
    if (chosen.process == "co2")
      refuse(app, {"--n", "--data-seed"}, "of outcomes that are made, but --process is co2");
    else
      refuse(app, {"--every", "--months"}, "of carbon dioxide, but --process is regression");
    if (!chosen.data.empty())
      refuse(app, {"--n", "--data-seed"}, "of outcomes that are made, but --data is given");
    if (chosen.predictions.empty())
      refuse(app, {"--months"}, "of predictions, but --predictions is not given");
    if (chosen.on_host) refuse(app, {"--kernels"}, "of a device, but --on-host is given");
    if (chosen.on_host && chosen.predictions.empty())
      refuse(app, {"--device"}, "of a device, but --on-host is given");
  });
}

}  // namespace example
