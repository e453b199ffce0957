// The variables of a gradient are named by wrt.
#include <fusion/autodiff.hpp>

auto use(const fusecl::matrix_cl<double>& a) { return value_and_gradient(sum(exp(a)), fusecl::wrt(a)); }
