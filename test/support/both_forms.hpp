#pragma once
// Runs a test in both forms of kernels, whatever the device, unless FUSECL_SCHEDULE asks for one.

#include <cstdlib>
#include <iostream>
#include <string>

#include <gtest/gtest.h>

#include <fusion/fusion.hpp>
#include <fusion/runtime/driver_faults.hpp>

namespace fusecl::test {

/// Lets statements that ran already be planned again, in the form that FUSECL_SCHEDULE now asks for.
inline void set_schedule(const char* form) {
  setenv("FUSECL_SCHEDULE", form, 1);
  fusecl::detail::schedule_choices.fetch_add(1);
}

/// Puts the form back that was asked for before.
class schedule_as_before {
 public:
  schedule_as_before() {
    if (const char* given = std::getenv("FUSECL_SCHEDULE")) before_ = given;
  }
  schedule_as_before(const schedule_as_before&) = delete;
  ~schedule_as_before() { set_schedule(before_.c_str()); }

 private:
  std::string before_;
};

/// Whether the driver compiles the GPU form right each time: PoCL 4 and later do not
/// (decisions/0030-faults-of-drivers.md). FUSECL_TEST_GPU_FORM=1 runs it all the same.
inline bool gpu_form_is_sound() {
  return std::getenv("FUSECL_TEST_GPU_FORM") != nullptr ||
         !runtime::may_share_private_values(opencl_context.capabilities());
}

inline constexpr const char* unsound_form =
    "form for GPUs, which PoCL 4 and later compile wrong at random; FUSECL_TEST_GPU_FORM=1 runs it";

/// The one form that the process was started for; empty for both.
inline const std::string only_form = [] {
  const char* given = std::getenv("FUSECL_SCHEDULE");
  return std::string(given != nullptr ? given : "");
}();

/// Skips all tests of a program that was started for a form that the driver compiles wrong.
class forms_environment final : public ::testing::Environment {
 public:
  void SetUp() override {
    if (only_form == "gpu" && !gpu_form_is_sound()) GTEST_SKIP() << unsound_form;
  }
};
inline const ::testing::Environment* const forms = ::testing::AddGlobalTestEnvironment(new forms_environment);

/// Says once that tests of both forms have one only.
inline void say_that_one_form_is_skipped() {
  static const bool said = (std::cout << "skipped: " << unsound_form << std::endl, true);
  (void)said;
}

/// Both forms of kernels, as far as the driver compiles them right, or the one that the process was started
/// for; then as it was.
template <class F>
void in_both_forms(F f) {
  const schedule_as_before restored;
  for (const std::string form : {"cpu", "gpu"}) {
    if (!only_form.empty() && form != only_form) continue;
    if (form == "gpu" && !gpu_form_is_sound()) {
      say_that_one_form_is_skipped();
      continue;
    }
    SCOPED_TRACE(form);
    set_schedule(form.c_str());
    f();
  }
}

}  // namespace fusecl::test
