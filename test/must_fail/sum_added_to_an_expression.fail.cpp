// What an expression computes is its type.
// expect: an expression cannot be added to
#include <fusion/fusion.hpp>

void misuse(const fusecl::matrix_cl<double>& a) {
  auto e = sum(a);
  e += sum(a);
}
