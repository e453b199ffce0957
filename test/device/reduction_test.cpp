// Complete reductions per row, per column and in full: of every type, inside larger expressions, nested,
// several in one statement, of nothing, and with NaN.

#include <cmath>

#include <support/both_forms.hpp>
#include <support/compare.hpp>

namespace fusecl {
namespace {

using namespace test;

template <class T>
class Reduction : public ::testing::Test {};
using types = ::testing::Types<double, float, int, long, unsigned, bool>;
TYPED_TEST_SUITE(Reduction, types);

#define FUSECL_TYPE_OR_SKIP \
  using T = TypeParam;      \
  FUSECL_SKIP_WITHOUT_DOUBLE_IF((any_double<T>))

/// Factors near one, so that no order of multiplication overflows; 1 and 2 for integers, which wrap.
template <class T>
matrix_cl<T> factors(std::int64_t rows, std::int64_t cols, matrix_cl_view view = matrix_cl_view::Entire) {
  return is_floating(scalar_type_v<T>) ? random_matrix<T>(rows, cols, view, 0.99, 1.01)
                                       : random_matrix<T>(rows, cols, view, 1, 2);
}

TYPED_TEST(Reduction, OfRowsIsComplete) {
  FUSECL_TYPE_OR_SKIP;
  for (const auto [rows, cols] : all_sizes()) {
    const auto a = random_matrix<T>(rows, cols);
    const auto b = factors<T>(rows, cols);
    EXPECT_ALL_MATCH_REFERENCE(rowwise_sum(a), rowwise_max(a), rowwise_min(a), rowwise_prod(b));
  }
}

TYPED_TEST(Reduction, OfColumnsIsComplete) {
  FUSECL_TYPE_OR_SKIP;
  for (const auto [rows, cols] : all_sizes()) {
    const auto a = random_matrix<T>(rows, cols);
    const auto b = factors<T>(rows, cols);
    EXPECT_ALL_MATCH_REFERENCE(colwise_sum(a), colwise_max(a), colwise_min(a), colwise_prod(b));
  }
}

TYPED_TEST(Reduction, OfEverythingIsComplete) {
  FUSECL_TYPE_OR_SKIP;
  for (const auto [rows, cols] : all_sizes()) {
    const auto a = random_matrix<T>(rows, cols);
    const auto b = factors<T>(rows, cols);
    EXPECT_ALL_MATCH_REFERENCE(sum(a), max_2d(a), min_2d(a), prod(b));
  }
}

/// Long functions of elements and of the results, which on CPUs are vectors of columns that are short.
template <class T>
void expect_short_columns_match(std::int64_t rows, std::int64_t cols) {
  SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(cols));
  const auto a = random_matrix<T>(rows, cols), b = random_matrix<T>(rows, cols, matrix_cl_view::Upper);
  const auto column = random_matrix<T>(rows, 1), row = random_matrix<T>(1, cols);
  const auto whole = random_matrix<int>(rows, cols, matrix_cl_view::Entire, 0, 9);
  EXPECT_ALL_MATCH_REFERENCE(
      colwise_log_sum_exp(a), colwise_sd(a), colwise_sum(exp(a - colwise_broadcast(row))) + row,
      colwise_max(exp(b) * T(2) + rowwise_broadcast(column)),
      colwise_sum(sin(a) + cast<T>(row_index() - col_index())), colwise_prod(exp(cast<T>(whole) * T(0.01))),
      colwise_sum(exp(cast<T>(whole)) + a));
  if constexpr (std::is_same_v<T, double>)  // functions of integers are double
    EXPECT_ALL_MATCH_REFERENCE(colwise_sum(exp(whole) + a));
}

TEST(ShortColumns, OfLongFunctionsAreComplete) {
  in_both_forms([] {
    for (const std::int64_t rows : {2, 3, 8, 31, 32, 33})
      for (const std::int64_t cols : {7, 8, 9, 1001}) expect_short_columns_match<float>(rows, cols);
  });
}

TEST(ShortColumns, OfDoublesAreComplete) {
  FUSECL_NEEDS_DOUBLE;
  in_both_forms([] {
    for (const std::int64_t cols : {5, 8, 33, 4099}) expect_short_columns_match<double>(4, cols);
    for (const std::int64_t rows : {14, 19, 46, 100}) expect_short_columns_match<double>(rows, 4099);
  });
}

TEST(ShortColumns, TakeInfinitiesAndNaN) {
  FUSECL_NEEDS_DOUBLE;
  Eigen::MatrixXd host = Eigen::MatrixXd::Constant(3, 19, -HUGE_VAL);
  host(1, 4) = 2;
  host(2, 9) = HUGE_VAL;
  host(0, 11) = std::nan("");
  const matrix_cl<double> a(host);
  in_both_forms([&] {
    const Eigen::RowVectorXd sums = from_matrix_cl<Eigen::RowVectorXd>(colwise_log_sum_exp(a)),
                             largest = from_matrix_cl<Eigen::RowVectorXd>(colwise_max(exp(a)));
    for (Eigen::Index j = 0; j < 19; ++j) {
      if (j == 11) {
        EXPECT_TRUE(std::isnan(sums[j]) && std::isnan(largest[j]));
        continue;
      }
      const double only = j == 4 ? 2 : j == 9 ? HUGE_VAL : -HUGE_VAL;
      EXPECT_EQ(sums[j], only) << j;
      EXPECT_DOUBLE_EQ(largest[j], std::exp(only)) << j;
    }
  });
}

/// Sums, extremes and functions of the elements of few rows, which on CPUs are vectors along the memory.
template <class T>
void expect_few_long_rows_match(std::int64_t rows, std::int64_t cols) {
  SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(cols));
  const auto a = random_matrix<T>(rows, cols), b = random_matrix<T>(rows, cols, matrix_cl_view::Upper);
  const auto column = random_matrix<T>(rows, 1), row = random_matrix<T>(1, cols),
             turned = random_matrix<T>(cols, 1);
  const auto whole = random_matrix<int>(rows, cols, matrix_cl_view::Entire, 0, 9);
  EXPECT_ALL_MATCH_REFERENCE(
      rowwise_sum(a), rowwise_max(a) + column, rowwise_min(elt_multiply(a, colwise_broadcast(row))),
      rowwise_sum(elt_multiply(a, colwise_broadcast(transpose(turned)))),
      rowwise_sum(a + rowwise_broadcast(column)), rowwise_sum(whole), rowwise_max(cast<T>(whole) - a),
      rowwise_sum(b), rowwise_min(b), rowwise_prod(exp(a * T(0.0001))),
      rowwise_sum(a + cast<T>(row_index() - col_index())),
      rowwise_sum(cast<int>(a > colwise_broadcast(row))));
  EXPECT_ALL_MATCH_REFERENCE(rowwise_log_sum_exp(a), rowwise_sd(a), rowwise_variance(a) - column,
                             rowwise_log_sum_exp(b - rowwise_broadcast(column)),
                             rowwise_sum(exp(a - colwise_broadcast(row))) + rowwise_mean(a));
}

