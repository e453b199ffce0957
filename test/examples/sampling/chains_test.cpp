// Chains that share evaluations: what they draw, and what happens when a model or a listener fails.

#include <atomic>
#include <chrono>
#include <cmath>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <support/messages.hpp>
#include <sys/resource.h>
#include <unistd.h>

#include "models.hpp"
#include "sampling/runner.hpp"

namespace {

using sampling::run;
using sampling::run_result;
using sampling::settings;
using sampling_test::gaussian;

settings short_run(int chains) {
  settings chosen;
  chosen.chains = chains;
  chosen.warmup = 200;
  chosen.draws = 100;
  chosen.seed = 5;
  return chosen;
}

/// A standard normal of two variables, with something that happens at each evaluation.
class observed : public gaussian {
 public:
  using event = std::function<void(const Eigen::MatrixXd& positions, Eigen::VectorXd& values)>;
  explicit observed(event happens)
      : gaussian(Eigen::VectorXd::Zero(2), Eigen::MatrixXd::Identity(2, 2)), happens_(std::move(happens)) {}

  void evaluate(const Eigen::MatrixXd& positions, Eigen::VectorXd& values,
                Eigen::MatrixXd& gradients) override {
    gaussian::evaluate(positions, values, gradients);
    happens_(positions, values);
  }

 private:
  event happens_;
};

void expect_same_draws(const sampling::chain_result& a, const sampling::chain_result& b) {
  EXPECT_EQ(a.values, b.values);
  EXPECT_EQ(a.step_size, b.step_size);
  EXPECT_EQ(a.inverse_metric, b.inverse_metric);
}

TEST(Chains, DrawTheSameNumbersTogetherAsAlone) {
  gaussian model(Eigen::VectorXd::Zero(3), Eigen::MatrixXd::Identity(3, 3));
  const run_result alone = run(model, short_run(1)), four = run(model, short_run(4)),
                   again = run(model, short_run(4));
  expect_same_draws(alone.chains[0], four.chains[0]);
  for (std::size_t chain = 0; chain < 4; ++chain) expect_same_draws(four.chains[chain], again.chains[chain]);
  EXPECT_NE(four.chains[0].values, four.chains[1].values);
}

TEST(Chains, AreEvaluatedTogetherWhereEvaluationsTakeTime) {
  observed model([](const auto&, auto&) { std::this_thread::sleep_for(std::chrono::milliseconds(1)); });
  settings chosen = short_run(4);
  chosen.warmup = chosen.draws = 20;
  const auto counted = run(model, chosen).evaluations;
  // All four, but for those that end early.
  EXPECT_GT(static_cast<double>(counted.positions), 2 * static_cast<double>(counted.evaluations));
}

TEST(Chains, WaitForNobodyWhoIsSlowForLong) {
  // One chain sleeps after each draw; the others take a fraction of its time.
  observed model([](const auto&, auto&) { std::this_thread::sleep_for(std::chrono::microseconds(100)); });
  settings chosen = short_run(3);
  chosen.warmup = chosen.draws = 20;
  sampling::listeners told;
  std::atomic<int> of_slow_one = 0;
  std::atomic<int> at_end[3] = {};
  told.drawn = [&](int chain, const sampling::draw&) {
    if (chain != 0) return;
    ++of_slow_one;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  };
  told.ended = [&](int chain, const auto&) { at_end[chain] = of_slow_one.load(); };
  EXPECT_TRUE(run(model, chosen, told).complete());
  EXPECT_GE(at_end[0], 20);
  EXPECT_LT(at_end[1], 0.6 * at_end[0]);
  EXPECT_LT(at_end[2], 0.6 * at_end[0]);
}

TEST(Chains, RejectPositionsThatTheModelRefusesAndOthersDoNotNotice) {
  // Refused by an exception, by NaN or by minus infinity: half of the plane is cut off, draws stay in the
  // other.
  const double refusals[] = {0, std::numeric_limits<double>::quiet_NaN(),
                             -std::numeric_limits<double>::infinity()};
  run_result first;
  for (const double refusal : refusals) {
    observed model([&](const Eigen::MatrixXd& positions, Eigen::VectorXd& values) {
      for (Eigen::Index j = 0; j < positions.cols(); ++j)
        if (positions(0, j) < -1) {
          if (refusal == 0) throw std::domain_error("refused");
          values[j] = refusal;
        }
    });
    run_result found = run(model, short_run(4));
    for (const auto& chain : found.chains) {
      EXPECT_TRUE(chain.complete);
      EXPECT_GE(chain.values.row(0).minCoeff(), -1);
    }
    EXPECT_GT(found.chains[0].divergent + found.chains[1].divergent, 0);
    if (refusal == 0)
      first = std::move(found);
    else
      for (std::size_t chain = 0; chain < 4; ++chain)
        expect_same_draws(found.chains[chain], first.chains[chain]);
  }
}

TEST(Chains, SayWhereNoStartIsFinite) {
  observed model([](const auto&, Eigen::VectorXd& values) {
    values.setConstant(std::numeric_limits<double>::quiet_NaN());
  });
  const run_result found = run(model, short_run(2));
  EXPECT_FALSE(found.complete());
  try {
    found.rethrow_failure();
    ADD_FAILURE();
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "no start: the log density or its gradient was not finite at 100 positions");
  }
}

