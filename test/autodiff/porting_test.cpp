// Names, conversions and habits of programs written for Stan Math's reverse mode.

#include <sstream>
#include <stdexcept>
#include <thread>

#include <support/compare.hpp>

#include <fusion/autodiff/accumulator.hpp>
#include <fusion/autodiff/arena_matrix_cl.hpp>
#include <fusion/autodiff/eigen_var.hpp>
#include <fusion/autodiff/value_and_gradient.hpp>

namespace fusecl {
namespace {

using namespace test;
using matrix = matrix_cl<double>;
using matrix_var = var_value<matrix>;

class PortingVar : public ::testing::Test {
 protected:
  void SetUp() override { FUSECL_NEEDS_DOUBLE; }
  void TearDown() override { recover_memory(); }
};

TEST_F(PortingVar, ScalarExpressionsOfNumbersAreNumbers) {
  const var a = 0.5;
  const double x = value_of(exp(a));
  EXPECT_NEAR(x, std::exp(0.5), 1e-15);
  const parameter<double> p(2);
  const matrix m = exp(p) + 1.0;
  EXPECT_EQ(m.rows(), 1);
  EXPECT_NEAR(from_matrix_cl<double>(m), std::exp(2.0) + 1, 1e-14);
  EXPECT_NEAR(static_cast<double>(exp(p)), std::exp(2.0), 1e-14);
}

TEST_F(PortingVar, NumbersCompareByValue) {
  const var a = 5, b = 10;
  EXPECT_TRUE(a < b);
  EXPECT_FALSE(a == b);
  EXPECT_TRUE(a != b && a <= 5 && 7.0 > a && +a >= 5.0);
  EXPECT_EQ(std::max(a, b).val(), 10);
  std::ostringstream out;
  out << a;
  EXPECT_EQ(out.str(), "5");
}

TEST_F(PortingVar, NumbersCountUpAndDown) {
  const var a = 2;
  var v = a * 3.0;
  EXPECT_EQ((++v).val(), 7);
  EXPECT_EQ((v++).val(), 7);
  EXPECT_EQ(v.val(), 8);
  EXPECT_EQ((--v).val(), 7);
  EXPECT_EQ((v--).val(), 7);
  EXPECT_EQ(v.val_op(), 6);
  const var square = v * v;
  square.grad();
  EXPECT_EQ(a.adj(), 36);
  v.adj_op() += 1;
  EXPECT_EQ(v.adj(), 13);
  const matrix_var m = matrix(2.0);
  m.adj_op() = m.val_op() * 2.0;
  EXPECT_EQ(m.adj()(0), 4);
}

TEST_F(PortingVar, OtherThreadsNumbersAreRefused) {
  const var c = 2.0;
  Eigen::Matrix<var, Eigen::Dynamic, Eigen::Dynamic> host(1, 1);
  host(0, 0) = c;
  const matrix_var v(random_matrix<double>(3, 2));
  std::thread([&] {
    EXPECT_THROW(c * 2.0, std::logic_error);
    EXPECT_THROW(to_matrix_cl(host), std::logic_error);
    EXPECT_THROW(matrix_var(exp(v)), std::logic_error);
    recover_memory();
  }).join();
  EXPECT_EQ(c.adj(), 0);
  var d = c * 2.0;
  d.grad();
  EXPECT_EQ(c.adj(), 2);
}

TEST_F(PortingVar, ValuesOfDataAreVariables) {
  const auto m = random_matrix<double>(3, 2);
  const matrix_var y = m * 2.0;
  const var total = sum(y);
  total.grad();
  total.grad();
  EXPECT_TRUE((y.adj().to_host().array() == 2).all());
  const var c = sum(m);
  const var twice = c * 2.0, thrice = c * 3.0;
  twice.grad();
  thrice.grad();
  EXPECT_EQ(c.adj(), 5);
}

TEST_F(PortingVar, AdjointsCanBeSeededByHand) {
  const auto a = random_matrix<double>(7, 3), w = random_matrix<double>(7, 3);
  const matrix_var v = a;
  const matrix_var r = elt_multiply(v, exp(v));
  r.adj() = w;
  grad();
  const Eigen::ArrayXXd x = a.to_host().array();
  const Eigen::MatrixXd wanted = w.to_host().array() * (1 + x) * x.exp();
  EXPECT_LT((v.adj().to_host() - wanted).cwiseAbs().maxCoeff(), 1e-12 * wanted.cwiseAbs().maxCoeff());
}

TEST_F(PortingVar, NestedTapesByName) {
  const var a = 3;
  var b = a * a;
  b.grad();
  EXPECT_EQ(a.adj(), 6);
  start_nested();
  {
    const var c = 2;
    var d = c * c;
    d.grad();
    EXPECT_EQ(c.adj(), 4);
    set_zero_all_adjoints_nested();
    EXPECT_EQ(c.adj(), 0);
    EXPECT_EQ(a.adj(), 6);
    set_zero_all_adjoints();
    EXPECT_EQ(a.adj(), 0);
  }
  recover_memory_nested();
  EXPECT_THROW(recover_memory_nested(), std::logic_error);
}

TEST_F(PortingVar, MatricesOfVarsConvert) {
  const Eigen::MatrixXd values = random_host<double>(4, 1, -1, 1);
  matrix_var v;
  EXPECT_EQ(v.size(), 0);
  v = to_matrix_cl(values);
  v += v;
  v *= 2.0;
  v -= matrix(values);
  v /= 3.0;
  EXPECT_TRUE(v.val().to_host().isApprox(values));
  const matrix_var same(values);
  EXPECT_EQ(&to_matrix_cl(same), &same);
  const auto column = from_matrix_cl<Eigen::Matrix<var, Eigen::Dynamic, 1>>(same);
  const auto list = from_matrix_cl<std::vector<var>>(same);
  const matrix_var back = to_matrix_cl(list);
  var total = column(1) * 2.0 + list[2] * 3.0 + sum(back);
  total.grad();
  EXPECT_EQ(same.adj().to_host(), Eigen::Vector4d(1, 3, 4, 1));
  EXPECT_EQ(value_of(same).to_host(), values);
}

TEST_F(PortingVar, AKernelByHandMayWriteAnAdjoint) {
  const kernel_cl<in_out_buffer, double> fill(
      "fill",
      "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
      "kernel void fill(global double* a, double x) { a[get_global_id(0)] = x; }\n");
  const auto m = random_matrix<double>(4, 3);
  const matrix_var v = random_matrix<double>(4, 3);
  const var lp = sum(elt_multiply(m, v));
  lp.grad();
  fill(cl::NDRange(12), v.adj(), 7.0);
  EXPECT_TRUE((v.adj().to_host().array() == 7).all());
  set_zero_all_adjoints();
  lp.grad();
  EXPECT_EQ(v.adj().to_host(), m.to_host());
}

TEST_F(PortingVar, VectorsOfVariablesAreColumnsOfThem) {
  std::vector<var> all{1.0, 2.0, 3.0};
  auto column = as_column_vector_or_scalar(all);
  EXPECT_EQ(column.rows(), 3);
  column(1).adj() = 5;
  EXPECT_EQ(all[1].adj(), 5);
  const std::vector<double> numbers{4, 7};
  EXPECT_EQ(as_column_vector_or_scalar(numbers), Eigen::Vector2d(4, 7));
  EXPECT_EQ(as_column_vector_or_scalar(std::vector<double>{4, 7}), Eigen::Vector2d(4, 7));
  const std::vector<matrix_var> matrices(2, matrix_var(random_matrix<double>(2, 3)));
  EXPECT_EQ(to_arena(matrices)[1].entry(), matrices[1].entry());
}

TEST_F(PortingVar, AdjointsOfConstVariablesAndVariablesOfWholeNumbers) {
  const var x = 2.0;
  adjoint_of(x) += 3.0;
  EXPECT_EQ(x.adj(), 3);
  const matrix_cl<int> whole(Eigen::MatrixXi(Eigen::MatrixXi::Constant(2, 2, 3)));
  const var total = sum(whole);
  EXPECT_EQ(total.val(), 12);
  EXPECT_EQ(var(max_2d(whole)).val(), 3);
}

TEST_F(PortingVar, GradientsOfFunctionsOfAMatrixOnTheDevice) {
  const auto m = random_matrix<double>(4, 3);
  double value = 0;
  matrix_cl<double> slope;
  gradient([](const matrix_var& x) { return var(sum(square(x))); }, m, value, slope);
  EXPECT_NEAR(value, m.to_host().squaredNorm(), 1e-12);
  EXPECT_EQ(slope.to_host(), 2 * m.to_host());
  EXPECT_THROW(gradient([](const matrix_var&) -> var { throw std::runtime_error("f"); }, m, value, slope),
               std::runtime_error);
  EXPECT_EQ(slope.to_host(), 2 * m.to_host());
}

}  // namespace
}  // namespace fusecl
