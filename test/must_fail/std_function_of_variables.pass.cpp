// The function of the library, of the value alone, and of data.
#include <cmath>

#include <fusion/autodiff.hpp>

using matrix_var = fusecl::var_value<fusecl::matrix_cl<double>>;
fusecl::var use(const matrix_var& x) { return sqrt(sum(x)); }
double alone(const matrix_var& x) { return std::sqrt(value_of(sum(x))); }
double data(const fusecl::matrix_cl<double>& x) { return std::sqrt(sum(x)); }