TEST(FewLongRows, AreComplete) {
  in_both_forms([] {
    for (const std::int64_t rows : {1, 2, 3, 7, 8, 15, 16})
      for (const std::int64_t cols : {999, 2081}) expect_few_long_rows_match<float>(rows, cols);
  });
}

TEST(FewLongRows, OfDoublesAreComplete) {
  FUSECL_NEEDS_DOUBLE;
  in_both_forms([] {
    for (const std::int64_t rows : {1, 3, 5, 8, 9, 15}) expect_few_long_rows_match<double>(rows, 2057);
    for (const std::int64_t rows : {1, 3}) expect_few_long_rows_match<double>(rows, 70001);
  });
}

TEST(FewLongRows, OfManyPartsAreComplete) {
  // Mesa's llvmpipe, a device without double, ends every loop after 65535 rounds
  FUSECL_NEEDS_DOUBLE;
  in_both_forms([] {
    const host<float> h = host<float>::Ones(3, 300001), one = host<float>::Ones(1, 1000001);
    const matrix_cl<float> a(h), row(one), column(host<float>(one.transpose()));
    EXPECT_EQ(from_matrix_cl(matrix_cl<float>(rowwise_sum(a))), host<float>::Constant(3, 1, 300001));
    EXPECT_EQ(from_matrix_cl(matrix_cl<float>(rowwise_sum(row) * 0.5f)),
              host<float>::Constant(1, 1, 500000.5f));
    EXPECT_EQ(from_matrix_cl(matrix_cl<float>(row * column)), host<float>::Constant(1, 1, 1000001));
    EXPECT_EQ(from_matrix_cl(matrix_cl<float>(row * transpose(row))), host<float>::Constant(1, 1, 1000001));
  });
}

