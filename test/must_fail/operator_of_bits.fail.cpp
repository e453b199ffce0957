// The operator of R and NumPy for masks.
// expect: matrices have no operators of bits
#include <fusion/fusion.hpp>

auto misuse(const fusecl::matrix_cl<double>& a) { return (a > 0) & (a < 1); }
