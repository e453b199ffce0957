// Parts of a const matrix are read only.
// expect: this expression is read only
#include <fusion/fusion.hpp>

void misuse(const fusecl::matrix_cl<double>& a, const fusecl::matrix_cl<double>& b) {
  block(a, 0, 0, 2, 2) = b;
}
