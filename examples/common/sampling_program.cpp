// The handler of Ctrl-C only sets a flag that chains look at before each draw.

#include "sampling_program.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <vector>

#include <fusion/fusion.hpp>

#include "../sampling/counted.hpp"
#include "../sampling/csv.hpp"
#include "../sampling/progress.hpp"
#include "../sampling/summary.hpp"
#include "../sampling/timings.hpp"
#include "program.hpp"
#include "text_file.hpp"

namespace example {
namespace {

std::string file_of_draws(const sampling_options& options, int chain) {
  return options.output + "_" + std::to_string(chain + 1) + ".csv";
}

bool is_same_file(const std::string& a, const std::string& b) {
  const auto place = [](const std::string& file) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(file));
  };
  return !a.empty() && !b.empty() && place(a) == place(b);
}

// Read by the chains, set by the handler on any thread.
std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free);

void interrupt(int signal) {
  interrupted = true;
  std::signal(signal, SIG_DFL);  // the second one is for those who cannot wait
}

/// What is left of a run that was interrupted.
std::string what_was_kept(const sampling::run_result& result, const sampling::settings& chosen) {
  std::string counts;
  Eigen::Index all = 0;
  for (const sampling::chain_result& chain : result.chains) {
    const Eigen::Index kept = chain.values.cols();
    counts += (counts.empty() ? "" : ", ") + std::to_string(kept);
    all += kept;
  }
  if (all == 0) return "interrupted before the first draw that is kept: the files hold none";
  return "interrupted: the draws made so far are written (of " + std::to_string(chosen.kept()) +
         " a chain: " + counts + ")";
}

}  // namespace

void describe_sampling(CLI::App& app, sampling_options& options, const std::string& data,
                       const std::string& kernels) {
  sampling::settings& chosen = options.chosen;
  if (!data.empty()) app.add_option("--data", options.data, data)->check(not_empty())->capture_default_str();
  app.add_flag("--kernels", options.kernels, kernels);
  app.add_option("--chains", chosen.chains, "chains, each a thread")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  app.add_option("--warmup", chosen.warmup, "iterations that adapt step size and metric, which are not kept")
      ->check(CLI::Range(0, 100'000'000))
      ->capture_default_str();
  app.add_option("--draws", chosen.draws, "iterations after that; those that are kept stay in memory, too")
      ->check(CLI::Range(1, 100'000'000))
      ->capture_default_str();
  app.add_option("--thin", chosen.thin, "keep one of so many draws")
      ->check(CLI::Range(1, 100'000'000))
      ->capture_default_str();
  app.add_option("--seed", chosen.seed, "chain c of a seed draws the same numbers in every run")
      ->check(seed())
      ->capture_default_str();
  app.add_option("--delta", chosen.delta, "acceptance probability that the step size is adapted to")
      ->check(CLI::Range(0.01, 0.999))
      ->capture_default_str();
  app.add_option("--depth", chosen.depth, "most doublings of a trajectory")
      ->check(CLI::Range(1, 20))
      ->capture_default_str();
  app.add_option("--output", options.output, "draws are written to <output>_1.csv, <output>_2.csv, ...")
      ->check(not_empty())
      ->capture_default_str();
  app.add_option("--device", options.device,
                 "part of the name of the device to use; the best one if not given");
  app.add_flag("--quiet", options.quiet, "no progress");
  app.add_option("--timings", options.timings, "JSON file to write: how long the run took")
      ->check(not_empty());
  app.footer(
      "The exit code is 0 if all went well, 1 after an error, 130 after Ctrl-C,\n"
      "which ends the run after the present draws with files and summary of what there is.");
}

void name_slopes(sampling_options& options, const std::vector<std::string>& features) {
  for (std::size_t k = 0; k < features.size(); ++k)
    options.meanings["beta." + std::to_string(k + 1)] = features[k];
}

void describe_columns(CLI::App& app, sampling_options& options) {
  app.add_option("--columns", options.columns,
                 "chains that one statement evaluates, rounded up to 1, 2, 4 or 8, whether there are as\n"
                 "many or not: on one device runs with the same number draw the same; 0: as many as chains")
      ->check(CLI::Range(0, 256))
      ->capture_default_str();
}

