// There has to be something to transpose.
// expect: this function takes a matrix_cl or an expression
#include <fusion/fusion.hpp>

auto misuse() { return fusecl::transpose(); }
