// A number taken out of an expression of variables would lose its derivative.
// expect: a number would lose the derivative of this element
#include <fusion/autodiff.hpp>

double misuse(const fusecl::var_value<fusecl::matrix_cl<double>>& x) { return (x * 2.0)(1, 1); }
