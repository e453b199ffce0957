// The twin of number_from_a_matrix.fail.cpp.
#include <fusion/fusion.hpp>

double use(const fusecl::matrix_cl<double>& a) { return sum(a + a); }
