// Files and summary of a run.

#include "sampling/csv.hpp"

#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include <gtest/gtest.h>
#include <support/messages.hpp>
#include <sys/resource.h>

#include "models.hpp"
#include "sampling/summary.hpp"

namespace {

using sampling_test::gaussian;

std::string contents(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(CsvFile, HoldsTheSameNumbersAndWhatCmdStanWrites) {
  const std::string path = testing::TempDir() + "fusecl_sampling_test.csv";
  sampling::csv_file file(path, "a_model", {}, 2, {"a", "b.1"});
  file.write_adaptation(0.1, Eigen::Vector2d(0.5, 1e-9));
  file.write_draw({-1.0 / 3, 0.9, 0.1, 3, 7, true, 2.5}, {1e300, -0.1});
  sampling::chain_result times;
  times.warmup_seconds = 1;
  times.sampling_seconds = 0.5;
  file.write_times(times);
  const std::string text = contents(path);
  std::filesystem::remove(path);
  EXPECT_NE(text.find("# model = a_model\n"), std::string::npos);
  EXPECT_NE(text.find("# id = 3\n"), std::string::npos);
  EXPECT_EQ(text.substr(text.find("lp__")),
            "lp__,accept_stat__,stepsize__,treedepth__,n_leapfrog__,divergent__,energy__,a,b.1\n"
            "# Adaptation terminated\n# Step size = 0.1\n# Diagonal elements of inverse mass matrix:\n# 0.5, "
            "1e-09\n"
            "-0.3333333333333333,0.9,0.1,3,7,1,2.5,1e+300,-0.1\n"
            "# \n#  Elapsed Time: 1 seconds (Warm-up)\n#                0.5 seconds (Sampling)\n"
            "#                1.5 seconds (Total)\n# \n");
}

TEST(CsvFile, SaysWhereItCannotBeWritten) {
  EXPECT_EQ(fusecl::test::message_of<std::runtime_error>(
                [] { sampling::csv_file("/no/such/folder/x.csv", "m", {}, 0, {}); }),
            "cannot write /no/such/folder/x.csv: No such file or directory");
  EXPECT_EQ(
      fusecl::test::message_of<std::runtime_error>([] { sampling::csv_file("/dev/full", "m", {}, 0, {}); }),
      "cannot write /dev/full: No space left on device");
}

TEST(CsvFile, HoldsWholeLinesOnlyWhereTheDiskIsFull) {
  const std::string path = testing::TempDir() + "fusecl_sampling_full_test.csv";
  rlimit unlimited{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &unlimited), 0);
  const auto on_signal = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{2000, unlimited.rlim_max};
  sampling::csv_file file(path, "m", {}, 0, {"a"});
  std::string message;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  try {
    while (true) file.write_draw({-1, 0.9, 0.1, 3, 7, false, 2.5}, {0.123456789});
  } catch (const std::runtime_error& e) {
    message = e.what();
  }
  setrlimit(RLIMIT_FSIZE, &unlimited);
  std::signal(SIGXFSZ, on_signal);
  const std::string text = contents(path);
  std::filesystem::remove(path);
  EXPECT_EQ(message, "cannot write " + path + ": File too large");
  const std::string draw = "-1,0.9,0.1,3,7,0,2.5,0.123456789\n";
  ASSERT_GT(text.size(), draw.size());
  EXPECT_EQ(text.substr(text.size() - draw.size()), draw);
  EXPECT_GT(text.size() + draw.size(), 2000u);
}

TEST(Summary, TellsOfDivergencesAndOfChainsThatDisagree) {
  sampling::run_result result;
  result.chains.resize(2);
  for (int c = 0; c < 2; ++c) {
    auto& chain = result.chains[static_cast<std::size_t>(c)];
    chain.values = Eigen::RowVectorXd::LinSpaced(100 - 20 * c, 0, 1).array() + 10 * c;
    chain.draws.resize(static_cast<std::size_t>(chain.values.cols()));
    chain.divergent = c;
    chain.too_deep = 2 * c;
  }
  const std::string text = sampling::summary(result, {"x"});
  EXPECT_NE(text.find("\nx "), std::string::npos);
  EXPECT_NE(text.find("the first 80 draws of each of 2 chains (some have more);"), std::string::npos) << text;
  EXPECT_NE(text.find("1 divergent draw:"), std::string::npos);
  EXPECT_NE(text.find("2 draws were cut off"), std::string::npos);
  EXPECT_NE(sampling::summary(result, {"x"}, 50, {{"x", "where it is"}}).find("  where it is\n"),
            std::string::npos);
  EXPECT_NE(text.find("the chains do not agree"), std::string::npos);
  result.chains[0].values.resize(1, 0);
  EXPECT_EQ(sampling::summary(result, {"x"}), "no draws\n");
}

TEST(Summary, TellsOfChainsWithFewEffectiveDraws) {
  sampling::run_result result;
  result.chains.resize(1);
  const auto of = [&](const Eigen::RowVectorXd& values) {
    result.chains[0].values = values;
    result.chains[0].draws.resize(static_cast<std::size_t>(values.size()));
    for (std::size_t i = 0; i < result.chains[0].draws.size(); ++i)
      result.chains[0].draws[i].log_density = values[static_cast<Eigen::Index>(i)];
    return sampling::summary(result, {"x"});
  };
  Eigen::RowVectorXd mixed(40), more(800);
  for (Eigen::Index i = 0; i < mixed.size(); ++i) mixed[i] = std::sin(1.0 + 77 * static_cast<double>(i * i));
  for (Eigen::Index i = 0; i < more.size(); ++i) more[i] = std::sin(1.0 + 77 * static_cast<double>(i * i));
  EXPECT_NE(of(mixed).find("fewer than 100 effective draws"), std::string::npos) << of(mixed);
  EXPECT_EQ(of(more).find("effective draws a chain"), std::string::npos) << of(more);
  EXPECT_NE(of(Eigen::RowVectorXd::LinSpaced(800, 0, 1)).find("the halves of the chain do not agree"),
            std::string::npos);
}

TEST(Summary, ClaimsNothingOfWhatIsNotKnown) {
  sampling::run_result result;
  result.chains.resize(1);
  result.chains[0].values = Eigen::RowVectorXd::Constant(1, 0.5);
  result.chains[0].draws.resize(1);
  const std::string one = sampling::summary(result, {"x"});
  EXPECT_NE(one.find("1 draw of 1 chain; largest R-hat nan, smallest effective number of draws nan"),
            std::string::npos)
      << one;
  EXPECT_NE(one.find("so few draws say nothing"), std::string::npos) << one;
  EXPECT_EQ(one.find("-nan"), std::string::npos) << one;
  EXPECT_EQ(one.find("not finite"), std::string::npos) << one;

  result.chains[0].values = Eigen::RowVectorXd::LinSpaced(20, 0, 1);
  result.chains[0].values(3) = std::numeric_limits<double>::infinity();
  result.chains[0].draws.resize(20);
  const std::string some = sampling::summary(result, {"x"});
  EXPECT_NE(some.find("1 quantity has draws that are not finite"), std::string::npos) << some;
}

TEST(Summary, TellsOfChainsThatDoNotMove) {
  sampling::run_result result;
  result.chains.resize(1);
  result.chains[0].values = Eigen::MatrixXd(2, 10);
  result.chains[0].values << Eigen::RowVectorXd::Constant(10, -0.3), Eigen::RowVectorXd::LinSpaced(10, 0, 1);
  result.chains[0].draws.resize(10);
  for (std::size_t k = 0; k < 10; ++k) result.chains[0].draws[k].log_density = static_cast<double>(k);
  const std::string text = sampling::summary(result, {"x", "y"});
  EXPECT_NE(text.find("1 quantity has the same value in all draws"), std::string::npos) << text;
  EXPECT_EQ(text.find("-nan"), std::string::npos) << text;
  result.chains[0].values(0, 3) = 0;
  EXPECT_EQ(sampling::summary(result, {"x", "y"}).find("the same value"), std::string::npos);
}

TEST(Summary, ShowsTheFirstOfManyQuantities) {
  gaussian model(Eigen::VectorXd::Zero(5), Eigen::MatrixXd::Identity(5, 5));
  sampling::settings chosen;
  chosen.warmup = chosen.draws = 50;
  const std::string text = sampling::summary(sampling::run(model, chosen), model.names(), 3);
  EXPECT_NE(text.find("\nx.3 "), std::string::npos);
  EXPECT_EQ(text.find("\nx.4 "), std::string::npos);
  EXPECT_NE(text.find("... and 2 more"), std::string::npos);
}

}  // namespace
