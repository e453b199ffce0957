// short is no element type.
// expect: (template constraint failure|constraints not satisfied).*matrix_cl
#include <fusion/fusion.hpp>

std::int64_t misuse(const fusecl::matrix_cl<short>& a) { return a.rows(); }
