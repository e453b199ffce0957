#pragma once
#include <Eigen/Cholesky>

#include <fusion/kinds/pivots.hpp>
#include <primitives/host_matrices.hpp>

namespace fusecl::detail {

FUSECL_INLINE bool is_worth_transfer(std::int64_t size, std::int64_t tuning_options::*threshold,
                                     scalar_type type) {
  try {
    return size >= opencl_context.tuning_opts().*threshold &&
           (type != scalar_type::float64 || opencl_context.capabilities().fp64);
  } catch (const no_device_error&) {
    if (!list_devices().empty()) throw;  // there are some, but none that was asked for
    return false;
  }
}

FUSECL_INLINE std::int64_t capped_product(std::int64_t a, std::int64_t b, std::int64_t c) {
  std::int64_t of_two = 0, all = 0;
  const bool fits = !__builtin_mul_overflow(a, b, &of_two) && !__builtin_mul_overflow(of_two, c, &all);
  return fits ? all : tuning_options::never - 1;
}

template <class T>
host_numbers_of<T> factor_on_host(const host_view<T>& a) {
  const Eigen::LLT<host_numbers_of<T>, Eigen::Lower> factor(a);
  if (factor.info() == Eigen::Success && (factor.matrixLLT().diagonal().array() > 0).all())
    return factor.matrixL();
  // which pivot it was, column by column
  host_numbers_of<T> l = a.template triangularView<Eigen::Lower>();
  for (Eigen::Index k = 0; k < l.rows(); ++k) {
    const T pivot = l(k, k) - l.row(k).head(k).squaredNorm();
    if (!(pivot > 0)) {
      const T outcome[] = {static_cast<T>(k + 1), pivot};
      kinds::throw_unless_positive_definite<T>(outcome);
    }
    l(k, k) = std::sqrt(pivot);
    const Eigen::Index below = l.rows() - k - 1;
    l.col(k).tail(below) -= l.bottomLeftCorner(below, k) * l.row(k).head(k).transpose();
    l.col(k).tail(below) /= l(k, k);
  }
  return l;  // rounded otherwise, no pivot was too small
}

template <class T>
host_numbers_of<T> solve_on_host(const host_view<T>& a, host_numbers_of<T> b, bool lower) {
  if (lower)
    a.template triangularView<Eigen::Lower>().solveInPlace(b);
  else
    a.template triangularView<Eigen::Upper>().solveInPlace(b);
  return b;
}

template <class T>
host_numbers_of<T> invert_on_host(const host_view<T>& a, bool lower) {
  const Eigen::Index n = a.rows();
  host_numbers_of<T> x = host_numbers_of<T>::Identity(n, n);
  if ((a.diagonal().array() != 0).all()) {
    host_numbers_of<T> all = solve_on_host<T>(a, x, lower);
    if (all.allFinite()) return all;
  }
  // each column within the rows where it is not 0: beside these what is not finite would spread
  for (Eigen::Index j = 0; j < n; ++j)
    if (lower)
      a.bottomRightCorner(n - j, n - j)
          .template triangularView<Eigen::Lower>()
          .solveInPlace(x.col(j).tail(n - j));
    else
      a.topLeftCorner(j + 1, j + 1)
          .template triangularView<Eigen::Upper>()
          .solveInPlace(x.col(j).head(j + 1));
  return x;
}

#ifdef FUSECL_SPLIT
template host_numbers_of<double> factor_on_host<double>(const host_view<double>&);
template host_numbers_of<float> factor_on_host<float>(const host_view<float>&);
template host_numbers_of<double> invert_on_host<double>(const host_view<double>&, bool);
template host_numbers_of<float> invert_on_host<float>(const host_view<float>&, bool);
template host_numbers_of<double> solve_on_host<double>(const host_view<double>&, host_numbers_of<double>,
                                                       bool);
template host_numbers_of<float> solve_on_host<float>(const host_view<float>&, host_numbers_of<float>, bool);
#endif

}  // namespace fusecl::detail
