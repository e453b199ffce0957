// A new variable takes the name; an adjoint may be assigned to.
#include <fusion/autodiff.hpp>

using matrix_var = fusecl::var_value<fusecl::matrix_cl<double>>;
void use(matrix_var& x, const fusecl::matrix_cl<double>& m) { x = m; }
void seed(matrix_var& x, const fusecl::matrix_cl<double>& m) { x.adj() = m; }
