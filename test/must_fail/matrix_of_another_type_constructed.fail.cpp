// The same where it is constructed explicitly.
// expect: a matrix_cl of another element type is not converted by itself: write cast<T>\(a\)
#include <fusion/fusion.hpp>

auto misuse(const fusecl::matrix_cl<float>& a) { return fusecl::matrix_cl<double>(a); }
