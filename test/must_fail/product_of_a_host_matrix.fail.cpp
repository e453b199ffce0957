// What is on the host is multiplied there.
// expect: this function takes a matrix_cl or an expression: copy a host matrix by to_matrix_cl
#include <fusion/fusion.hpp>

auto misuse(const Eigen::MatrixXd& a) { return fusecl::prod(a); }
