// Functions of the standard library take numbers, which carry no derivatives.
// expect: a number would lose the derivative of this expression
#include <cmath>

#include <fusion/autodiff.hpp>

using matrix_var = fusecl::var_value<fusecl::matrix_cl<double>>;
double misuse(const matrix_var& x) { return std::sqrt(sum(x)); }
