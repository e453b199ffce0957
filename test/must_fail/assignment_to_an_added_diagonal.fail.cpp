// Expressions are read.
// expect: this expression is read only
#include <fusion/fusion.hpp>

using namespace fusecl;

void misuse(const matrix_cl<double>& a) { add_diag(a, 1.0) = a; }
