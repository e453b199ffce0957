// Batches of many small matrices against the host interpreter and against what each matrix gives by itself,
// in both forms of kernels: sizes at the edges of tiles, transposed operands, what is computed in the loads
// and after the result, and what cannot be done.

#include <limits>
#include <vector>

#include <support/both_forms.hpp>
#include <support/compare.hpp>
#include <support/messages.hpp>

#include <fusion/eval/packed_copy.hpp>
#include <fusion/runtime/counters.hpp>

namespace fusecl {
namespace {

using namespace test;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Number of kernels that the statement launches.
template <class Statement>
std::uint64_t launches(Statement run) {
  run();  // builds what it needs
  const counters before = runtime_counters();
  run();
  return (runtime_counters() - before).launches;
}

struct product_of {
  int n, k, m, count;
};

class BatchedProduct : public ::testing::TestWithParam<product_of> {
 protected:
  void SetUp() override { FUSECL_NEEDS_DOUBLE; }
  int n = GetParam().n, k = GetParam().k, m = GetParam().m, count = GetParam().count;
};

TEST_P(BatchedProduct, IsThatOfEachMatrixInAllLayouts) {
  const auto a = numbers(n, k * count), b = numbers(k, m * count), at = numbers(k, n * count),
             bt = numbers(m, k * count);
  in_both_forms([&] {
    expect_matches_reference(batched_multiply(a, b, count));
    expect_matches_reference(batched_multiply(transpose_each(at), b, count));
    expect_matches_reference(batched_multiply(a, transpose_each(bt), count));
    expect_matches_reference(batched_multiply(transpose_each(at), transpose_each(bt), count));
  });
}

/// Of fewer sizes: each statement has kernels of its own.
class BatchedProductInExpressions : public BatchedProduct {};

TEST_P(BatchedProductInExpressions, IsOneOfTheirParts) {
  const auto a = numbers(n, k * count), b = numbers(k, m * count), c = numbers(n, m * count),
             row = numbers(1, m * count), column = numbers(k, 1);
  in_both_forms([&] {
    expect_matches_reference(exp(batched_multiply(2.5 * a, sin(b), count)) - c);
    expect_matches_reference(batched_multiply(a, b + rowwise_broadcast(column), count) +
                             colwise_broadcast(row));
    expect_matches_reference(sum(square(batched_multiply(a, b, count) - c)));
    expect_matches_reference(transpose(batched_multiply(a, b, count)) + transpose(c));
  });
}

INSTANTIATE_TEST_SUITE_P(Sizes, BatchedProduct,
                         ::testing::Values(product_of{0, 3, 4, 2}, product_of{3, 0, 4, 2},
                                           product_of{3, 4, 0, 2}, product_of{3, 4, 2, 0},
                                           product_of{1, 1, 1, 1}, product_of{1, 1, 1, 9},
                                           product_of{1, 3, 1, 5}, product_of{3, 5, 2, 129},
                                           product_of{4, 4, 4, 65}, product_of{8, 9, 8, 15},
                                           product_of{32, 32, 32, 5}, product_of{33, 31, 34, 2},
                                           product_of{65, 3, 129, 2}, product_of{2, 130, 70, 3}));

INSTANTIATE_TEST_SUITE_P(Sizes, BatchedProductInExpressions,
                         ::testing::Values(product_of{0, 3, 4, 2}, product_of{3, 0, 4, 2},
                                           product_of{1, 3, 1, 5}, product_of{8, 9, 8, 15},
                                           product_of{33, 5, 70, 2}));

/// Each matrix of the device's batch against Eigen's product of what the reference has no part in.
TEST(BatchedProductOf, MatricesIsEigens) {
  FUSECL_NEEDS_DOUBLE;
  const int n = 5, k = 7, m = 3, count = 11;
  const host<double> a = from_matrix_cl(numbers(n, k * count)), b = from_matrix_cl(numbers(k, m * count));
  in_both_forms([&] {
    const host<double> c =
        from_matrix_cl(batched_multiply(matrix_cl<double>(a), matrix_cl<double>(b), count));
    for (int i = 0; i < count; ++i) {
      const host<double> own = a.middleCols(i * k, k) * b.middleCols(i * m, m);
      EXPECT_LE((c.middleCols(i * m, m) - own).cwiseAbs().maxCoeff(), 1e-14) << i;
    }
  });
}

TEST(BatchedProductOf, FloatsAndIntegers) {
  const auto f = numbers<float>(9, 33 * 6), g = numbers<float>(33, 17 * 6);
  const matrix_cl<int> i(random_host<int>(6, 35, -2e9, 2e9)), j(random_host<int>(5, 21, -2e9, 2e9));
  in_both_forms([&] {
    expect_matches_reference(batched_multiply(f, g, 6) * 0.5f);
    expect_matches_reference(batched_multiply(i, j, 7));
    expect_matches_reference(batched_multiply(transpose_each(i), i, 7) % 17);
  });
  FUSECL_NEEDS_DOUBLE;
  const auto d = numbers(33, 17 * 6);
  in_both_forms([&] { expect_matches_reference(batched_multiply(f, d, 6)); });
}

TEST(BatchedProductOf, ViewsPartsAndTransposes) {
  FUSECL_NEEDS_DOUBLE;
  host<double> poisoned = from_matrix_cl(numbers(6, 6));
  poisoned.triangularView<Eigen::StrictlyUpper>().setConstant(nan);
  const matrix_cl<double> lower(poisoned, matrix_cl_view::Lower);
  const auto a = numbers(20, 30), b = numbers(6, 12), tall = numbers(12, 6);
  in_both_forms([&] {
    expect_matches_reference(batched_multiply(lower, b, 1));
    expect_matches_reference(batched_multiply(block_zero_based(a, 3, 5, 7, 12), b, 2));
    expect_matches_reference(batched_multiply(transpose(tall), b, 2));
    expect_matches_reference(batched_multiply(transpose_each(transpose(tall)), b, 2));
    expect_matches_reference(batched_multiply(b, transpose_each(exp(transpose(tall))), 2));
    expect_matches_reference(batched_multiply(b, b, 2) + batched_multiply(transpose_each(b), b, 2));
  });
}

TEST(BatchedProductOf, WhatIsNotFiniteStaysInItsMatrixRowAndColumn) {
  FUSECL_NEEDS_DOUBLE;
  const int n = 5, count = 6;
  host<double> a = from_matrix_cl(numbers(n, n * count)), b = from_matrix_cl(numbers(n, n * count));
  a(2, 1 * n + 3) = nan;
  b(3, 4 * n + 1) = infinity;
  in_both_forms([&] {
    const host<double> c =
        from_matrix_cl(batched_multiply(matrix_cl<double>(a), matrix_cl<double>(b), count));
    for (int j = 0; j < c.cols(); ++j)
      for (int i = 0; i < n; ++i) {
        const bool wrong = (j / n == 1 && i == 2) || j == 4 * n + 1;
        EXPECT_EQ(std::isfinite(c(i, j)), !wrong) << i << " " << j;
      }
  });
}

TEST(BatchedProductOf, OwnOperandsAndTargets) {
  FUSECL_NEEDS_DOUBLE;
  const int n = 6, count = 9;
  const host<double> h = from_matrix_cl(numbers(n, n * count));
  in_both_forms([&] {
    const host<double> square =
        from_matrix_cl(batched_multiply(matrix_cl<double>(h), matrix_cl<double>(h), count));
    matrix_cl<double> a(h);
    a = batched_multiply(a, a, count);
    EXPECT_EQ(from_matrix_cl(a), square);
    a = matrix_cl<double>(h);
    a = a + batched_multiply(2.0 * a, a, count);
    const host<double> sum = h + 2 * square;
    EXPECT_LE((from_matrix_cl(a) - sum).cwiseAbs().maxCoeff(), 1e-13);
  });
}

TEST(BatchedProductOf, ExpressionsIsOneLaunch) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = numbers(8, 8 * 10), b = numbers(8, 8 * 10), c = numbers(8, 8 * 10);
  matrix_cl<double> r;
  in_both_forms([&] {
    EXPECT_EQ(launches([&] { r = batched_multiply(a, b, 10); }), 1u);
    EXPECT_EQ(
        launches([&] { r = exp(batched_multiply(2.0 * a - c, transpose_each(sqrt(fabs(b))), 10)) + c; }), 1u);
  });
}

TEST(BatchedProductOf, OtherSizesAndCountsUsesTheSameKernels) {
  FUSECL_NEEDS_DOUBLE;
  in_both_forms([&] {
    for (const int count : {1, 2, 7, 40}) {
      const auto a = numbers(7, 6 * count), b = numbers(6, 5 * count), bt = numbers(5, 6 * count);
      expect_matches_reference(batched_multiply(a, b, count));
      expect_matches_reference(batched_multiply(a, transpose_each(bt), count));
    }
    // the same sizes of operands, another number of matrices
    const auto square = numbers(6, 12), other = numbers(6, 12);
    for (const int count : {1, 2, 3, 6}) {
      const auto a = numbers(6, 12);
      if (count != 2) expect_matches_reference(batched_multiply(transpose_each(a), other, count));
      expect_matches_reference(batched_multiply(transpose_each(square), other, count));
    }
  });
}

TEST(BatchedProductOf, IdentitiesIsTheOtherOperand) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = numbers(7, 7 * 5);
  const auto eye = batch_identity(7, 5);
  in_both_forms([&] {
    EXPECT_EQ(from_matrix_cl(batched_multiply(a, eye, 5)), from_matrix_cl(a));
    EXPECT_EQ(from_matrix_cl(batched_multiply(eye, a, 5)), from_matrix_cl(a));
    const host<double> one = from_matrix_cl(batch_identity(7, 1));
    const host<double> expected = host<double>::Identity(7, 7);
    EXPECT_EQ(one, expected);
    EXPECT_EQ(from_matrix_cl(batch_identity<int>(0, 5)).cols(), 0);
    EXPECT_EQ(from_matrix_cl(batch_identity<float>(3, 0)).rows(), 3);
  });
}

