// A matrix does not convert to a number, whatever its size.
// expect: a matrix is no number
#include <fusion/fusion.hpp>

double misuse(const fusecl::matrix_cl<double>& a) {
  double q = a;
  return q;
}
