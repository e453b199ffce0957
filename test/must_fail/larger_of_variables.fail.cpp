// The larger one of a variable and a number by the standard library, which knows no derivatives.
// expect: of variables of the tape write fmax\(a, b\)
#include <algorithm>

#include <fusion/autodiff.hpp>

fusecl::var misuse(const fusecl::var& x) { return std::max(x, 2.0); }
