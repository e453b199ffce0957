// Plain elements would lose the derivatives.
// expect: from_matrix_cl of variables gives variables
#include <fusion/autodiff.hpp>

using matrix_var = fusecl::var_value<fusecl::matrix_cl<double>>;
Eigen::MatrixXd misuse(const matrix_var& x) { return fusecl::from_matrix_cl<Eigen::MatrixXd>(exp(x)); }
