// The standard fixes the numbers of std::seed_seq and std::mt19937_64, but not those of its distributions.

#include "random.hpp"

#include <cmath>

namespace sampling {
namespace {

std::mt19937_64 seeded(std::uint64_t seed, std::uint32_t stream) {
  std::seed_seq sequence{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32), stream};
  return std::mt19937_64(sequence);
}

}  // namespace

random_source::random_source(std::uint64_t seed, std::uint32_t stream) : bits_(seeded(seed, stream)) {}

double random_source::uniform() {
  // the middle of one of 2^52 equal intervals: exact, and never 0 or 1
  return (static_cast<double>(bits_() >> 12) + 0.5) * 0x1p-52;
}

double random_source::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  double x = 0, y = 0, square = 0;
  do {
    x = 2 * uniform() - 1;
    y = 2 * uniform() - 1;
    square = x * x + y * y;
  } while (square >= 1 || square == 0);
  const double factor = std::sqrt(-2 * std::log(square) / square);
  spare_ = y * factor;
  has_spare_ = true;
  return x * factor;
}

Eigen::VectorXd random_source::normals(Eigen::Index size) {
  Eigen::VectorXd result(size);
  for (double& element : result) element = normal();
  return result;
}

}  // namespace sampling
