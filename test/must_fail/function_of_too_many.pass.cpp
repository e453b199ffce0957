// The twin of function_of_too_many.fail.cpp.
#include <fusion/fusion.hpp>

auto use(const fusecl::matrix_cl<double>& a, const fusecl::matrix_cl<double>& b) {
  return fusecl::elt_divide(fusecl::log(a), fusecl::log(b));
}
