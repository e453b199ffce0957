// Operators between all pairs of element types, with scalars of every type on either side, casts and select.

#include <support/compare.hpp>

namespace fusecl {
namespace {

using namespace test;

template <class First, class Second>
struct type_pair {
  using first = First;
  using second = Second;
};

template <class Pair>
class Operator : public ::testing::Test {};
using pairs = ::testing::Types<type_pair<double, double>, type_pair<float, float>, type_pair<int, int>,
                               type_pair<long, long>, type_pair<unsigned, unsigned>, type_pair<bool, bool>,
                               type_pair<double, int>, type_pair<float, long>, type_pair<int, unsigned>,
                               type_pair<bool, float>, type_pair<long, bool>, type_pair<unsigned, long>>;
TYPED_TEST_SUITE(Operator, pairs);

#define FUSECL_TYPES_OR_SKIP            \
  using A = typename TypeParam::first;  \
  using B = typename TypeParam::second; \
  FUSECL_SKIP_WITHOUT_DOUBLE_IF((any_double<A, B>))

TYPED_TEST(Operator, ArithmeticPromotesAsInCpp) {
  FUSECL_TYPES_OR_SKIP;
  const auto check = [](std::int64_t rows, std::int64_t cols) {
    const auto a = random_matrix<A>(rows, cols);
    const auto b = random_matrix<B>(rows, cols);
    static_assert(std::is_same_v<value_type_of<decltype(a + b)>, decltype(A{} + B{})>);
    EXPECT_ALL_MATCH_REFERENCE(a + b, a - b, elt_multiply(a, b), elt_divide(a, b), -a, -b);
  };
  for (const auto [rows, cols] : few_sizes()) check(rows, cols);
}

TYPED_TEST(Operator, ComparisonsAndLogicGiveBool) {
  FUSECL_TYPES_OR_SKIP;
  const auto check = [](std::int64_t rows, std::int64_t cols) {
    const auto a = random_matrix<A>(rows, cols, matrix_cl_view::Entire, -2, 2);
    const auto b = random_matrix<B>(rows, cols, matrix_cl_view::Entire, -2, 2);
    EXPECT_ALL_MATCH_REFERENCE(a<b, a <= b, a == b, a != b, a> b, a >= b, a || b, a && !b);
  };
  for (const auto [rows, cols] : few_sizes()) check(rows, cols);
}

TYPED_TEST(Operator, ScalarsStandOnEitherSide) {
  FUSECL_TYPES_OR_SKIP;
  const auto a = random_matrix<A>(7, 5);
  for (const B s : {B(0), B(1), B(2), B(7)}) {
    EXPECT_ALL_MATCH_REFERENCE(a + s, s - a, a * s, s * a, s < a, a == s, a && s);
    if (s != B(0) || computes_with_literal_zeros()) EXPECT_ALL_MATCH_REFERENCE(a / s, s / a);
  }
}

TYPED_TEST(Operator, SelectPromotesItsBranches) {
  FUSECL_TYPES_OR_SKIP;
  for (const auto [rows, cols] : few_sizes()) {
    const auto a = random_matrix<A>(rows, cols);
    const auto b = random_matrix<B>(rows, cols);
    const auto c = random_matrix<bool>(rows, cols);
    EXPECT_ALL_MATCH_REFERENCE(select(c, a, b), select(a > A(0), a, B(1)), select(true, a, b),
                               select(c, B(1), A(0)));
  }
}

TYPED_TEST(Operator, CastConvertsAsStaticCast) {
  FUSECL_TYPES_OR_SKIP;
  for (const auto [rows, cols] : few_sizes()) {
    const auto a = random_matrix<A>(rows, cols, matrix_cl_view::Entire, 0, 20);
    const auto b = random_matrix<B>(rows, cols, matrix_cl_view::Entire, 0, 20);
    EXPECT_ALL_MATCH_REFERENCE(cast<B>(a), cast<A>(b), cast<bool>(a), cast<long>(a), cast<float>(b),
                               cast<A>(cast<int>(b)));
  }
}

TYPED_TEST(Operator, CastsOfNumbersAreNumbers) {
  FUSECL_TYPES_OR_SKIP;
  static_assert(std::is_same_v<decltype(cast<A>(4.75)), A>);
  EXPECT_EQ(cast<A>(4.75), static_cast<A>(4.75));
  const auto a = random_matrix<A>(5, 3, matrix_cl_view::Entire, 0, 20);
  EXPECT_ALL_MATCH_REFERENCE(a + cast<A>(4.75));
}

TYPED_TEST(Operator, AssignmentConvertsToTheTarget) {
  FUSECL_TYPES_OR_SKIP;
  const auto a = random_matrix<A>(33, 9, matrix_cl_view::Entire, 0, 20);
  const expected_values wanted = expected(cast<B>(a));
  matrix_cl<B> target = a.leaf();
  expect_matches(target, wanted);
  target = a.leaf();
  expect_matches(target, wanted);
}

TEST(IntegerOperator, RemainderHasTheSignOfTheDividend) {
  for (const auto [rows, cols] : few_sizes()) {
    const auto a = random_matrix<int>(rows, cols);
    const auto b = random_matrix<long>(rows, cols);
    const auto c = random_matrix<unsigned>(rows, cols);
    const auto d = random_matrix<bool>(rows, cols);
    EXPECT_ALL_MATCH_REFERENCE(a % a, b % a, a % b, c % c, c % a, d % 2, a % d, 7 % b);
  }
}

template <class T>
class IntegerLimits : public ::testing::Test {
 protected:
  static matrix_cl<T> extremes(bool transposed) {
    const T values[] = {
        std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), T(0), T(1), T(-1), T(2), T(-7)};
    host<T> m(7, 7);
    for (Eigen::Index k = 0; k < 49; ++k) m.data()[k] = values[transposed ? k / 7 : k % 7];
    return matrix_cl<T>(m);
  }
};
using integers = ::testing::Types<int, long, unsigned>;
TYPED_TEST_SUITE(IntegerLimits, integers);

TYPED_TEST(IntegerLimits, DivisionByZeroIsZeroAndOverflowWraps) {
  const auto a = this->extremes(false), b = this->extremes(true);
  EXPECT_ALL_MATCH_REFERENCE(elt_divide(a, b), a % b);
  for (const TypeParam s : {TypeParam(0), TypeParam(1), TypeParam(-1), TypeParam(2), TypeParam(7)}) {
    EXPECT_ALL_MATCH_REFERENCE(a / s, s / a, a % s, s % a);
  }
}

TYPED_TEST(IntegerLimits, ArithmeticWraps) {
  const auto a = this->extremes(false), b = this->extremes(true);
  EXPECT_ALL_MATCH_REFERENCE(a + b, a - b, elt_multiply(a, b), -a, a < b, a == b);
}

// Transposed elements are numbers in a kernel, not vectors of them: that they overflow is not excluded
// either.
TYPED_TEST(IntegerLimits, WhatIsComparedHasWrapped) {
  const auto a = this->extremes(false), b = this->extremes(true);
  EXPECT_ALL_MATCH_REFERENCE(transpose(a) + 1 > transpose(a), transpose(a) - 1 < transpose(a),
                             transpose(a) + b - b == transpose(a), -transpose(a) > b,
                             select(transpose(a) < b, -transpose(a), transpose(a)) < 0);
  EXPECT_ALL_MATCH_REFERENCE(abs(a), abs(transpose(a)) < 0, abs(colwise_min(b)) < 0, abs(transpose(a)) == b);
  EXPECT_ALL_MATCH_REFERENCE(transpose(a) * 2 / 2 == transpose(a),
                             elt_divide(elt_multiply(transpose(a), b), b) == transpose(a));
}

TEST(LongInteger, KeepsAllItsBits) {
  host<long> values(3, 2);
  values << (1L << 53) + 1, -(1L << 53) - 1, std::numeric_limits<long>::max(),
      std::numeric_limits<long>::min(), 0x123456789ABCDEFL, -1;
  const matrix_cl<long> a(values);
  expect_same<long>(from_matrix_cl(a), values);
  expect_same<long>(from_matrix_cl<host<long>>(a + 0L), values);
  expect_same<long>(from_matrix_cl<host<long>>(a + 1L - 1L), values);
  const long big = (1L << 60) + 3;
  expect_same<long>(from_matrix_cl<host<long>>(rep_matrix(big, 2, 2)), host<long>::Constant(2, 2, big));
  expect_same<long>(from_matrix_cl<host<long>>(constant(big, 2, 2)), host<long>::Constant(2, 2, big));
  EXPECT_EQ(static_cast<long>(max_2d(a)), std::numeric_limits<long>::max());
  EXPECT_EQ(static_cast<long>(min_2d(a)), std::numeric_limits<long>::min());
}

TEST(Unsigned, KeepsAllItsBits) {
  const matrix_cl<unsigned> a(host<unsigned>(host<unsigned>::Constant(5, 3, 4000000000u)));
  EXPECT_ALL_MATCH_REFERENCE(a + 294967295u, cast<long>(a), a > 3000000000u, sum(a));
}

}  // namespace
}  // namespace fusecl
