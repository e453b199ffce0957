// Parts of other matrices are assigned to.
#include <fusion/fusion.hpp>

void use(fusecl::matrix_cl<double>& a, const fusecl::matrix_cl<double>& b) { block(a, 0, 0, 2, 2) = b; }