TEST(FewLongRows, TakeInfinitiesAndNaN) {
  FUSECL_NEEDS_DOUBLE;
  Eigen::MatrixXd host = Eigen::MatrixXd::Constant(5, 1003, -HUGE_VAL);
  host(1, 4) = 2;
  host(2, 1002) = HUGE_VAL;
  host(3, 11) = std::nan("");
  host.row(4).setConstant(1e9 + 0.1);
  const matrix_cl<double> a(host);
  in_both_forms([&] {
    const Eigen::VectorXd sums = from_matrix_cl<Eigen::VectorXd>(rowwise_log_sum_exp(a)),
                          largest = from_matrix_cl<Eigen::VectorXd>(rowwise_max(a)),
                          smallest = from_matrix_cl<Eigen::VectorXd>(rowwise_min(a)),
                          sds = from_matrix_cl<Eigen::VectorXd>(rowwise_sd(a));
    EXPECT_EQ(sums[0], -HUGE_VAL);
    EXPECT_EQ(sums[1], 2);
    EXPECT_EQ(sums[2], HUGE_VAL);
    EXPECT_TRUE(std::isnan(sums[3]) && std::isnan(largest[3]) && std::isnan(smallest[3]));
    EXPECT_EQ(largest[2], HUGE_VAL);
    EXPECT_EQ(smallest[2], -HUGE_VAL);
    for (int k = 0; k < 4; ++k) EXPECT_TRUE(std::isnan(sds[k])) << k;
    EXPECT_EQ(sds[4], 0);
  });
}

/// Two types stand for all: the kernels differ in nothing else, and there are many.
template <class T>
void check_triangles() {
  for (const matrix_cl_view view : all_views)
    for (const auto [rows, cols] : std::vector<size_pair>{{1, 1}, {33, 71}, {300, 40}}) {
      const auto a = factors<T>(rows, cols, view);
      EXPECT_ALL_MATCH_REFERENCE(rowwise_sum(a), rowwise_min(a), colwise_sum(a), colwise_prod(a), sum(a),
                                 min_2d(a));
    }
}

TEST(TriangleReduction, SeesZerosOutsideTheView) { check_triangles<float>(); }
TEST(TriangleReduction, SeesIntegerZerosOutsideTheView) { check_triangles<long>(); }

TYPED_TEST(Reduction, OfManyElementsIsComplete) {
  FUSECL_TYPE_OR_SKIP;
  for (const auto [rows, cols] :
       std::vector<size_pair>{{200003, 1}, {1, 200003}, {500, 401}, {3, 60001}, {60001, 3}}) {
    const auto a = random_matrix<T>(rows, cols);
    EXPECT_ALL_MATCH_REFERENCE(sum(a), max_2d(a), rowwise_sum(a), colwise_sum(a));
  }
}

TEST(EmptyReduction, GivesTheNeutralElement) {
  const matrix_cl<float> none(0, 3), flat(3, 0);
  EXPECT_EQ(static_cast<float>(sum(none)), 0);
  EXPECT_EQ(static_cast<float>(prod(none)), 1);
  EXPECT_EQ(static_cast<float>(max_2d(none)), -std::numeric_limits<float>::infinity());
  EXPECT_EQ(static_cast<int>(min_2d(matrix_cl<int>(0, 0))), std::numeric_limits<int>::max());
  EXPECT_EQ(static_cast<long>(max_2d(matrix_cl<long>(0, 0))), std::numeric_limits<long>::min());
  EXPECT_EQ(static_cast<unsigned>(max_2d(matrix_cl<unsigned>(0, 2))), 0u);
  expect_same<float>(from_matrix_cl<host<float>>(colwise_sum(none)), host<float>::Zero(1, 3));
  expect_same<float>(from_matrix_cl<host<float>>(rowwise_prod(flat)), host<float>::Ones(3, 1));
  EXPECT_EQ(matrix_cl<float>(rowwise_sum(none)).rows(), 0);
  EXPECT_EQ(matrix_cl<float>(colwise_sum(flat)).cols(), 0);
}

template <class T>
class FloatingReduction : public ::testing::Test {};
using floating_types = ::testing::Types<double, float>;
TYPED_TEST_SUITE(FloatingReduction, floating_types);

