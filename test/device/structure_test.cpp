// Transposes, blocks, rows, columns, segments, diagonals and reversed vectors of expressions on the right
// side: values in both forms of kernels, views, launches, aliasing, ranges.

#include <support/both_forms.hpp>
#include <support/compare.hpp>
#include <support/messages.hpp>

namespace fusecl {
namespace {

using namespace test;

using matrix = matrix_cl<float>;

const std::vector<size_pair> sizes = {{0, 0}, {1, 1}, {1, 3}, {64, 9}, {71, 33}};

template <class T>
class Structure : public ::testing::Test {};
using types = ::testing::Types<double, float, bool>;
TYPED_TEST_SUITE(Structure, types);

#define FUSECL_TYPE_OR_SKIP \
  using T = TypeParam;      \
  FUSECL_SKIP_WITHOUT_DOUBLE_IF((any_double<T>))

TYPED_TEST(Structure, TransposesOfExpressions) {
  FUSECL_TYPE_OR_SKIP;
  in_both_forms([] {
    for (const auto [rows, cols] : sizes) {
      const auto a = random_matrix<T>(rows, cols), b = random_matrix<T>(cols, rows);
      EXPECT_ALL_MATCH_REFERENCE(transpose(a), transpose(a) + b, transpose(elt_multiply(a, transpose(b))),
                                 transpose(transpose(b)), b + transpose(transpose(b)));
    }
  });
}

TYPED_TEST(Structure, BlocksOfExpressions) {
  FUSECL_TYPE_OR_SKIP;
  in_both_forms([] {
    for (const auto [rows, cols] : sizes) {
      const auto a = random_matrix<T>(rows + 3, cols + 2), b = random_matrix<T>(rows, cols);
      const auto c = random_matrix<T>(cols + 2, rows + 3);
      EXPECT_ALL_MATCH_REFERENCE(
          block_zero_based(a, 0, 0, rows, cols), block(a, 3, 2, rows, cols) + b,
          block_zero_based(a + transpose(c), 1, 2, rows, cols),
          block_zero_based(block_zero_based(a, 1, 1, rows + 2, cols + 1), 2, 1, rows, cols) - b,
          transpose(block_zero_based(transpose(a), 2, 3, cols, rows)));
    }
  });
}

TYPED_TEST(Structure, RowsColumnsAndVectors) {
  FUSECL_TYPE_OR_SKIP;
  in_both_forms([] {
    for (const std::int64_t n : {1, 8, 35}) {
      const auto a = random_matrix<T>(n, n + 1), b = random_matrix<T>(n + 1, n),
                 c = random_matrix<T>(n + 1, 1);
      const auto v = random_matrix<T>(n + 2, 1), r = random_matrix<T>(1, n + 2), w = random_matrix<T>(n, 1);
      EXPECT_ALL_MATCH_REFERENCE(col(a, 1) + w, col(a + transpose(b), n + 1), head(v, n) + tail(v, n),
                                 segment(v, 2, n), transpose(row(b, n)), reverse(w) + w, diagonal(a),
                                 reverse(transpose(segment(r, 3, n))), transpose(reverse(head(r, n))),
                                 diagonal(elt_multiply(a, transpose(b))) + w, sub_col(a, 1, 2, n));
      expect_matches_reference(row(a, n) + transpose(c) - sub_row(a, n, 1, n + 1));
    }
  });
}

TYPED_TEST(Structure, ReadZerosOutsideOfTheOperandsView) {
  FUSECL_TYPE_OR_SKIP;
  in_both_forms([] {
    for (const matrix_cl_view view : all_views)
      for (const std::int64_t n : {1, 8, 35}) {
        const auto a = random_matrix<T>(n + 3, n + 3, view), b = random_matrix<T>(n, n);
        const auto whole = random_matrix<T>(n + 3, n + 3);
        EXPECT_ALL_MATCH_REFERENCE(transpose(a), transpose(a) + whole, a + transpose(a));
        EXPECT_ALL_MATCH_REFERENCE(block_zero_based(a, 2, 2, n, n), block_zero_based(a, 0, 2, n, n) + b,
                                   block_zero_based(transpose(a), 3, 1, n, n) - b,
                                   transpose(block_zero_based(a, 1, 0, n, n)));
        EXPECT_ALL_MATCH_REFERENCE(diagonal(a), col(a, 2), reverse(col(a, n)), transpose(row(a, 1)));
      }
  });
}

TEST(StructureOf, RepeatedVectorsAndIndices) {
  in_both_forms([] {
    for (const std::int64_t n : {1, 4, 17}) {
      const auto a = random_matrix<float>(n, n + 2), v = random_matrix<float>(n, 1),
                 r = random_matrix<float>(1, n + 2);
      EXPECT_ALL_MATCH_REFERENCE(a + rep_matrix(v, n + 2), a - rep_matrix(r, n),
                                 a + colwise_broadcast(transpose(rep_vector(1.5f, n + 2))),
                                 a + rowwise_broadcast(col(a, 2)) - colwise_broadcast(row(a, 1)),
                                 a + rowwise_broadcast(transpose(row(transpose(a), 1))));
      const auto square = random_matrix<float>(n, n);
      EXPECT_ALL_MATCH_REFERENCE(
          square + transpose(rowwise_broadcast(v)),
          square - block_zero_based(rep_matrix(v, n + 3), 0, 2, n, n),
          square +
              cast<float>(transpose(row_index(n, n)) - block_zero_based(col_index(n + 1, n + 5), 1, 3, n, n)),
          square + rowwise_broadcast(diagonal(rep_matrix(v, n))), square + rowwise_broadcast(reverse(v)),
          transpose(square + rep_matrix(2.0f, n, n)) + transpose(sum(square)));
    }
  });
}

TEST(StructureOf, ReductionsAndWhatFollows) {
  in_both_forms([] {
    for (const auto [rows, cols] : sizes) {
      const auto a = random_matrix<float>(rows, cols), b = random_matrix<float>(cols, rows);
      const auto v = random_matrix<float>(rows, 1), w = random_matrix<float>(cols, 1);
      expect_matches_reference(transpose(rowwise_sum(a)));
      expect_matches_reference(exp(transpose(colwise_max(a)) * 0.01f) + w);
      expect_matches_reference(rowwise_sum(transpose(a)) + w);
      expect_matches_reference(colwise_sum(transpose(a) + b));
      expect_matches_reference(rowwise_sum(a) + reverse(rowwise_sum(a)));
      expect_matches_reference(rowwise_sum(a) + reverse(v));
      expect_matches_reference(sum(transpose(a)) + sum(elt_multiply(transpose(a), b)));
      expect_matches_reference(b - rowwise_broadcast(transpose(colwise_sum(a))));
      expect_matches_reference(transpose(a - rowwise_broadcast(sqrt(fabs(rowwise_sum(a)) + 1.0f))));
      expect_matches_reference(rowwise_sum(a) + transpose(colwise_sum(b)));
    }
  });
}

TEST(StructureOf, ABlockOfSumsIsASumOfABlock) {
  in_both_forms([] {
    const auto a = random_matrix<float>(71, 33);
    expect_matches_reference(rowwise_sum(block_zero_based(a, 3, 5, 60, 20)));
    expect_matches_reference(colwise_sum(block_zero_based(a, 3, 5, 61, 20)));
    expect_matches_reference(sum(block_zero_based(a, 3, 5, 61, 20)));
    expect_matches_reference(segment(rowwise_sum(a), 4, 50));
    expect_matches_reference(col(a, 3) - head(tail(col(a, 1) + rowwise_max(a), 71), 71));
  });
}

TEST(StructureOf, ViewsAreTurnedAndKept) {
  const auto lower = random_matrix<float>(6, 6, matrix_cl_view::Lower);
  EXPECT_EQ(transpose(lower).view(), matrix_cl_view::Upper);
  EXPECT_EQ(transpose(transpose(lower)).view(), matrix_cl_view::Lower);
  EXPECT_EQ(block_zero_based(lower, 2, 2, 3, 4).view(), matrix_cl_view::Lower);
  EXPECT_EQ(block_zero_based(lower, 1, 2, 3, 4).view(), matrix_cl_view::Lower);
  EXPECT_EQ(block_zero_based(lower, 2, 1, 3, 4).view(), matrix_cl_view::Entire);
  EXPECT_EQ((transpose(lower) + lower).view(), matrix_cl_view::Entire);
  EXPECT_EQ(elt_multiply(transpose(lower), lower).view(), matrix_cl_view::Diagonal);
  EXPECT_EQ(diagonal(lower).view(), matrix_cl_view::Entire);
}

TEST(StructureOf, AMovingBlockIsOneKernel) {
  const auto a = random_matrix<float>(40, 40);
  matrix r = block_zero_based(a, 0, 0, 10, 8), s = row(a, 1), t = segment(col(a, 1), 1, 4);
  const counters before = runtime_counters();
  for (int i = 1; i < 30; ++i) {
    r = block_zero_based(a, i, 3, 10, 8);
    s = row(a, i);
    t = segment(col(a, i), i, 4);
  }
  const counters spent = runtime_counters() - before;
  EXPECT_EQ(spent.programs_built + spent.programs_loaded, 0u);
  EXPECT_EQ(spent.launches, 3u * 29);
}

TEST(StructureOf, ATurnedVectorCostsNothing) {
  const auto a = random_matrix<float>(300, 20), v = random_matrix<float>(300, 1);
  matrix r = transpose(rowwise_sum(a)), s = rowwise_sum(a);
  counters before = runtime_counters();
  s = rowwise_sum(a);
  const std::uint64_t plain = (runtime_counters() - before).launches;
  before = runtime_counters();
  r = transpose(rowwise_sum(a));
  EXPECT_EQ((runtime_counters() - before).launches, plain);
  const std::string text = explain(transpose(v) * 2.0f).text();
  EXPECT_NE(text.find("linear over"), std::string::npos) << text;
}

TEST(StructureOf, OnlyTheElementsOfABlockCount) {
  const auto a = random_matrix<float>(300, 20);
  EXPECT_EQ(explain(block_zero_based(a, 3, 2, 10, 5) + 1.0f).bytes_read, 200);
  EXPECT_EQ(explain(transpose(a)).bytes_read, 24000);
  EXPECT_EQ(explain(rowwise_broadcast(col(a, 1)) + a).bytes_read, 24000);
}

TEST(StructureOf, TargetsMayBeTheirOwnOperands) {
  in_both_forms([] {
    for (const auto [rows, cols] : std::vector<size_pair>{{1, 1}, {8, 8}, {71, 71}, {71, 33}}) {
      auto a = random_matrix<float>(rows, cols);
      const expected_values turned = expected(transpose(a));
      a = transpose(a);
      expect_matches(a, turned);
      auto b = random_matrix<float>(rows + 2, cols + 2);
      const expected_values part = expected(block_zero_based(b, 1, 2, rows, cols));
      b = block_zero_based(b, 1, 2, rows, cols);
      expect_matches(b, part);
      auto v = random_matrix<float>(rows, 1), w = random_matrix<float>(rows, 1);
      const expected_values folded = expected(v - reverse(v)), other = expected(reverse(v) + w);
      results(v, w) = expressions(v - reverse(v), reverse(v) + w);
      expect_matches(v, folded);
      expect_matches(w, other);
    }
    auto square = random_matrix<float>(33, 33);
    const expected_values symmetric = expected(square + transpose(square));
    square = square + transpose(square);
    expect_matches(square, symmetric);
  });
}

TEST(StructureOf, PlacesOutsideOfTheOperandAreRefused) {
  const auto a = random_matrix<float>(5, 4), v = random_matrix<float>(5, 1);
  EXPECT_THROW(block_zero_based(a, 0, 0, 6, 4), std::invalid_argument);
  EXPECT_THROW(block_zero_based(a, -1, 0, 2, 2), std::invalid_argument);
  EXPECT_THROW(block_zero_based(a, 0, 3, 2, 2), std::invalid_argument);
  EXPECT_THROW(block_zero_based(a, 0, 0, -1, 2), std::invalid_argument);
  EXPECT_THROW(block(a, 1, 1, -1, 2), std::invalid_argument);
  EXPECT_THROW(block(a, 0, 1, 2, 2), std::out_of_range);
  EXPECT_NO_THROW(block(a, 5, 4, 1, 1));
  EXPECT_NO_THROW(block(a, 6, 5, 0, 0));
  EXPECT_THROW(row(a, 0), std::out_of_range);
  EXPECT_THROW(row(a, 6), std::out_of_range);
  EXPECT_THROW(col(a, 5), std::out_of_range);
  EXPECT_THROW(head(v, 6), std::out_of_range);
  EXPECT_THROW(tail(v, 6), std::out_of_range);
  EXPECT_THROW(tail(v, -1), std::invalid_argument);
  EXPECT_THROW(segment(v, 4, 3), std::out_of_range);
  EXPECT_THROW(head(a, 2), std::invalid_argument);
  EXPECT_THROW(reverse(a), std::invalid_argument);
  EXPECT_THROW(rep_matrix(a, 2), std::invalid_argument);
  EXPECT_EQ(message_of<std::logic_error>([&] { block(a, 4, 1, 3, 2); }),
            "block: 3 rows from number 4 on, counted from 1, are not within the 5 rows of a");
  EXPECT_EQ(message_of<std::logic_error>([&] { tail(v, 8); }),
            "tail: 8 elements are more than the 5 elements of a");
  EXPECT_EQ(message_of<std::logic_error>([&] { row(a, 0); }),
            "row: row 0, counted from 1, is not within the 5 rows of a");
  EXPECT_EQ(message_of<std::logic_error>([&] { col(a, 5); }),
            "col: column 5, counted from 1, is not within the 4 columns of a");
  EXPECT_EQ(message_of<std::logic_error>([&] { segment(v, 6, 1); }),
            "segment: element 6, counted from 1, is not within the 5 elements of a");
  EXPECT_EQ(message_of<std::logic_error>([&] { block_zero_based(a, 5, 0, 1, 1); }),
            "block_zero_based: row 5, counted from 0, is not within the 5 rows of a");
}

TEST(Structure, BlocksFromZeroThatNoLongerFitAreRefused) {
  auto a = random_matrix<float>(5, 4);
  const auto e = block_zero_based(a, 2, 1, 3, 3) + 1.0f;
  a = random_matrix<float>(4, 4);
  EXPECT_THROW((void)e.eval(), std::invalid_argument);
}

TEST(Structure, OneElementIsRepeatedAsTheRowThatItIs) {
  in_both_forms([] {
    const auto a = random_matrix<float>(6, 1), one = random_matrix<float>(1, 1);
    const auto shape = [](const auto& e) { return std::pair(e.rows(), e.cols()); };
    const std::pair<std::int64_t, std::int64_t> rows{4, 1}, cols{1, 4};
    EXPECT_EQ(shape(rep_matrix(row(a, 2), 4)), rows);
    EXPECT_EQ(shape(rep_matrix(colwise_mean(a), 4)), rows);
    EXPECT_EQ(shape(rep_matrix(transpose(rowwise_sum(transpose(a))), 4)), rows);
    EXPECT_EQ(shape(rep_matrix(rowwise_sum(one), 4)), cols);
    EXPECT_EQ(shape(rep_matrix(col(one, 1), 4)), cols);
    EXPECT_EQ(shape(rep_matrix(one, 4)), cols);
    expect_matches_reference(elt_multiply(a, rep_matrix(colwise_sum(a), 6)));
    expect_matches_reference(rep_matrix(row(a, 2), 4));
  });
}

}  // namespace
}  // namespace fusecl
