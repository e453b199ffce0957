// The twin of count_that_varies.fail.cpp.
#include <primitives/primitives.hpp>

using vector = fusecl::matrix_cl<double>;
auto use(const fusecl::var_value<vector>& y, const vector& x, const fusecl::var_value<vector>& beta) {
  return fusecl::categorical_logit_glm_lpmf(fusecl::value_of(y), x, 0.0, beta);
}
