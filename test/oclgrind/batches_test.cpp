// Batches of small matrices without races or accesses out of bounds: sizes at the edges of tiles and groups.

#include <array>
#include <vector>

#include <support/operands.hpp>

namespace fusecl {
namespace {

using namespace test;
using matrix = Eigen::MatrixXf;

TEST(BatchesWithoutRaces, Products) {
  for (const auto [n, k, m, count] :
       std::vector<std::array<int, 4>>{{3, 5, 2, 19}, {8, 9, 7, 5}, {33, 17, 18, 2}, {70, 3, 5, 2}}) {
    const matrix a = random_host<float>(n, k * count, -1, 1), b = random_host<float>(m, k * count, -1, 1);
    const matrix c =
        from_matrix_cl(batched_multiply(matrix_cl<float>(a), transpose_each(matrix_cl<float>(b)), count));
    for (int i = 0; i < count; ++i)
      EXPECT_TRUE(c.middleCols(i * m, m).isApprox(a.middleCols(i * k, k) * b.middleCols(i * k, k).transpose(),
                                                  1e-4f));
  }
}

TEST(BatchesWithoutRaces, FactorsInversesAndSystems) {
  for (const auto [n, count] : std::vector<std::array<int, 2>>{{3, 23}, {9, 5}, {33, 1}}) {
    const matrix a = positive_definite<float>(n, count), b = random_host<float>(n, 5 * count, -1, 1);
    const matrix_cl<float> l = batched_cholesky_decompose(matrix_cl<float>(a)),
                           inverse = batched_tri_inverse(l);
    const matrix again = from_matrix_cl(batched_multiply(l, transpose_each(l), count)),
                 one = from_matrix_cl(batched_multiply(l, inverse, count)),
                 x = from_matrix_cl(batched_mdivide_left_tri_low(
                     transpose_each(l), batched_mdivide_left_tri_low(l, matrix_cl<float>(b))));
    EXPECT_TRUE(again.isApprox(a, 1e-4f));
    for (int k = 0; k < count; ++k) {
      EXPECT_TRUE(one.middleCols(k * n, n).isApprox(matrix::Identity(n, n), 1e-4f));
      EXPECT_TRUE((a.middleCols(k * n, n) * x.middleCols(5 * k, 5)).isApprox(b.middleCols(5 * k, 5), 1e-3f));
    }
  }
}

}  // namespace
}  // namespace fusecl
