// The larger of two elements, and the largest of all.
#include <fusion/fusion.hpp>

void use(fusecl::matrix_cl<double>& a, const fusecl::matrix_cl<double>& b) { a = fmax(b, max(b) - 1.0); }
