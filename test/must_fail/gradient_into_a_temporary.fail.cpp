// A number that is gone before anybody reads it.
// expect: value_and_gradient_into writes to matrices
#include <fusion/autodiff.hpp>

void misuse(const fusecl::parameter<double>& p) { value_and_gradient_into(square(p), fusecl::wrt(p), 3.0); }
