// Only a scalar expression converts to a number.
// expect: cannot convert|no viable conversion
#include <fusion/fusion.hpp>

double misuse(const fusecl::matrix_cl<double>& a) { return a + a; }
