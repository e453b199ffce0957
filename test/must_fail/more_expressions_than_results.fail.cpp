// Every expression needs its result.
// expect: results\(...\) op= expressions\(...\): one expression per result
#include <fusion/fusion.hpp>

void misuse(fusecl::matrix_cl<double>& a, fusecl::matrix_cl<double>& b) {
  fusecl::results(a) += fusecl::expressions(a + b, b);
}
