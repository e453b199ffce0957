// All, any, and comparisons of numbers.
#include <fusion/fusion.hpp>

int use(const fusecl::matrix_cl<double>& a, const fusecl::matrix_cl<double>& b) {
  if (all(a > b)) return 2;
  if (any(a > b) && sum(a) > 0.0) return 1;
  return sum(a) > sum(b) ? 0 : -1;
}
