// A result has a place in memory.
// expect: results\(...\) takes matrices that are not const, parts of them
#include <fusion/fusion.hpp>

void misuse(fusecl::matrix_cl<double>& a, const fusecl::matrix_cl<double>& b) {
  fusecl::results(a, a + b) = fusecl::expressions(b, b);
}
