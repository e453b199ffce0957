// The operator / of two matrices is no element-wise quotient.
// expect: operator/ needs a scalar operand; use elt_divide
#include <fusion/fusion.hpp>

auto misuse(const fusecl::matrix_cl<double>& a, const fusecl::matrix_cl<double>& b) { return a / b; }
