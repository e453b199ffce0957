// The other half of first_unit.cpp.

#include <fusion/fusion.hpp>

double sum_in_second_unit(const fusecl::matrix_cl<double>& m) { return fusecl::sum(m); }
