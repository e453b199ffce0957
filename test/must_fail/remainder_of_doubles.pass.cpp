// The twin of remainder_of_doubles.fail.cpp.
#include <fusion/fusion.hpp>

auto use(const fusecl::matrix_cl<int>& a, const fusecl::matrix_cl<long>& b) { return a % b % 3; }
