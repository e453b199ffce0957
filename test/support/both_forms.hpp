#pragma once
// Runs a test in both forms of kernels, whatever the device.

#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

namespace fusecl::test {

/// Both forms of kernels, then as it was.
template <class F>
void in_both_forms(F f) {
  const char* given = std::getenv("FUSECL_SCHEDULE");
  const std::string before = given ? given : "";
  for (const char* form : {"cpu", "gpu"}) {
    SCOPED_TRACE(form);
    setenv("FUSECL_SCHEDULE", form, 1);
    f();
  }
  setenv("FUSECL_SCHEDULE", before.c_str(), 1);
}

}  // namespace fusecl::test
