// A column of a host matrix is a copy.
// expect: no (match|viable)
// at most 8000 characters
#include <primitives/primitives.hpp>

void misuse(Eigen::MatrixXd& m, const Eigen::VectorXd& v) { fusecl::col(m, 1) = v; }
