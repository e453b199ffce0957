// The twin of matrix_of_short.fail.cpp.
#include <fusion/fusion.hpp>

std::int64_t use(const fusecl::matrix_cl<int>& a) { return a.rows(); }