// What rounding may do to a long sum is more than an element; sums of small whole numbers are exact.
TYPED_TEST(FloatingReduction, OfWholeNumbersIsExact) {
  FUSECL_TYPE_OR_SKIP;
  std::vector<size_pair> sizes = all_sizes();
  sizes.insert(sizes.end(), {{200003, 1}, {1, 200003}, {500, 401}, {3, 60001}, {60001, 3}});
  for (const auto [rows, cols] : sizes) {
    const host<T> values = random_host<int>(rows, cols, -8, 8).template cast<T>();
    const matrix_cl<T> a(values);
    matrix_cl<T> of_rows, of_columns;
    T total = 0;
    results(of_rows, of_columns, total) = expressions(rowwise_sum(a), colwise_sum(a), sum(a));
    expect_same<T>(from_matrix_cl(of_rows), values.rowwise().sum());
    expect_same<T>(from_matrix_cl(of_columns), values.colwise().sum());
    EXPECT_EQ(total, values.sum()) << rows << " x " << cols;
  }
}

TYPED_TEST(FloatingReduction, KeepsNaN) {
  FUSECL_TYPE_OR_SKIP;
  for (const auto [rows, cols] : std::vector<size_pair>{{1, 1}, {9, 9}, {71, 33}, {4097, 2}, {2, 4097}})
    for (int where = 0; where < 3; ++where) {
      host<T> values = random_host<T>(rows, cols);
      values.data()[where * (values.size() - 1) / 2] = std::numeric_limits<T>::quiet_NaN();
      const matrix_cl<T> a(values);
      EXPECT_ALL_MATCH_REFERENCE(sum(a), max_2d(a), min_2d(a), rowwise_max(a), rowwise_sum(a),
                                 colwise_min(a));
      EXPECT_TRUE(std::isnan(static_cast<T>(max_2d(a))));
    }
}

TYPED_TEST(FloatingReduction, OfAnExpressionIsFusedAndRight) {
  FUSECL_TYPE_OR_SKIP;
  for (const auto [rows, cols] : few_sizes()) {
    const auto a = random_matrix<T>(rows, cols, matrix_cl_view::Entire, -1, 1);
    const auto b = random_matrix<T>(rows, cols, matrix_cl_view::Entire, -1, 1);
    expect_matches_reference(sum(elt_multiply(a, b) + T(1)));
    expect_matches_reference(rowwise_sum(exp(a) - b));
    expect_matches_reference(colwise_max(a - b));
    expect_matches_reference(sum(a < b));
    expect_matches_reference(colwise_sum(cast<int>(a > T(0))));
  }
}

// A loop that also stores and computes little has vectors, of which the last hangs over the end.
TYPED_TEST(FloatingReduction, BesideStoresIsRightAtItsEnd) {
  FUSECL_TYPE_OR_SKIP;
  for (const int rows : {0, 1, 2, 257, 1025}) {
    const auto a = random_matrix<T>(rows, 3), b = random_matrix<T>(rows, 3);
    EXPECT_ALL_MATCH_REFERENCE(a - b, sum(elt_multiply(a - b, a - b)), max_2d(a - b));
  }
}

TYPED_TEST(FloatingReduction, StandsInLargerExpressions) {
  FUSECL_TYPE_OR_SKIP;
  for (const auto [rows, cols] : std::vector<size_pair>{{1, 1}, {3, 1}, {1, 3}, {71, 33}, {4097, 2}}) {
    const auto a = random_matrix<T>(rows, cols, matrix_cl_view::Entire, 1, 2);
    const auto b = random_matrix<T>(rows, cols, matrix_cl_view::Entire, 1, 2);
    expect_matches_reference(a / sum(a));
    expect_matches_reference(a - rowwise_broadcast(rowwise_max(a)));
    expect_matches_reference(a - colwise_broadcast(colwise_sum(a) / T(3)));
    expect_matches_reference(elt_multiply(a, rowwise_broadcast(rowwise_sum(b))) +
                             colwise_broadcast(colwise_sum(b)));
    expect_matches_reference(sqrt(sum(a)) + log(sum(b)));
    expect_matches_reference(sum(a) * T(2) + min_2d(elt_divide(a, b)));
    expect_matches_reference(rowwise_sum(a) + rowwise_sum(b) * sum(a));
  }
}

