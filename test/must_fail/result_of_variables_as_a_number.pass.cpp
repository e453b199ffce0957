// The value alone, and of data.
#include <fusion/autodiff.hpp>

using matrix_var = fusecl::var_value<fusecl::matrix_cl<double>>;
void use(const matrix_var& x, double& d) { fusecl::results(d) = fusecl::expressions(value_of(sum(x))); }
void data(const fusecl::matrix_cl<double>& x, double& d) { fusecl::results(d) = fusecl::expressions(sum(x)); }
