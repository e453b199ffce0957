// A check among those of a value is not made by itself.
// expect: a check has its condition as last argument
#include <fusion/autodiff.hpp>

auto misuse(const fusecl::matrix_cl<double>& y) {
  using namespace fusecl;
  return checked(sum(y), check_cl("f", "y", y, "positive") = y > 0.0);
}