TYPED_TEST(FloatingReduction, Nests) {
  FUSECL_TYPE_OR_SKIP;
  for (const auto [rows, cols] : std::vector<size_pair>{{1, 1}, {3, 1}, {1, 3}, {71, 33}, {300, 70}}) {
    const auto a = random_matrix<T>(rows, cols, matrix_cl_view::Entire, 1, 2);
    expect_matches_reference(sum(rowwise_max(a)));
    expect_matches_reference(sum(colwise_sum(a)));
    expect_matches_reference(sum(sqrt(colwise_sum(a))) + a);
    expect_matches_reference(colwise_max(rowwise_sum(a)));
    expect_matches_reference(rowwise_sum(colwise_sum(a)));
    expect_matches_reference(sum(square(a - sum(a) / T(7))));
    expect_matches_reference(sum(a - rowwise_broadcast(rowwise_sum(a)) / sum(a)));
    expect_matches_reference(
        max_2d(a - rowwise_broadcast(rowwise_min(a - colwise_broadcast(colwise_max(a))))));
    const auto centered = a - rowwise_broadcast(rowwise_max(a));
    expect_matches_reference(exp(centered - rowwise_broadcast(log(rowwise_sum(exp(centered))))));
  }
}

TYPED_TEST(FloatingReduction, StatisticsFollow) {
  using T = TypeParam;
  FUSECL_NEEDS_DOUBLE;  // counts are double
  const auto a = random_matrix<T>(71, 33);
  const auto b = random_matrix<T>(71, 33);
  expect_matches_reference(mean(a));
  expect_matches_reference(variance(a));
  expect_matches_reference(sd(a));
  expect_matches_reference(dot_product(a, b));
  expect_matches_reference(dot_self(a));
}

TEST(Reduction, IsTheSameOnEveryRun) {
  const auto a = random_matrix<float>(701, 333);
  const float first = sum(exp(a));
  const host<float> rows = from_matrix_cl<host<float>>(rowwise_sum(exp(a)));
  for (int k = 0; k < 10; ++k) {
    EXPECT_EQ(static_cast<float>(sum(exp(a))), first);
    EXPECT_EQ(from_matrix_cl<host<float>>(rowwise_sum(exp(a))), rows);
  }
}

TEST(Reduction, OfManyGroupsCountsThemAnewEveryTime) {
  matrix_cl<int> total, least;
  for (int round = 0; round < 20; ++round)
    for (int size : {300, 10, 1100, 500}) {
      const matrix_cl<int> ones = constant(1, size, size);
      results(total, least) = expressions(sum(ones), min_2d(ones + round));
      EXPECT_EQ(from_matrix_cl(total)(0, 0), size * size);
      EXPECT_EQ(from_matrix_cl(least)(0, 0), 1 + round);
    }
}

TEST(Reduction, OfSeveralStepsCountsTheGroupsOfEach) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = random_matrix<double>(500, 300), column = random_matrix<double>(70000, 1);
  const Eigen::ArrayXXd x = a.to_host().array();
  const double mean = x.mean(), squares = (x - mean).square().sum(), other = column.to_host().sum();
  for (int round = 0; round < 5; ++round) {
    const double centred = sum(square(a - sum(a) / 150000.0));
    EXPECT_NEAR(centred, squares, 1e-9 * squares);
    const double both = sum(a) + sum(column);
    EXPECT_NEAR(both, x.sum() + other, 1e-9 * x.abs().sum());
  }
}

/// Parts of matrices that are one column, of which elements do not follow each other or do not begin a
/// vector.
TEST(Reduction, OfOneColumnOfAMatrixIsComplete) {
  FUSECL_NEEDS_DOUBLE;
  in_both_forms([] {
    for (const int n : {1, 71, 70001}) {
      const auto v = factors<double>(n + 2, 1);
      const matrix_cl<int> places = n - 1 - row_index(n, 1);
      EXPECT_ALL_MATCH_REFERENCE(sum(segment(v, 2, n)), max_2d(segment(v, 2, n)));
      EXPECT_NEAR(sum(v[places]), sum(head(v, n)), 1e-12 * n);
      const auto a = factors<double>(std::min(n, 300), std::min(n, 300));
      EXPECT_ALL_MATCH_REFERENCE(prod(diagonal(a)), log_sum_exp(diagonal(a)));
    }
  });
}

