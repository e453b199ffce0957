// One statement, one kernel: the example of the README.

#include <iostream>

#include <Eigen/Dense>

#include <fusion/fusion.hpp>

int main() {
  const Eigen::MatrixXd x = Eigen::MatrixXd::Random(1000, 1000);
  const fusecl::matrix_cl<double> A(x), B(x), C(x);

  fusecl::matrix_cl<double> R = exp(A) * 2.0 + elt_divide(B, C);  // compiled once, then launched
  const double total = sum(square(R) - A);                        // nothing but the sum comes back

  std::cout << "total " << total << '\n' << explain(exp(A) * 2.0 + elt_divide(B, C));
  const Eigen::MatrixXd r = fusecl::from_matrix_cl(R);
  return r.rows() == 1000 ? 0 : 1;
}
