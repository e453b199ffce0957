// Elements of a matrix of bool in braces are no sizes.
// expect: the sizes of a matrix_cl are whole numbers
#include <fusion/fusion.hpp>

auto misuse() { return fusecl::matrix_cl<bool>{true, false}; }
