// One of two variables.
#include <fusion/autodiff.hpp>

using matrix_var = fusecl::var_value<fusecl::matrix_cl<double>>;
using fusecl::var;
var use(const matrix_var& x, bool c) { return c ? var(sum(x)) : var(0.0); }
var chosen(const matrix_var& x, bool c) { return select(c, sum(x), sum(exp(x))); }
