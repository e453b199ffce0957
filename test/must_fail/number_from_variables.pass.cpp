// The value alone, and a variable.
#include <fusion/autodiff.hpp>

using matrix_var = fusecl::var_value<fusecl::matrix_cl<double>>;
double use(const matrix_var& x) { return value_of(sum(exp(x))); }
fusecl::var kept(const matrix_var& x) { return sum(exp(x)); }
