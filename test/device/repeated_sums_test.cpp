// Sums of what is the same in every row or column: values as of any sum, and nothing read more than once.

#include <limits>

#include <support/both_forms.hpp>
#include <support/compare.hpp>

#include <fusion/autodiff/check_gradient.hpp>
#include <fusion/autodiff/value_and_gradient.hpp>

namespace fusecl {
namespace {

using namespace test;

constexpr std::int64_t sizes[][2] = {{0, 3}, {3, 0}, {1, 1}, {1, 5}, {71, 3}, {1030, 7}};

/// Of a number that a sum of as many has exactly.
template <class T>
void expect_products(T number, T small_number) {
  for (const auto& [rows, cols] : sizes) {
    const auto count = static_cast<T>(rows * cols);
    EXPECT_EQ(T(sum(rep_matrix(number, rows, cols))), static_cast<T>(count * number))
        << rows << " x " << cols;
    const matrix_cl<T> by_rows = rowwise_sum(rep_matrix(small_number, rows, cols));
    const matrix_cl<T> by_cols = colwise_sum(rep_matrix(small_number, rows, cols));
    ASSERT_EQ(by_rows.rows(), rows);
    ASSERT_EQ(by_cols.cols(), cols);
    EXPECT_TRUE((by_rows.to_host().array() == static_cast<T>(static_cast<T>(cols) * small_number)).all());
    EXPECT_TRUE((by_cols.to_host().array() == static_cast<T>(static_cast<T>(rows) * small_number)).all());
  }
}

TEST(RepeatedSums, OfNumbersAreProducts) {
  in_both_forms([] {
    expect_products<float>(0.75f, -2.5f);
    expect_products<int>(-7, 123456789 / 7210);
    expect_products<std::int64_t>(5'000'000'000, -3);
    expect_products<unsigned>(4'000'000'000u, 3u);  // around the end as every sum of them
    EXPECT_EQ(int(sum(rep_matrix(true, 71, 3))), 213);
    EXPECT_EQ(int(sum(row_index(71, 3))), 3 * 70 * 71 / 2);
    EXPECT_EQ(int(sum(col_index(71, 3))), 71 * 3);
  });
}

TEST(RepeatedSums, OfWhatIsNoNumber) {
  const float infinite = std::numeric_limits<float>::infinity();
  const bool leaves_out_zeros =
      std::signbit((matrix_cl<float>(host<float>::Constant(1, 2, -0.0f)) + 0.0f)(0, 0));
  in_both_forms([&] {
    for (const float value : {infinite, -infinite, std::numeric_limits<float>::quiet_NaN(), -0.0f}) {
      const auto e = [&](std::int64_t rows, std::int64_t cols) {
        return float(sum(rep_matrix(value, rows, cols)));
      };
      const float some = e(3, 2);
      EXPECT_TRUE(value == value ? some == value : some != some) << value;
      for (const float none : {e(0, 2), e(2, 0)}) EXPECT_EQ(none, 0.0f) << value;
      EXPECT_FALSE(std::signbit(e(0, 2)));
      // 0 + -0 + -0 + ... is 0; compilers of some devices take -0 + 0 for -0
      EXPECT_TRUE(value != 0 || !std::signbit(some) || leaves_out_zeros);
    }
    const auto v = matrix_cl<float>(std::vector<float>{1, infinite, -infinite});
    const float both = sum(rowwise_broadcast(v) + constant(0.0f, 3, 4));
    EXPECT_TRUE(both != both);
    EXPECT_EQ(float(sum(rowwise_broadcast(v) + constant(0.0f, 3, 0))), 0.0f);
  });
}

TEST(RepeatedSums, OfLinesAreThoseOfOneLine) {
  FUSECL_NEEDS_DOUBLE;
  in_both_forms([] {
    for (const auto& [rows, cols] : sizes) {
      const auto column = random_matrix<double>(rows, 1), row = random_matrix<double>(1, cols);
      const auto a = column.to_host(), b = row.to_host();
      const Eigen::MatrixXd columns = a.replicate(1, cols).array().square() * 2 + 1,
                            repeated = b.replicate(rows, 1).array().square() * 2 + 1;
      const auto f = [&, rows = rows, cols = cols](const auto& line) {
        return square(line) * 2.0 + constant(1.0, rows, cols);
      };
      const auto near = [](const auto& result, const auto& expected) {
        const matrix_cl<double> m = result;
        return Eigen::MatrixXd(m.to_host()).isApprox(Eigen::MatrixXd(expected), 1e-13);
      };
      const auto one = [](double x) { return Eigen::MatrixXd::Constant(1, 1, x); };
      EXPECT_TRUE(near(sum(f(rowwise_broadcast(column))), one(columns.sum()))) << rows << " x " << cols;
      EXPECT_TRUE(near(sum(f(colwise_broadcast(row))), one(repeated.sum()))) << rows << " x " << cols;
      EXPECT_TRUE(near(rowwise_sum(f(rowwise_broadcast(column))), columns.rowwise().sum()));
      EXPECT_TRUE(near(colwise_sum(f(rowwise_broadcast(column))), columns.colwise().sum()));
      EXPECT_TRUE(near(rowwise_sum(f(colwise_broadcast(row))), repeated.rowwise().sum()));
      EXPECT_TRUE(near(colwise_sum(f(colwise_broadcast(row))), repeated.colwise().sum()));
    }
  });
}

TEST(RepeatedSums, ReadOneLineAndWalkNothingElse) {
  const auto column = random_matrix<float>(1000, 1);
  const auto number = explain(sum(rep_matrix(2.5f, 1000, 50)));
  EXPECT_EQ(number.bytes_read, 0);
  EXPECT_EQ(number.kernels.size(), 1u);
  EXPECT_LT(number.flops, 10);
  const auto lines = explain(sum(exp(rowwise_broadcast(column)) + constant(1.0f, 1000, 50)));
  EXPECT_EQ(lines.bytes_read, 4000);
  EXPECT_EQ(lines.kernels.size(), 1u);
  EXPECT_LT(lines.flops, 1000 * 50);
}

TEST(RepeatedSums, LeaveOtherSumsAsTheyAre) {
  const auto m = random_matrix<float>(100, 5), column = random_matrix<float>(100, 1);
  const auto sum_of_elements = explain(sum(m + 2.5f));
  std::ostringstream text;
  text << sum_of_elements;
  EXPECT_EQ(text.str().find("(float)n"), std::string::npos);
  EXPECT_EQ(sum_of_elements.kernels.size(), 1u);
  EXPECT_EQ(float(sum(m * 0.0f + rowwise_broadcast(column * 0.0f) + 1.0f)), 500.0f);
}

TEST(RepeatedSums, OfDerivativesTakeNoLaunch) {
  FUSECL_NEEDS_DOUBLE;
  const auto m = random_matrix<double>(1000, 5, matrix_cl_view::Entire, -1, 1);
  parameter<double> shift = 0.25;
  matrix_cl<double> by_shift;
  const auto e = sum(square(m) + shift);
  in_both_forms([&] {
    counters used;
    double value = 0;
    for (int round = 0; round < 2; ++round) {
      const counters before = runtime_counters();
      value = value_and_gradient_into(e, wrt(shift), by_shift);
      used = runtime_counters() - before;
    }
    EXPECT_LE(used.launches, 2u);
    EXPECT_NEAR(value, m.to_host().squaredNorm() + 1250, 1e-9);
    EXPECT_EQ(by_shift(0), 5000);
  });
  const auto checked = check_gradient(
      [&](const auto& a) { return sum(rowwise_broadcast(exp(a)) + constant(0.0, 40, 5)) + sum(square(a)); },
      random_matrix<double>(40, 1, matrix_cl_view::Entire, -1, 1));
  EXPECT_TRUE(checked.passed(1e-7)) << checked;
}

/// Whole vectors of a sum that is no longer one are read at other places.
TEST(RepeatedSums, OnADiagonal) {
  const auto column = random_matrix<float>(40, 1, matrix_cl_view::Entire, -1, 1);
  in_both_forms([&] {
    expect_matches_reference(diag_matrix(rowwise_sum(rep_matrix(square(column), 7))) + 1.0f);
    expect_matches_reference(reverse(rowwise_sum(rowwise_broadcast(square(column)) + constant(0.0f, 40, 5))));
  });
}

/// What is a sum of repeats only when accesses have gone to the leaves, with accesses above it.
TEST(RepeatedSums, AreReadInOtherPlaces) {
  FUSECL_NEEDS_DOUBLE;
  const auto v = random_matrix<double>(3, 1), w = random_matrix<double>(1, 3);
  in_both_forms([&] {
    const auto sums = shared(colwise_sum(transpose(rep_matrix(v, 4))));
    expect_matches_reference(reverse(sums));
    expect_matches_reference(reverse(sums) + w);
    expect_matches_reference(reverse(colwise_sum(transpose(rep_matrix(exp(v), 4)))));
    expect_matches_reference(diag_matrix(sums));
    expect_matches_reference(col(sums, 1) + col(w, 2));
  });
}

}  // namespace
}  // namespace fusecl
