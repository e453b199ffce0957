// A part of a matrix that is not const may be assigned to.
#include <fusion/fusion.hpp>

void use(fusecl::matrix_cl<double>& a, const fusecl::matrix_cl<double>& b) { tail(a, 3) = reverse(b); }
