// Hamiltonian Monte Carlo for the hyper-parameters of two Gaussian processes: data, process, chains,
// predictions.

#include <cstdio>
#include <memory>
#include <sstream>
#include <string>

#include "../common/program.hpp"
#include "../common/sampling_program.hpp"
#include "../sampling/counted.hpp"
#include "../sampling/write_text.hpp"
#include "data.hpp"
#include "on_host.hpp"
#include "options.hpp"
#include "processes.hpp"

namespace {

using example::series, example::prediction;

/// Where new outcomes are predicted, and what is added to x and y to write them.
struct wanted_predictions {
  Eigen::VectorXd places;
  double offset;
  const char* place_name;
};

/// Of how many draws one is taken, so that 400 to 800 of all chains make a prediction.
Eigen::Index step_of(const sampling::run_result& drawn) {
  constexpr Eigen::Index most_draws = 400;
  const auto chains = static_cast<Eigen::Index>(drawn.chains.size());
  return std::max<Eigen::Index>(1, drawn.chains[0].values.cols() * chains / most_draws);
}

/// Means and standard deviations over the draws: the mean of the variances plus the variance of the means.
template <class Process>
prediction predict(const example::process_on_device<Process>& process, const sampling::run_result& drawn,
                   const Eigen::VectorXd& places) {
  const Eigen::Index step = step_of(drawn);
  Eigen::ArrayXd means = Eigen::ArrayXd::Zero(places.size()), squares = means, variances = means;
  double count = 0;
  for (const sampling::chain_result& chain : drawn.chains) {
    for (Eigen::Index k = 0; k < chain.values.cols(); k += step, ++count) {
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
  std::ostringstream out;
  out.precision(10);
  out << wanted.place_name << ",mean,sd\n";
  for (Eigen::Index i = 0; i < wanted.places.size(); ++i)
    out << wanted.places[i] << ',' << found.mean[i] + wanted.offset << ',' << found.sd[i] << '\n';
  sampling::write_text(path, out.str());
}

template <class Process, class OnHost>
int sample(example::process_options& chosen, const series& data, const wanted_predictions& wanted) {
  const std::string name = "gaussian_process_" + chosen.process;
  for (const example::hyper_parameter& p : Process::parameters()) {
    example::say("prior     " + p.name + " ~ " + p.density.text());
    chosen.meanings[p.name] = p.meaning;
  }
  std::unique_ptr<example::process_on_device<Process>> on_device;
  if (!chosen.on_host || !chosen.predictions.empty()) {
    example::choose_device(chosen.device);
    on_device = std::make_unique<example::process_on_device<Process>>(data.x, data.y);
  }
  if (!chosen.predictions.empty()) {
    example::require_output(chosen.predictions, "--predictions", chosen);
    chosen.then = [&](const sampling::run_result& drawn) {
      write_predictions(chosen.predictions, wanted, predict(*on_device, drawn, wanted.places));
      const Eigen::Index draws = drawn.chains[0].values.cols(), step = step_of(drawn);
      example::say("predictions of " + sampling::counted((draws + step - 1) / step, "draw") +
                   " of each chain" + (step > 1 ? ", one in " + std::to_string(step) + "," : "") + " at " +
                   sampling::counted(wanted.places.size(), "place") + " written to " + chosen.predictions);
    };
  }
  int code = 0;
  if (chosen.on_host) {
    OnHost process(data.x, data.y);
    code = example::sample(process, name, chosen);
  } else {
    code = example::sample(*on_device, name, chosen);
  }
  if (code != 0 && !chosen.predictions.empty())
    std::fprintf(stderr, "no predictions are written, as they are made of complete runs only\n");
  return code;
}

int run(example::process_options& chosen) {
  if (chosen.process == "regression") {
    const series data = chosen.data.empty() ? example::made_data(chosen.n, chosen.data_seed)
                                            : example::read_series(chosen.data);
    example::say("data      " + sampling::counted(data.x.size(), "outcome") + ", " +
                 (chosen.data.empty() ? "simulated" : "from " + chosen.data));
    example::say(
        "model     y ~ multi_normal(0, K), K(i, j) = alpha^2 exp(-(x(i) - x(j))^2 / (2 rho^2)),\n"
        "          plus sigma^2 where i = j");
    return sample<example::smooth_function, example::smooth_function_on_host>(
        chosen, data, {example::places_about(data.x), 0, "x"});
  }
  const std::string path = chosen.data.empty() ? FUSECL_EXAMPLE_DATA_DIR "/co2.csv" : chosen.data;
  const example::monthly_means air = example::read_carbon_dioxide(path, chosen.every);
  example::say("data      " + sampling::counted(air.data.x.size(), "month") + ", from " + path);
  example::say(
      "model     ppm less their mean ~ multi_normal(0, K), d years apart\n"
      "          K = trend_scale^2 exp(-d^2 / (2 trend_length^2))\n"
      "            + season_scale^2 exp(-2 sin^2(pi d) / season_shape^2 - d^2 / (2 season_length^2))\n"
      "            + short_scale^2 exp(-d^2 / (2 short_length^2)), plus sigma^2 where d = 0");
  const double last = air.data.x[air.data.x.size() - 1];
  const Eigen::VectorXd later = Eigen::ArrayXd::LinSpaced(chosen.months, 1, chosen.months) / 12 + last;
  return sample<example::carbon_dioxide, example::carbon_dioxide_on_host>(chosen, air.data,
                                                                          {later, air.mean, "year"});
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("", "fusecl_sample_gaussian_process");
  example::process_options chosen;
  describe(app, chosen);
  return example::run_sampling_program(app, argc, argv, [&] { return run(chosen); });
}
