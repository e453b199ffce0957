#pragma once
// Expressions of any length, whose types would grow with it.

#include <utility>

#include <fusion/expr/operators.hpp>

namespace fusecl::test {

/// e + x - y + x - y ..., with Terms terms after `e`.
template <int Terms, class E, class X, class Y>
auto grown(const E& e, const X& x, const Y& y) {
  if constexpr (Terms == 0)
    return e;
  else if constexpr (Terms % 2 == 0)
    return grown<Terms - 1>(e + x, x, y);
  else
    return grown<Terms - 1>(e - y, x, y);
}

}  // namespace fusecl::test
