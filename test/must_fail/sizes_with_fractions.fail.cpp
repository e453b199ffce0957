// Sizes are whole numbers.
// expect: the sizes of a matrix_cl are whole numbers
#include <fusion/fusion.hpp>

auto misuse() { return fusecl::matrix_cl<double>(2.5, 3.5); }
