// The twin of reduction_of_a_number.fail.cpp.
#include <fusion/fusion.hpp>

auto use(const fusecl::matrix_cl<double>& a) { return fusecl::rowwise_sum(a + 2.0); }
