// A diagonal can be written.
#include <fusion/fusion.hpp>

using namespace fusecl;

void use(matrix_cl<double>& a) { diagonal(a) += 1.0; }
