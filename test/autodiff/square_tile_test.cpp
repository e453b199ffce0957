// Passes over the rows of a square matrix: what belongs to its rows and what belongs to its columns has one
// shape, but a pass knows the one row by row and the other at its end only.

#include <support/both_forms.hpp>
#include <support/compare.hpp>

#include <fusion/autodiff/check_gradient.hpp>
#include <fusion/autodiff/hessian.hpp>
#include <fusion/autodiff/value_and_gradient.hpp>

namespace fusecl {
namespace {

using namespace test;

matrix_cl<double> between(std::int64_t rows, std::int64_t cols) {
  return random_matrix<double>(rows, cols, matrix_cl_view::Entire, -1, 1);
}

class SquareTile : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override { FUSECL_NEEDS_DOUBLE; }
  int n = GetParam();
  matrix_cl<double> a = between(n, n), v = between(n, 1), u = between(n, 1);
};

TEST_P(SquareTile, ValuesOfRowsMeetSumsOfColumns) {
  in_both_forms([&] {
    expect_matches_reference(a * v + transpose(a) * (a * v));
    expect_matches_reference(v - 0.1 * (a * v) - transpose(a) * exp(a * v));
    expect_matches_reference(transpose(colwise_sum(rowwise_softmax(a))) + rowwise_log_sum_exp(a));
    expect_matches_reference(rowwise_max(a) +
                             transpose(colwise_sum(elt_multiply(a, rowwise_broadcast(rowwise_max(a))))));
    expect_matches_reference(colwise_sum(elt_multiply(a, rowwise_broadcast(rowwise_sum(a)))) +
                             transpose(rowwise_sum(a)));
    expect_matches_reference(sum(elt_multiply(a * v, transpose(a) * exp(a * v))));
  });
}

TEST_P(SquareTile, SeveralResultsHaveBoth) {
  in_both_forms([&] {
    EXPECT_ALL_MATCH_REFERENCE(a * v, transpose(a) * (a * v) + a * v, sum(a * v));
    EXPECT_ALL_MATCH_REFERENCE(transpose(a) * exp(a * v), square(transpose(a) * exp(a * v)) - a * v);
  });
}

TEST_P(SquareTile, Gradients) {
  const auto passes = [](auto f, auto&&... x) {
    const auto checked = check_gradient(f, x...);
    EXPECT_TRUE(checked.passed(1e-6)) << checked;
  };
  in_both_forms([&] {
    passes([&](const auto& x) { return sum(square(x - a * x)); }, v);
    passes([&](const auto& x) { return sum(log1p_exp(x - a * x)); }, v);
    passes([&](const auto& x) { return sum(log1p(square(u - 0.5 * (a * x) + x) / 3.0)); }, v);
    passes([&](const auto& x) { return -0.5 * dot_self(x - 0.3 * (a * x) - u); }, v);
    passes([&](const auto& x) { return 0.5 * dot_product(x, a * x) - sum(log1p_exp(a * x)); }, v);
    passes([&](const auto& x) { return sum(tanh(a * rowwise_log_sum_exp(a - rowwise_broadcast(x)))); }, v);
  });
}

// By the matrix, too: differences by all of its elements would take long.
TEST_P(SquareTile, GradientsByTheMatrixHaveTheirClosedForm) {
  const Eigen::MatrixXd m = a.to_host(), x = v.to_host(), r = x - m * x, by_a = -2 * r * x.transpose(),
                        by_v = 2 * (r - m.transpose() * r);
  in_both_forms([&] {
    const auto found = value_and_gradient(sum(square(v - a * v)), wrt(v, a));
    EXPECT_NEAR(found.value, r.squaredNorm(), 1e-13 * n * (1 + r.squaredNorm()));
    const auto expect_close = [&](const matrix_cl<double>& by, const Eigen::MatrixXd& wanted) {
      EXPECT_LT((by.to_host() - wanted).cwiseAbs().maxCoeff(),
                1e-13 * n * (1 + wanted.cwiseAbs().maxCoeff()));
    };
    expect_close(std::get<0>(found.gradient), by_v);
    expect_close(std::get<1>(found.gradient), by_a);
  });
}

TEST_P(SquareTile, HessianTimesVector) {
  in_both_forms([&] {
    const auto r = hessian_times_vector(sum(square(v - a * v)), wrt(v), u);
    const Eigen::MatrixXd m = Eigen::MatrixXd::Identity(n, n) - a.to_host();
    const Eigen::VectorXd wanted = 2 * m.transpose() * (m * u.to_host());
    EXPECT_LT((std::get<0>(r.product).to_host() - wanted).cwiseAbs().maxCoeff(),
              1e-12 * n * (1 + wanted.cwiseAbs().maxCoeff()));
  });
}

INSTANTIATE_TEST_SUITE_P(Sizes, SquareTile, ::testing::Values(1, 3, 66));

}  // namespace
}  // namespace fusecl
