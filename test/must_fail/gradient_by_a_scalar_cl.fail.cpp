// A number on the device is data.
// expect: a scalar_cl is data, a matrix_cl with one
#include <fusion/autodiff/value_and_gradient.hpp>
#include <fusion/fusion.hpp>

void misuse(const fusecl::matrix_cl<double>& a, const fusecl::scalar_cl<double>& s) {
  value_and_gradient(sum(a * s), fusecl::wrt(s));
}
