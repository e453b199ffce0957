// A function of something that is no matrix, expression or number.
// expect: this function takes a matrix_cl or an expression
#include <string>

#include <fusion/fusion.hpp>

auto misuse(const std::string& text) { return fusecl::exp(text); }
