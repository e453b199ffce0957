// The twin of matrix_of_another_type_assigned.fail.cpp.
#include <fusion/fusion.hpp>

void use(fusecl::matrix_cl<double>& d, const fusecl::matrix_cl<float>& f) { d = fusecl::cast<double>(f); }
