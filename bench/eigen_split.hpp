#pragma once
// Eigen's own loop split over the threads of OpenMP: the baseline that uses the same cores as a CPU device.

#include <cstdint>

#include <Eigen/Core>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace fusecl::bench {

/// Calls f(begin, length, thread) for one contiguous part of [0, n) per thread. Parts start at multiples
/// of 8.
template <class F>
void split(std::int64_t n, F f) {
#ifdef _OPENMP
#pragma omp parallel
  {
    const std::int64_t threads = omp_get_num_threads(), thread = omp_get_thread_num();
    const std::int64_t begin = n * thread / threads & ~std::int64_t{7};
    const std::int64_t end = thread + 1 == threads ? n : n * (thread + 1) / threads & ~std::int64_t{7};
    f(begin, end - begin, thread);
  }
#else
  f(std::int64_t{0}, n, std::int64_t{0});
#endif
}

inline int split_threads() {
#ifdef _OPENMP
  return omp_get_max_threads();
#else
  return 1;
#endif
}

using array_map = Eigen::Map<Eigen::ArrayXd>;
using const_array_map = Eigen::Map<const Eigen::ArrayXd>;
using const_matrix_map = Eigen::Map<const Eigen::MatrixXd>;
using matrix_map = Eigen::Map<Eigen::MatrixXd>;

}  // namespace fusecl::bench
