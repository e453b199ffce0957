// A logarithm has no second operand.
// expect: this function takes a matrix_cl or an expression, and nothing besides
#include <fusion/fusion.hpp>

auto misuse(const fusecl::matrix_cl<double>& a, const fusecl::matrix_cl<double>& b) {
  return fusecl::log(a, b);
}
