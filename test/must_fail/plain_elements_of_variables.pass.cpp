// The values alone.
#include <fusion/autodiff.hpp>

using matrix_var = fusecl::var_value<fusecl::matrix_cl<double>>;
Eigen::MatrixXd use(const matrix_var& x) { return fusecl::from_matrix_cl<Eigen::MatrixXd>(value_of(exp(x))); }
