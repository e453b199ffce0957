// Batches of small matrices without races or accesses out of bounds: sizes at the edges of tiles and groups.

#include <array>
#include <vector>

#include <gtest/gtest.h>

#include <fusion/fusion.hpp>

namespace fusecl {
namespace {

using host = Eigen::MatrixXf;

/// Symmetric positive definite matrices side by side.
host positive_definite(int n, int count) {
  host all(n, n * count);
  for (int k = 0; k < count; ++k) {
    const host m = host::Random(n, n);
    all.middleCols(k * n, n) = m * m.transpose() + host::Identity(n, n) * static_cast<float>(n);
  }
  return all;
}

TEST(BatchesWithoutRaces, Products) {
  for (const auto [n, k, m, count] :
       std::vector<std::array<int, 4>>{{3, 5, 2, 19}, {8, 9, 7, 5}, {33, 17, 18, 2}, {70, 3, 5, 2}}) {
    const host a = host::Random(n, k * count), b = host::Random(m, k * count);
    const host c =
        from_matrix_cl(batched_multiply(matrix_cl<float>(a), transpose_each(matrix_cl<float>(b)), count));
    for (int i = 0; i < count; ++i)
      EXPECT_TRUE(c.middleCols(i * m, m).isApprox(a.middleCols(i * k, k) * b.middleCols(i * k, k).transpose(),
                                                  1e-4f));
  }
}

TEST(BatchesWithoutRaces, FactorsInversesAndSystems) {
  for (const auto [n, count] : std::vector<std::array<int, 2>>{{3, 23}, {9, 5}, {33, 1}}) {
    const host a = positive_definite(n, count), b = host::Random(n, 5 * count);
    const matrix_cl<float> l = batched_cholesky_decompose(matrix_cl<float>(a)),
                           inverse = batched_tri_inverse(l);
    const host again = from_matrix_cl(batched_multiply(l, transpose_each(l), count)),
               one = from_matrix_cl(batched_multiply(l, inverse, count)),
               x = from_matrix_cl(batched_mdivide_left_tri_low(
                   transpose_each(l), batched_mdivide_left_tri_low(l, matrix_cl<float>(b))));
    EXPECT_TRUE(again.isApprox(a, 1e-4f));
    for (int k = 0; k < count; ++k) {
      EXPECT_TRUE(one.middleCols(k * n, n).isApprox(host::Identity(n, n), 1e-4f));
      EXPECT_TRUE((a.middleCols(k * n, n) * x.middleCols(5 * k, 5)).isApprox(b.middleCols(5 * k, 5), 1e-3f));
    }
  }
}

}  // namespace
}  // namespace fusecl
