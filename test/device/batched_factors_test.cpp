// Factors, inverses and systems of batches of small matrices against the host interpreter and Eigen, in both
// forms of kernels: sizes at the edges of groups, triangles that nobody may read, what is computed around
// them, and matrices that have no factor.

#include <limits>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <support/both_forms.hpp>
#include <support/compare.hpp>
#include <support/messages.hpp>

#include <fusion/eval/packed_copy.hpp>
#include <fusion/runtime/counters.hpp>

namespace fusecl {
namespace {

using namespace test;

/// Lower triangles that are far from singular, with NaN above them.
template <class T = double>
host<T> triangles(std::int64_t n, std::int64_t count) {
  host<T> all = from_matrix_cl(numbers<T>(n, n * count));
  for (std::int64_t b = 0; b < count; ++b)
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < n; ++i) {
        T& x = all(i, b * n + j);
        x = i < j ? std::numeric_limits<T>::quiet_NaN() : i == j ? x + (x < 0 ? T(-2) : T(2)) : x / T(n);
      }
  return all;
}

struct batch_of {
  int n, count;
};

class BatchedFactor : public ::testing::TestWithParam<batch_of> {
 protected:
  void SetUp() override { FUSECL_NEEDS_DOUBLE; }
  int n = GetParam().n, count = GetParam().count;
};

TEST_P(BatchedFactor, CholeskyReadsLowerTriangles) {
  const matrix_cl<double> a(lower_of_positive_definite(n, count)), c = numbers(n, n * count);
  in_both_forms([&] { expect_matches_reference(exp(batched_cholesky_decompose(a * 2.0)) + c); });
}

TEST_P(BatchedFactor, InversesReadLowerTriangles) {
  const matrix_cl<double> l(triangles(n, count)), c = numbers(n, n * count);
  in_both_forms([&] { expect_matches_reference(c - batched_tri_inverse(l * 0.5)); });
}

TEST_P(BatchedFactor, SystemsReadLowerTriangles) {
  const matrix_cl<double> l(triangles(n, count));
  in_both_forms([&] {
    for (const int m : {3, 34}) {
      const auto b = numbers(n, m * count);
      if (m == 3 || n < 8) expect_matches_reference(batched_mdivide_left_tri_low(l, b));
      if (m != 3 || n < 8)
        expect_matches_reference(batched_mdivide_left_tri_low(transpose_each(l), 2.5 * b) - b);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Sizes, BatchedFactor,
                         ::testing::Values(batch_of{0, 0}, batch_of{1, 1}, batch_of{1, 70}, batch_of{3, 41},
                                           batch_of{8, 9}, batch_of{17, 5}, batch_of{33, 2}, batch_of{64, 3},
                                           batch_of{65, 2}, batch_of{128, 1}));

TEST(BatchedFactorOf, MatricesIsEigens) {
  FUSECL_NEEDS_DOUBLE;
  const int n = 13, count = 9, m = 4;
  const host<double> s = lower_of_positive_definite(n, count), hb = from_matrix_cl(numbers(n, m * count));
  const matrix_cl<double> a(s), b(hb);
  in_both_forms([&] {
    const matrix_cl<double> l = batched_cholesky_decompose(a);
    const host<double> factors = from_matrix_cl(l), inverses = from_matrix_cl(batched_tri_inverse(l)),
                       solutions = from_matrix_cl(batched_mdivide_left_tri_low(
                           transpose_each(l), batched_mdivide_left_tri_low(l, b)));
    for (int k = 0; k < count; ++k) {
      const Eigen::LLT<host<double>> llt(s.middleCols(k * n, n));
      const host<double> factor = llt.matrixL(), inverse = factor.inverse(),
                         solution = llt.solve(hb.middleCols(k * m, m));
      EXPECT_LE((factors.middleCols(k * n, n) - factor).cwiseAbs().maxCoeff(), 1e-13);
      EXPECT_LE((inverses.middleCols(k * n, n) - inverse).cwiseAbs().maxCoeff(), 1e-13);
      EXPECT_LE((solutions.middleCols(k * m, m) - solution).cwiseAbs().maxCoeff(), 1e-13);
    }
  });
}

TEST(BatchedFactorOf, FloatsAndIntegers) {
  const matrix_cl<float> a(lower_of_positive_definite<float>(19, 7)), l(triangles<float>(19, 7)),
      b = numbers<float>(19, 5 * 7);
  in_both_forms([&] {
    expect_matches_reference(batched_cholesky_decompose(a) * 0.5f);
    expect_matches_reference(batched_tri_inverse(l));
    expect_matches_reference(batched_mdivide_left_tri_low(l, b));
  });
  FUSECL_NEEDS_DOUBLE;
  const matrix_cl<int> nine(host<int>(host<int>::Identity(5, 5) * 9));
  const host<double> three = host<double>::Identity(5, 5) * 3;
  EXPECT_EQ(from_matrix_cl(batched_cholesky_decompose(nine)), three);
}

TEST(BatchedFactorOf, PartsAndOwnTargets) {
  FUSECL_NEEDS_DOUBLE;
  const host<double> s = lower_of_positive_definite(6, 8, 0.0);
  const matrix_cl<double> a(s), turned(host<double>(s.leftCols(6).transpose()));
  in_both_forms([&] {
    expect_matches_reference(batched_cholesky_decompose(block_zero_based(a, 0, 6, 6, 18)));
    expect_matches_reference(batched_cholesky_decompose(transpose(turned)));
    const host<double> factors = from_matrix_cl(batched_cholesky_decompose(a));
    matrix_cl<double> x(s);
    x = batched_cholesky_decompose(x);
    EXPECT_EQ(from_matrix_cl(x), factors);
    const host<double> inverses = from_matrix_cl(batched_tri_inverse(x));
    x = batched_tri_inverse(x);
    EXPECT_EQ(from_matrix_cl(x), inverses);
    EXPECT_LE((from_matrix_cl(batched_multiply(x, matrix_cl<double>(factors), 8)) -
               from_matrix_cl(batch_identity(6, 8)))
                  .cwiseAbs()
                  .maxCoeff(),
              1e-14);
  });
}

TEST(BatchedFactorOf, TheFirstMatrixThatIsNotPositiveDefiniteIsNamed) {
  const int n = 6, count = 40;
  for (const int first : {0, 7, 39}) {
    host<float> s = lower_of_positive_definite<float>(n, count);
    s(3, first * n + 3) = -5;
    if (first < 39) s(0, 39 * n) = 0;
    const matrix_cl<float> a(s);
    in_both_forms([&] {
      matrix_cl<float> l(n, n * count);
      expect_message<std::domain_error>(
          [&] {
            l = batched_cholesky_decompose(a);  // nobody waits here, unless statements are validated
            from_matrix_cl(l);
          },
          "batched_cholesky_decompose: matrix number " + std::to_string(first) +
              ", counted from 0, is not positive definite: pivot 4 is -");
      const host<float> h = from_matrix_cl(l);  // the failure was told
      for (int j = 0; j < n; ++j)
        for (int i = j; i < n; ++i) {
          EXPECT_EQ(std::isnan(h(i, first * n + j)), j >= 3) << i << " " << j;
          EXPECT_FALSE(std::isnan(h(i, 5 * n + j)));
        }
    });
  }
}

TEST(BatchedFactorOf, NaNInAMatrixIsABadPivotOfIt) {
  FUSECL_NEEDS_DOUBLE;
  host<double> s = lower_of_positive_definite(70, 3);
  s(66, 70 + 65) = std::numeric_limits<double>::quiet_NaN();
  const matrix_cl<double> a(s);
  in_both_forms([&] {
    expect_message<std::domain_error>(
        [&] { from_matrix_cl(matrix_cl<double>(batched_cholesky_decompose(a))); },
        "matrix number 1, counted from 0, is not positive definite: pivot 67 is");
  });
  const matrix_cl<double> good(lower_of_positive_definite(70, 3));
  in_both_forms([&] { EXPECT_NO_THROW(from_matrix_cl(batched_cholesky_decompose(good))); });
}

TEST(BatchedFactorOf, ASideThatIsNaNStaysInItsColumn) {
  FUSECL_NEEDS_DOUBLE;
  const int n = 9, m = 5, count = 4;
  host<double> b = from_matrix_cl(numbers(n, m * count));
  b(4, 2 * m + 1) = std::numeric_limits<double>::quiet_NaN();
  const matrix_cl<double> l(triangles(n, count)), sides(b);
  in_both_forms([&] {
    const host<double> x = from_matrix_cl(batched_mdivide_left_tri_low(l, sides));
    for (int j = 0; j < x.cols(); ++j)
      for (int i = 0; i < n; ++i) EXPECT_EQ(std::isnan(x(i, j)), j == 2 * m + 1 && i >= 4) << i << " " << j;
  });
}

TEST(BatchedFactorOf, ExpressionsIsOneLaunchAndOneThatLooks) {
  FUSECL_NEEDS_DOUBLE;
  const matrix_cl<double> a(lower_of_positive_definite(8, 10)), l(triangles(8, 10)), b = numbers(8, 20);
  matrix_cl<double> r;
  const auto launches = [](auto run) {
    run();  // builds what it needs
    const counters before = runtime_counters();
    run();
    return (runtime_counters() - before).launches;
  };
  in_both_forms([&] {
    EXPECT_EQ(launches([&] { r = exp(batched_cholesky_decompose(a + 0.5 * a)); }), 2u);
    EXPECT_EQ(launches([&] { r = batched_tri_inverse(2.0 * l) - l; }), 1u);
    EXPECT_EQ(launches([&] { r = sin(batched_mdivide_left_tri_low(l, cos(b))); }), 1u);
  });
}

TEST(BatchedFactorOf, SizesThatDoNotFit) {
  const matrix_cl<float> a(5, 12), square(4, 12), b(4, 7), large(129, 258);
  expect_message<std::invalid_argument>([&] { batched_cholesky_decompose(a); },
                                        "batched_cholesky_decompose: the columns of a (5 x 12) must be a "
                                        "multiple of its rows: square matrices side by side");
  expect_message<std::invalid_argument>(
      [&] { batched_tri_inverse(large); },
      "batched_tri_inverse: matrices of a batch have at most 128 rows, these "
      "are 129 x 129; larger ones are factored one by one");
  expect_message<std::invalid_argument>(
      [&] { batched_mdivide_left_tri_low(square, b); },
      "batched_mdivide_left_tri_low: b (4 x 7) must have as many rows as a (4 x 12) and a multiple of 3 "
      "columns, some for each matrix");
}

}  // namespace
}  // namespace fusecl
