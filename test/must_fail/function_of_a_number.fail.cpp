// Functions of numbers are those of the standard library.
// expect: this function takes a matrix_cl or an expression
#include <fusion/fusion.hpp>

double misuse() { return fusecl::exp(2.0); }
