// A parameter beside it is a variable.
#include <fusion/autodiff/value_and_gradient.hpp>
#include <fusion/fusion.hpp>

void use(const fusecl::matrix_cl<double>& a, const fusecl::scalar_cl<double>& s,
         const fusecl::parameter<double>& p) {
  value_and_gradient(sum(a * s * p), fusecl::wrt(p));
}
