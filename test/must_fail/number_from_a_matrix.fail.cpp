// Only a scalar expression converts to a number.
// expect: a matrix is no number
#include <fusion/fusion.hpp>

double misuse(const fusecl::matrix_cl<double>& a) { return a + a; }
