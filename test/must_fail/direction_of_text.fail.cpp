// A direction is a matrix or a number.
// expect: directions are matrices
#include <fusion/autodiff.hpp>

void misuse(const fusecl::matrix_cl<double>& x) { hessian_times_vector(sum(exp(x)), fusecl::wrt(x), "up"); }
