// The twin of more_expressions_than_results.fail.cpp.
#include <fusion/fusion.hpp>

void use(fusecl::matrix_cl<double>& a, fusecl::matrix_cl<double>& b) {
  fusecl::results(a) += fusecl::expressions(a + b);
}
