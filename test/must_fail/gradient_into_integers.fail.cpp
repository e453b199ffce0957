// A derivative is no integer.
// expect: value_and_gradient_into writes to matrices
#include <fusion/autodiff.hpp>

void misuse(const fusecl::matrix_cl<double>& x, fusecl::matrix_cl<int>& g) {
  value_and_gradient_into(sum(exp(x)), fusecl::wrt(x), g);
}
