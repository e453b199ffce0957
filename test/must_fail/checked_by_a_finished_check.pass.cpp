// Its condition is an argument.
#include <fusion/autodiff.hpp>

auto use(const fusecl::matrix_cl<double>& y) {
  using namespace fusecl;
  return checked(sum(y), check_cl("f", "y", y, "positive", y > 0.0));
}
