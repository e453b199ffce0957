// The gradient of a sum.
#include <fusion/autodiff/value_and_gradient.hpp>
#include <fusion/fusion.hpp>

void use(const fusecl::matrix_cl<double>& a) { value_and_gradient(sum(square(a)), fusecl::wrt(a)); }
