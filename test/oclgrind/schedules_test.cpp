// Every kind of kernel, in the form FUSECL_SCHEDULE asks for, at sizes that leave ragged ends: small enough
// for an interpreting device that reports races and accesses out of bounds.

#include <support/compare.hpp>
#include <support/guarded.hpp>

namespace fusecl {
namespace {

using namespace test;

const std::vector<size_pair> sizes = {{1, 1},  {3, 1},   {1, 3},   {17, 5}, {16, 8},
                                      {5, 37}, {300, 2}, {71, 33}, {9, 71}, {600, 7}};

template <class T>
class Schedule : public ::testing::Test {};
using types = ::testing::Types<double, float, int, bool>;
TYPED_TEST_SUITE(Schedule, types);

#define FUSECL_TYPE_OR_SKIP \
  using T = TypeParam;      \
  FUSECL_SKIP_WITHOUT_DOUBLE_IF((any_double<T>))

TYPED_TEST(Schedule, Linear) {
  FUSECL_TYPE_OR_SKIP;
  for (const auto [rows, cols] : sizes) {
    const auto a = random_matrix<T>(rows, cols), b = random_matrix<T>(rows, cols);
    EXPECT_ALL_MATCH_REFERENCE(a + b, a < b, sum(a), max_2d(b));
  }
}

TYPED_TEST(Schedule, Tiled) {
  FUSECL_TYPE_OR_SKIP;
  for (const auto [rows, cols] : sizes) {
    const auto a = random_matrix<T>(rows, cols, matrix_cl_view::Lower);
    const auto row = random_matrix<T>(1, cols), column = random_matrix<T>(rows, 1);
    EXPECT_ALL_MATCH_REFERENCE(a + rowwise_broadcast(column) - colwise_broadcast(row) + row_index(),
                               sum(a + row_index()));
  }
}

TYPED_TEST(Schedule, RowsAndColumns) {
  FUSECL_TYPE_OR_SKIP;
  for (const auto [rows, cols] : sizes) {
    const auto a = random_matrix<T>(rows, cols);
    EXPECT_ALL_MATCH_REFERENCE(rowwise_sum(a), colwise_max(a));
    expect_matches_reference(a - rowwise_broadcast(rowwise_max(a)));
    expect_matches_reference(colwise_min(a) + T(1));
  }
}

TYPED_TEST(Schedule, UnpaddedBuffers) {
  FUSECL_TYPE_OR_SKIP;
  for (const auto [rows, cols] : sizes) {
    // without guard bands, so that an access past the end is one out of bounds
    const host<T> values = random_host<T>(rows, cols);
    cl::Buffer buffer(opencl_context.context(), CL_MEM_READ_WRITE,
                      static_cast<std::size_t>(values.size()) * sizeof(T));
    opencl_context.queue().enqueueWriteBuffer(
        buffer, CL_TRUE, 0, static_cast<std::size_t>(values.size()) * sizeof(T), values.data());
    matrix_cl<T> a(buffer, rows, cols);
    EXPECT_ALL_MATCH_REFERENCE(-a, sum(a));
    EXPECT_ALL_MATCH_REFERENCE(rowwise_sum(a), colwise_sum(a));
    const expected_values wanted = expected(cast<T>(a + T(1)));
    a = a + T(1);
    expect_matches(a, wanted);
  }
}

/// Beyond two panels of columns, so that one of them is subtracted while another one is factored.
TEST(Schedule, CholeskyInPanels) {
  const host<float> own = random_host<float>(130, 3, -1.0f, 1.0f);
  const matrix_cl<float> a(host<float>(own * own.transpose() + host<float>::Identity(130, 130) * 4.0f));
  expect_matches_reference(cholesky_decompose(a));
}

/// Beyond a block that goes by tiles alone, of odd size: products of blocks and with vectors.
TEST(Schedule, TrianglesInBlocks) {
  const host<float> own = random_host<float>(71, 71, -0.1f, 0.1f) + host<float>::Identity(71, 71);
  const matrix_cl<float> a(own), b(random_matrix<float>(71, 5)), c(random_matrix<float>(71, 1));
  expect_matches_reference(mdivide_left_tri_low(a, b));
  expect_matches_reference(mdivide_left_tri<matrix_cl_view::Upper>(transpose(a), c));
  expect_matches_reference(tri_inverse<matrix_cl_view::Upper>(a));
}

/// Less than a group of a block whose columns are far apart.
TEST(Schedule, SmallPartsOfTallMatrices) {
  const auto tall = random_matrix<float>(600, 2), wide = random_matrix<float>(2, 300);
  EXPECT_ALL_MATCH_REFERENCE(block(tall, 1, 1, 3, 2) * 2.0f, block(tall, 598, 1, 3, 2) + 1.0f);
  EXPECT_ALL_MATCH_REFERENCE(row(tall, 600) * 2.0f);
  EXPECT_ALL_MATCH_REFERENCE(sub_row(wide, 2, 290, 11) * 2.0f);
  EXPECT_ALL_MATCH_REFERENCE(diagonal(wide) * 2.0f);
}

TYPED_TEST(Schedule, Factorizations) {
  FUSECL_TYPE_OR_SKIP;
  if constexpr (std::is_floating_point_v<T>) {
    for (const int n : {1, 5, 37}) {
      const host<T> own = random_host<T>(n, n, T(-1), T(1));
      const matrix_cl<T> a(host<T>(own * own.transpose() + host<T>::Identity(n, n) * static_cast<T>(n))),
          b(random_matrix<T>(n, 3));
      expect_matches_reference(cholesky_decompose(a));
      expect_matches_reference(mdivide_left_tri_low(a, b));
      expect_matches_reference(tri_inverse<matrix_cl_view::Upper>(a));
    }
  }
}

TEST(Schedule, SplitReductions) {
  const auto tall = random_matrix<float>(5000, 2), wide = random_matrix<float>(2, 3000);
  EXPECT_ALL_MATCH_REFERENCE(sum(tall), colwise_sum(tall), rowwise_sum(tall));
  EXPECT_ALL_MATCH_REFERENCE(sum(wide), colwise_sum(wide), rowwise_sum(wide));
}

}  // namespace
}  // namespace fusecl
