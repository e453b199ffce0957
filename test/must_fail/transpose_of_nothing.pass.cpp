// The twin of transpose_of_nothing.fail.cpp.
#include <fusion/fusion.hpp>

auto use(const fusecl::matrix_cl<double>& a) { return fusecl::transpose(a); }
