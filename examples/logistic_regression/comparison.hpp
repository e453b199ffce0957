#pragma once
// Times log density and gradient: fused, operation by operation, and with Eigen.

#include <cstdint>
#include <vector>

#include <Eigen/Core>

#include "posterior.hpp"

namespace example {

/// One way to evaluate, measured.
struct measurement {
  const char* way;
  std::uint64_t launches;  ///< kernels for one evaluation
  double seconds;  ///< median of one evaluation, from coefficients on the host to gradient on the host
};

struct comparison {
  std::int64_t rows;
  std::vector<measurement> ways;  ///< the fused one first
};

/// Copies the rows as often as they fit in `rows` and measures each way in turn, round after round. Throws
/// std::runtime_error if the ways disagree.
comparison compare_ways(const Eigen::MatrixXd& design, const Eigen::VectorXd& classes, double prior_scale,
                        std::int64_t rows, const Eigen::VectorXd& coefficients, int rounds);

/// One line per way and size, with how many times faster the fused one is.
void print_comparisons(const std::vector<comparison>& comparisons);

}  // namespace example
