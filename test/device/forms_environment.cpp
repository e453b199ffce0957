// Skips the tests of this program where FUSECL_SCHEDULE=gpu asks for a form that the driver compiles wrong at
// random (decisions/0030-faults-of-drivers.md).

#include <string_view>

#include <support/both_forms.hpp>

namespace fusecl {
namespace {

class forms_environment final : public ::testing::Environment {
 public:
  void SetUp() override {
    const char* form = std::getenv("FUSECL_SCHEDULE");
    if (form != nullptr && std::string_view(form) == "gpu" && !test::gpu_form_is_sound())
      GTEST_SKIP() << "PoCL 4 and later compile this form wrong at random; FUSECL_TEST_GPU_FORM=1 runs it";
  }
};

[[maybe_unused]] const auto* const registered = ::testing::AddGlobalTestEnvironment(new forms_environment);

}  // namespace
}  // namespace fusecl