/// Neither of its variables is bounded.
class flat : public gaussian {
 public:
  flat() : gaussian(Eigen::VectorXd::Zero(2), Eigen::MatrixXd::Identity(2, 2)) {}
  void evaluate(const Eigen::MatrixXd&, Eigen::VectorXd& values, Eigen::MatrixXd& gradients) override {
    values.setZero();
    gradients.setZero();
  }
};

TEST(Chains, SayThatAPosteriorIsImproper) {
  flat model;
  try {
    run(model, short_run(2)).rethrow_failure();
    ADD_FAILURE();
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "the log density does not fall off: is the posterior improper?");
  }
}

/// Names more quantities, or fewer, than it writes, or reads fewer elements of a position than it has.
class miscounted : public gaussian {
 public:
  miscounted(int named, int read)
      : gaussian(Eigen::VectorXd::Zero(3), Eigen::MatrixXd::Identity(3, 3)), named_(named), read_(read) {}
  std::vector<std::string> names() const override {
    std::vector<std::string> result;
    sampling::append_numbered(result, "x", named_);
    return result;
  }
  void evaluate(const Eigen::MatrixXd& positions, Eigen::VectorXd& values,
                Eigen::MatrixXd& gradients) override {
    gradients = -positions;
    gradients.bottomRows(3 - read_).setZero();
    values = -0.5 * gradients.colwise().squaredNorm().transpose();
  }

 private:
  int named_, read_;
};

std::string refusal(int named, int read) {
  miscounted model(named, read);
  return fusecl::test::message_of<std::invalid_argument>([&] { run(model, short_run(2)).rethrow_failure(); });
}

TEST(Chains, SayThatNamesAndPositionsDiffer) {
  EXPECT_EQ(refusal(3, 3), "");
  EXPECT_EQ(refusal(4, 3), "the model has 4 names, but writes 3 values of a position of 3 elements");
  EXPECT_EQ(refusal(1, 3), "the model has 1 name, but writes 3 values of a position of 3 elements");
  EXPECT_EQ(refusal(3, 2),
            "a position has 3 elements, but the log density depends on 2 of them only: are there more names "
            "than it reads elements?");
}

/// Its value has a part of which the gradient knows nothing.
class partly_constant : public gaussian {
 public:
  explicit partly_constant(double part)
      : gaussian(Eigen::VectorXd::Zero(3), Eigen::MatrixXd::Identity(3, 3)), part_(part) {}
  void evaluate(const Eigen::MatrixXd& positions, Eigen::VectorXd& values,
                Eigen::MatrixXd& gradients) override {
    gaussian::evaluate(positions, values, gradients);
    values += part_ * positions.row(1).transpose();
  }

 private:
  double part_;
};

TEST(Chains, SayThatTheGradientIsNotThatOfTheLogDensity) {
  partly_constant right(0), wrong(0.5);
  EXPECT_TRUE(run(right, short_run(2)).complete());
  try {
    run(wrong, short_run(2)).rethrow_failure();
    ADD_FAILURE();
  } catch (const std::invalid_argument& e) {
    EXPECT_EQ(std::string(e.what()).rfind(
                  "the gradient is not that of the log density: in one direction it says", 0),
              0u)
        << e.what();
  }
}

/// Values of a million and more, and steep ones, whose differences are inexact.
class steep : public gaussian {
 public:
  steep(double constant, double variance)
      : gaussian(Eigen::VectorXd::Zero(40), variance * Eigen::MatrixXd::Identity(40, 40)),
        constant_(constant) {}
  void evaluate(const Eigen::MatrixXd& positions, Eigen::VectorXd& values,
                Eigen::MatrixXd& gradients) override {
    gaussian::evaluate(positions, values, gradients);
    values.array() += constant_;
  }

 private:
  double constant_;
};

TEST(Chains, DoNotTakeRoundingForAWrongGradient) {
  for (const double constant : {0.0, -1e6, -1e12})
    for (const double variance : {1e-6, 1.0, 1e6}) {
      steep model(constant, variance);
      settings chosen = short_run(2);
      chosen.warmup = chosen.draws = 1;
      EXPECT_NO_THROW(run(model, chosen).rethrow_failure()) << constant << ", " << variance;
    }
}

/// Names its three variables as it is told.
class named : public gaussian {
 public:
  explicit named(std::vector<std::string> names)
      : gaussian(Eigen::VectorXd::Zero(3), Eigen::MatrixXd::Identity(3, 3)), names_(std::move(names)) {}
  std::vector<std::string> names() const override { return names_; }

 private:
  std::vector<std::string> names_;
};

