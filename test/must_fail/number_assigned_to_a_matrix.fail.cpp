// A number has no size.
// expect: a number is no matrix: for all elements of this size write a.setConstant
#include <fusion/fusion.hpp>

void misuse(fusecl::matrix_cl<double>& a) { a = 0; }
