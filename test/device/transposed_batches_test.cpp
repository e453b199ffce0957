// transpose_each where nothing reads it in place, and what explain says of it where something does.

#include <vector>

#include <support/both_forms.hpp>
#include <support/compare.hpp>
#include <support/messages.hpp>

namespace fusecl {
namespace {

using namespace test;

template <class T>
host<T> transposed_one_by_one(const host<T>& a, int count) {
  const auto r = a.rows(), c = count == 0 ? 0 : a.cols() / count;
  host<T> all(c, r * count);
  for (int b = 0; b < count; ++b) all.middleCols(b * r, r) = a.middleCols(b * c, c).transpose();
  return all;
}

struct sizes {
  int rows, cols, count;
};

TEST(TransposedBatch, IsAMatrixOfEachTransposed) {
  in_both_forms([] {
    for (const auto [r, c, count] : std::vector<sizes>{{1, 1, 1},
                                                       {1, 1, 7},
                                                       {3, 3, 1},
                                                       {2, 2, 5},
                                                       {16, 16, 3},
                                                       {33, 33, 2},
                                                       {3, 0, 2},
                                                       {0, 3, 2},
                                                       {0, 0, 0},
                                                       {4, 0, 0},
                                                       {1, 5, 4},
                                                       {5, 1, 4},
                                                       {3, 7, 9},
                                                       {65, 2, 3}}) {
      SCOPED_TRACE(std::to_string(r) + " x " + std::to_string(c) + " x " + std::to_string(count));
      const matrix_cl<float> a = random_matrix<float>(r, c * count);
      const host<float> wanted = transposed_one_by_one<float>(from_matrix_cl(a), count);
      const matrix_cl<float> m = transpose_each(a, count);
      ASSERT_EQ(m.rows(), wanted.rows());
      ASSERT_EQ(m.cols(), wanted.cols());
      EXPECT_EQ(host<float>(from_matrix_cl(m)), wanted);
      if (r != c) continue;
      const matrix_cl<float> square = transpose_each(a);
      EXPECT_EQ(host<float>(from_matrix_cl(square)), wanted);
    }
  });
}

TEST(TransposedBatch, IsAnOperandLikeAnyOther) {
  const matrix_cl<float> a = random_matrix<float>(3, 12);
  in_both_forms([&] {
    expect_matches_reference(exp(transpose_each(a)) + a);
    expect_matches_reference(rowwise_sum(transpose_each(a + 1.0f)));
    expect_matches_reference(transpose(transpose_each(a, 4)));
  });
  const matrix_cl<int> i = random_matrix<int>(2, 6, matrix_cl_view::Entire, 0, 9);
  EXPECT_EQ(sum(transpose_each(i) - transpose_each(i)), 0);
  EXPECT_EQ(host<int>(from_matrix_cl(transpose_each(transpose_each(i)))), host<int>(from_matrix_cl(i)));
  matrix_cl<int> own = random_matrix<int>(2, 6, matrix_cl_view::Entire, 0, 9);
  const host<int> wanted = transposed_one_by_one<int>(from_matrix_cl(own), 3);
  own = transpose_each(own);  // reads other elements than it writes
  EXPECT_EQ(host<int>(from_matrix_cl(own)), wanted);
  matrix_cl<float> m(3, 3);
  const auto later = transpose_each(m);
  m = random_matrix<float>(2, 4);
  EXPECT_EQ(host<float>(from_matrix_cl(later)), transposed_one_by_one<float>(from_matrix_cl(m), 2))
      << "the operand has another size now";
}

TEST(TransposedBatch, OfADoubleHasAFactorAsAnExpression) {
  FUSECL_NEEDS_DOUBLE;
  host<double> upper = host<double>::Zero(2, 4);
  upper << 4, 2, 9, 3, 0, 5, 0, 10;  // symmetric matrices without their lower triangles
  const matrix_cl<double> a(upper);
  const host<double> l = from_matrix_cl(batched_cholesky_decompose(transpose_each(a)));
  host<double> wanted(2, 4);
  wanted << 2, 0, 3, 0, 1, 2, 1, 3;
  EXPECT_EQ(l, wanted);
}

TEST(TransposedBatch, RefusesNumbersOfMatricesThatDoNotFit) {
  const matrix_cl<float> a(3, 10), b(3, 12);
  expect_message<std::invalid_argument>(
      [&] { matrix_cl<float> m = transpose_each(a); },
      "transpose_each: the columns of a (3 x 10) must be a multiple of its rows, square matrices side by "
      "side; of others tell how many they are, transpose_each(a, count)");
  expect_message<std::invalid_argument>(
      [&] { transpose_each(a, 3); },
      "transpose_each: the columns of a (3 x 10) must be a multiple of the number of matrices, 3");
  expect_message<std::invalid_argument>([&] { transpose_each(a, -1); },
                                        "transpose_each: the number of matrices (-1) must not be negative");
  expect_message<std::invalid_argument>(
      [&] { batched_multiply(transpose_each(b, 3), b, 4); },
      "batched_multiply: there are 4 matrices, but transpose_each was told 3");
  expect_message<std::invalid_argument>(
      [&] { batched_multiply(b, transpose_each(b, 2), 4); },
      "batched_multiply: there are 4 matrices, but transpose_each was told 2");
  expect_message<std::invalid_argument>(
      [&] { batched_mdivide_left_tri_low(transpose_each(b, 2), b); },
      "batched_mdivide_left_tri_low: there are 4 matrices, but transpose_each was told 2");
}

// Matrices of which nothing is told are square, also where there are none.
TEST(TransposedBatch, OfNoMatricesHasAsManyRows) {
  const matrix_cl<float> none(3, 0);
  const auto expect_empty = [](const matrix_cl<float>& result) {
    EXPECT_EQ(result.rows(), 3);
    EXPECT_EQ(result.cols(), 0);
  };
  expect_empty(transpose_each(none));
  expect_empty(none + transpose_each(none));
  expect_empty(batched_multiply(transpose_each(none), none, 0));
  expect_empty(batched_multiply(none, none, 0));
}

TEST(TransposedBatch, IsNamedInWhatIsExplained) {
  const matrix_cl<float> a = random_matrix<float>(3, 12), l = random_matrix<float>(3, 12);
  const auto says = [](const auto& e, const char* graph, const char* text) {
    const explanation told = explain(e);
    EXPECT_NE(told.graphs.at(0).second.find(graph), std::string::npos) << told.graphs.at(0).second;
    EXPECT_NE(told.kernels.at(0).source.find(text), std::string::npos) << told.kernels.at(0).source;
  };
  says(batched_multiply(transpose_each(a), l, 4), "batched_product transpose_each(%0), %1",
       "batched_product(transpose_each(x0), x1)");
  says(batched_multiply(a, transpose_each(l), 4), "batched_product %0, transpose_each(%1)",
       "batched_product(x0, transpose_each(x1))");
  says(batched_multiply(a, l, 4), "batched_product %0, %1", "batched_product(x0, x1)");
  says(batched_mdivide_left_tri_low(transpose_each(l), a), "batched_solve transpose_each(%0), %1",
       "batched_solve(transpose_each(x0), x1)");
  says(mdivide_left_tri<matrix_cl_view::Upper>(block_zero_based(a, 0, 0, 3, 3), a),
       "triangular_solve upper(%", "triangular_solve(upper(");
}

TEST(TransposedBatch, StepsOfBatchesTellTheirFlops) {
  const matrix_cl<float> a = random_matrix<float>(4, 40);
  const std::string product = explain(batched_multiply(transpose_each(a), a, 10)).plan;
  EXPECT_NE(product.find("1.28e+03 flops and 0 an element besides"), std::string::npos) << product;
  const std::string factor = explain(batched_cholesky_decompose(a)).plan;
  EXPECT_NE(factor.find("that a second kernel looks through"), std::string::npos) << factor;
}

}  // namespace
}  // namespace fusecl
