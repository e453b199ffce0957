// The twin of std_function_of_a_matrix.fail.cpp.
#include <cmath>

#include <fusion/fusion.hpp>

auto use(const fusecl::matrix_cl<double>& a) { return exp(a) * std::exp(2.0); }
