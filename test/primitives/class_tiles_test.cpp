// Regressions for classes, whose linear predictors are joined by functions of a row: on a GPU tiles of rows
// are read by rows and again by columns, or multiplied by tensor cores. Values and derivatives are those of a
// plain loop.

#include <cmath>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include <support/both_forms.hpp>
#include <support/operands.hpp>

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
      : x(Eigen::MatrixXd::Random(rows, features)),
        beta(Eigen::MatrixXd::Random(features, classes)),
        alpha(Eigen::VectorXd::Random(classes)),
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

/// Whether work-items may have as much as those of the form for CPUs have for 33 classes, 800 KB each.
bool work_items_have_room() {
  return std::string_view(std::getenv("FUSECL_SCHEDULE")) == "gpu" ||
         opencl_context.device().getInfo<CL_DEVICE_TYPE>() == CL_DEVICE_TYPE_CPU;
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
    if (work_items_have_room()) expect_solved({70, 3, 33});
    expect_solved({0, 3, 4});
  });
}

/// Tensor cores multiply tiles of 32 rows, 4 and 16 columns and 8 classes at a time; columns of an odd number
/// of rows are copied one by one. Other devices have one text for all numbers of columns, or nothing to do at
/// these places. What is not finite is said.
TEST(ClassTiles, OfManyColumns) {
  using sizes = std::vector<std::pair<int, int>>;
  const bool by_tensor_cores = opencl_context.capabilities().nvidia_capability == 90;
  in_both_forms([&] {
    for (const int classes : by_tensor_cores ? std::vector{3, 9, 17} : std::vector{3}) {
      if (classes == 17 && !work_items_have_room()) continue;
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

}  // namespace
}  // namespace fusecl
