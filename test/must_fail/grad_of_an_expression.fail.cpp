// The derivatives of an expression that is not recorded.
// expect: an expression is not recorded, it has no grad\(\) and no adj\(\): give it a variable
#include <fusion/autodiff.hpp>
#include <fusion/fusion.hpp>

void misuse(const fusecl::var_value<fusecl::matrix_cl<double>>& x) {
  const auto l = sum(exp(x));
  l.grad();
}
