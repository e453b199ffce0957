// The twin of number_assigned_to_a_matrix.fail.cpp.
#include <fusion/fusion.hpp>

void use(fusecl::matrix_cl<double>& a) {
  a.setConstant(0);
  a = fusecl::constant(0.0, 3, 4);
  a = {};
}
