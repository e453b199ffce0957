// Derivatives by variables of the tape are on the tape.
// expect: what is computed with a var has its derivatives from the tape
#include <fusion/autodiff.hpp>
#include <fusion/fusion.hpp>

void misuse(const fusecl::var_value<fusecl::matrix_cl<double>>& x) {
  value_and_gradient(sum(exp(x)), fusecl::wrt(x));
}
