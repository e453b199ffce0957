// A check with its condition is evaluated by checked(e, ...), not by results(...), which would do nothing.
// expect: results\(...\): a check takes its condition from expressions\(...\)
#include <fusion/fusion.hpp>

void misuse(const fusecl::matrix_cl<double>& y) {
  fusecl::results(fusecl::check_cl("f", "y", y, "positive", y > 0));
}
