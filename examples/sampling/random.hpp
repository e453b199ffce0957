#pragma once
// Random numbers that are the same on every platform, but for the last digit of the platform's logarithm.

#include <cstdint>
#include <random>

#include <Eigen/Core>

namespace sampling {

/// Random numbers of one stream: 0 of data that are made, 1, 2, ... of the chains. Streams of the same seed
/// and different numbers are unrelated.
class random_source {
 public:
  random_source(std::uint64_t seed, std::uint32_t stream);

  /// Uniform on (0, 1), neither end included.
  double uniform();
  /// Standard normal, by Marsaglia's polar method.
  double normal();
  /// `size` of them.
  Eigen::VectorXd normals(Eigen::Index size);

 private:
  std::mt19937_64 bits_;
  double spare_ = 0;  ///< the polar method makes two numbers at a time
  bool has_spare_ = false;
};

}  // namespace sampling
