// Diagnostics against ArviZ 0.23.4. Its numbers for the series below came from az.rhat(x), az.ess(x,
// method="bulk"), az.ess(x, method="tail") and az.mcse(x, method="mean"), where x has a row for each chain.

#include "sampling/diagnostics.hpp"

#include <cmath>
#include <limits>
#include <ostream>
#include <string>

#include <gtest/gtest.h>
#include <support/operands.hpp>

namespace {

struct known {
  std::string kind;
  int draws, chains;
  double r_hat, bulk_ess, tail_ess, mcse;
};

/// Numbers that look random and are the same everywhere.
Eigen::MatrixXd series(const known& of) {
  Eigen::MatrixXd x(of.draws, of.chains);
  for (int c = 0; c < of.chains; ++c)
    for (int i = 0; i < of.draws; ++i) {
      const double wild = std::sin(12.9898 * (i + 1) + 78.233 * (c + 1)) * 43758.5453;
      x(i, c) = wild - std::floor(wild);
      if (of.kind == "walk") x(i, c) += (i > 0 ? x(i - 1, c) : 0) - 0.5;
      if (of.kind == "shift") x(i, c) += 0.3 * c;
      if (of.kind == "ties") x(i, c) = std::floor(4 * x(i, c));
      if (of.kind == "flip") x(i, c) = 0.1 * x(i, c) + i % 2;
    }
  return x;
}

TEST(Diagnostics, AreThoseOfArviz) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();  // ArviZ wants two chains for R-hat
  const known cases[] = {
      {"noise", 200, 4, 0.998470959706315, 840.005095926263, 851.804975905331, 0.00973127136716012},
      {"noise", 51, 1, none, 70.7670611271301, 62.5366999412801, 0.0333203499477461},
      {"walk", 200, 4, 1.72188663427063, 6.60225993985413, 17.7419320981883, 0.898370146717649},
      {"walk", 51, 1, none, 2.07338467585782, 12.1225835650094, 0.399147239135738},
      {"shift", 200, 4, 1.58534358233464, 7.08024161721711, 31.2934077943744, 0.165305171443641},
      {"ties", 200, 4, 0.999613048374347, 825.386227958525, 800, 0.0382637740287357},
      {"ties", 51, 1, none, 69.8235570670761, 50, 0.13246276214645},
      {"noise", 4, 2, 1.04376347930766, 7.22471989593555, 7.22471989593555, 0.102273679195033},
      {"noise", 8, 4, 1.14344620677685, 48.164799306237, 48.164799306237, 0.0401687395358148},
      {"noise", 9, 1, none, 7.22471989593555, 7.22471989593555, 0.0640726315975284},
      {"noise", 25, 4, 1.02206465874487, 90.0667043401358, 127.455016660496, 0.0308266489142914},
      {"flip", 12, 4, 1.00065291374874, 80.6995793940282, 78.9041095890411, 0.0563265137910879},
      {"flip", 100, 2, 0.99626201091227, 460.205999132796, 230.961248857986, 0.0233455315644377},
  };
  for (const known& expected : cases) {
    SCOPED_TRACE(expected.kind + " of " + std::to_string(expected.draws));
    const sampling::diagnosis found = sampling::diagnose(series(expected));
    if (!std::isnan(expected.r_hat)) {
      EXPECT_NEAR(found.r_hat / expected.r_hat, 1, 1e-8);
    }
    EXPECT_NEAR(found.bulk_ess / expected.bulk_ess, 1, 1e-8);
    EXPECT_NEAR(found.tail_ess / expected.tail_ess, 1, 1e-8);
    EXPECT_NEAR(found.mcse / expected.mcse, 1, 1e-8);
  }
}

TEST(Diagnostics, SayNothingOfTooFewDrawsOrOfThoseThatAreNotFinite) {
  EXPECT_TRUE(std::isnan(sampling::diagnose(fusecl::test::random_host<double>(3, 4)).r_hat));
  EXPECT_TRUE(std::isnan(sampling::diagnose(Eigen::MatrixXd(0, 4)).bulk_ess));
  Eigen::MatrixXd draws = fusecl::test::random_host<double>(20, 2);
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    draws(3, 1) = bad;
    EXPECT_TRUE(std::isnan(sampling::diagnose(draws).r_hat));
    EXPECT_TRUE(std::isnan(sampling::diagnose(draws).mcse));
  }
  const sampling::diagnosis constant = sampling::diagnose(Eigen::MatrixXd::Ones(20, 2));
  EXPECT_EQ(constant.bulk_ess, 40);
  EXPECT_EQ(constant.mcse, 0);
}

TEST(Quantile, LiesBetweenNeighboursLinearly) {
  const Eigen::MatrixXd x = (Eigen::MatrixXd(5, 1) << 4, 0, 3, 1, 2).finished();
  EXPECT_EQ(sampling::quantile(x, 0.0), 0);
  EXPECT_EQ(sampling::quantile(x, 0.3), 1.2);
  EXPECT_EQ(sampling::quantile(x, 1.0), 4);
  EXPECT_TRUE(std::isnan(sampling::quantile(Eigen::MatrixXd(0, 1), 0.5)));
}

}  // namespace
