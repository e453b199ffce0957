// An element-wise product of three matrices.
#include <fusion/fusion.hpp>

void use(fusecl::matrix_cl<double>& a, const fusecl::matrix_cl<double>& b) {
  a = elt_multiply(elt_multiply(a, b), 2.0 * b);
}
