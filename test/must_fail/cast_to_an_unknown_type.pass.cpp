// The twin of cast_to_an_unknown_type.fail.cpp.
#include <fusion/fusion.hpp>

auto use(const fusecl::matrix_cl<double>& a) { return fusecl::cast<float>(a); }
