// An element-wise product has two operands.
// expect: elt_multiply takes two operands: write elt_multiply\(elt_multiply\(a, b\), c\)
#include <fusion/fusion.hpp>

void misuse(fusecl::matrix_cl<double>& a, const fusecl::matrix_cl<double>& b) {
  a = elt_multiply(a, b, 2.0 * b);
}
