// Positive parts inside of a larger expression.
#include <fusion/fusion.hpp>

void use(fusecl::matrix_cl<double>& a, const fusecl::matrix_cl<double>& b) { a = 2.0 * fmax(b, 0.0) + b; }
