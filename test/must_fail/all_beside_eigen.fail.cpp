// Eigen::all is an object: beside it, no function of that name is found.
// expect: reference to .*all.* is ambiguous
#include <Eigen/Dense>

#include <fusion/fusion.hpp>

using namespace Eigen;
using namespace fusecl;

bool misuse(const matrix_cl<double>& a) { return all(a > 0.0); }
