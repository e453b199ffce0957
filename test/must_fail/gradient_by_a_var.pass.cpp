// By grad() and adj(), or without the tape by a matrix.
#include <fusion/autodiff.hpp>
#include <fusion/fusion.hpp>

double use(const fusecl::var_value<fusecl::matrix_cl<double>>& x, const fusecl::matrix_cl<double>& a) {
  fusecl::var l = sum(exp(x));
  l.grad();
  return sum(x.adj()) + value_and_gradient(sum(exp(a)), fusecl::wrt(a)).value;
}
