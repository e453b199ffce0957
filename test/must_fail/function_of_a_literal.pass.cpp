// The twin of function_of_a_literal.fail.cpp.
#include <fusion/fusion.hpp>

auto use(const fusecl::matrix_cl<double>& x) { return fusecl::exp(x); }
