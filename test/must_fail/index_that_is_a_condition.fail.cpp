// Indices number places.
// expect: a condition is no index: select
#include <fusion/fusion.hpp>

using namespace fusecl;

auto misuse(const matrix_cl<double>& v) { return matrix_cl<double>(v[v > 0.0]); }
