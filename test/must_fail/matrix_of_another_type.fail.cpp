// Matrices of one element type do not become those of another by themselves.
// expect: a matrix_cl of another element type is not converted by itself: write cast<T>\(a\)
#include <fusion/fusion.hpp>

void misuse(const fusecl::matrix_cl<double>& a) { fusecl::matrix_cl<float> f = a; }
