// A call that is refused inside of a larger expression is the only error.
// expect: of two in each place fmax\(a, b\) is the larger one
// at most 1500 characters
#include <fusion/fusion.hpp>

void misuse(fusecl::matrix_cl<double>& a, const fusecl::matrix_cl<double>& b) { a = 2.0 * max(b, 0.0) + b; }
