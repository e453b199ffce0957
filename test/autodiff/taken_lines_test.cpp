// Derivatives by the rows and columns that an index names: what goes to each of them is listed once for an
// index, with a number for each row or column that is taken and not for each element.

#include <support/both_forms.hpp>
#include <support/compare.hpp>

#include <fusion/autodiff/check_gradient.hpp>
#include <fusion/autodiff/hessian.hpp>
#include <fusion/autodiff/var.hpp>

namespace fusecl {
namespace {

using namespace test;

template <class Index>
matrix_cl<Index> numbers(std::int64_t count, int size, bool as_row = false) {
  std::vector<Index> all(static_cast<std::size_t>(count));
  for (std::size_t k = 0; k < all.size(); ++k)
    all[k] = static_cast<Index>((7 * k + k * k / 3) % static_cast<std::size_t>(size));
  return as_row ? matrix_cl<Index>(all, 1, count) : matrix_cl<Index>(all, count, 1);
}

template <class T>
class TakenLines : public ::testing::Test {};
using floating_types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(TakenLines, floating_types);

TYPED_TEST(TakenLines, HaveTheDerivativeOfTheirElements) {
  using T = TypeParam;
  FUSECL_SKIP_WITHOUT_DOUBLE_IF(any_double<T>);
  in_both_forms([] {
    for (const auto& [count, other] :
         {std::pair(0, 5), std::pair(1, 5), std::pair(71, 5), std::pair(71, 1), std::pair(3, 0)}) {
      const auto tall = random_matrix<T>(9, other, matrix_cl_view::Entire, -1, 1),
                 wide = random_matrix<T>(other, 9, matrix_cl_view::Entire, -1, 1);
      const auto g = numbers<int>(count, 9);
      const auto h = numbers<std::int64_t>(count, 9, true);
      const auto checked = check_gradient(
          [&](const auto& a, const auto& b) {
            return sum(exp(take_rows(a, g))) + sum(square(take_cols(b, h)));
          },
          tall, wide);
      EXPECT_TRUE(checked.passed(std::is_same_v<T, double> ? 1e-7 : 5e-4))
          << count << " of 9, " << other << " elements each\n"
          << checked;
    }
  });
}

TYPED_TEST(TakenLines, OfTrianglesTransposesAndExpressions) {
  using T = TypeParam;
  FUSECL_SKIP_WITHOUT_DOUBLE_IF(any_double<T>);
  const auto lower = random_matrix<T>(6, 6, matrix_cl_view::Lower, -1, 1);
  const auto m = random_matrix<T>(6, 4, matrix_cl_view::Entire, -1, 1);
  const auto g = numbers<int>(17, 6), few = numbers<int>(17, 4);
  const auto h = numbers<int>(17, 4, true);
  in_both_forms([&] {
    const auto checked = check_gradient(
        [&](const auto& a, const auto& b) {
          return sum(square(take_rows(a, g))) + sum(exp(take_rows(transpose(b), few))) +
                 sum(square(take_cols(exp(b) * T(0.5), h))) + sum(take_rows(take_rows(b, g), g % 5));
        },
        lower, m);
    EXPECT_TRUE(checked.passed(std::is_same_v<T, double> ? 1e-7 : 5e-4)) << checked;
  });
}

TEST(TakenLinesOfManyLevels, AreTheSameInEveryRunHoweverUneven) {
  const std::int64_t n = 20001;
  std::vector<int> uneven(static_cast<std::size_t>(n), 3);  // most in one place: several levels of sums
  for (std::size_t k = 0; k < uneven.size(); k += 7) uneven[k] = static_cast<int>(k / 7 % 11);
  const auto m = random_matrix<float>(11, 3), wide = random_matrix<float>(3, 11),
             w = random_matrix<float>(n, 3), turned = random_matrix<float>(3, n);
  const matrix_cl<int> g(uneven), h(uneven, 1, n);
  const auto of_w = w.to_host(), of_turned = turned.to_host();
  Eigen::MatrixXd by_rows = Eigen::MatrixXd::Zero(11, 3), by_cols = Eigen::MatrixXd::Zero(3, 11);
  for (Eigen::Index k = 0; k < n; ++k) {
    const Eigen::Index to = uneven[static_cast<std::size_t>(k)];
    by_rows.row(to) += of_w.row(k).cast<double>();
    by_cols.col(to) += of_turned.col(k).cast<double>();
  }
  in_both_forms([&] {
    const auto e = sum(elt_multiply(w, take_rows(m, g))) + sum(elt_multiply(turned, take_cols(wide, h)));
    const auto once = value_and_gradient(e, wrt(m, wide)), again = value_and_gradient(e, wrt(m, wide));
    const auto rows = std::get<0>(once.gradient).to_host(), cols = std::get<1>(once.gradient).to_host();
    EXPECT_LT((rows.cast<double>() - by_rows).cwiseAbs().maxCoeff(),
              0.05);  // 2e4 roundings of sums up to 1e2
    EXPECT_LT((cols.cast<double>() - by_cols).cwiseAbs().maxCoeff(), 0.05);
    EXPECT_EQ(rows, std::get<0>(again.gradient).to_host());
    EXPECT_EQ(cols, std::get<1>(again.gradient).to_host());
  });
}

TEST(TakenLinesOfModels, ShareTheListsOfAnIndex) {
  const auto slopes = random_matrix<float>(9, 4), x = random_matrix<float>(100, 4),
             intercepts = random_matrix<float>(9, 1);
  const auto g = numbers<int>(100, 9);
  const auto by_intercepts = sum(square(intercepts[g]));
  const auto by_slopes = sum(square(rowwise_sum(elt_multiply(x, take_rows(slopes, g)))));
  value_and_gradient(by_intercepts, wrt(intercepts));
  const counters before = runtime_counters();
  value_and_gradient(by_slopes, wrt(slopes));
  EXPECT_EQ((runtime_counters() - before).host_reads, 1u);  // the value: the index is not read again
}

TEST(TakenLinesOfModels, FollowTheirIndex) {
  const auto m = random_matrix<float>(4, 2, matrix_cl_view::Entire, 1, 2);
  matrix_cl<int> g(std::vector<int>{0, 0, 3});
  const auto e = sum(take_rows(m, g));
  matrix_cl<float> by_m;
  const auto expect_counts = [&](float a, float b, float c, float d) {
    value_and_gradient_into(e, wrt(m), by_m);
    Eigen::MatrixXf expected(4, 2);
    expected << a, a, b, b, c, c, d, d;
    EXPECT_EQ(by_m.to_host(), expected);
  };
  expect_counts(2, 0, 0, 1);
  g = matrix_cl<int>(std::vector<int>{1, 2, 2});
  expect_counts(0, 1, 2, 0);
  g = matrix_cl<int>(std::vector<int>{3, 3, 3, 3});  // of another size
  expect_counts(0, 0, 0, 4);
  const auto before = by_m.to_host();
  g = matrix_cl<int>(std::vector<int>{3, 4, 3, 3});
  try {
    value_and_gradient_into(e, wrt(m), by_m);
    ADD_FAILURE() << "a row that is not there";
  } catch (const std::out_of_range& error) {
    EXPECT_STREQ(
        error.what(),
        "take_rows: row index 4 at (1, 0) is outside of the 4 rows of the matrix, which count from 0");
  }
  EXPECT_EQ(by_m.to_host(), before);
}

TEST(TakenLinesOfModels, AreDifferentiatedAgain) {
  FUSECL_NEEDS_DOUBLE;
  const auto slopes = random_matrix<double>(5, 3, matrix_cl_view::Entire, -1, 1),
             u = random_matrix<double>(5, 3), x = random_matrix<double>(40, 3, matrix_cl_view::Entire, -1, 1);
  const auto g = numbers<int>(40, 5);
  const auto e = sum(exp(rowwise_sum(elt_multiply(x, take_rows(slopes, g)))));
  in_both_forms([&] {
    const auto product = std::get<0>(hessian_times_vector(e, wrt(slopes), u).product).to_host();
    const auto of_x = x.to_host(), b = slopes.to_host(), d = u.to_host();
    const auto of_g = g.to_host();
    Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(5, 3);
    for (Eigen::Index k = 0; k < 40; ++k)
      expected.row(of_g(k)) +=
          std::exp(of_x.row(k).dot(b.row(of_g(k)))) * of_x.row(k).dot(d.row(of_g(k))) * of_x.row(k);
    EXPECT_LT((product - expected).cwiseAbs().maxCoeff(), 1e-11);
  });
}

TEST(TakenLinesOfModels, OnTheTapeKeepTheirIndex) {
  FUSECL_NEEDS_DOUBLE;
  const auto slopes = random_matrix<double>(5, 3), x = random_matrix<double>(40, 3);
  auto g = numbers<std::int64_t>(40, 5);
  const auto expected =
      value_and_gradient(sum(square(rowwise_sum(elt_multiply(x, take_rows(slopes, g))))), wrt(slopes));
  var_value<matrix_cl<double>> b(slopes);
  var_value<matrix_cl<double>> taken = take_rows(b, g);
  var lp = sum(square(rowwise_sum(elt_multiply(x, taken))));
  g = matrix_cl<std::int64_t>(std::vector<std::int64_t>{1});
  lp.grad();
  EXPECT_NEAR(lp.val(), expected.value, 1e-12 * std::fabs(expected.value));
  EXPECT_LT((b.adj().to_host() - std::get<0>(expected.gradient).to_host()).cwiseAbs().maxCoeff(), 1e-11);
  recover_memory();
}

/// A regression with a slope and an intercept of its own for each group.
struct varying_slopes {
  matrix_cl<double> x, y;
  matrix_cl<int> g;
  varying_slopes(std::int64_t n, std::int64_t k, std::int64_t groups)
      : x(random_matrix<double>(n, k)), y(random_matrix<double>(n, 1)), g(groups_of(n, groups)) {}

