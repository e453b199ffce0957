// The Gaussian processes of examples/sample_gaussian_process: device against host, both against differences.

#include <cmath>
#include <fstream>

#include <Eigen/Cholesky>
#include <gtest/gtest.h>

#include "common/read_table.hpp"
#include "sample_gaussian_process/data.hpp"
#include "sample_gaussian_process/on_host.hpp"
#include "sample_gaussian_process/processes.hpp"

namespace {

using example::gaussian_process, example::series;

struct evaluated {
  Eigen::VectorXd values;
  Eigen::MatrixXd gradients;
};

evaluated evaluate(gaussian_process& process, const Eigen::MatrixXd& positions) {
  evaluated e{Eigen::VectorXd::Constant(positions.cols(), 7),
              Eigen::MatrixXd::Constant(positions.rows(), positions.cols(), 7)};
  process.evaluate(positions, e.values, e.gradients);
  return e;
}

/// Positions about `centre`, of which one is `centre` itself.
Eigen::MatrixXd positions_about(const Eigen::VectorXd& centre, Eigen::Index count) {
  Eigen::MatrixXd all = centre.replicate(1, count);
  for (Eigen::Index j = 1; j < count; ++j)
    for (Eigen::Index k = 0; k < centre.size(); ++k)
      all(k, j) += 0.4 * std::sin(static_cast<double>(3 * j + 7 * k));
  return all;
}

void expect_equal(gaussian_process& device, gaussian_process& host, const Eigen::MatrixXd& positions) {
  const evaluated found = evaluate(device, positions), wanted = evaluate(host, positions);
  for (Eigen::Index j = 0; j < positions.cols(); ++j) {
    EXPECT_NEAR(found.values[j], wanted.values[j], 1e-9 * (1 + std::fabs(wanted.values[j])));
    const double scale = 1 + wanted.gradients.col(j).norm();
    EXPECT_LE((found.gradients.col(j) - wanted.gradients.col(j)).norm(), 1e-9 * scale);
  }
}

/// The derivatives by hand against differences of the values, extrapolated once.
void expect_derivatives(gaussian_process& process, const Eigen::VectorXd& at, double tolerance) {
  const evaluated found = evaluate(process, at);
  const auto difference = [&](Eigen::Index k, double step) {
    const Eigen::VectorXd by = Eigen::VectorXd::Unit(at.size(), k) * step;
    return (evaluate(process, at + by).values[0] - evaluate(process, at - by).values[0]) / (2 * step);
  };
  for (Eigen::Index k = 0; k < at.size(); ++k) {
    const double extrapolated = (4 * difference(k, 5e-4) - difference(k, 1e-3)) / 3;
    EXPECT_NEAR(found.gradients(k, 0), extrapolated, tolerance * (1 + found.gradients.norm())) << "of " << k;
  }
}

Eigen::VectorXd smooth_centre() { return Eigen::Vector3d(0.3, 0.1, -1.8); }

Eigen::VectorXd carbon_dioxide_theta() {
  Eigen::VectorXd theta(8);
  theta << 60, 66, 2.4, 1.2, 90, 0.55, 1.1, 0.2;
  return theta;
}

example::monthly_means carbon_dioxide(int every) {
  return example::read_carbon_dioxide(FUSECL_EXAMPLE_DATA_DIR "/co2.csv", every);
}

TEST(Prior, IsTheDensityOfTheLogarithmAndItsDerivative) {
  // up to a constant: differences from the density at 1, with the Jacobian theta
  const auto check = [](const example::prior& p, auto log_density) {
    for (const double u : {-1.5, 0.2, 1.1}) {
      EXPECT_NEAR(p.value(u) - p.value(0), log_density(std::exp(u)) + u - log_density(1), 1e-13);
      EXPECT_NEAR(p.derivative(u), (p.value(u + 1e-5) - p.value(u - 1e-5)) / 2e-5,
                  1e-7 * (1 + std::fabs(p.derivative(u))));
    }
  };
  check(example::prior::inverse_gamma(3, 4), [](double t) { return -4 * std::log(t) - 4 / t; });
  check(example::prior::half_normal(2), [](double t) { return -t * t / 8; });
  check(example::prior::log_normal(3, 0.5), [](double t) {
    const double z = std::log(t / 3) / 0.5;
    return -z * z / 2 - std::log(t);
  });
}

TEST(SmoothFunction, OnTheDeviceAndOnTheHostAreEqual) {
  for (const Eigen::Index n : {1, 2, 31, 65, 150}) {
    SCOPED_TRACE(n);
    const series data = example::made_data(n, 3);
    example::process_on_device<example::smooth_function> device(data.x, data.y);
    example::smooth_function_on_host host(data.x, data.y);
    expect_equal(device, host, positions_about(smooth_centre(), 3));
  }
}

TEST(SmoothFunction, HasTheDensityOfASingleOutcome) {
  const double y = 0.7, rho = 1.5, alpha = 0.8, sigma = 0.3;
  example::process_on_device<example::smooth_function> device(Eigen::VectorXd::Constant(1, 2.0),
                                                              Eigen::VectorXd::Constant(1, y));
  const double variance = alpha * alpha + sigma * sigma;
  const double likelihood = -0.5 * std::log(variance) - 0.5 * y * y / variance;
  const double priors = -8.91924 * std::log(rho) - 34.5805 / rho + std::log(alpha) - alpha * alpha / 8 +
                        std::log(sigma) - sigma * sigma / 2;
  const Eigen::Vector3d at(std::log(rho), std::log(alpha), std::log(sigma));
  EXPECT_NEAR(evaluate(device, at).values[0], likelihood + priors, 1e-12);
}

TEST(SmoothFunction, HasTheDerivativesOfItsValues) {
  const series data = example::made_data(40, 3);
  example::smooth_function_on_host host(data.x, data.y);
  expect_derivatives(host, smooth_centre(), 1e-7);
}

TEST(CarbonDioxide, OnTheDeviceAndOnTheHostAreEqual) {
  for (const int every : {260, 17, 5}) {
    const example::monthly_means air = carbon_dioxide(every);
    SCOPED_TRACE(air.data.x.size());
    example::process_on_device<example::carbon_dioxide> device(air.data.x, air.data.y);
    example::carbon_dioxide_on_host host(air.data.x, air.data.y);
    expect_equal(device, host, positions_about(device.position(carbon_dioxide_theta()), 2));
  }
}

TEST(CarbonDioxide, WritesTheHyperParametersOfAPosition) {
  const example::monthly_means air = carbon_dioxide(100);
  const example::carbon_dioxide_on_host host(air.data.x, air.data.y);
  const Eigen::VectorXd theta = carbon_dioxide_theta();
  const std::vector<double> written = host.written(host.position(theta));
  for (Eigen::Index k = 0; k < theta.size(); ++k)
    EXPECT_NEAR(written[static_cast<std::size_t>(k)], theta[k], 1e-13 * theta[k]);
  EXPECT_NEAR(host.written(Eigen::VectorXd::Zero(8))[0], 60, 1e-12);  // the medians of the priors
  EXPECT_EQ(host.names().size(), 8u);
}

TEST(CarbonDioxide, HasTheDerivativesOfItsValues) {
  const example::monthly_means air = carbon_dioxide(9);
  example::carbon_dioxide_on_host host(air.data.x, air.data.y);
  expect_derivatives(host, host.position(carbon_dioxide_theta()), 1e-6);
}

TEST(SmoothFunction, AColumnIsWhatItIsAlone) {
  const series data = example::made_data(33, 5);
  example::process_on_device<example::smooth_function> device(data.x, data.y);
  const Eigen::MatrixXd positions = positions_about(smooth_centre(), 3);
  const evaluated together = evaluate(device, positions);
  for (Eigen::Index j = 0; j < 3; ++j) {
    const evaluated alone = evaluate(device, positions.col(j));
    EXPECT_EQ(alone.values[0], together.values[j]);
    EXPECT_EQ(alone.gradients.col(0), together.gradients.col(j));
  }
}

TEST(SmoothFunction, APositionThatHasNoFactorIsRejectedAndTheOthersAreNot) {
  // Equal points without noise: the covariance is singular, or not finite.
  const Eigen::VectorXd x = Eigen::VectorXd::Zero(40), y = Eigen::VectorXd::LinSpaced(40, -1, 1);
  example::process_on_device<example::smooth_function> device(x, y);
  example::smooth_function_on_host host(x, y);
  Eigen::MatrixXd positions = positions_about(smooth_centre(), 6);
  positions.col(0) = Eigen::Vector3d(0, 10, -30);
  positions.col(2) = Eigen::Vector3d(0, 800, 0);
  positions.col(3) = Eigen::Vector3d(0, std::nan(""), 0);
  positions.col(5) = Eigen::Vector3d(800, 0, 0);  // a length that overflows
  for (gaussian_process* process :
       {static_cast<gaussian_process*>(&device), static_cast<gaussian_process*>(&host)}) {
    const evaluated found = evaluate(*process, positions);
    for (const Eigen::Index rejected : {0, 2, 3, 5}) {
      EXPECT_EQ(found.values[rejected], -INFINITY);
      EXPECT_EQ(found.gradients.col(rejected), Eigen::Vector3d::Zero());
    }
    EXPECT_TRUE(std::isfinite(found.values[1]) && std::isfinite(found.values[4]));
  }
  expect_equal(device, host, positions.col(4));
}

TEST(SmoothFunction, BuildsNothingAfterItsFirstEvaluation) {
  const series data = example::made_data(50, 5);
  example::process_on_device<example::smooth_function> device(data.x, data.y);
  evaluate(device, smooth_centre());
  const fusecl::counters before = fusecl::runtime_counters();
  // numbers that plans know by their values among them
  evaluate(device, Eigen::MatrixXd::Zero(3, 1));
  evaluate(device, Eigen::Vector3d(std::log(2.0), std::log(0.5), 0));
  const fusecl::counters used = fusecl::runtime_counters() - before;
  EXPECT_EQ(used.programs_built + used.programs_loaded, 0u);
  EXPECT_EQ(used.buffers_created, 0u);
  EXPECT_EQ(used.host_waits, 2u);  // one an evaluation: value and gradient come together
}

TEST(SmoothFunction, PredictsTheDataWhereThereIsLittleNoiseAndThePriorFarAway) {
  const series data = example::made_data(60, 3);
  example::process_on_device<example::smooth_function> device(data.x, data.y);
  const Eigen::Vector3d theta(0.8, 1.2, 1e-3);
  const example::prediction at_data = device.predict(theta, data.x);
  EXPECT_LE((at_data.mean - data.y).cwiseAbs().maxCoeff(),
            0.3);  // outcomes differ by noise where x nearly agrees
  const example::prediction far = device.predict(theta, Eigen::VectorXd::Constant(1, 100.0));
  EXPECT_NEAR(far.mean[0], 0, 1e-12);
  EXPECT_NEAR(far.sd[0], std::sqrt(1.2 * 1.2 + 1e-6), 1e-12);
}

TEST(CarbonDioxide, PredictsWhatTheFormulaSays) {
  // Rasmussen and Williams, equations 2.23 and 2.24, with an inverse on the host
  const example::monthly_means air = carbon_dioxide(10);
  const Eigen::VectorXd theta = carbon_dioxide_theta();
  const Eigen::VectorXd places = Eigen::VectorXd::LinSpaced(7, 2001.9, 2012);
  const auto element = [&](double d) {
    const double s = std::sin(M_PI * d);
    return std::pow(theta[0], 2) * std::exp(-0.5 * d * d / std::pow(theta[1], 2)) +
           std::pow(theta[2], 2) *
               std::exp(-2 * s * s / std::pow(theta[3], 2) - 0.5 * d * d / std::pow(theta[4], 2)) +
           std::pow(theta[5], 2) * std::exp(-0.5 * d * d / std::pow(theta[6], 2));
  };
  const auto between = [&](const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
    return Eigen::MatrixXd::NullaryExpr(a.size(), b.size(),
                                        [&](Eigen::Index i, Eigen::Index j) { return element(a[i] - b[j]); })
        .eval();
  };
  Eigen::MatrixXd s = between(air.data.x, air.data.x);
  s.diagonal().array() += theta[7] * theta[7];
  const Eigen::MatrixXd across = between(places, air.data.x),
                        weights = s.llt().solve(across.transpose()).transpose();
  const Eigen::VectorXd mean = weights * air.data.y;
  const Eigen::ArrayXd variance =
      element(0) + theta[7] * theta[7] - weights.cwiseProduct(across).rowwise().sum().array();

  const example::prediction found =
      example::process_on_device<example::carbon_dioxide>(air.data.x, air.data.y).predict(theta, places);
  EXPECT_LE((found.mean - mean).cwiseAbs().maxCoeff(), 1e-6);
  EXPECT_LE((found.sd.array() - variance.sqrt()).abs().maxCoeff(), 1e-5);
}

TEST(MadeData, IsThatOfThePaper) {
  double sum = 0, squares = 0;
  constexpr int n = 1'000'000;
  for (int i = 0; i < n; ++i) {
    const double f = example::made_function(-10 + 20 * (i + 0.5) / n);
    sum += f, squares += f * f;
  }
  EXPECT_NEAR(sum / n, 0, 1e-9);
  EXPECT_NEAR(squares / n, 1, 1e-9);

  const series data = example::made_data(20'000, 1);
  const Eigen::ArrayXd residual = data.y.array() - data.x.array().unaryExpr(&example::made_function);
  EXPECT_NEAR(residual.mean(), 0, 5 * 0.1 / std::sqrt(20'000));
  EXPECT_NEAR(std::sqrt(residual.square().mean()), 0.1, 5 * 0.1 / std::sqrt(40'000));
  EXPECT_NEAR(data.x.mean(), 0, 5 * 5.8 / std::sqrt(20'000));
  EXPECT_LT(data.x.cwiseAbs().maxCoeff(), 10);
  EXPECT_EQ(example::made_data(20'000, 1).y, data.y);
  EXPECT_NE(example::made_data(20'000, 2).y, data.y);
}

TEST(MadeData, IsWhatTheFileOfTheReferenceHolds) {
  const series made = example::made_data(150, 1),
               read = example::read_series(FUSECL_EXAMPLE_DATA_DIR "/gaussian_process.csv");
  ASSERT_EQ(read.x.size(), 150);
  EXPECT_LE((made.x - read.x).cwiseAbs().maxCoeff(), 1e-13);
  EXPECT_LE((made.y - read.y).cwiseAbs().maxCoeff(), 1e-13);
}

TEST(SeriesFile, MayHaveEqualPlaces) {
  const std::string path = testing::TempDir() + "series.csv";
  std::ofstream(path) << "2,1,y\n3,1\n3,2\n";
  EXPECT_EQ(example::read_series(path).x, Eigen::VectorXd::Constant(2, 3.0));
}

TEST(CarbonDioxideFile, HasTheMeansOfItsMonths) {
  const example::monthly_means air = carbon_dioxide(1);
  EXPECT_EQ(air.weeks, 2225);
  EXPECT_EQ(air.data.x.size(), 521);
  EXPECT_DOUBLE_EQ(air.data.x[0], 1958 + 2.5 / 12);
  EXPECT_NEAR(air.data.y[0] + air.mean, 316.1, 1e-9);                                // one week of March 1958
  EXPECT_NEAR(air.data.y[1] + air.mean, (317.3 + 317.6 + 317.5 + 316.4) / 4, 1e-9);  // April
  EXPECT_NEAR(air.data.y.mean(), 0, 1e-9);
  const example::monthly_means some = carbon_dioxide(5);
  EXPECT_EQ(some.data.x.size(), 105);
  EXPECT_EQ(some.data.x[1], air.data.x[5]);
}

TEST(CarbonDioxideFile, SaysWhereItIsMalformed) {
  const auto message = [](const std::string& text) -> std::string {
    const std::string path = testing::TempDir() + "co2.csv";
    std::ofstream(path) << text;
    try {
      example::read_carbon_dioxide(path, 1);
    } catch (const example::table_error& e) {
      return std::string(e.what()).substr(path.size());
    }
    return "read";
  };
  EXPECT_EQ(message("date,co2\n19580329,316.1\n19580405,317.3\n"), "read");
  EXPECT_EQ(message("day,co2\n"), ", line 1: expected 'date,co2'");
  EXPECT_EQ(message("date,co2\n1958-03-29,316.1\n"),
            ", line 2: expected a date, yyyymmdd, and a comma, found '1958-03-29,316.1'");
  EXPECT_EQ(message("date,co2\n19581329,316.1\n"),
            ", line 2: expected a date, yyyymmdd, and a comma, found '19581329,316.1'");
  for (const std::string day : {"00", "32", "99"})
    EXPECT_EQ(message("date,co2\n195803" + day + ",316.1\n"),
              ", line 2: expected a date, yyyymmdd, and a comma, found '195803" + day + ",316.1'");
  EXPECT_EQ(message("date,co2\n19580329,316.1\n19580405,high\n"),
            ", line 3, column 2: 'high' is not a number");
  EXPECT_EQ(message("date,co2\n19580329,inf\n"), ", line 2, column 2: 'inf' is not a number");
  EXPECT_EQ(message("date,co2\n19580429,316\n19580329,317\n"),
            ", line 3: the date is before that of an earlier line");
  EXPECT_EQ(message("date,co2\n19580329,316.1\n"), " has values of fewer than two months");
  EXPECT_THROW(example::read_carbon_dioxide("/nowhere/co2.csv", 1), example::table_error);
}

}  // namespace
