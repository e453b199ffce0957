// Matrices and parts of matrices are results.
#include <fusion/fusion.hpp>

void use(fusecl::matrix_cl<double>& a, fusecl::matrix_cl<double>& b) {
  fusecl::results(a, row(b, 1)) = fusecl::expressions(b, row(a, 2));
}
