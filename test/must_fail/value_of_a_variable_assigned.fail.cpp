// What is recorded was computed from the value of a variable: that is not assigned to.
// expect: this matrix is const and cannot be assigned to; a variable gets another value by x = matrix
#include <fusion/autodiff.hpp>

using matrix_var = fusecl::var_value<fusecl::matrix_cl<double>>;
void misuse(matrix_var& x, const fusecl::matrix_cl<double>& m) { x.val() = m; }
