// Products of matrices against Eigen and the host interpreter, in both forms of kernels: every layout of the
// operands, sizes at the edges of tiles, what follows from a product in its kernel, and what that costs.

#include <limits>

#include <support/both_forms.hpp>
#include <support/compare.hpp>

#include <fusion/runtime/counters.hpp>

namespace fusecl {
namespace {

using namespace test;

template <class T>
matrix_cl<T> numbers(std::int64_t rows, std::int64_t cols, matrix_cl_view view = matrix_cl_view::Entire) {
  return random_matrix<T>(rows, cols, view, -1, 1);
}

struct product_sizes {
  int n, k, m;
};

class MatrixProduct : public ::testing::TestWithParam<product_sizes> {
 protected:
  void SetUp() override { FUSECL_NEEDS_DOUBLE; }
  int n = GetParam().n, k = GetParam().k, m = GetParam().m;
};

TEST_P(MatrixProduct, IsTheSumOfProductsInAllLayouts) {
  const auto a = numbers<double>(n, k), b = numbers<double>(k, m), at = numbers<double>(k, n),
             bt = numbers<double>(m, k);
  in_both_forms([&] {
    expect_matches_reference(a * b);
    expect_matches_reference(transpose(at) * b);
    expect_matches_reference(a * transpose(bt));
    expect_matches_reference(transpose(at) * transpose(bt));
  });
}

TEST_P(MatrixProduct, IsFinishedWhereItIsComputed) {
  const auto a = numbers<double>(n, k), b = numbers<double>(k, m), c = numbers<double>(n, m),
             column = numbers<double>(n, 1), row = numbers<double>(1, m);
  in_both_forms([&] {
    expect_matches_reference(exp(a * b + c));
    expect_matches_reference(2.5 * (a * b) - 0.5 * c);
    expect_matches_reference(a * b + rowwise_broadcast(column) + colwise_broadcast(row));
    expect_matches_reference(sum(square(a * b - c)));
    expect_matches_reference(transpose(a * b) + transpose(c));
  });
}

INSTANTIATE_TEST_SUITE_P(
    Sizes, MatrixProduct,
    ::testing::Values(product_sizes{0, 3, 4}, product_sizes{3, 0, 4}, product_sizes{3, 4, 0},
                      product_sizes{2, 2, 2}, product_sizes{7, 5, 3}, product_sizes{33, 17, 31},
                      product_sizes{64, 16, 64}, product_sizes{65, 33, 63}, product_sizes{97, 129, 49},
                      product_sizes{2, 300, 2}, product_sizes{193, 257, 193}));

}  // namespace
}  // namespace fusecl
