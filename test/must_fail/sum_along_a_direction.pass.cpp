// The sum of each row.
#include <fusion/fusion.hpp>

void use(fusecl::matrix_cl<double>& a, const fusecl::matrix_cl<double>& b) { a = rowwise_sum(b); }
