// A variable count would lose its derivative.
// expect: takes counts and classes as data
#include <primitives/primitives.hpp>

using vector = fusecl::matrix_cl<double>;
auto misuse(const fusecl::var_value<vector>& y, const vector& x, const fusecl::var_value<vector>& beta) {
  return fusecl::categorical_logit_glm_lpmf(y, x, 0.0, beta);
}
