#pragma once
// Runs a test in both forms of kernels, whatever the device.

#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include <fusion/fusion.hpp>

namespace fusecl::test {

/// Lets statements that ran already be planned again, in the form that FUSECL_SCHEDULE now asks for.
inline void set_schedule(const char* form) {
  setenv("FUSECL_SCHEDULE", form, 1);
  detail::schedule_choices.fetch_add(1);
}

/// Both forms of kernels, then as it was.
template <class F>
void in_both_forms(F f) {
  const char* given = std::getenv("FUSECL_SCHEDULE");
  const std::string before = given ? given : "";
  for (const char* form : {"cpu", "gpu"}) {
    SCOPED_TRACE(form);
    set_schedule(form);
    f();
  }
  set_schedule(before.c_str());
}

}  // namespace fusecl::test
