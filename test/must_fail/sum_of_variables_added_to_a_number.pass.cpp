// The value alone is added, or a variable is added to.
#include <fusion/autodiff.hpp>

using matrix_var = fusecl::var_value<fusecl::matrix_cl<double>>;
void use(const matrix_var& x, double& s) { s += value_of(sum(exp(x))); }
void kept(const matrix_var& x, fusecl::var& s) { s += sum(exp(x)); }
void data(const fusecl::matrix_cl<double>& x, double& s) { s += sum(exp(x)); }
