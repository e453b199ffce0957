// Every element-wise function of two and three operands, over its domain, with scalars on either side.

#include <support/compare.hpp>

namespace fusecl {
namespace {

using namespace test;

template <class T>
class BinaryFunction : public ::testing::Test {};
using types = ::testing::Types<double, float>;
TYPED_TEST_SUITE(BinaryFunction, types);

/// A random matrix over the domain of operand `k` of an operation.
template <class T, class Op>
matrix_cl<T> operand_of(int k, std::int64_t rows, std::int64_t cols) {
  const ir::sample_interval& domain = Op::record().domain[k];
  return random_matrix<T>(rows, cols, matrix_cl_view::Entire, domain.low, domain.high);
}
template <class T, class Op>
T scalar_of(int k) {
  const ir::sample_interval& domain = Op::record().domain[k];
  return random_value<T>(domain.low, domain.high);
}

#define FUSECL_CHECK_FUNCTION(NAME)                                                                \
  TYPED_TEST(BinaryFunction, NAME##_IsWhatTheInterpreterSays) {                                    \
    using T = TypeParam;                                                                           \
    FUSECL_SKIP_WITHOUT_DOUBLE_IF((std::is_same_v<T, double>));                                    \
    for (const auto [rows, cols] : std::vector<size_pair>{{0, 0}, {1, 1}, {71, 33}})               \
      expect_matches_reference(                                                                    \
          NAME(operand_of<T, op::NAME>(0, rows, cols), operand_of<T, op::NAME>(1, rows, cols)));   \
    EXPECT_ALL_MATCH_REFERENCE(NAME(operand_of<T, op::NAME>(0, 8, 9), scalar_of<T, op::NAME>(1)),  \
                               NAME(scalar_of<T, op::NAME>(0), operand_of<T, op::NAME>(1, 8, 9))); \
  }
FUSECL_BINARY_FLOATING(FUSECL_CHECK_FUNCTION)
#undef FUSECL_CHECK_FUNCTION

TYPED_TEST(BinaryFunction, LdexpTakesIntegerExponents) {
  FUSECL_SKIP_WITHOUT_DOUBLE_IF((std::is_same_v<TypeParam, double>));
  for (const auto [rows, cols] : few_sizes())
    expect_matches_reference(ldexp(random_matrix<TypeParam>(rows, cols), random_matrix<int>(rows, cols)));
  expect_matches_reference(ldexp(random_matrix<TypeParam>(5, 7), 3));
}

TYPED_TEST(BinaryFunction, FmodByTheSmallestNumbers) {
  using T = TypeParam;
  FUSECL_NEEDS_DOUBLE;  // devices without may not divide by floats this small
  const T largest = std::numeric_limits<T>::max(), least = std::numeric_limits<T>::denorm_min();
  host<T> x(4, 1), y(4, 1), wanted(4, 1);
  x << largest, -largest, largest / 3, T(1e30);
  y << least, 3 * least, 2025 * least, 7 * least;
  for (Eigen::Index k = 0; k < 4; ++k) wanted(k) = std::fmod(x(k), y(k));
  EXPECT_EQ(from_matrix_cl(fmod(matrix_cl<T>(x), matrix_cl<T>(y))), wanted);
}

TYPED_TEST(BinaryFunction, FmaRoundsOnce) {
  using T = TypeParam;
  FUSECL_SKIP_WITHOUT_DOUBLE_IF((std::is_same_v<T, double>));
  for (const auto [rows, cols] : few_sizes())
    expect_matches_reference(
        fma(random_matrix<T>(rows, cols), random_matrix<T>(rows, cols), random_matrix<T>(rows, cols)));
  const auto a = random_matrix<T>(5, 7);
  EXPECT_ALL_MATCH_REFERENCE(fma(T(3), a, T(4)), fma(a, T(0.3), T(4)), fma(a, a, T(0.7)));
}

TYPED_TEST(BinaryFunction, SpecialValuesGiveTheSameSpecialResults) {
  using T = TypeParam;
  FUSECL_SKIP_WITHOUT_DOUBLE_IF((std::is_same_v<T, double>));
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  host<T> values(7, 7);
  for (Eigen::Index k = 0; k < 49; ++k) {
    const T special[] = {-inf, T(-1), T(-0.0), T(0), T(1), inf, nan};
    values.data()[k] = special[k % 7];
  }
  const matrix_cl<T> a(values), b(host<T>(values.transpose()));
  EXPECT_ALL_MATCH_REFERENCE(a + b, a - b, elt_multiply(a, b), elt_divide(a, b), a && b, select(a > b, a, b));
  EXPECT_ALL_MATCH_REFERENCE(a < b, a <= b, a == b, a != b, isnan(a) || isinf(b), fmax(a, b), fmin(a, b));
}

TYPED_TEST(BinaryFunction, SpecialScalarsAreNotMistakenForOthers) {
  using T = TypeParam;
  FUSECL_SKIP_WITHOUT_DOUBLE_IF((std::is_same_v<T, double>));
  const auto a = random_matrix<T>(9, 5);
  for (const T s : {T(0), T(1), T(-1), T(2), T(0.5), T(-0.0), T(0.1), T(3)}) {
    EXPECT_ALL_MATCH_REFERENCE(a + s, a - s, s - a, a * s, pow(fabs(a), s), copysign(a, s));
    if (s != T(0) || computes_with_literal_zeros()) EXPECT_ALL_MATCH_REFERENCE(a / s, s / a);
  }
}

TYPED_TEST(BinaryFunction, MinusZeroKeepsItsSign) {
  using T = TypeParam;
  FUSECL_SKIP_WITHOUT_DOUBLE_IF((std::is_same_v<T, double>));
  const auto zeros = matrix_cl<T>(host<T>(host<T>::Zero(3, 3)));
  const auto ones = from_matrix_cl(matrix_cl<T>(T(1) / (zeros * T(-1))));
  EXPECT_TRUE((ones.array() == -std::numeric_limits<T>::infinity()).all());
  const auto scaled = from_matrix_cl(matrix_cl<T>(T(1) / (zeros + T(-0.0))));
  EXPECT_TRUE((scaled.array() == std::numeric_limits<T>::infinity()).all());
  const auto minus = from_matrix_cl(matrix_cl<T>(T(1) / (-zeros)));
  EXPECT_TRUE((minus.array() == -std::numeric_limits<T>::infinity()).all());
  if (computes_with_literal_zeros()) {
    const auto rewritten = from_matrix_cl(matrix_cl<T>(T(1) / (T(1) - exp(zeros))));
    EXPECT_TRUE((rewritten.array() == std::numeric_limits<T>::infinity()).all());
  }
  const auto constants = from_matrix_cl(matrix_cl<T>(T(1) / constant(T(-0.0), 3, 3)));
  EXPECT_TRUE((constants.array() == -std::numeric_limits<T>::infinity()).all());
}

TYPED_TEST(BinaryFunction, RemaindersOfMultiplesAreZero) {
  using T = TypeParam;
  FUSECL_SKIP_WITHOUT_DOUBLE_IF((std::is_same_v<T, double>));
  const auto x = random_matrix<T>(4097, 1);  // of many, some quotients round down where division is inexact
  EXPECT_EQ(from_matrix_cl(matrix_cl<T>(fmod(x, x))), host<T>::Zero(4097, 1));
  for (int k : {1, 2, 8, 1024})
    EXPECT_EQ(from_matrix_cl(matrix_cl<T>(fmod(x * T(k), x + T(0)))), host<T>::Zero(4097, 1)) << k;
}

/// Zeros outside of the view of a negated matrix are negative where nobody cuts them.
TYPED_TEST(BinaryFunction, ZerosHaveNoSignInAtan2) {
  using T = TypeParam;
  FUSECL_SKIP_WITHOUT_DOUBLE_IF((std::is_same_v<T, double>));
  const host<T> ones = host<T>::Ones(33, 33);
  const matrix_cl<T> zeros(host<T>::Zero(33, 33)), diagonal(ones, matrix_cl_view::Diagonal),
      lower(ones, matrix_cl_view::Lower);
  const host<T> unit = host<T>::Identity(33, 33);
  EXPECT_TRUE(from_matrix_cl(matrix_cl<T>(atan2(zeros, -diagonal))).isApprox(unit * std::atan2(T(0), T(-1))));
  const host<T> turned = from_matrix_cl(matrix_cl<T>(atan2(-lower, lower * T(-1))));
  EXPECT_TRUE(
      turned.isApprox(host<T>(ones.template triangularView<Eigen::Lower>()) * std::atan2(T(-1), T(-1))));
  const matrix_cl<T> negative(host<T>::Constant(1, 1, -T(0)));
  EXPECT_EQ(from_matrix_cl(matrix_cl<T>(atan2(negative, negative)))(0), T(0));
  expect_matches_reference(atan2(zeros, -lower));
}

}  // namespace
}  // namespace fusecl
