// A const matrix is read only.
// expect: this matrix is const and cannot be assigned to
#include <fusion/fusion.hpp>

void misuse(const fusecl::matrix_cl<double>& a, const fusecl::matrix_cl<double>& b) { a = exp(b); }