TEST(Chains, RefuseNamesThatFilesCannotHold) {
  const auto refusal_of = [](const std::string& second) -> std::string {
    named model({"a", second, "c"});
    try {
      run(model, short_run(1)).rethrow_failure();
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "none";
  };
  EXPECT_EQ(refusal_of("b of it"), "none");
  EXPECT_EQ(refusal_of("c"), "the model has the name 'c' more than once");
  for (const char* name : {"", "b,d", "\"b\"", "#b", "b\n"})
    EXPECT_EQ(refusal_of(name).rfind("the model's name '" + std::string(name) + "' cannot be that", 0), 0u)
        << name;
}

TEST(Chains, KeepWhatWasDrawnWhenTheModelFails) {
  std::atomic<int> evaluations = 0;
  observed model([&](const auto&, auto&) {
    if (++evaluations > 3000) throw std::runtime_error("the device is gone");
  });
  settings chosen = short_run(3);
  chosen.draws = 100'000;
  const run_result found = run(model, chosen);
  EXPECT_FALSE(found.complete());
  EXPECT_THROW(found.rethrow_failure(), std::runtime_error);
  for (const auto& chain : found.chains) {
    EXPECT_GT(chain.values.cols(), 0);
    EXPECT_TRUE(chain.values.allFinite());
    EXPECT_EQ(static_cast<Eigen::Index>(chain.draws.size()), chain.values.cols());
  }
}

TEST(Chains, EndTogetherWhenAListenerOfOneFails) {
  observed model([](const auto&, auto&) {});
  settings chosen = short_run(3);
  chosen.draws = 1'000'000;
  sampling::listeners told;
  told.kept = [](int chain, const auto&, const auto&) {
    if (chain == 1) throw std::runtime_error("disk full");
  };
  const run_result found = run(model, chosen, told);
  EXPECT_TRUE(found.chains[1].failure);
  EXPECT_FALSE(found.chains[0].failure);
  EXPECT_FALSE(found.complete());
}

TEST(Chains, EndWhereThereAreNotThreadsEnough) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need the addresses";
#endif
  gaussian model(Eigen::VectorXd::Zero(2), Eigen::MatrixXd::Identity(2, 2));
  settings chosen = short_run(1000);
  chosen.warmup = 0;
  chosen.draws = chosen.thin = 2000;
  std::atomic<int> made = 0;
  sampling::listeners told;
  told.drawn = [&](int, const sampling::draw&) { ++made; };
  rlimit unlimited{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &unlimited), 0);
  rlimit little = unlimited;
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  little.rlim_cur = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + (std::size_t{1} << 30);
  ASSERT_EQ(setrlimit(RLIMIT_AS, &little), 0);
  std::string message;
  try {
    run(model, chosen, told);
  } catch (const std::runtime_error& e) {
    message = e.what();
  }
  setrlimit(RLIMIT_AS, &unlimited);
  EXPECT_EQ(message.rfind("no thread for chain ", 0), 0u) << message;
  EXPECT_LT(made, 2000);  // no chain made all its draws
}

TEST(Chains, EndAfterTheirPresentDrawWhenTold) {
  observed model([](const auto&, auto&) {});
  settings chosen = short_run(2);
  chosen.draws = 1'000'000;
  std::atomic<int> kept = 0;
  sampling::listeners told;
  told.kept = [&](int, const auto&, const auto&) { ++kept; };
  told.stop = [&] { return kept >= 50; };
  const run_result found = run(model, chosen, told);
  EXPECT_FALSE(found.complete());
  EXPECT_NO_THROW(found.rethrow_failure());
  EXPECT_EQ(found.chains[0].values.cols() + found.chains[1].values.cols(), kept);
  EXPECT_LE(kept, 51);
}

TEST(Chains, AreWaitedForOnceMoreWhenAllHaveEnded) {
  observed model([](const auto&, auto&) { std::this_thread::sleep_for(std::chrono::milliseconds(1)); });
  settings chosen = short_run(2);
  chosen.warmup = chosen.draws = 25;
  std::atomic<int> ended = 0;
  int seen = 0;
  sampling::listeners told;
  told.ended = [&](int, const auto&) { ++ended; };
  told.waiting = [&] {  // slow, as a terminal may be: chains end while it looks
    seen = ended;
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
  };
  EXPECT_TRUE(run(model, chosen, told).complete());
  EXPECT_EQ(seen, 2);
}

TEST(Chains, TellOnceThatAllHaveWarmedUpAndAskForTheSameModelAfterwards) {
  observed model([](const auto&, auto&) {});
  int told_of = 0;
  std::atomic<int> adapted = 0;
  sampling::listeners told;
  told.adapted = [&](int, double step_size, const Eigen::VectorXd&) {
    EXPECT_GT(step_size, 0);
    ++adapted;
  };
  told.all_adapted = [&] {
    ++told_of;
    EXPECT_EQ(adapted, 4);
  };
  for (const int warmup : {0, 50}) {
    settings chosen = short_run(4);
    chosen.warmup = warmup;
    told_of = adapted = 0;
    EXPECT_TRUE(run(model, chosen, told).complete());
    EXPECT_EQ(told_of, 1);
  }
}

}  // namespace
