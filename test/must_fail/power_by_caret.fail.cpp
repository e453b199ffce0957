// The power of other languages.
// expect: is no power, and binds less than
#include <fusion/fusion.hpp>

auto misuse(const fusecl::matrix_cl<double>& a) { return a ^ 2; }
