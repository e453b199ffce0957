// short is no element type.
// expect: element<short>|does not satisfy .element.
#include <fusion/fusion.hpp>

std::int64_t misuse(const fusecl::matrix_cl<short>& a) { return a.rows(); }