void describe_on_host(CLI::App& app, sampling_options& options) {
  app.add_flag("--on-host", options.on_host, "evaluate on the host with Eigen, to compare with");
}

void require_output(const std::string& path, const std::string& option, const sampling_options& options) {
  for (int chain = 0; chain < options.chosen.chains; ++chain)
    if (is_same_file(path, file_of_draws(options, chain)))
      throw std::invalid_argument(option + " " + path + " is the file of chain " + std::to_string(chain + 1) +
                                  "'s draws");
  if (is_same_file(path, options.data)) throw std::invalid_argument(option + " " + path + " is the data");
  require_writable(path);
}

int sample(sampling::model& model, const std::string& name, const sampling_options& options) {
  const sampling::settings& chosen = options.chosen;
  if (!options.timings.empty()) require_output(options.timings, "--timings", options);
  for (int chain = 0; chain < chosen.chains; ++chain)
    if (const std::string file = file_of_draws(options, chain); is_same_file(file, options.data))
      throw std::invalid_argument("--output " + options.output + ": the draws of chain " +
                                  std::to_string(chain + 1) + " would be written over the data, " + file);
  const std::vector<std::string> names = model.names();
  std::vector<sampling::csv_file> files;
  for (int chain = 0; chain < chosen.chains; ++chain)
    files.emplace_back(file_of_draws(options, chain), name, chosen, chain, names);
  const auto file = [&](int chain) -> sampling::csv_file& { return files[static_cast<std::size_t>(chain)]; };

  sampling::progress shown(chosen);
  sampling::listeners told;
  told.adapted = [&](int chain, double step_size, const Eigen::VectorXd& metric) {
    file(chain).write_adaptation(step_size, metric);
  };
  told.kept = [&](int chain, const sampling::statistics& how, const std::vector<double>& values) {
    file(chain).write_draw(how, values);
  };
  told.ended = [&](int chain, const sampling::chain_result& result) {
    if (!result.failure) file(chain).write_times(result);
  };
  told.all_adapted = [] { fusecl::freeze(); };
  told.stop = [] { return interrupted.load(); };
  if (!options.quiet) told.drawn = [&](int chain, const sampling::draw& made) { shown.drawn(chain, made); };
  bool is_said = false;
  told.waiting = [&] {
    if (!options.quiet) shown.show();
    if (!interrupted || is_said) return;
    is_said = true;
    shown.go_on_below();
    std::fprintf(stderr, "%s",
                 "interrupted: ending after the present draws, or once their kernels are built; "
                 "Ctrl-C again ends at once\n");
  };
  interrupted = false;
  std::signal(SIGINT, interrupt);
  std::signal(SIGTERM, interrupt);
  const sampling::run_result result = run(model, chosen, told);
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  if (fusecl::frozen()) fusecl::unfreeze();

  say("\n" + sampling::summary(result, names, 50, options.meanings));
  double longest = 0;
  for (const auto& chain : result.chains)
    longest = std::max(longest, chain.warmup_seconds + chain.sampling_seconds);
  std::printf("%.2f seconds; %s of the log density, of %.2f chains each\nwritten to %s_1.csv%s\n", longest,
              sampling::counted(result.evaluations.evaluations, "evaluation").c_str(),
              static_cast<double>(result.evaluations.positions) /
                  static_cast<double>(std::max<std::int64_t>(result.evaluations.evaluations, 1)),
              options.output.c_str(), chosen.chains > 1 ? " and so on" : "");
  std::fflush(stdout);
  result.rethrow_failure();
  if (const std::string text = options.kernels ? model.kernels() : ""; !text.empty()) say("\n" + text);
  if (result.complete() && options.then) options.then(result);
  if (!options.timings.empty()) sampling::write_timings(options.timings, chosen, result);
  if (result.complete()) return 0;
  std::fprintf(stderr, "%s\n", what_was_kept(result, chosen).c_str());
  return 130;
}

int run_sampling_program(CLI::App& app, int argc, char** argv, const std::function<int()>& run) {
  int code = 0;
  const int failed = run_program(app, argc, argv, [&] { code = run(); });
  return failed != 0 ? failed : code;
}

}  // namespace example