TEST(BatchesOfTheHost, AreOperandsBesideThoseOfTheDevice) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = numbers(4, 12), b = numbers(4, 6);
  const host<double> there = from_matrix_cl(a), sides = from_matrix_cl(b);
  EXPECT_EQ(from_matrix_cl(batched_multiply(there, b, 3)), from_matrix_cl(batched_multiply(a, b, 3)));
  EXPECT_EQ(from_matrix_cl(batched_multiply(transpose_each(a), sides, 3)),
            from_matrix_cl(batched_multiply(transpose_each(a), b, 3)));
  EXPECT_EQ(from_matrix_cl(batched_mdivide_left_tri_low(transpose_each(a), sides)),
            from_matrix_cl(batched_mdivide_left_tri_low(transpose_each(a), b)));
  EXPECT_EQ(from_matrix_cl(batched_mdivide_left_tri_low(there, b)),
            from_matrix_cl(batched_mdivide_left_tri_low(a, b)));
}

TEST(BatchedProductOf, OperandsThatDoNotFit) {
  const matrix_cl<float> a(4, 7), b(3, 6), c(5, 9);
  expect_message<std::invalid_argument>(
      [&] { batched_multiply(a, b, 3); },
      "batched_multiply: the columns of a (4 x 7) must be a multiple of the number of matrices, 3");
  expect_message<std::invalid_argument>(
      [&] { batched_multiply(b, a, 3); },
      "batched_multiply: the columns of b (4 x 7) must be a multiple of the number of matrices, 3");
  expect_message<std::invalid_argument>(
      [&] { batched_multiply(b, c, 3); },
      "batched_multiply: columns of the matrices of a and rows of those of b must match in size: "
      "3 times 3 x 2 and 5 x 3");
  const matrix_cl<float> nothing(4, 0);
  expect_message<std::invalid_argument>(
      [&] { batched_multiply(nothing, transpose_each(nothing), std::int64_t{1} << 62); },
      "batched_multiply: a result of 4611686018427387904 matrices of 4 columns is too large");
  expect_message<std::invalid_argument>(
      [] { batch_identity<float>(4, (std::int64_t{1} << 62) + 1); },
      "batch_identity: a result of 4611686018427387905 matrices of 4 columns is too large");
}

}  // namespace
}  // namespace fusecl
