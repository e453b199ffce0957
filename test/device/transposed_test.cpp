// Transposes that pass through tiles of local memory on a GPU, and blocks that are walked several elements at
// a time: sizes around tiles, maps of all kinds, transposed results, several results, small types.

#include <support/both_forms.hpp>
#include <support/compare.hpp>

namespace fusecl {
namespace {

using namespace test;

const std::vector<std::int64_t> lengths = {0, 1, 17, 31, 32, 33, 64, 65, 100};

/// Tries all pairs of lengths around tiles.
template <class F>
void for_all_sizes(F f) {
  in_both_forms([&] {
    for (const std::int64_t rows : lengths)
      for (const std::int64_t cols : lengths) {
        SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(cols));
        f(rows, cols);
        if (::testing::Test::HasFailure()) return;
      }
  });
}

template <class T>
class Transposed : public ::testing::Test {};
using types = ::testing::Types<double, float, int, bool>;
TYPED_TEST_SUITE(Transposed, types);

TYPED_TEST(Transposed, OperandsOfAllSizes) {
  using T = TypeParam;
  FUSECL_SKIP_WITHOUT_DOUBLE_IF((any_double<T>));
  for_all_sizes([](std::int64_t rows, std::int64_t cols) {
    const auto a = random_matrix<T>(cols, rows), b = random_matrix<T>(cols, rows),
               c = random_matrix<T>(rows, cols);
    EXPECT_ALL_MATCH_REFERENCE(transpose(a), transpose(a) + c, transpose(a) + transpose(b),
                               elt_multiply(transpose(a + b), c) + transpose(b));
  });
}

template <class T>
class WithinSectors : public ::testing::Test {};
using numbers = ::testing::Types<double, float, int>;
TYPED_TEST_SUITE(WithinSectors, numbers);

/// Columns (or rows of transposed results) that begin within a sector of memory, over several tiles.
TYPED_TEST(WithinSectors, ColumnsOfAllSizes) {
  using T = TypeParam;
  FUSECL_SKIP_WITHOUT_DOUBLE_IF((any_double<T>));
  in_both_forms([] {
    for (const std::int64_t rows : {59, 60, 62, 117, 121, 245})
      for (const std::int64_t cols : {61, 66, 131}) {
        SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(cols));
        const auto a = random_matrix<T>(cols, rows), b = random_matrix<T>(rows, cols);
        const auto square = random_matrix<T>(rows + 7, rows + 7);
        auto low = random_matrix<T>(cols, rows);
        low.view(matrix_cl_view::Lower);
        EXPECT_ALL_MATCH_REFERENCE(transpose(a), transpose(a) + b, transpose(elt_multiply(low, a)),
                                   elt_multiply(transpose(low), b));
        EXPECT_ALL_MATCH_REFERENCE(rowwise_broadcast(segment(diagonal(square), 2, rows)) + b);
        EXPECT_ALL_MATCH_REFERENCE(rep_matrix(diagonal(square), 3 * cols));
        matrix_cl<T> r(rows, cols);
        transpose(r) = a;
        const host<T> wanted = from_matrix_cl(a).transpose();
        expect_same<T>(from_matrix_cl(r), wanted);
        transpose(r) += a + transpose(b);
        expect_same<T>(from_matrix_cl(r), wanted + (wanted + from_matrix_cl(b)));
        if (::testing::Test::HasFailure()) return;
      }
  });
}

/// Groups of tiles outside of the triangle end first, and those on its border store in part: whichever comes
/// last, it leaves what others have stored.
TEST(TransposedOf, TrianglesOfAllSizes) {
  in_both_forms([] {
    for (const std::int64_t n : {33, 61, 127, 129, 183, 255}) {
      SCOPED_TRACE(n);
      auto low = random_matrix<float>(n, n), up = random_matrix<float>(n, n);
      low.view(matrix_cl_view::Lower), up.view(matrix_cl_view::Upper);
      const host<float> wanted_up = from_matrix_cl(low).transpose(),
                        wanted_low = from_matrix_cl(up).transpose();
      for (int time = 0; time < 3; ++time) {
        matrix_cl<float> r = constant(7.0f, n, n);
        r = transpose(low);
        expect_same<float>(from_matrix_cl(r), wanted_up);
        r = transpose(up) * 1.0f;
        expect_same<float>(from_matrix_cl(r), wanted_low);
      }
      if (::testing::Test::HasFailure()) return;
    }
  });
}

