// The twin of power_by_caret.fail.cpp.
#include <fusion/fusion.hpp>

auto use(const fusecl::matrix_cl<double>& a) { return pow(a, 2); }
