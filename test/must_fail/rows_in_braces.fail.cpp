// Rows in braces are those of Eigen's matrices.
// expect: a matrix_cl is not made of rows in braces
#include <fusion/fusion.hpp>

void misuse() { fusecl::matrix_cl<double> a{{1, 2}, {3, 4}}; }
