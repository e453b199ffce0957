// The twin of function_of_text.fail.cpp.
#include <fusion/fusion.hpp>

auto use(const fusecl::matrix_cl<int>& a) { return fusecl::exp(a); }
