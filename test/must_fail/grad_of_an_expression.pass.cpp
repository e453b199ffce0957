// The twin of grad_of_an_expression.fail.cpp.
#include <fusion/autodiff.hpp>
#include <fusion/fusion.hpp>

void use(const fusecl::var_value<fusecl::matrix_cl<double>>& x) {
  const fusecl::var l = sum(exp(x));
  l.grad();
}
