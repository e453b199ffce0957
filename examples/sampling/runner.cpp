// Memory for all draws is taken before the first, so that it stays flat while chains run.

#include "runner.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

#include "counted.hpp"

namespace sampling {
namespace {

using clock = std::chrono::steady_clock;

/// What the model writes of a position, one value for each name.
std::vector<double> written(const model& sampled, const Eigen::VectorXd& position, Eigen::Index names) {
  std::vector<double> values = sampled.written(position);
  if (static_cast<Eigen::Index>(values.size()) != names)
    throw std::invalid_argument("the model has " + counted(names, "name") + ", but writes " +
                                counted(static_cast<std::int64_t>(values.size()), "value") +
                                " of a position of " + counted(position.size(), "element"));
  return values;
}

/// Names are those of columns in files.
void check_names(const std::vector<std::string>& names) {
  std::set<std::string_view> seen;
  for (const std::string& name : names) {
    if (name.empty() || name.find_first_of(",\"#\r\n") != std::string::npos)
      throw std::invalid_argument("the model's name '" + name +
                                  "' cannot be that of a column, as it is empty or has a comma, a quotation "
                                  "mark, a # or a line break");
    if (!seen.insert(name).second)
      throw std::invalid_argument("the model has the name '" + name + "' more than once");
  }
}

/// What the chains of a run have in common.
struct shared_run {
  const model& sampled;
  const settings& chosen;
  const listeners& told;
  shared_evaluator evaluator;
  std::atomic<bool> failed{false};
  std::atomic<int> warming_up;

  std::mutex mutex;
  std::condition_variable ended;
  int running;
};

/// Keeps the draws of one chain and passes on what happens.
class recorder : public observer {
 public:
  recorder(shared_run& run, int chain, chain_result& result)
      : run_(&run), chain_(chain), result_(&result), begin_(clock::now()) {}

  void adapted(double step_size, const Eigen::VectorXd& inverse_metric) override {
    result_->step_size = step_size;
    result_->inverse_metric = inverse_metric;
    result_->warmup_seconds = seconds();
    begin_ = clock::now();
    adapted_ = true;
    if (run_->told.adapted) run_->told.adapted(chain_, step_size, inverse_metric);
    if (--run_->warming_up == 0 && run_->told.all_adapted) run_->told.all_adapted();
  }

  void drawn(const draw& made) override {
    if (!made.warmup) keep(made);
    if (run_->told.drawn) run_->told.drawn(chain_, made);
  }

  /// The chain ends, for whatever reason.
  void finish() {
    (adapted_ ? result_->sampling_seconds : result_->warmup_seconds) = seconds();
    result_->complete = !result_->failure && static_cast<int>(result_->draws.size()) == run_->chosen.kept() &&
                        drawn_ == run_->chosen.draws;
    result_->values.conservativeResize(Eigen::NoChange, static_cast<Eigen::Index>(result_->draws.size()));
    if (run_->told.ended) run_->told.ended(chain_, *result_);
  }

 private:
  double seconds() const { return std::chrono::duration<double>(clock::now() - begin_).count(); }

  void keep(const draw& made) {
    ++drawn_;
    result_->divergent += made.how.divergent;
    result_->too_deep += made.how.depth == run_->chosen.depth;
    if ((made.iteration - run_->chosen.warmup) % run_->chosen.thin != 0) return;
    const std::vector<double> values = written(run_->sampled, made.at.position, result_->values.rows());
    const statistics how{made.at.log_density, made.how.accept_stat, made.step_size, made.how.depth,
                         made.how.leapfrogs,  made.how.divergent,   made.how.energy};
    result_->values.col(static_cast<Eigen::Index>(result_->draws.size())) =
        Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
    result_->draws.push_back(how);
    if (run_->told.kept) run_->told.kept(chain_, how, values);
  }

  shared_run* run_;
  int chain_;
  chain_result* result_;
  clock::time_point begin_;
  bool adapted_ = false;
  int drawn_ = 0;
};

void run_one(shared_run& run, int chain, chain_result& result) {
  recorder records(run, chain, result);
  const auto guarded = [&](const auto& work) {
    try {
      work();
    } catch (...) {
      if (!result.failure) result.failure = std::current_exception();
      run.failed = true;
    }
  };
  guarded([&] {
    const density_function density = [&](const Eigen::VectorXd& position, Eigen::VectorXd& gradient) {
      return run.evaluator.evaluate(chain, position, gradient);
    };
    run_chain(density, run.sampled.dimension(), run.chosen, chain, records,
              [&] { return run.failed || (run.told.stop && run.told.stop()); });
  });
  run.evaluator.leave();
  guarded([&] { records.finish(); });
  const std::lock_guard lock(run.mutex);
  --run.running;
  run.ended.notify_all();
}

}  // namespace

bool run_result::complete() const {
  for (const chain_result& chain : chains)
    if (!chain.complete) return false;
  return true;
}

void run_result::rethrow_failure() const {
  for (const chain_result& chain : chains)
    if (chain.failure) std::rethrow_exception(chain.failure);
}

run_result run(model& sampled, const settings& chosen, const listeners& told) {
  check(chosen);
  const std::vector<std::string> all_names = sampled.names();
  check_names(all_names);
  const auto names = static_cast<Eigen::Index>(all_names.size());
  written(sampled, Eigen::VectorXd::Zero(sampled.dimension()),
          names);  // what would end a run at its first draw
  run_result result;
  result.chains.resize(static_cast<std::size_t>(chosen.chains));
  for (chain_result& chain : result.chains) {
    chain.values.setConstant(names, chosen.kept(), std::numeric_limits<double>::quiet_NaN());
    // written once, as memory that is only reserved would be mapped page by page
    chain.draws.resize(static_cast<std::size_t>(chosen.kept()));
    chain.draws.clear();
  }
  shared_run shared{sampled,      chosen,        told, shared_evaluator(sampled, chosen.chains),
                    false,        chosen.chains, {},   {},
                    chosen.chains};
  std::vector<std::jthread> threads;
  try {
    for (int chain = 0; chain < chosen.chains; ++chain)
      threads.emplace_back([&shared, chain, &one = result.chains[static_cast<std::size_t>(chain)]] {
        run_one(shared, chain, one);
      });
  } catch (const std::system_error& e) {
    shared.failed = true;
    throw std::runtime_error("no thread for chain " + std::to_string(threads.size() + 1) + ": " + e.what());
  }
  for (std::unique_lock lock(shared.mutex); shared.running > 0;) {
    shared.ended.wait_for(lock, std::chrono::milliseconds(100));
    if (!told.waiting) continue;
    lock.unlock();
    told.waiting();
    lock.lock();
  }
  threads.clear();  // joins
  if (told.waiting)
    told.waiting();  // of what happened since, or of everything where all ended before the first wait
  result.evaluations = shared.evaluator.counted();
  return result;
}

}  // namespace sampling
