// The twin of condition_that_is_not_bool.fail.cpp.
#include <fusion/fusion.hpp>

auto use(const fusecl::matrix_cl<double>& a) { return select(a > 0.0, a, 0.0); }
