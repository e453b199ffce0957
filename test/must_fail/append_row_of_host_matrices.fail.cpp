// One of what is appended is on the device.
// expect: this function takes a matrix_cl or an expression: copy a host matrix by to_matrix_cl
#include <fusion/fusion.hpp>

auto misuse(const Eigen::MatrixXd& a) { return fusecl::append_row(a, a); }
