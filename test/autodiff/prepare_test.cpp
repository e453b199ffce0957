// prepare(f): what statements on the tape need is built without the device.

#include <support/operands.hpp>

#include <fusion/autodiff/prepare.hpp>

namespace fusecl {
namespace {

using namespace test;
using matrix_var = var_value<matrix_cl<double>>;

TEST(PrepareTape, BuildsStatementsAndGradients) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = random_matrix<double>(71, 3, matrix_cl_view::Entire, -1, 1);
  matrix_var x(a);
  var c = 0.3;
  double value = 0;
  const auto density = [&] {
    matrix_var y = tan(c * x) - rowwise_broadcast(rowwise_sum(x));
    matrix_var z = elt_multiply(y, y) + x;
    var total = sum(z);
    var lp = sum(elt_multiply(z, exp(total * x / 1000.0))) + 2 * total * c;
    lp.grad();
    value = lp.val();
  };
  const counters before = runtime_counters();
  prepare(density);
  const counters spent = runtime_counters() - before;
  EXPECT_EQ(spent.launches, 0u);
  EXPECT_EQ(spent.host_waits, 0u);
  EXPECT_GT(spent.programs_built + spent.programs_loaded, 4u);
  EXPECT_EQ(detail::this_thread_tape().size(), 2u);
  EXPECT_EQ(c.adj(), 0);
  EXPECT_EQ(x.adj().to_host(), (Eigen::MatrixXd::Zero(71, 3)));
  set_zero_all_adjoints();
  freeze();
  EXPECT_NO_THROW(density());
  unfreeze();
  EXPECT_TRUE(std::isfinite(value));
  EXPECT_NE(value, 1);
  recover_memory();
}

TEST(PrepareTape, LeavesEverythingAsItWasAfterAnException) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = random_matrix<double>(7, 3);
  matrix_var x(a);
  x.adj() = a;
  EXPECT_THROW(prepare([&] {
                 var lp = sum(exp(x));
                 lp.grad();
                 throw std::runtime_error("enough");
               }),
               std::runtime_error);
  EXPECT_EQ(x.adj().to_host(), a.to_host());
  var lp = sum(x);
  lp.grad();
  EXPECT_EQ(x.adj().to_host(), (a.to_host().array() + 1).matrix());
  recover_memory();
}

}  // namespace
}  // namespace fusecl
