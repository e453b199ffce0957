// A cast is to an element type.
// expect: no matching function for call to .*cast|constraints not satisfied
#include <fusion/fusion.hpp>

auto misuse(const fusecl::matrix_cl<double>& a) { return fusecl::cast<short>(a); }
