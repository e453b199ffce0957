// The twin of parameter_in_a_density.fail.cpp.
#include <primitives/primitives.hpp>

int main() {
  const fusecl::matrix_cl<double> v(Eigen::VectorXd::Ones(3));
  fusecl::parameter p = 0.3;
  value_and_gradient(-0.5 * dot_self(v - p) - 2.0 * square(p), fusecl::wrt(p));
  fusecl::normal_lpdf(2.0 * p.value(), 0, 1);
}
