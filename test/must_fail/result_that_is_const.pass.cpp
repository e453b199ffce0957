// The twin of result_that_is_const.fail.cpp: the place of a result may be empty.
#include <fusion/fusion.hpp>

void use(const fusecl::matrix_cl<double>& a, fusecl::matrix_cl<double>& b) {
  fusecl::results(fusecl::calc_if<false>(a), b) = fusecl::expressions(a, a + 1);
}
