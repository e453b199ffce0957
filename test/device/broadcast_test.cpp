// Broadcasts, optional broadcasts, constants, repeated scalars, row and column numbers, and views.

#include <support/both_forms.hpp>
#include <support/compare.hpp>

namespace fusecl {
namespace {

using namespace test;

template <class T>
class Broadcast : public ::testing::Test {};
using types = ::testing::Types<double, float, int, long, unsigned, bool>;
TYPED_TEST_SUITE(Broadcast, types);

#define FUSECL_TYPE_OR_SKIP \
  using T = TypeParam;      \
  FUSECL_SKIP_WITHOUT_DOUBLE_IF((any_double<T>))

TYPED_TEST(Broadcast, RepeatsRowsColumnsAndElements) {
  FUSECL_TYPE_OR_SKIP;
  for (const auto [rows, cols] : all_sizes()) {
    const auto a = random_matrix<T>(rows, cols);
    const auto column = random_matrix<T>(rows, 1), row = random_matrix<T>(1, cols),
               element = random_matrix<T>(1, 1);
    EXPECT_ALL_MATCH_REFERENCE(a + rowwise_broadcast(column), a - colwise_broadcast(row),
                               elt_multiply(broadcast<true, true>(element), a),
                               rowwise_broadcast(column) + colwise_broadcast(row) + a);
  }
}

TYPED_TEST(Broadcast, FollowsColumnsThatDoNotFillVectors) {
  FUSECL_TYPE_OR_SKIP;
  for (std::int64_t rows : {1, 2, 3, 4, 5, 6, 7, 8, 9, 17})
    for (std::int64_t cols : {1, 2, 3, 4, 5}) {
      const auto a = random_matrix<T>(rows, cols, matrix_cl_view::Lower);
      const auto column = random_matrix<T>(rows, 1), row = random_matrix<T>(1, cols);
      expect_matches_reference(a + rowwise_broadcast(column) - colwise_broadcast(row) +
                               cast<T>(row_index() > col_index()));
    }
}

// What has one element, whatever the sizes of its operands, gives its size to what fits any.
TEST(FreeSizes, AreThoseOfASingleElementBesideThem) {
  in_both_forms([] {
    const auto a = random_matrix<float>(4, 3), one = random_matrix<float>(1, 1);
    const auto of_sum = row(rowwise_sum(a), 2);
    const auto of_product = row(a, 1) * transpose(row(a, 2));
    const float x = from_matrix_cl(of_sum)(0, 0), y = from_matrix_cl(of_product)(0, 0);
    EXPECT_EQ(static_cast<float>(sum(elt_multiply(row_index() + 3, of_sum))), 3 * x);
    EXPECT_EQ(static_cast<float>(sum(select(row_index() >= col_index(), of_product, 0.0f))), y);
    EXPECT_EQ(static_cast<float>(sum(fma(of_sum, colwise_broadcast(one), constant(1.0f)))),
              std::fma(x, from_matrix_cl(one)(0, 0), 1.0f));
    EXPECT_EQ(from_matrix_cl(rowwise_variance(of_sum))(0, 0), 0);
    EXPECT_EQ(from_matrix_cl(rowwise_variance(of_product))(0, 0), 0);
    EXPECT_EQ(from_matrix_cl(rowwise_softmax(of_sum))(0, 0), 1);
    EXPECT_EQ(from_matrix_cl(colwise_log_softmax(of_product))(0, 0), 0);
  });
}

// The only column of what is repeated in every column is column 0 wherever it is read.
TEST(RepeatedNumbers, OfTheOnlyRowOrColumnAreZero) {
  in_both_forms([] {
    for (const auto& [rows, cols] : {std::pair{17, 5}, {4, 1}, {1, 6}}) {
      const auto a = random_matrix<float>(rows, cols);
      const auto column = random_matrix<float>(rows, 1), row = random_matrix<float>(1, cols);
      EXPECT_ALL_MATCH_REFERENCE(
          a + rowwise_broadcast(column + col_index()), a + colwise_broadcast(row - row_index(1, cols)),
          rowwise_sum(a + rowwise_broadcast(select(col_index() == 0, column, 2.0f * column))),
          colwise_sum(rep_matrix(column + cast<float>(col_index() + row_index()), cols)));
      EXPECT_EQ(from_matrix_cl(rep_matrix(column + col_index(), 3)), from_matrix_cl(rep_matrix(column, 3)));
    }
  });
}

/// Broadcasts over few rows, and what else tells rows and columns apart.
template <class T>
void expect_few_rows_match(std::int64_t rows, std::int64_t cols) {
  SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(cols));
  const auto a = random_matrix<T>(rows, cols, rows % 2 ? matrix_cl_view::Upper : matrix_cl_view::Entire);
  const auto column = random_matrix<T>(rows, 1), row = random_matrix<T>(1, cols),
             turned = random_matrix<T>(cols, 1);
  EXPECT_ALL_MATCH_REFERENCE(
      a + colwise_broadcast(row),
      elt_multiply(a, rowwise_broadcast(column)) - colwise_broadcast(transpose(turned)),
      a + cast<T>(row_index() < col_index()));
}

TYPED_TEST(Broadcast, OverFewRowsAndManyColumnsIsOfAnyType) {
  FUSECL_TYPE_OR_SKIP;
  for (std::int64_t rows : {3, 7, 13}) expect_few_rows_match<T>(rows, 33);
}

TEST(Broadcast, OverFewRowsTakesEveryColumn) {
  in_both_forms([] {
    for (std::int64_t rows = 1; rows <= 17; ++rows)
      for (std::int64_t cols : {15, 33, 1001}) expect_few_rows_match<float>(rows, cols);
  });
}

TEST(Broadcast, OverFewRowsOverwritesItsOperandOfManyColumns) {
  for (std::int64_t cols : {1001, 100001}) {
    auto a = random_matrix<float>(7, cols);
    const auto column = random_matrix<float>(7, 1), row = random_matrix<float>(1, cols);
    const Eigen::MatrixXf expected =
        (from_matrix_cl(a).colwise() + from_matrix_cl(column).col(0)).rowwise() - from_matrix_cl(row).row(0);
    a = a + rowwise_broadcast(column) - colwise_broadcast(row);
    EXPECT_TRUE(from_matrix_cl(a) == expected) << cols;
  }
}

TEST(Broadcast, OfALongColumnIsWalkedInBlocks) {
  const std::int64_t rows = 4 * (3 * 131072 + 7), cols = 3;
  const auto a = random_matrix<float>(rows, cols), column = random_matrix<float>(rows, 1);
  const Eigen::MatrixXf sum = from_matrix_cl(a).colwise() + from_matrix_cl(column).col(0);
  const matrix_cl<float> found = a + rowwise_broadcast(column);
  EXPECT_TRUE(from_matrix_cl(found) == sum);
}

TYPED_TEST(Broadcast, OfAnExpressionIsFused) {
  FUSECL_TYPE_OR_SKIP;
  for (const auto [rows, cols] : few_sizes()) {
    const auto column = random_matrix<T>(rows, 1), row = random_matrix<T>(1, cols);
    expect_matches_reference(rowwise_broadcast(column + T(1)) - colwise_broadcast(elt_multiply(row, row)) +
                             constant(T(2), rows, cols));
  }
}

TYPED_TEST(Broadcast, IsOptionalWhereTheSizeIsOne) {
  FUSECL_TYPE_OR_SKIP;
  const auto a = random_matrix<T>(7, 5), wide = random_matrix<T>(7, 5);
  const auto column = random_matrix<T>(7, 1), row = random_matrix<T>(1, 5), element = random_matrix<T>(1, 1);
  expect_matches_reference(a + rowwise_optional_broadcast(column));
  expect_matches_reference(a + rowwise_optional_broadcast(wide));
  expect_matches_reference(a + colwise_optional_broadcast(row));
  expect_matches_reference(a + colwise_optional_broadcast(wide));
  const auto both_ways = [&](const matrix_cl<T>& b) {
    expect_matches_reference(a + optional_broadcast<true, true>(b));
  };
  for (int round = 0; round < 2; ++round) {
    both_ways(element);
    both_ways(column);
    both_ways(row);
    both_ways(wide);
  }
}

TYPED_TEST(Broadcast, ConstantsAndRepeatedScalarsHaveTheirSize) {
  FUSECL_TYPE_OR_SKIP;
  for (const auto [rows, cols] : few_sizes())
    for (const T value : {T(0), T(1), T(7)})
      EXPECT_ALL_MATCH_REFERENCE(constant(value, rows, cols), rep_matrix(value, rows, cols));
  for (const std::int64_t n : {0, 1, 3, 71}) {
    expect_matches_reference(rep_vector(T(3), n));
    expect_matches_reference(rep_row_vector(T(3), n));
  }
  expect_matches_reference(random_matrix<T>(7, 5) + constant(T(3)));
  expect_matches_reference(rep_matrix(sum(random_matrix<T>(7, 5)), 3, 4));
}

TYPED_TEST(Broadcast, ResultsHaveTheViewOfTheirOperands) {
  FUSECL_TYPE_OR_SKIP;
  const auto lower = random_matrix<T>(9, 9, matrix_cl_view::Lower),
             upper = random_matrix<T>(9, 9, matrix_cl_view::Upper);
  EXPECT_EQ((lower + upper).view(), matrix_cl_view::Entire);
  EXPECT_EQ((lower + lower).view(), matrix_cl_view::Lower);
  EXPECT_EQ(elt_multiply(lower, upper).view(), matrix_cl_view::Diagonal);
  EXPECT_EQ((lower + T(1)).view(), matrix_cl_view::Entire);
  const matrix_cl<T> scaled = lower * T(3), shifted = lower + T(3);
  EXPECT_EQ(scaled.view(), matrix_cl_view::Lower);
  EXPECT_EQ(shifted.view(), matrix_cl_view::Entire);
}

TEST(Index, IsTheZeroBasedNumber) {
  for (const auto [rows, cols] : all_sizes()) {
    const auto a = random_matrix<int>(rows, cols);
    EXPECT_ALL_MATCH_REFERENCE(row_index(rows, cols), col_index(rows, cols),
                               a + row_index() * 3 - col_index(), select(row_index() == col_index(), a, 0));
  }
  expect_matches_reference(rowwise_sum(row_index(71, 33) + col_index(71, 33)));
  expect_matches_reference(sum(elt_multiply(row_index(71, 33), col_index(71, 33))));
}

/// Every pair of views is a kernel of its own: two types stand for all.
template <class T>
void check_views(const std::vector<size_pair>& sizes) {
  for (const matrix_cl_view left : all_views)
    for (const matrix_cl_view right : all_views)
      for (const auto [rows, cols] : sizes) {
        const auto a = random_matrix<T>(rows, cols, left), b = random_matrix<T>(rows, cols, right);
        EXPECT_ALL_MATCH_REFERENCE(a + b, elt_multiply(a, b), a - b, a + T(1), select(a > b, a, b));
      }
}

TEST(View, OfOperandsIsHonoured) { check_views<float>({{1, 1}, {9, 9}, {71, 33}, {33, 71}}); }
TEST(View, OfIntegerOperandsIsHonoured) { check_views<int>({{33, 71}}); }

TEST(BroadcastVectors, MakeRowsOfAnyLength) {
  // Mesa's llvmpipe, a device without double, ends every loop after 65535 rounds
  const std::int64_t wide = device_has_double() ? 66000 : 12001;
  in_both_forms([wide] {
    for (const std::int64_t cols : {std::int64_t{300}, wide}) {
      // no operand has the shape of what is reduced: nothing of it is held from one phase to the next
      const host<float> v = random_host<float>(32, 1), w = random_host<float>(1, cols);
      const auto outer =
          shared(rowwise_broadcast(matrix_cl<float>(v)) + colwise_broadcast(matrix_cl<float>(w)));
      const host<float> found = from_matrix_cl(
          matrix_cl<float>(rowwise_sum(exp(outer - rowwise_broadcast(rowwise_max(outer) * 1.5f)))));
      const Eigen::ArrayXXd both = (v.replicate(1, cols) + w.replicate(32, 1)).array().cast<double>();
      const Eigen::ArrayXd top = 1.5 * both.rowwise().maxCoeff();
      const Eigen::ArrayXd wanted = (both.colwise() - top).exp().rowwise().sum();
      for (Eigen::Index i = 0; i < 32; ++i)
        EXPECT_NEAR(found(i), wanted(i), 1e-3 * wanted(i)) << i << " of " << cols << " columns";
    }
  });
}

TEST(View, OfATargetIsThatOfTheLastAssignment) {
  auto target = random_matrix<float>(9, 9, matrix_cl_view::Lower);
  target = random_matrix<float>(9, 9) + 1.0f;
  EXPECT_EQ(target.view(), matrix_cl_view::Entire);
  const auto upper = random_matrix<float>(9, 9, matrix_cl_view::Upper);
  const expected_values wanted = expected(upper * 2.0f);
  target = upper * 2.0f;
  EXPECT_EQ(target.view(), matrix_cl_view::Upper);
  expect_matches(target, wanted);
}

TEST(View, DeclaredLaterIsHonoured) {
  host<float> values = random_host<float>(9, 7);
  matrix_cl<float> a(values);
  a.view(matrix_cl_view::Lower);
  host<float> lower = values;
  lower.triangularView<Eigen::StrictlyUpper>().setZero();
  expect_same<float>(from_matrix_cl(a), lower);
  expect_same<float>(from_matrix_cl<host<float>>(a + 0.25f), (lower.array() + 0.25f).matrix());
  a.view(matrix_cl_view::Entire);
  expect_same<float>(from_matrix_cl(a), values);
}

TEST(Broadcast, AConstantBesideScalarsFitsAnySize) {
  const auto a = random_matrix<float>(6, 1);
  const scalar_cl<float> s(2.0f);
  matrix_cl<float> c;
  EXPECT_EQ(fma(constant(1.0f), sum(a), 2.0f).rows(), free_size);
  expect_matches(matrix_cl<float>(a + fma(constant(1.0f), sum(a), 2.0f)), expected(a + (sum(a) + 2.0f)));
  expect_matches(matrix_cl<float>(a + fma(constant(1.0f), 3.0f, s)), expected(a + 5.0f));
  expect_matches(matrix_cl<float>(a + select(constant(true), sum(a), 2.0f)), expected(a + sum(a)));
  EXPECT_THROW(c = fma(constant(1.0f), sum(a), 2.0f), std::invalid_argument);
}

}  // namespace
}  // namespace fusecl
