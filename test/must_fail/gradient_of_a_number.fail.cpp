// A density by name is a number where it is called.
// expect: value_and_gradient takes an expression of the variables, and this is a number
#include <fusion/autodiff.hpp>
#include <primitives/primitives.hpp>

auto misuse(const fusecl::matrix_cl<double>& v) {
  return fusecl::value_and_gradient(fusecl::normal_lpdf(v, 0.0, 1.0), fusecl::wrt(v));
}
