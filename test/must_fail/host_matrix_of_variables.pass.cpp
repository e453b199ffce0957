// The values alone, variables on the host, and data.
#include <Eigen/Dense>

#include <fusion/autodiff.hpp>

using matrix_var = fusecl::var_value<fusecl::matrix_cl<double>>;
void use(const matrix_var& x) { const Eigen::MatrixXd h = value_of(exp(x)); }
void kept(const matrix_var& x) { const Eigen::Matrix<fusecl::var, -1, -1> h = from_matrix_cl(exp(x)); }
void data(const fusecl::matrix_cl<double>& x) { const Eigen::MatrixXd h = exp(x); }
