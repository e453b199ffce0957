// The twin of product_of_matrices.fail.cpp.
#include <fusion/fusion.hpp>

auto use(const fusecl::matrix_cl<double>& a, const fusecl::matrix_cl<double>& b) {
  return elt_multiply(a, b) * 2.0 * sum(a);
}
