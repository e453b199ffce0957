// Nor is a literal, on the left.
// expect: a matrix and text have no sum
#include <fusion/fusion.hpp>

auto misuse(const fusecl::matrix_cl<double>& a) { return "x" + (a + 1.0); }
