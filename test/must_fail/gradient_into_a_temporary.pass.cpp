// The twin of gradient_into_a_temporary.fail.cpp.
#include <fusion/autodiff.hpp>

void use(const fusecl::parameter<double>& p, double& slope) {
  value_and_gradient_into(square(p), fusecl::wrt(p), slope);
}
