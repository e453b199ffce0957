// A density in value_and_gradient would lose the derivative by its parameter.
// expect: a density is evaluated where it is called
#include <primitives/primitives.hpp>

int main() {
  const fusecl::matrix_cl<double> v(Eigen::VectorXd::Ones(3));
  fusecl::parameter p = 0.3;
  value_and_gradient(-0.5 * dot_self(v - p) + normal_lpdf(2.0 * p, 0, 1), fusecl::wrt(p));
}
