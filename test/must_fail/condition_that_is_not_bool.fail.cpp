// A number is no condition.
// expect: select needs a condition of element type bool
#include <fusion/fusion.hpp>

auto misuse(const fusecl::matrix_cl<double>& a) { return select(a, a, 0.0); }
