// A matrix and a number.
#include <fusion/autodiff.hpp>

void use(const fusecl::matrix_cl<double>& x, fusecl::parameter<double>& b) {
  hessian_times_vector(sum(b * exp(x)), fusecl::wrt(x, b), x, 1.0);
}
