// Regressions for classes, whose linear predictors are joined by functions of a row: on a GPU tiles of rows
// are read by rows and again by columns, or multiplied by tensor cores. Values and derivatives are those of a
// plain loop.

#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <support/both_forms.hpp>
#include <support/operands.hpp>

#include <fusion/runtime/tensor_cores.hpp>
#include <primitives/primitives.hpp>

namespace fusecl {
namespace {

using namespace test;

struct class_model {
  Eigen::MatrixXd x, beta;
  Eigen::VectorXd alpha;
  Eigen::VectorXi y;
  // what is expected
  double value = 0;
  Eigen::MatrixXd by_x, by_beta;
  Eigen::VectorXd by_alpha;

  class_model(int rows, int features, int classes)
      : x(random_host<double>(rows, features, -1, 1)),
        beta(random_host<double>(features, classes, -1, 1)),
        alpha(random_host<double>(classes, 1, -1, 1)),
        y(rows) {
    for (int i = 0; i < rows; ++i) y[i] = 1 + (i * 7 + i / 3) % classes;
    solve();
  }

  void solve() {
    const Eigen::MatrixXd eta = (x * beta).rowwise() + alpha.transpose();
    Eigen::MatrixXd rest(eta.rows(), eta.cols());
    value = 0;
    for (Eigen::Index i = 0; i < eta.rows(); ++i) {
      const Eigen::ArrayXd e = (eta.row(i).array() - eta.row(i).maxCoeff()).exp();
      value += eta(i, y[i] - 1) - eta.row(i).maxCoeff() - std::log(e.sum());
      rest.row(i) = -(e / e.sum()).transpose();
      rest(i, y[i] - 1) += 1;
    }
    by_alpha = rest.colwise().sum();
    by_beta = x.transpose() * rest;
    by_x = rest * beta.transpose();
  }
};

void expect_near(const Eigen::MatrixXd& found, const Eigen::MatrixXd& expected, double scale) {
  ASSERT_EQ(found.rows(), expected.rows());
  ASSERT_EQ(found.cols(), expected.cols());
  if (found.size() == 0) return;
  EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 1e-13 * scale);
}

void expect_solved(const class_model& m) {
  const matrix_cl<double> x(m.x);
  const matrix_cl<int> y(m.y);
  const double scale = 10 + static_cast<double>(m.x.size());
  var_value<matrix_cl<double>> alpha{matrix_cl<double>(m.alpha)}, beta{matrix_cl<double>(m.beta)};
  var density = categorical_logit_glm_lpmf(y, x, alpha, beta);
  density.grad();
  EXPECT_NEAR(density.val(), m.value, 1e-13 * scale * (1 + std::abs(m.value)));
  expect_near(from_matrix_cl(alpha.adj()), m.by_alpha, scale);
  expect_near(from_matrix_cl(beta.adj()), m.by_beta, scale);
}

/// As for short columns of a GPU: with so many rows a tile is full, has one row more, or is one of many.
TEST(ClassTiles, SumsOfEveryNumberOfClasses) {
  in_both_forms([] {
    for (const int classes : {3, 10})
      for (const int rows : {1, 257}) {
        SCOPED_TRACE(std::to_string(classes) + " classes, " + std::to_string(rows) + " rows");
        expect_solved({rows, 5, classes});
      }
    expect_solved({300, 4, 1});
    expect_solved({0, 3, 4});
  });
}

/// Tensor cores multiply tiles of 32 rows, 4 and 16 columns and 8 classes at a time; columns of an odd number
/// of rows are copied one by one. Other devices have one text for all numbers of columns, or nothing to do at
/// these places. What is not finite is said.
TEST(ClassTiles, OfManyColumns) {
  using sizes = std::vector<std::pair<int, int>>;
  const bool by_tensor_cores = runtime::has_fast_tensor_cores();
  in_both_forms([&] {
    for (const int classes : by_tensor_cores ? std::vector{3, 9, 16} : std::vector{3}) {
      for (const auto& [rows, columns] :
           by_tensor_cores ? sizes{{31, 16}, {64, 31}, {999, 33}, {4096, 64}, {2051, 127}, {100, 130}}
                           : sizes{{999, 33}}) {
        SCOPED_TRACE(std::to_string(classes) + " classes, " + std::to_string(rows) + " x " +
                     std::to_string(columns));
        expect_solved({rows, columns, classes});
      }
    }
    class_model m(999, 33, 3);
    m.x(998, 7) = std::numeric_limits<double>::quiet_NaN();
    const matrix_cl<double> x(m.x), alpha(m.alpha), beta(m.beta);
    const matrix_cl<int> y(m.y);
    EXPECT_THROW(categorical_logit_glm_lpmf(y, x, alpha, var_value<matrix_cl<double>>(beta)),
                 std::domain_error);
    expect_solved({999, 33, 3});
  });
}

/// More than 16 classes are columns of a product, and those of many columns of x where tensor cores multiply
/// these. One row of x for all, and x without columns, are none. A number stands for the class of every row.
TEST(ClassTiles, OfAProduct) {
  const bool by_tensor_cores = runtime::has_fast_tensor_cores();
  in_both_forms([&] {
    for (const auto& [rows, columns, classes] : std::vector<std::array<int, 3>>{
             {65, 3, 17}, {40, 1, 20}, {257, 7, 33}, {1, 5, 18}, {0, 3, 20}, {9, 0, 20}}) {
      SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns) + ", " + std::to_string(classes) +
                   " classes");
      expect_solved({rows, columns, classes});
    }
    if (by_tensor_cores)
      for (const int classes : {3, 10}) expect_solved({301, 200, classes});
    class_model m(65, 3, 17);
    m.y.setConstant(4);
    m.solve();
    const var_value<matrix_cl<double>> x{matrix_cl<double>(m.x)}, beta{matrix_cl<double>(m.beta)};
    var density = categorical_logit_glm_lpmf(4, x, m.alpha, beta);
    density.grad();
    EXPECT_NEAR(density.val(), m.value, 1e-11 * std::abs(m.value));
    expect_near(from_matrix_cl(x.adj()), m.by_x, 200);
    expect_near(from_matrix_cl(beta.adj()), m.by_beta, 200);
  });
}

