// The variables of a gradient are named by wrt.
// expect: the variables of a gradient are named in wrt
#include <fusion/autodiff.hpp>

auto misuse(const fusecl::matrix_cl<double>& a) { return value_and_gradient(sum(exp(a)), a); }
