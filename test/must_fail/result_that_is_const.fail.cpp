// A const matrix is no result.
// expect: results\(...\) takes matrices that are not const
#include <fusion/fusion.hpp>

void misuse(const fusecl::matrix_cl<double>& a, fusecl::matrix_cl<double>& b) {
  fusecl::results(a, b) = fusecl::expressions(b, b);
}
