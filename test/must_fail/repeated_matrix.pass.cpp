// The twin of repeated_matrix.fail.cpp.
#include <fusion/fusion.hpp>

auto use(const fusecl::matrix_cl<double>& a) { return fusecl::rep_matrix(sum(a), 3, 4); }
