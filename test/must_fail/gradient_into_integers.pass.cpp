// A gradient of double.
#include <fusion/autodiff.hpp>

void use(const fusecl::matrix_cl<double>& x, fusecl::matrix_cl<double>& g) {
  value_and_gradient_into(sum(exp(x)), fusecl::wrt(x), g);
}
