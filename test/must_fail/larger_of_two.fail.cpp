// The larger of two elements in each place is no reduction.
// expect: of two in each place fmax\(a, b\) is the larger one
#include <fusion/fusion.hpp>

void misuse(fusecl::matrix_cl<double>& a, const fusecl::matrix_cl<double>& b) { a = max(b, 0.0); }
