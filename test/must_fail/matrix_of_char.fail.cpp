// char is no element type, wherever the matrix comes from.
// expect: the elements of a matrix_cl are double, float, int, long, unsigned or bool: convert others
#include <fusion/fusion.hpp>

void misuse() { fusecl::matrix_cl<char> a(3, 4); }
