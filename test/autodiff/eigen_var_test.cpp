// Eigen matrices of var: derivatives pass through copies to the device and back.

#include <support/operands.hpp>

#include <fusion/autodiff/eigen_var.hpp>

namespace fusecl {
namespace {

using namespace test;
using var_matrix = Eigen::Matrix<var, Eigen::Dynamic, Eigen::Dynamic>;

TEST(EigenVar, ToTheDevice) {
  FUSECL_NEEDS_DOUBLE;
  const Eigen::MatrixXd values = random_host<double>(7, 3, -1, 1);
  var_matrix host = values.cast<var>();
  var_value<matrix_cl<double>> x = to_matrix_cl(host);
  var lp = sum(square(x)) + host(2, 1) * 3.0;
  lp.grad();
  for (Eigen::Index i = 0; i < 7; ++i)
    for (Eigen::Index j = 0; j < 3; ++j)
      EXPECT_DOUBLE_EQ(host(i, j).adj(), 2 * values(i, j) + (i == 2 && j == 1 ? 3 : 0));
  recover_memory();
}

TEST(EigenVar, ToTheHostAndThere) {
  FUSECL_NEEDS_DOUBLE;
  const auto data = random_matrix<double>(5, 4, matrix_cl_view::Entire, -1, 1);
  var_value<matrix_cl<double>> x{matrix_cl<double>(data)};
  var_value<matrix_cl<double>> y = exp(x);
  const var_matrix host = from_matrix_cl(y);
  var lp = (host * host.transpose()).trace() + host.sum() * 2.0 + sum(x);
  for (int round = 1; round <= 2; ++round) {
    lp.grad();
    const Eigen::ArrayXXd e = data.to_host().array().exp();
    const Eigen::ArrayXXd wanted = round * ((2 * e + 2) * e + 1);
    EXPECT_LT((x.adj().to_host().array() - wanted).abs().maxCoeff(), 1e-11);
  }
  recover_memory();
}

}  // namespace
}  // namespace fusecl
