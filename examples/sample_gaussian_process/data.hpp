#pragma once
// What the processes are conditioned on: made data, and carbon dioxide in the air.

#include <cstdint>
#include <string>

#include <Eigen/Core>

namespace example {

/// Outcomes y at places x.
struct series {
  Eigen::VectorXd x, y;
};

/// The data of the paper's Gaussian process regression (Cesnovar et al., GPU-based Parallel Computation
/// Support for Stan): x uniform on (-10, 10), y normal with mean f(x) and standard deviation 1 / 10, where
/// f(x) = beta (x + x^2 - x^3 + 100 sin 2x - alpha) has mean 0 and variance 1 over x.
series made_data(Eigen::Index n, std::uint64_t seed);
/// That function.
double made_function(double x);

/// Places at even distances at which a function of x is predicted: from a tenth of the range of x before its
/// smallest to as much after its largest, from 1 before to 1 after where all are the same.
Eigen::VectorXd places_about(const Eigen::VectorXd& x);

/// A file of two columns under the line `rows,1,name of the outcome`. Throws table_error.
series read_series(const std::string& path);

/// Monthly means of weekly carbon dioxide: x in years, the middle of each month, y in ppm less their mean.
struct monthly_means {
  series data;
  double mean;         ///< that was taken off, ppm
  Eigen::Index weeks;  ///< with a value
};
/// Reads lines `yyyymmdd,ppm` under the line `date,co2`; weeks without a value are left out, and of the
/// months that have one every `every`-th is taken. Throws table_error.
monthly_means read_carbon_dioxide(const std::string& path, int every);

}  // namespace example
