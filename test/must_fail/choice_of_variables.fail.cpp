// Of an expression of variables and a number C++ makes a number, which carries no derivative.
// expect: a number would lose the derivative of this expression.* in c \? a : b both, c \? var\(a\) :
// var\(b\)
#include <fusion/autodiff.hpp>

using matrix_var = fusecl::var_value<fusecl::matrix_cl<double>>;
fusecl::var misuse(const matrix_var& x, bool c) { return c ? sum(x) : 0.0; }