/// Far from the other classes the probability of a row's own class keeps its digits, and classes that are no
/// classes and values that are not finite are named, as where classes are spelled out.
TEST(ClassTiles, OfAProductFarOut) {
  in_both_forms([] {
    Eigen::MatrixXd beta = Eigen::MatrixXd::Zero(1, 20);
    beta(0, 3) = 1;
    const matrix_cl<double> b(beta), alpha(Eigen::VectorXd(Eigen::VectorXd::Zero(20)));
    const matrix_cl<int> y(std::vector<int>{4, 1});
    // log(1 + 19 exp(-60)) of the first, and log(19 + exp(-60)) + 60 of the second row
    const matrix_cl<double> near(Eigen::MatrixXd(Eigen::MatrixXd::Constant(2, 1, 60)));
    const double of_first = std::log1p(19 * std::exp(-60.0)), of_second = 60 + of_first;
    EXPECT_NEAR(categorical_logit_glm_lpmf(y, near, alpha, b), -of_first - of_second, 1e-13);
    const matrix_cl<int> own(std::vector<int>{4, 4});
    EXPECT_NEAR(categorical_logit_glm_lpmf(own, near, alpha, b) / (-2 * of_first), 1, 1e-13);
    const matrix_cl<double> far(Eigen::MatrixXd(Eigen::MatrixXd::Constant(2, 1, 1000)));
    EXPECT_EQ(categorical_logit_glm_lpmf(own, far, alpha, b), 0);
    EXPECT_EQ(categorical_logit_glm_lpmf(y, far, alpha, b), -1000);
    EXPECT_THROW(categorical_logit_glm_lpmf(matrix_cl<int>(std::vector<int>{4, 21}), near, alpha, b),
                 std::domain_error);
    for (const int classes : {16, 17}) {  // spelled out, and a product
      Eigen::VectorXd certain = Eigen::VectorXd::Zero(classes);
      certain[3] = std::numeric_limits<double>::infinity();
      EXPECT_EQ(categorical_logit_glm_lpmf(own, near, matrix_cl<double>(certain),
                                           matrix_cl<double>(Eigen::MatrixXd(beta.leftCols(classes)))),
                0);
    }
    beta(0, 19) = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW(categorical_logit_glm_lpmf(y, near, alpha, matrix_cl<double>(beta)), std::domain_error);
  });
}

}  // namespace
}  // namespace fusecl
