// Accuracy of every function of two and three operands on the device.

#include <accuracy/reference.hpp>

namespace fusecl::test {
namespace {

std::vector<accuracy_case> functions_of_several_operands() {
  std::vector<accuracy_case> cases;
#define FUSECL_BINARY_CASES(NAME) FUSECL_ACCURACY_CASES(NAME, NAME(operand<T>(rows, 0), operand<T>(rows, 1)))
#define FUSECL_SCALED_CASES(NAME) \
  FUSECL_ACCURACY_CASES(NAME, NAME(operand<T>(rows, 0), operand<T, int>(rows, 1)))
#define FUSECL_TERNARY_CASES(NAME) \
  FUSECL_ACCURACY_CASES(NAME, NAME(operand<T>(rows, 0), operand<T>(rows, 1), operand<T>(rows, 2)))
  FUSECL_BINARY_FLOATING(FUSECL_BINARY_CASES)
  FUSECL_BINARY_SCALED(FUSECL_SCALED_CASES)
  FUSECL_TERNARY_FLOATING(FUSECL_TERNARY_CASES)
#undef FUSECL_BINARY_CASES
#undef FUSECL_SCALED_CASES
#undef FUSECL_TERNARY_CASES
  return cases;
}
FUSECL_INSTANTIATE_ACCURACY(SeveralOperands, functions_of_several_operands)

}  // namespace
}  // namespace fusecl::test
