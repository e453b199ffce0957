// The twin of number_from_a_matrix_itself.fail.cpp: an element, and a product with one element.
#include <fusion/fusion.hpp>

double use(const fusecl::matrix_cl<double>& a) {
  double q = a(0, 0);
  q += 0.5 * (transpose(a) * a);
  return q;
}
