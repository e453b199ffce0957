// Hamiltonian Monte Carlo for the hyper-parameters of two Gaussian processes: data, process, chains,
// predictions.

#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>
#include <stdexcept>

#include "../common/program.hpp"
#include "../sampling/runner.hpp"
#include "../sampling/timings.hpp"
#include "data.hpp"
#include "on_host.hpp"
#include "options.hpp"
#include "processes.hpp"

namespace {

using example::series, example::prediction;
using clock_type = std::chrono::steady_clock;

/// Where new outcomes are predicted, and what is added to x and y to write them.
struct wanted_predictions {
  Eigen::VectorXd places;
  double offset;
  const char* place_name;
};

/// Means and standard deviations over the draws: the mean of the variances plus the variance of the means.
template <class Process>
prediction predict(const example::process_on_device<Process>& process, const sampling::run_result& drawn,
                   const Eigen::VectorXd& places) {
  constexpr Eigen::Index most_draws = 400;
  Eigen::ArrayXd means = Eigen::ArrayXd::Zero(places.size()), squares = means, variances = means;
  double count = 0;
  for (const sampling::chain_result& chain : drawn.chains) {
    const Eigen::Index draws = chain.values.cols();
    const Eigen::Index step =
        std::max<Eigen::Index>(1, draws * static_cast<Eigen::Index>(drawn.chains.size()) / most_draws);
    for (Eigen::Index k = 0; k < draws; k += step, ++count) {
      const prediction one = process.predict(chain.values.col(k), places);
      means += one.mean.array();
      squares += one.mean.array().square();
      variances += one.sd.array().square();
    }
  }
  means /= count;
  return {means, (variances / count + (squares / count - means.square()).max(0.0)).sqrt()};
}

void write_predictions(const std::string& path, const wanted_predictions& wanted, const prediction& found) {
  std::ofstream out(path);
  out.precision(10);
  out << wanted.place_name << ",mean,sd\n";
  for (Eigen::Index i = 0; i < wanted.places.size(); ++i)
    out << wanted.places[i] << ',' << found.mean[i] + wanted.offset << ',' << found.sd[i] << '\n';
  if (!out.flush()) throw std::runtime_error("cannot write " + path);
}

template <class Process, class OnHost>
void sample(const example::process_options& chosen, const sampling::settings& settings, const series& data,
            const wanted_predictions& wanted, clock_type::time_point start) {
  std::unique_ptr<example::gaussian_process> on_host;
  std::unique_ptr<example::process_on_device<Process>> on_device;
  if (!chosen.on_host || !chosen.predictions.empty())
    on_device = std::make_unique<example::process_on_device<Process>>(data.x, data.y);
  if (chosen.on_host) on_host = std::make_unique<OnHost>(data.x, data.y);
  if (chosen.kernel) return example::say(on_device->covariance_kernel());

  example::gaussian_process& process = on_host ? *on_host : *on_device;
  const sampling::run_result drawn = sampling::run(process, settings);
  drawn.rethrow_failure();
  if (!chosen.predictions.empty())
    write_predictions(chosen.predictions, wanted, predict(*on_device, drawn, wanted.places));
  if (!chosen.timings.empty())
    sampling::write_timings(chosen.timings, settings, drawn,
                            std::chrono::duration<double>(clock_type::now() - start).count());
}

void run(const example::process_options& chosen, const sampling::settings& settings,
         clock_type::time_point start) {
  if (!chosen.on_host) example::choose_device({.data = {}, .device = chosen.device, .estimates = {}});
  if (chosen.process == "regression") {
    const series data = chosen.data.empty() ? example::made_data(chosen.n, chosen.data_seed)
                                            : example::read_series(chosen.data);
    const wanted_predictions wanted{Eigen::VectorXd::LinSpaced(241, -12, 12), 0, "x"};
    sample<example::smooth_function, example::smooth_function_on_host>(chosen, settings, data, wanted, start);
    return;
  }
  const std::string path = chosen.data.empty() ? FUSECL_EXAMPLE_DATA_DIR "/co2.csv" : chosen.data;
  const example::monthly_means air = example::read_carbon_dioxide(path, chosen.every);
  const double last = air.data.x[air.data.x.size() - 1];
  const wanted_predictions wanted{
      (Eigen::VectorXd::LinSpaced(chosen.months, 1, chosen.months) / 12).array() + last, air.mean, "year"};
  sample<example::carbon_dioxide, example::carbon_dioxide_on_host>(chosen, settings, air.data, wanted, start);
}

}  // namespace

int main(int argc, char** argv) {
  const clock_type::time_point start = clock_type::now();
  CLI::App app("", "fusecl_sample_gaussian_process");
  example::process_options chosen;
  sampling::settings settings;
  describe(app, chosen);
  app.add_option("--chains", settings.chains, "chains, a thread each");
  app.add_option("--warmup", settings.warmup, "iterations of each chain before its draws");
  app.add_option("--draws", settings.draws, "draws of each chain");
  app.add_option("--seed", settings.seed, "of the random numbers");
  return example::run_program(app, argc, argv, [&] { run(chosen, settings, start); });
}
