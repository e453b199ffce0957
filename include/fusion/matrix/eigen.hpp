#pragma once
// Eigen, with val() and adj() of its matrices of var where no header included it before.

#if !defined(EIGEN_CORE_H) && !defined(EIGEN_DENSEBASE_PLUGIN)
#define EIGEN_DENSEBASE_PLUGIN <fusion/matrix/eigen_plugin.inc>
#endif
#include <vector>

#include <Eigen/Core>

namespace fusecl::detail {

/// The elements of a vector, where they are, as a column.
template <class T, class Allocator>
auto as_host_column(const std::vector<T, Allocator>& values) {
  return Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, 1>>(values.data(),
                                                               static_cast<Eigen::Index>(values.size()));
}

}  // namespace fusecl::detail
