// Eigen matrices of var: derivatives pass through copies to the device and back.

#include <support/messages.hpp>
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

TEST(EigenVar, BesideAMatrixOfTheDevice) {
  FUSECL_NEEDS_DOUBLE;
  const Eigen::MatrixXd values = random_host<double>(3, 3, 1, 2);
  const matrix_cl<double> a(values);
  const Eigen::Vector3d numbers(1, 2, 3);
  vector_v b = numbers;
  row_vector_v r = b.transpose();
  var scale = 2.0;
  const vector_v twice = scale * b;  // Eigen's
  var lp = sum(a * b) + sum(r * a) + dot_product(col(a, 2), b) + sum(elt_divide(row(a, 1), r)) +
           sum(multiply(a, twice)) + sum(twice - col(a, 1));
  EXPECT_NEAR(lp.val(),
              3 * (values * numbers).sum() + (numbers.transpose() * values).sum() +
                  values.col(1).dot(numbers) + values.row(0).transpose().cwiseQuotient(numbers).sum() +
                  2 * numbers.sum() - values.col(0).sum(),
              1e-12);
  lp.grad();
  for (Eigen::Index k = 0; k < 3; ++k)
    EXPECT_NEAR(b(k).adj(),
                3 * values.col(k).sum() + values.row(k).sum() + values(k, 1) -
                    values(0, k) / (numbers(k) * numbers(k)) + 2,
                1e-12);
  EXPECT_NEAR(scale.adj(), (values * numbers).sum() + numbers.sum(), 1e-12);
  recover_memory();
}

TEST(EigenVar, ValuesOnTheHost) {
  const Eigen::RowVectorXd values = random_host<double>(1, 5, -1, 1);
  const Eigen::Matrix<var, 1, Eigen::Dynamic> host = values.cast<var>();
  const Eigen::Matrix<var, 2, 3> fixed = Eigen::Matrix<var, 2, 3>::Constant(0.5);
  const std::size_t before = detail::this_thread_tape().size();
  const Eigen::RowVectorXd found = value_of(host);
  EXPECT_EQ(found, values);
  EXPECT_EQ(value_of(host.tail(2)), values.tail(2));
  EXPECT_EQ(value_of(fixed), (Eigen::Matrix<double, 2, 3>::Constant(0.5)));
  EXPECT_EQ(value_of(values.head(3)), values.head(3));
  EXPECT_EQ(value_of(Eigen::VectorXi::Constant(2, 7).eval()), Eigen::VectorXi::Constant(2, 7));
  EXPECT_EQ(value_of(1.5), 1.5);
  static_assert(std::is_same_v<decltype(value_of(3)), int>);
  EXPECT_EQ(detail::this_thread_tape().size(), before);
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

TEST(EigenVar, ToTheHostInATypeOfAnotherSizeIsRefused) {
  FUSECL_NEEDS_DOUBLE;
  const auto data = random_matrix<double>(3, 2);
  const var_value<matrix_cl<double>> x(data);
  const std::size_t before = detail::this_thread_tape().size();
  const auto refuses = [&]<class Host>(std::type_identity<Host>, const std::string& message) {
    expect_message<std::invalid_argument>([&] { from_matrix_cl<Host>(x); }, message);
  };
  refuses(std::type_identity<Eigen::Matrix<var, 2, 2>>(), "the matrix is 3 x 2, the Eigen type is 2 x 2");
  refuses(std::type_identity<Eigen::Matrix<var, -1, 1>>(), "the matrix is 3 x 2, the Eigen type is any x 1");
  refuses(std::type_identity<Eigen::Matrix<var, -1, -1, 0, 2, 2>>(),
          "from_matrix_cl: the matrix is 3 x 2, the Eigen type holds at most 2 x 2");
  refuses(std::type_identity<std::vector<Eigen::Matrix<var, 2, 1>>>(),
          "a column of the matrix is 3 x 1, the Eigen type is 2 x 1");
  refuses(std::type_identity<std::vector<Eigen::Matrix<var, 1, 4>>>(),
          "a column of the matrix is 1 x 3, the Eigen type is 1 x 4");
  EXPECT_EQ(detail::this_thread_tape().size(), before);
  const auto fixed = from_matrix_cl<Eigen::Matrix<var, 3, 2>>(x);
  const auto columns = from_matrix_cl<std::vector<Eigen::Matrix<var, 1, 3>>>(x);
  var lp = fixed(2, 1) + 2.0 * columns[1](2);
  lp.grad();
  Eigen::MatrixXd wanted = Eigen::MatrixXd::Zero(3, 2);
  wanted(2, 1) = 3;
  EXPECT_EQ(x.adj().to_host(), wanted);
  recover_memory();
}

TEST(EigenVar, SumsOfTheHost) {
  const Eigen::MatrixXd values = random_host<double>(7, 3, -1, 1);
  EXPECT_EQ(sum(values), values.sum());
  EXPECT_EQ(sum(values.col(1).array() + 1), values.col(1).sum() + 7);
  EXPECT_EQ(sum(Eigen::VectorXi()), 0);
  EXPECT_EQ(sum(2.5), 2.5);
  EXPECT_EQ(sum(std::vector{1.5, 2.0}), 3.5);
  EXPECT_EQ(sum(std::vector<int>()), 0);
  EXPECT_EQ(sum(std::vector<bool>{true, true, true}), 3);
  EXPECT_EQ(sum(std::vector<unsigned char>{200, 100}), 300);
  EXPECT_EQ(sum(Eigen::Matrix<bool, 3, 1>(true, true, false)), 2);
  const var_matrix host = values.cast<var>();
  const std::vector<var> list = {host(0, 0), host(1, 0)};
  var l = sum(host) * 2 + sum(list);
  EXPECT_NEAR(l.val(), 2 * values.sum() + values(0, 0) + values(1, 0), 1e-12);
  l.grad();
  EXPECT_EQ(host(0, 0).adj(), 3);
  EXPECT_EQ(host(6, 2).adj(), 2);
  EXPECT_EQ(sum(var_matrix()).val(), 0);
  recover_memory();
}

TEST(EigenVar, GradientsOfFunctions) {
  FUSECL_NEEDS_DOUBLE;
  const Eigen::VectorXd x = random_host<double>(5, 1, -1, 1);
  double value = 0;
  Eigen::VectorXd by_x;
  const var outside = 3.0;
  const auto on_device = [&](const vector_v& each) { return sum(exp(to_matrix_cl(each))) * outside; };
  gradient(on_device, x, value, by_x);
  EXPECT_NEAR(value, 3 * x.array().exp().sum(), 1e-12);
  EXPECT_TRUE(by_x.isApprox(3 * x.array().exp().matrix()));
  gradient([](const vector_v& each) { return each[0] * each[1]; }, x, value, by_x);
  EXPECT_EQ(by_x, (Eigen::VectorXd::Unit(5, 0) * x[1] + Eigen::VectorXd::Unit(5, 1) * x[0]));
  const auto throws = [](const vector_v&) -> var { throw std::domain_error("no"); };
  EXPECT_THROW(gradient(throws, x, value, by_x), std::domain_error);
  EXPECT_EQ(value, x[0] * x[1]);
  gradient([](const vector_v&) { return var(2.0); }, Eigen::VectorXd(), value, by_x);
  EXPECT_EQ(value, 2);
  EXPECT_EQ(by_x.size(), 0);
}

}  // namespace
}  // namespace fusecl
