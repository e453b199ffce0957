// A number among results does not carry a derivative.
// expect: a number would lose the derivative of this expression
#include <fusion/autodiff.hpp>

using matrix_var = fusecl::var_value<fusecl::matrix_cl<double>>;
void misuse(const matrix_var& x, double& d) { fusecl::results(d) = fusecl::expressions(sum(x)); }
