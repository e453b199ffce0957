// The function is found by its namespace, or where its name is brought into a scope within.
#include <Eigen/Dense>

#include <fusion/fusion.hpp>

using namespace Eigen;
using namespace fusecl;

bool use(const matrix_cl<double>& a) {
  using fusecl::all;
  return fusecl::all(a > 0.0) && all(a < 5.0);
}
