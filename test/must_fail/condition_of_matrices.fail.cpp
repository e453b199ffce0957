// A comparison of matrices has as many results as elements.
// expect: write all\(a > b\) or any\(a > b\), as in if \(all\(a > b\)\)
#include <fusion/fusion.hpp>

int misuse(const fusecl::matrix_cl<double>& a, const fusecl::matrix_cl<double>& b) {
  if (a > b) return 1;
  return 0;
}
