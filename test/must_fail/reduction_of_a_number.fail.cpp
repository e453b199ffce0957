// A number has no rows.
// expect: no matching function for call to .*rowwise_sum
#include <fusion/fusion.hpp>

auto misuse() { return fusecl::rowwise_sum(2.0); }
