// The same where it is assigned.
// expect: a matrix_cl of another element type is not converted by itself: write cast<T>\(a\)
#include <fusion/fusion.hpp>

void misuse(fusecl::matrix_cl<double>& d, const fusecl::matrix_cl<float>& f) { d = f; }
