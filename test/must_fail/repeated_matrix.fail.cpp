// Only a scalar can be repeated to any size.
// expect: rep_matrix repeats a scalar
#include <fusion/fusion.hpp>

auto misuse(const fusecl::matrix_cl<double>& a) { return fusecl::rep_matrix(a, 3, 4); }