/// A group adds up a few thousand of its elements, so that nothing is left to finish.
TEST(Reduction, OfAShortColumnOfAMatrixIsOneLaunch) {
  FUSECL_NEEDS_DOUBLE;
  if (!gpu_form_is_sound()) GTEST_SKIP() << "the driver compiles the form of a GPU wrong";
  const schedule_as_before restored;
  set_schedule("gpu");
  const auto a = random_matrix<double>(1000, 1000);
  const auto v = random_matrix<double>(1500, 1);
  const auto launches_of = [](const auto& e) {
    const std::uint64_t before = runtime_counters().launches;
    static_cast<void>(static_cast<double>(e));
    return runtime_counters().launches - before;
  };
  EXPECT_EQ(launches_of(sum(log(square(diagonal(a))))), 1u);
  EXPECT_EQ(launches_of(dot_self(segment(v, 2, 1001))), 1u);
  EXPECT_EQ(launches_of(dot_product(col(a, 3), segment(v, 2, 1000))), 1u);
}

/// Groups that share a tile of results count themselves, and the last one adds what all have left: each time
/// in the same order, with what follows, and for several reductions.
TEST(Reduction, OfLongLinesIsOneLaunch) {
  FUSECL_NEEDS_DOUBLE;
  if (!gpu_form_is_sound()) GTEST_SKIP() << "the driver compiles the form of a GPU wrong";
  const schedule_as_before restored;
  set_schedule("gpu");
  for (const auto& [rows, cols] : {std::pair{1, 20000}, {3, 5001}, {65, 501}, {130, 130}, {5001, 3}}) {
    SCOPED_TRACE(rows);
    const auto a = random_matrix<double>(rows, cols, matrix_cl_view::Entire, -1, 1);
    const auto x = random_matrix<double>(cols, 1, matrix_cl_view::Entire, -1, 1),
               y = random_matrix<double>(rows, 1, matrix_cl_view::Entire, -1, 1);
    matrix_cl<double> product, again, most, spread, totals;
    const std::uint64_t before = runtime_counters().launches;
    product = exp(a * x * 0.01) + y;
    again = exp(a * x * 0.01) + y;
    results(most, spread) = expressions(rowwise_max(a), rowwise_sd(a));
    totals = colwise_sum(a) * 2.0;
    EXPECT_EQ(runtime_counters().launches - before, 4u);
    EXPECT_TRUE(from_matrix_cl(product) == from_matrix_cl(again)) << "bitwise";
    expect_matches_reference(exp(a * x * 0.01) + y);
    EXPECT_ALL_MATCH_REFERENCE(rowwise_max(a), rowwise_sd(a));
    expect_matches_reference(colwise_sum(a) * 2.0);
  }
}

TEST(ScalarExpression, ConvertsToANumber) {
  const matrix_cl<int> a(std::vector<int>{1, 2, 3});
  const int total = sum(a);
  EXPECT_EQ(total, 6);
  EXPECT_EQ(static_cast<long>(sum(a) * 2), 12);
  EXPECT_TRUE(static_cast<bool>(sum(a) > 5));
  EXPECT_EQ(static_cast<int>(prod(a) - max_2d(a)), 3);
  const auto later = sum(a) + prod(a);
  EXPECT_EQ(static_cast<float>(later), 12.f);
}

TEST(ScalarExpression, ReducedAgainIsItself) {
  const matrix_cl<int> a(std::vector<int>{1, 2, 3});
  EXPECT_EQ(static_cast<int>(sum(sum(a))), 6);
  EXPECT_EQ(static_cast<int>(max_2d(sum(a) + 1)), 7);
}

/// What the compiler of the device has to say to the kernels of an expression.
template <class E>
std::string warnings_of(const E& e) {
  matrix_cl<value_type_of<E>> target;
  cl::Program program(opencl_context.context(), e.get_kernel_source_for_evaluating_into(target));
  program.build();
  return program.getBuildInfo<CL_PROGRAM_BUILD_LOG>(opencl_context.device());
}

TEST(ReductionOfIntegers, ComparesNoIntegerWithItself) {
  const auto a = random_matrix<int>(71, 33);
  const auto b = random_matrix<unsigned>(71, 33);
  in_both_forms([&] {
    for (const std::string& log :
         {warnings_of(max_2d(a)), warnings_of(colwise_min(b)), warnings_of(rowwise_max(cast<long>(a)))})
      EXPECT_EQ(log.find("comparison"), std::string::npos) << log;
  });
}

}  // namespace
}  // namespace fusecl
