// The condition is one of the expressions, or the check belongs to a value.
#include <fusion/fusion.hpp>

double use(const fusecl::matrix_cl<double>& y) {
  fusecl::results(fusecl::check_cl("f", "y", y, "positive")) = fusecl::expressions(y > 0);
  return fusecl::checked(sum(y), fusecl::check_cl("f", "y", y, "positive", y > 0));
}
