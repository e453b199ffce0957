// Accuracy of every function of one operand on the device.

#include <accuracy/reference.hpp>

namespace fusecl::test {
namespace {

std::vector<accuracy_case> unary_functions() {
  std::vector<accuracy_case> cases;
#define FUSECL_CASES(NAME) FUSECL_ACCURACY_CASES(NAME, NAME(operand<T>(rows, 0)))
  FUSECL_UNARY_FLOATING(FUSECL_CASES)
  FUSECL_UNARY_ARITHMETIC(FUSECL_CASES)
  FUSECL_UNARY_CLASSIFY(FUSECL_CASES)
#undef FUSECL_CASES
  return cases;
}
FUSECL_INSTANTIATE_ACCURACY(Unary, unary_functions)

}  // namespace
}  // namespace fusecl::test
