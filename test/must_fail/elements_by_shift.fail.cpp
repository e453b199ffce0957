// The comma form of Eigen fills matrices of the host.
// expect: a matrix_cl takes no elements by <<
#include <fusion/fusion.hpp>

void misuse(fusecl::matrix_cl<double>& a) { a << 1, 2, 3; }
