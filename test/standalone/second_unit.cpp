// The other half of first_unit.cpp. Eigen comes with the library here, and has members for matrices of var.

#include <fusion/autodiff.hpp>

double sum_in_second_unit(const fusecl::matrix_cl<double>& m) { return fusecl::sum(m); }

double adjoints_in_second_unit(const Eigen::VectorXd& values) {
  fusecl::vector_v x = fusecl::to_var(values);
  fusecl::var l = 0;
  for (const fusecl::var& each : x) l += each * each;
  l.grad();
  return (x.adj() - 2.0 * x.val()).norm() + (x.array().adj() - 2.0 * x.array().val()).matrix().norm();
}
