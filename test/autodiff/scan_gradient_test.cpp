// Derivatives of cumulative sums: against differences and forward accumulation, on the tape, and second ones.

#include <support/both_forms.hpp>
#include <support/gradients.hpp>
#include <support/operands.hpp>

#include <fusion/autodiff/hessian.hpp>
#include <fusion/autodiff/var.hpp>

namespace fusecl {
namespace {

using namespace test;

TEST(ScanGradient, IsThatOfDifferencesAndOfForwardAccumulation) {
  FUSECL_NEEDS_DOUBLE;
  in_both_forms([] {
    for (const auto [rows, cols] : std::vector<size_pair>{{0, 3}, {1, 1}, {7, 3}, {71, 2}}) {
      const auto a = random_matrix<double>(rows, cols, matrix_cl_view::Entire, -1, 1);
      const auto b = random_matrix<double>(rows, cols, matrix_cl_view::Entire, -1, 1);
      EXPECT_GRADIENT([](const auto& x,
                         const auto& y) { return sum(elt_multiply(y, sin(colwise_cumulative_sum(exp(x))))); },
                      a, b);
      EXPECT_GRADIENT(
          [](const auto& x, const auto& y) {
            return sum(elt_multiply(rowwise_cumulative_sum(x), rowwise_cumulative_sum(y)));
          },
          a, b);
      EXPECT_GRADIENT([](const auto& x) { return sum(square(cumulative_sum(rowwise_sum(x)))); }, a);
    }
  });
}

TEST(ScanGradient, IsTheScanFromTheOtherEnd) {
  FUSECL_NEEDS_DOUBLE;
  in_both_forms([] {
    for (std::int64_t size : {1, 1025, 100001}) {
      const auto a = random_matrix<double>(size, 1, matrix_cl_view::Entire, -1, 1);
      const auto w = random_matrix<double>(size, 1, matrix_cl_view::Entire, -1, 1);
      const auto found = from_matrix_cl(
          std::get<0>(value_and_gradient(sum(elt_multiply(w, cumulative_sum(a))), wrt(a)).gradient));
      const auto weights = from_matrix_cl(w);
      long double total = 0;
      for (Eigen::Index k = size; k-- > 0;) {
        total += weights(k);
        ASSERT_NEAR(found(k), static_cast<double>(total), 1e-10) << k;
      }
    }
  });
}

TEST(ScanGradient, OnTheTapeIsTheSame) {
  FUSECL_NEEDS_DOUBLE;
  using matrix_var = var_value<matrix_cl<double>>;
  const auto values = random_matrix<double>(71, 3, matrix_cl_view::Entire, -1, 1);
  const auto expected = value_and_gradient(sum(square(rowwise_cumulative_sum(exp(values)))), wrt(values));
  matrix_var a = values;
  const matrix_var scanned = rowwise_cumulative_sum(exp(a));
  var total = sum(square(scanned));
  total.grad();
  EXPECT_LT((a.adj().to_host() - std::get<0>(expected.gradient).to_host()).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(ScanGradient, HessiansTimesVectorsHaveTheirClosedForm) {
  FUSECL_NEEDS_DOUBLE;
  const auto x = random_matrix<double>(71, 1), v = random_matrix<double>(71, 1);
  const auto r = hessian_times_vector(sum(square(cumulative_sum(x))), wrt(x), v);
  // of |L x|^2 with L of ones below the diagonal: 2 L' L v
  const Eigen::MatrixXd ones = Eigen::MatrixXd::Ones(71, 71).triangularView<Eigen::Lower>();
  const Eigen::MatrixXd product = 2 * ones.transpose() * (ones * v.to_host());
  EXPECT_LT((std::get<0>(r.product).to_host() - product).cwiseAbs().maxCoeff(), 1e-8);
}

}  // namespace
}  // namespace fusecl
