// Long expressions on the device: values, gradients, several results, and text that grows with the number of
// operations and not faster.

#include <support/both_forms.hpp>
#include <support/compare.hpp>
#include <support/long_expression.hpp>

#include <fusion/autodiff/value_and_gradient.hpp>
#include <fusion/autodiff/var.hpp>

namespace fusecl {
namespace {

using namespace test;

using matrix = matrix_cl<float>;

// Against Eigen and not the interpreter, whose graph comes from the same key. Small integers: exact.
TEST(LongExpression, OfOneTypeIsNeverTakenForAnother) {
  const host<float> a = random_host<int>(9, 5).cast<float>(), b = random_host<int>(9, 5).cast<float>();
  const matrix x(a), y(b);
  for (int round = 0; round < 2; ++round) {
    const matrix doubled = grown<101>(x * 3.0f, x, y), squared = grown<101>(square(x), x, y),
                 other = grown<101>(square(y), y, x), same = grown<101>(square(x), x, x);
    expect_same<float>(from_matrix_cl(doubled), 53 * a - 51 * b);
    expect_same<float>(from_matrix_cl(squared), a.cwiseAbs2() + 50 * a - 51 * b);
    expect_same<float>(from_matrix_cl(other), b.cwiseAbs2() + 50 * b - 51 * a);
    expect_same<float>(from_matrix_cl(same), a.cwiseAbs2() - a);
  }
}

TEST(LongExpression, MatchesTheReference) {
  in_both_forms([] {
    const auto x = random_matrix<float>(71, 33), y = random_matrix<float>(71, 33);
    expect_matches_reference(grown<100>(exp(x * 0.1f), x, y));
    expect_matches_reference(rowwise_sum(grown<60>(x, y, rowwise_broadcast(rowwise_sum(x)))));
  });
}

TEST(LongExpression, IsOneResultOfSeveral) {
  const host<float> a = random_host<int>(9, 5).cast<float>();
  const matrix x(a);
  matrix all, rows, total;
  results(all, rows, total) =
      expressions(grown<60>(x, x, x), grown<60>(rowwise_sum(x), 1.0f, 2.0f), grown<60>(sum(x), 1.0f, 2.0f));
  expect_same<float>(from_matrix_cl(all), a);
  expect_same<float>(from_matrix_cl(rows), a.rowwise().sum().array() - 30.0f);
  EXPECT_EQ(from_matrix_cl(total)(0, 0), a.sum() - 30);
}

TEST(LongExpression, HasTheGradientOfItsParts) {
  FUSECL_NEEDS_DOUBLE;
  const auto x = random_matrix<double>(9, 5), y = random_matrix<double>(9, 5);
  const auto r = value_and_gradient(sum(elt_multiply(grown<100>(square(x), x, y), y)), wrt(x, y));
  const Eigen::ArrayXXd a = x.to_host().array(), b = y.to_host().array();
  const Eigen::MatrixXd by_x = ((2 * a + 50) * b).matrix(), by_y = (a * a + 50 * a - 100 * b).matrix();
  EXPECT_LT((std::get<0>(r.gradient).to_host() - by_x).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LT((std::get<1>(r.gradient).to_host() - by_y).cwiseAbs().maxCoeff(), 1e-10);
  const var_value<matrix_cl<double>> v(x);
  const var lp = sum(elt_multiply(grown<100>(square(v), v, y), y));
  lp.grad();
  EXPECT_LT((v.adj().to_host() - by_x).cwiseAbs().maxCoeff(), 1e-10);
  recover_memory();
}

TEST(LongExpression, TakesTextByTheOperation) {
  const matrix x(7, 5), y(7, 5), target;
  const auto length = [&](const auto& e) {
    return static_cast<double>(std::string(e.get_kernel_source_for_evaluating_into(target)).size());
  };
  const double one = length(grown<100>(x, x, y)), two = length(grown<200>(x, x, y)),
               eight = length(grown<800>(x, x, y));
  EXPECT_LT(eight - two, 6.5 * (two - one));  // numbers of three digits
}

}  // namespace
}  // namespace fusecl
