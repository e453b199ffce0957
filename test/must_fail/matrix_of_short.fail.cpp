// short is no element type.
// expect: the elements of a matrix_cl are double, float, int, long, unsigned or bool: convert others
#include <fusion/fusion.hpp>

std::int64_t misuse(const fusecl::matrix_cl<short>& a) { return a.rows(); }
