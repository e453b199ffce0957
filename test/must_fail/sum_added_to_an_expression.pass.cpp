// A number takes sums.
#include <fusion/fusion.hpp>

double use(const fusecl::matrix_cl<double>& a) {
  double e = sum(a);
  e += sum(a);
  return e;
}
