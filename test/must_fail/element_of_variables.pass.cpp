// Its value alone may be taken.
#include <fusion/autodiff.hpp>

double use(const fusecl::var_value<fusecl::matrix_cl<double>>& x) { return value_of(x * 2.0)(1, 1); }