  static matrix_cl<int> groups_of(std::int64_t n, std::int64_t groups) {
    std::vector<int> of_rows;
    for (std::int64_t row = 0; row < n; ++row) of_rows.push_back(static_cast<int>(7 * row % groups));
    return matrix_cl<int>(of_rows);
  }
  auto operator()(const auto& s, const auto& a, const auto& b) const {
    return -0.5 * sum(square(rowwise_sum(elt_multiply(x, take_rows(s, g))) + x * b + a[g] - y));
  }
};

TEST(TakenLinesOfModels, VaryingSlopesReadTheDesignOnce) {
  FUSECL_NEEDS_DOUBLE;
  const std::int64_t n = 3001, k = 6, groups = 100;
  const varying_slopes density(n, k, groups);
  const auto slopes = random_matrix<double>(groups, k), alpha = random_matrix<double>(groups, 1),
             beta = random_matrix<double>(k, 1);
  const auto e = density(slopes, alpha, beta);
  matrix_cl<double> by_slopes, by_alpha, by_beta;
  const schedule_as_before restored;
  for (const bool cpu : {true, false}) {
    if (!cpu && !gpu_form_is_sound()) continue;
    set_schedule(cpu ? "cpu" : "gpu");
    counters used;
    for (int round = 0; round < 2; ++round) {
      const counters before = runtime_counters();
      value_and_gradient_into(e, wrt(slopes, alpha, beta), by_slopes, by_alpha, by_beta);
      used = runtime_counters() - before;
    }
    // the pass over the design and what finishes it, the sums of slopes and those of intercepts
    EXPECT_LE(used.launches, 4u);
    EXPECT_EQ(used.host_waits, 1u);
    EXPECT_EQ(used.buffers_created, 0u);
    const auto explained = explain(e, wrt(slopes, alpha, beta));
    const std::int64_t design = n * k * 8;
    // the design, the derivatives by the slopes of each row, which the sums read, and vectors
    EXPECT_LT(explained.bytes_read, 2 * design + n * 60);
  }
  // of fewer, as every element of the arguments takes two evaluations
  const auto checked = check_gradient(varying_slopes(301, k, 12), random_matrix<double>(12, k),
                                      random_matrix<double>(12, 1), beta);
  EXPECT_TRUE(checked.passed(1e-6)) << checked;
}

TEST(TakenLinesOfModels, AreAddedTo) {
  in_both_forms([] {
    for (const std::int64_t count : {0, 1, 300}) {
      auto m = random_matrix<float>(6, 3), wide = random_matrix<float>(3, 6);
      const auto e = random_matrix<float>(count, 3), f = random_matrix<float>(3, count);
      const auto g = numbers<int>(count, 6), h = numbers<int>(count, 6, true);
      Eigen::MatrixXf rows = m.to_host(), cols = wide.to_host();
      const auto of_e = e.to_host(), of_f = f.to_host();
      const auto of_g = g.to_host();
      for (Eigen::Index k = 0; k < count; ++k) {
        rows.row(of_g(k)) += of_e.row(k);
        cols.col(of_g(k)) += of_f.col(k);
      }
      take_rows(m, g) += e;
      take_cols(wide, h) += f;
      EXPECT_LT((m.to_host() - rows).cwiseAbs().maxCoeff(), 1e-3f) << count;
      EXPECT_LT((wide.to_host() - cols).cwiseAbs().maxCoeff(), 1e-3f) << count;
    }
  });
}

}  // namespace
}  // namespace fusecl
