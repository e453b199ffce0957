// What an expression computes has no place in memory.
// expect: this expression is read only
#include <fusion/fusion.hpp>

void misuse(const fusecl::matrix_cl<double>& a, const fusecl::matrix_cl<double>& b) { (a + b) = a; }
