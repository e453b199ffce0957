#pragma once
// Eigen, with val() and adj() of its matrices of var where no header included it before.

#if !defined(EIGEN_CORE_H) && !defined(EIGEN_DENSEBASE_PLUGIN)
#define EIGEN_DENSEBASE_PLUGIN <fusion/matrix/eigen_plugin.inc>
#endif
#include <Eigen/Core>
