// Reversed vectors are read only.
// expect: this expression is read only
#include <fusion/fusion.hpp>

void misuse(fusecl::matrix_cl<double>& a, const fusecl::matrix_cl<double>& b) { reverse(a) = b; }
