#pragma once
// What a statement costs once it has run.

#include <fusion/runtime/counters.hpp>

namespace fusecl::test {

template <class F>
counters spent_by(F statement) {
  for (int k = 0; k < 2; ++k) statement();
  const counters before = runtime_counters();
  statement();
  return runtime_counters() - before;
}

}  // namespace fusecl::test