TEST(TransposedOf, PartsOfMatrices) {
  for_all_sizes([](std::int64_t rows, std::int64_t cols) {
    const auto a = random_matrix<float>(cols + 3, rows + 2), b = random_matrix<float>(rows, cols);
    EXPECT_ALL_MATCH_REFERENCE(transpose(block_zero_based(a, 3, 1, cols, rows)) - b,
                               block_zero_based(transpose(a), 2, 0, rows, cols));
  });
}

TEST(TransposedOf, PartsOfMatricesAreResults) {
  for_all_sizes([](std::int64_t rows, std::int64_t cols) {
    auto a = random_matrix<float>(rows + 3, cols + 4);
    const auto b = random_matrix<float>(cols, rows), c = random_matrix<float>(rows, cols);
    host<float> wanted = from_matrix_cl(a);
    block(transpose(a), 2, 3, cols, rows) = b;
    wanted.block(2, 1, rows, cols) = from_matrix_cl(b).transpose();
    block(transpose(a), 1, 1, cols, rows) += b + transpose(c);
    wanted.block(0, 0, rows, cols) += from_matrix_cl(b).transpose() + from_matrix_cl(c);
    block(a, 2, 4, rows, cols) -= transpose(b);
    wanted.block(1, 3, rows, cols) -= from_matrix_cl(b).transpose();
    transpose(a) *= 2.0f;
    wanted *= 2.0f;
    expect_same<float>(from_matrix_cl(a), wanted);
  });
}

TEST(TransposedOf, SeveralResults) {
  for_all_sizes([](std::int64_t rows, std::int64_t cols) {
    const auto a = random_matrix<float>(cols, rows), b = random_matrix<float>(rows, cols);
    const auto i = random_matrix<int>(cols, rows);
    matrix_cl<float> sum(rows, cols), difference(cols, rows);
    matrix_cl<int> turned(rows, cols);
    matrix_cl<bool> larger(rows, cols);
    results(sum, transpose(difference), turned, larger) =
        expressions(transpose(a) + b, transpose(a) - b, transpose(i), transpose(a) > b);
    const host<float> at = from_matrix_cl(a).transpose(), hb = from_matrix_cl(b);
    expect_same<float>(from_matrix_cl(sum), at + hb);
    expect_same<float>(from_matrix_cl(difference), (at - hb).transpose());
    expect_same<int>(from_matrix_cl(turned), from_matrix_cl(i).transpose());
    expect_same<bool>(from_matrix_cl(larger), (at.array() > hb.array()).matrix());
  });
}

TEST(TransposedOf, TheResultItself) {
  in_both_forms([] {
    for (const std::int64_t n : lengths) {
      auto a = random_matrix<float>(n, n);
      const host<float> before = from_matrix_cl(a);
      a = transpose(a) + a;
      expect_same<float>(from_matrix_cl(a), before.transpose() + before);
      a += transpose(a);
      expect_same<float>(from_matrix_cl(a), 2 * (before.transpose() + before));
    }
  });
}

TEST(TransposedOf, ManyOperandsUseSmallerTiles) {
  in_both_forms([] {
    const auto c = random_matrix<float>(100, 33);
    std::vector<matrix_cl<float>> a;
    for (int k = 0; k < 12; ++k) a.push_back(random_matrix<float>(33, 100));
    EXPECT_ALL_MATCH_REFERENCE(
        c + transpose(a[0] + a[1] + a[2] + a[3] + a[4] + a[5] + a[6]),
        c + transpose(a[0] + a[1] + a[2] + a[3] + a[4] + a[5] + a[6] + a[7] + a[8] + a[9] + a[10] + a[11]));
  });
}

TEST(Blocks, OfAllSizes) {
  for_all_sizes([](std::int64_t rows, std::int64_t cols) {
    auto y = random_matrix<float>(rows + 3, cols + 2);
    const auto a = random_matrix<float>(rows + 3, cols + 2), b = random_matrix<float>(rows, cols);
    EXPECT_ALL_MATCH_REFERENCE(block_zero_based(a, 3, 1, rows, cols),
                               block_zero_based(a, 1, 2, rows, cols) - b,
                               b + rowwise_broadcast(segment(col(a, 2), 2, rows)));
    host<float> wanted = from_matrix_cl(y);
    block_zero_based(y, 2, 1, rows, cols) = block_zero_based(a, 1, 1, rows, cols);
    wanted.block(2, 1, rows, cols) = from_matrix_cl(a).block(1, 1, rows, cols);
    block_zero_based(y, 0, 0, rows, cols) += b;
    wanted.block(0, 0, rows, cols) += from_matrix_cl(b);
    expect_same<float>(from_matrix_cl(y), wanted);
  });
}

}  // namespace
}  // namespace fusecl
