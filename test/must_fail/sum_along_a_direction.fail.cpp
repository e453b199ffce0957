// Sums of rows have a name of their own.
// expect: of each row rowwise_sum\(a\)
#include <fusion/fusion.hpp>

void misuse(fusecl::matrix_cl<double>& a, const fusecl::matrix_cl<double>& b) { a = sum(b, 1); }
