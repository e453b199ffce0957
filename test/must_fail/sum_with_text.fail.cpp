// Text is no operand.
// expect: a matrix and text have no sum
#include <string>

#include <fusion/fusion.hpp>

auto misuse(const fusecl::matrix_cl<double>& a) { return a + std::string("x"); }
