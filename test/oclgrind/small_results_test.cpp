// What is finished with a tile of rows, in the form FUSECL_SCHEDULE asks for: matrices that follow from its
// sums, and sums of a few elements, where work-items of a group hand each other what they have.

#include <support/compare.hpp>

#include <fusion/autodiff/value_and_gradient.hpp>

namespace fusecl {
namespace {

using namespace test;

TEST(SmallResults, AreThoseOfEachTermAlone) {
  const auto x = random_matrix<float>(300, 3, matrix_cl_view::Entire, -1, 1),
             w = random_matrix<float>(3, 3, matrix_cl_view::Entire, -1, 1),
             a = random_matrix<float>(5, 1, matrix_cl_view::Entire, -1, 1);
  const auto of_x = x.to_host(), of_w = w.to_host(), of_a = a.to_host();
  const auto density = sum(log1p_exp(x * col(w, 1) - a[0]) + square(x * col(w, 2))) - dot_self(a);
  const counters before = runtime_counters();
  const auto found = value_and_gradient(density, wrt(w, a));
  EXPECT_LE((runtime_counters() - before).launches, 2u);
  const Eigen::VectorXf first = (of_x * of_w.col(0)).array() - of_a(0), second = of_x * of_w.col(1);
  const Eigen::VectorXf inverse = 1 / (1 + (-first.array()).exp());
  EXPECT_NEAR(found.value, (first.array().exp() + 1).log().sum() + second.squaredNorm() - of_a.squaredNorm(),
              1e-3 * std::fabs(found.value));
  Eigen::MatrixXf by_w = Eigen::MatrixXf::Zero(3, 3);
  by_w.col(0) = of_x.transpose() * inverse;
  by_w.col(1) = 2 * of_x.transpose() * second;
  Eigen::VectorXf by_a = -2 * of_a;
  by_a(0) -= inverse.sum();
  EXPECT_LT((std::get<0>(found.gradient).to_host() - by_w).cwiseAbs().maxCoeff(), 1e-2f);
  EXPECT_LT((std::get<1>(found.gradient).to_host() - by_a).cwiseAbs().maxCoeff(), 1e-2f);
}

}  // namespace
}  // namespace fusecl
