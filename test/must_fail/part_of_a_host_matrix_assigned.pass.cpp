// Eigen's own is not.
#include <primitives/primitives.hpp>

void use(Eigen::MatrixXd& m, const Eigen::VectorXd& v) { m.col(0) = v + fusecl::col(m, 2); }
