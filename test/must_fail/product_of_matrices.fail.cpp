// The operator * of two matrices would be their matrix product, which is no element-wise operation.
// expect: operator\* scales a matrix by a scalar; use elt_multiply
#include <fusion/fusion.hpp>

auto misuse(const fusecl::matrix_cl<double>& a, const fusecl::matrix_cl<double>& b) { return a * b; }
