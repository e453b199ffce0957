// Every element-wise function of one operand, over its domain, for every element type, size class and view.

#include <vector>

#include <support/compare.hpp>

namespace fusecl {
namespace {

using namespace test;

template <class T>
class UnaryFunction : public ::testing::Test {};
using types = ::testing::Types<double, float, int>;
TYPED_TEST_SUITE(UnaryFunction, types);

template <class Op>
double low() {
  return Op::record().domain[0].low;
}
template <class Op>
double high() {
  return Op::record().domain[0].high;
}

// Kernels cost most of the time here, one per width and walk: integers, which only add a conversion, see one
// size.
template <class T>
std::vector<size_pair> sizes_of() {
  if constexpr (std::is_integral_v<T>)
    return {{3, 1}};
  else
    return {{0, 0}, {1, 1}, {71, 33}};
}

#define FUSECL_CHECK_FUNCTION(NAME)                                                                          \
  TYPED_TEST(UnaryFunction, NAME##_IsWhatTheInterpreterSays) {                                               \
    FUSECL_SKIP_WITHOUT_DOUBLE_IF((!std::is_same_v<TypeParam, float>));                                      \
    for (const auto [rows, cols] : sizes_of<TypeParam>())                                                    \
      expect_matches_reference(NAME(                                                                         \
          random_matrix<TypeParam>(rows, cols, matrix_cl_view::Entire, low<op::NAME>(), high<op::NAME>()))); \
  }
FUSECL_UNARY_FLOATING(FUSECL_CHECK_FUNCTION)
FUSECL_UNARY_ARITHMETIC(FUSECL_CHECK_FUNCTION)
FUSECL_UNARY_CLASSIFY(FUSECL_CHECK_FUNCTION)
#undef FUSECL_CHECK_FUNCTION

TEST(UnaryFunction, OfATriangleSeesZerosOutside) {
  for (const matrix_cl_view view : all_views) {
    const auto a = random_matrix<float>(33, 33, view);
    EXPECT_ALL_MATCH_REFERENCE(exp(a), square(a), sin(a) + 1, -a, isnan(a), fabs(a));
  }
}

}  // namespace
}  // namespace fusecl
