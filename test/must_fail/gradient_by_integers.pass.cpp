// The derivative by a matrix of double.
#include <fusion/autodiff.hpp>

void use(const fusecl::matrix_cl<double>& x) { value_and_gradient(sum(x * 0.5), fusecl::wrt(x)); }
