// The twin of gradient_of_a_number.fail.cpp.
#include <fusion/autodiff.hpp>

auto use(const fusecl::matrix_cl<double>& v) {
  return fusecl::value_and_gradient(-0.5 * fusecl::dot_self(v), fusecl::wrt(v));
}
