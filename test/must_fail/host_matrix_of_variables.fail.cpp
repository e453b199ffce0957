// An Eigen matrix of numbers does not carry a derivative.
// expect: from_matrix_cl of variables gives variables.*take the values alone
#include <Eigen/Dense>

#include <fusion/autodiff.hpp>

using matrix_var = fusecl::var_value<fusecl::matrix_cl<double>>;
void misuse(const matrix_var& x) { const Eigen::MatrixXd h = exp(x); }
