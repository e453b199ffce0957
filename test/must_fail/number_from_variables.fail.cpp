// A plain number does not carry a derivative.
// expect: a number would lose the derivative of this expression
#include <fusion/autodiff.hpp>

using matrix_var = fusecl::var_value<fusecl::matrix_cl<double>>;
double misuse(const matrix_var& x) { return sum(exp(x)); }
