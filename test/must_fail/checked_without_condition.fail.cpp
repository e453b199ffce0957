// A check among those of a value has its condition.
// expect: a check has its condition as last argument
#include <fusion/fusion.hpp>

double misuse(const fusecl::matrix_cl<double>& y) {
  return fusecl::checked(sum(y), fusecl::check_cl("f", "y", y, "positive"));
}
