// A text in quotes is no matrix either, though it converts to a pointer and to bool.
// expect: this function takes a matrix_cl or an expression
#include <fusion/fusion.hpp>

auto misuse() { return fusecl::exp("x"); }
