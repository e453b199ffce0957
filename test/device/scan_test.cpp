// Cumulative sums of rows, columns and vectors: against extended precision on the host, in both forms of
// kernels, around the sizes of chunks; what is fused before and behind them; NaN, views, and results in the
// memory of operands.

#include <limits>

#include <support/both_forms.hpp>
#include <support/compare.hpp>

namespace fusecl {
namespace {

using namespace test;

template <class T>
host<T> scanned_by_host(const host<T>& m, ir::axis axis, bool from_end = false) {
  const bool rows = axis == ir::axis::row;
  host<T> result = m;
  for (Eigen::Index line = 0; line < (rows ? m.rows() : m.cols()); ++line) {
    using wide = std::conditional_t<std::is_integral_v<T>, std::uint32_t, long double>;
    wide total = 0;
    const Eigen::Index length = rows ? m.cols() : m.rows();
    for (Eigen::Index k = 0; k < length; ++k) {
      const Eigen::Index at = from_end ? length - 1 - k : k;
      T& element = rows ? result(line, at) : result(at, line);
      total += static_cast<wide>(element);
      element = static_cast<T>(total);
    }
  }
  return result;
}

template <class T>
void expect_close(const host<T>& found, const host<T>& wanted,
                  std::source_location where = std::source_location::current()) {
  ASSERT_EQ(found.rows(), wanted.rows()) << test::detail::place(where);
  ASSERT_EQ(found.cols(), wanted.cols()) << test::detail::place(where);
  // 3 sqrt(n) roundings of sums that are at most n * 10
  const double n = static_cast<double>(std::max<Eigen::Index>(wanted.rows(), wanted.cols()));
  const double tolerance =
      std::is_integral_v<T> ? 0
                            : 30 * std::sqrt(n) * n * static_cast<double>(std::numeric_limits<T>::epsilon());
  for (Eigen::Index k = 0; k < wanted.size(); ++k)
    ASSERT_NEAR(static_cast<double>(found.data()[k]), static_cast<double>(wanted.data()[k]), tolerance)
        << test::detail::place(where) << ", element " << k << " of " << wanted.rows() << " x "
        << wanted.cols();
}

template <class T>
class Scan : public ::testing::Test {};
using scanned_types = ::testing::Types<int, float, double>;
TYPED_TEST_SUITE(Scan, scanned_types);

#define FUSECL_TYPE_OR_SKIP \
  using T = TypeParam;      \
  FUSECL_SKIP_WITHOUT_DOUBLE_IF((any_double<T>))

TYPED_TEST(Scan, OfRowsAndColumnsAddsWhatComesBefore) {
  FUSECL_TYPE_OR_SKIP;
  // Mesa's llvmpipe, a device without double, ends every loop after 65535 rounds
  const std::int64_t wide = device_has_double() ? 70001 : 12001;
  in_both_forms([wide] {
    for (const auto [rows, cols] :
         std::vector<size_pair>{{0, 3}, {3, 0}, {1, 1}, {71, 33}, {4001, 3}, {70001, 2}, {2, wide}}) {
      const host<T> h = random_host<T>(rows, cols);
      const matrix_cl<T> a(h);
      expect_close<T>(from_matrix_cl(matrix_cl<T>(rowwise_cumulative_sum(a))),
                      scanned_by_host<T>(h, ir::axis::row));
      expect_close<T>(from_matrix_cl(matrix_cl<T>(colwise_cumulative_sum(a))),
                      scanned_by_host<T>(h, ir::axis::column));
    }
  });
}

TYPED_TEST(Scan, OfAVectorGoesAlongItWhicheverWayItLies) {
  FUSECL_TYPE_OR_SKIP;
  in_both_forms([] {
    for (std::int64_t size : {0, 1, 3, 1025, 65537, 1000000}) {
      const host<T> h = random_host<T>(size, 1), flat = h.transpose();
      const matrix_cl<T> column(h), row(flat);
      expect_close<T>(from_matrix_cl(matrix_cl<T>(cumulative_sum(column))),
                      scanned_by_host<T>(h, ir::axis::column));
      expect_close<T>(from_matrix_cl(matrix_cl<T>(cumulative_sum(row))),
                      scanned_by_host<T>(flat, ir::axis::row));
      expect_close<T>(from_matrix_cl(matrix_cl<T>(reverse(cumulative_sum(reverse(column))))),
                      scanned_by_host<T>(h, ir::axis::column, true));
    }
  });
}

TYPED_TEST(Scan, IsFusedWithWhatIsBeforeAndBehindIt) {
  FUSECL_TYPE_OR_SKIP;
  in_both_forms([] {
    for (const auto [rows, cols] : std::vector<size_pair>{{71, 33}, {40001, 1}}) {
      const host<T> h = random_host<T>(rows, cols), g = random_host<T>(rows, cols);
      const matrix_cl<T> a(h), b(g);
      matrix_cl<T> difference, sums, plain;
      results(difference, sums, plain) =
          expressions(colwise_cumulative_sum(a + b) - b, colwise_cumulative_sum(b), a - b);
      expect_close<T>(from_matrix_cl(difference), scanned_by_host<T>(h + g, ir::axis::column) - g);
      expect_close<T>(from_matrix_cl(sums), scanned_by_host<T>(g, ir::axis::column));
      expect_close<T>(from_matrix_cl(plain), h - g);
      const counters before = runtime_counters();
      difference = rowwise_cumulative_sum(a + b) - b;
      EXPECT_LE((runtime_counters() - before).launches, 2);
      expect_close<T>(from_matrix_cl(difference), scanned_by_host<T>(h + g, ir::axis::row) - g);
    }
  });
}

/// An operand is read element by element before the scan and in vectors behind it.
TYPED_TEST(Scan, OfAnotherOrderMeetsTheElementsInTheirOwn) {
  FUSECL_TYPE_OR_SKIP;
  for (const int n : {7, 64}) {
    const auto a = random_matrix<T>(n, n);
    const auto v = random_matrix<T>(n, 1);
    expect_matches_reference(colwise_cumulative_sum(transpose(a)) + a);
    expect_matches_reference(rowwise_cumulative_sum(transpose(a)) - a);
    expect_matches_reference(cumulative_sum(reverse(v)) + v);
  }
}

TYPED_TEST(Scan, MayTakeTheMemoryOfItsOperands) {
  FUSECL_TYPE_OR_SKIP;
  in_both_forms([] {
    for (const auto [rows, cols] : std::vector<size_pair>{{71, 33}, {50001, 1}}) {
      const host<T> h = random_host<T>(rows, cols), g = random_host<T>(rows, cols);
      matrix_cl<T> a(h), b(g);
      a = rowwise_cumulative_sum(a) - b;
      expect_close<T>(from_matrix_cl(a), scanned_by_host<T>(h, ir::axis::row) - g);
      a = matrix_cl<T>(h);
      results(a, b) = expressions(colwise_cumulative_sum(b), colwise_cumulative_sum(a));
      expect_close<T>(from_matrix_cl(a), scanned_by_host<T>(g, ir::axis::column));
      expect_close<T>(from_matrix_cl(b), scanned_by_host<T>(h, ir::axis::column));
    }
  });
}

TEST(Scans, IntegersWrap) {
  in_both_forms([] {
    const host<int> h = host<int>::Constant(5000, 1, std::numeric_limits<int>::max());
    expect_close<int>(from_matrix_cl(matrix_cl<int>(cumulative_sum(matrix_cl<int>(h)))),
                      scanned_by_host<int>(h, ir::axis::column));
  });
}

TEST(Scans, ANanStaysInAllThatFollowIt) {
  in_both_forms([] {
    for (std::int64_t size : {71, 100000}) {
      host<float> h = host<float>::Ones(size, 1);
      h(size / 2) = std::numeric_limits<float>::quiet_NaN();
      const host<float> found = from_matrix_cl(matrix_cl<float>(cumulative_sum(matrix_cl<float>(h))));
      for (std::int64_t k = 0; k < size; ++k) ASSERT_EQ(std::isnan(found(k)), k >= size / 2) << k;
    }
  });
}

TEST(Scans, WhatAViewHidesIsZeroAndNotRead) {
  in_both_forms([] {
    host<float> h = random_host<float>(33, 33);
    h.triangularView<Eigen::StrictlyUpper>().fill(std::numeric_limits<float>::quiet_NaN());
    const matrix_cl<float> a(h, matrix_cl_view::Lower);
    host<float> known = h;
    known.triangularView<Eigen::StrictlyUpper>().setZero();
    expect_close<float>(from_matrix_cl(matrix_cl<float>(rowwise_cumulative_sum(a))),
                        scanned_by_host<float>(known, ir::axis::row));
    expect_close<float>(from_matrix_cl(matrix_cl<float>(colwise_cumulative_sum(a))),
                        scanned_by_host<float>(known, ir::axis::column));
  });
}

TEST(Scans, AreReadAtOtherPlacesAndByReductions) {
  in_both_forms([] {
    const host<float> h = random_host<float>(71, 33);
    const matrix_cl<float> a(h);
    const host<float> sums = scanned_by_host<float>(h, ir::axis::column);
    expect_close<float>(from_matrix_cl(matrix_cl<float>(transpose(colwise_cumulative_sum(a)) * 1.0f)),
                        sums.transpose());
    expect_close<float>(from_matrix_cl(matrix_cl<float>(rowwise_cumulative_sum(block(a, 3, 5, 20, 11)))),
                        scanned_by_host<float>(h.block(2, 4, 20, 11), ir::axis::row));
    expect_close<float>(from_matrix_cl(matrix_cl<float>(rowwise_max(colwise_cumulative_sum(a)))),
                        sums.rowwise().maxCoeff());
    expect_close<float>(from_matrix_cl(matrix_cl<float>(rowwise_cumulative_sum(colwise_cumulative_sum(a)))),
                        scanned_by_host<float>(sums, ir::axis::row));
    expect_close<float>(from_matrix_cl(matrix_cl<float>(a - rowwise_broadcast(cumulative_sum(col(a, 2))))),
                        h - scanned_by_host<float>(h.col(1), ir::axis::column).replicate(1, 33));
  });
}

TEST(Scans, OfAMatrixNameItsSizes) {
  const matrix_cl<float> a(3, 4);
  try {
    cumulative_sum(a);
    FAIL() << "no exception";
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(), "cumulative_sum: a (3 x 4) must be a vector");
  }
}

}  // namespace
}  // namespace fusecl
