// The condition is the last argument.
#include <fusion/fusion.hpp>

double use(const fusecl::matrix_cl<double>& y) {
  return fusecl::checked(sum(y), fusecl::check_cl("f", "y", y, "positive", y > 0));
}
