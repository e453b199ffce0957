// Sizes of any integer type; one number is the value of a 1 x 1 matrix.
#include <fusion/fusion.hpp>

auto use(short rows, unsigned long cols) { return fusecl::matrix_cl<double>(rows, cols); }
auto use_value() { return fusecl::matrix_cl<double>(2.5, fusecl::matrix_cl_view::Lower); }
