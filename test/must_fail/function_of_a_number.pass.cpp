// The twin of function_of_a_number.fail.cpp.
#include <cmath>

#include <fusion/fusion.hpp>

double use(const fusecl::matrix_cl<double>& a) { return std::exp(2.0) * std::exp(sum(a)); }
