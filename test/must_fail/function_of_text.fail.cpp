// A function of something that is no matrix, expression or number.
// expect: no matching function for call to .*exp
#include <string>

#include <fusion/fusion.hpp>

auto misuse(const std::string& text) { return fusecl::exp(text); }
