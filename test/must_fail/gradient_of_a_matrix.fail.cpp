// What has a gradient is a scalar expression.
// expect: value_and_gradient takes a scalar expression of the variables
#include <fusion/autodiff/value_and_gradient.hpp>
#include <fusion/fusion.hpp>

void misuse(const fusecl::matrix_cl<double>& a) { value_and_gradient(a, fusecl::wrt(a)); }
