// The twin of matrix_of_another_type_constructed.fail.cpp.
#include <fusion/fusion.hpp>

auto use(const fusecl::matrix_cl<float>& a) { return fusecl::matrix_cl<double>(fusecl::cast<double>(a)); }
