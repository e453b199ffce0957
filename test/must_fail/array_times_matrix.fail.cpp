// An array of Eigen is no matrix.
// expect: an array of Eigen is multiplied element by element
#include <Eigen/Dense>

#include <fusion/fusion.hpp>

auto misuse(const Eigen::MatrixXd& host, const fusecl::matrix_cl<double>& a) {
  return (host.array() > 0) * a;
}
