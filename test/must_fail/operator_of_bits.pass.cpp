// The twin of operator_of_bits.fail.cpp.
#include <fusion/fusion.hpp>

auto use(const fusecl::matrix_cl<double>& a) { return (a > 0) && (a < 1); }
