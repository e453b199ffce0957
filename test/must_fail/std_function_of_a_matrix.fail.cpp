// Functions of each element are the library's; those of the standard library take numbers.
// expect: a matrix is no number.*written without std::
#include <cmath>

#include <fusion/fusion.hpp>

auto misuse(const fusecl::matrix_cl<double>& a) { return std::exp(a); }
