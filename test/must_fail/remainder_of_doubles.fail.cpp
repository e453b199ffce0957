// Remainders are of integers, as in C++.
// expect: operator% needs integer operands; use fmod
#include <fusion/fusion.hpp>

auto misuse(const fusecl::matrix_cl<double>& a, const fusecl::matrix_cl<double>& b) { return a % b; }
