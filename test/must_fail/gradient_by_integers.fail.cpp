// Integers have no derivatives.
// expect: by integers there is no derivative
#include <fusion/autodiff.hpp>

void misuse(const fusecl::matrix_cl<int>& n) { value_and_gradient(sum(n * 0.5), fusecl::wrt(n)); }
