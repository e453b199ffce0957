// Derivatives are with respect to matrices and parameters.
// expect: wrt takes matrices
#include <fusion/autodiff/value_and_gradient.hpp>
#include <fusion/fusion.hpp>

void misuse(const fusecl::matrix_cl<double>& a) { value_and_gradient(sum(a), fusecl::wrt(a + 1)); }
