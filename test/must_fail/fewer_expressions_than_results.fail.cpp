// Every result needs its expression.
// expect: results\(...\) = expressions\(...\): one expression per result
#include <fusion/fusion.hpp>

void misuse(fusecl::matrix_cl<double>& a, fusecl::matrix_cl<double>& b) {
  fusecl::results(a, b) = fusecl::expressions(a + b);
}
