// A number that nobody may write.
// expect: value_and_gradient_into writes to matrices
#include <fusion/autodiff.hpp>

void misuse(const fusecl::parameter<double>& p, const double& slope) {
  value_and_gradient_into(square(p), fusecl::wrt(p), slope);
}
