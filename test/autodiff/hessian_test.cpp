// Products of Hessians with directions on the device, against closed forms and differences of the gradient.

#include <support/messages.hpp>
#include <support/operands.hpp>

#include <fusion/autodiff/hessian.hpp>

namespace fusecl {
namespace {

using namespace test;
using Eigen::ArrayXXd, Eigen::MatrixXd;

TEST(Hessian, TimesAVectorHasItsClosedForm) {
  FUSECL_NEEDS_DOUBLE;
  const auto x = random_matrix<double>(71, 3, matrix_cl_view::Entire, -1, 1);
  const auto y = random_matrix<double>(71, 3, matrix_cl_view::Entire, -1, 1);
  const auto u = random_matrix<double>(71, 3), v = random_matrix<double>(71, 3);
  const auto r = hessian_times_vector(sum(elt_multiply(square(x), exp(y))), wrt(x, y), u, v);
  const ArrayXXd a = x.to_host().array(), e = y.to_host().array().exp();
  const ArrayXXd p = u.to_host().array(), q = v.to_host().array();
  EXPECT_NEAR(r.value, (a * a * e).sum(), 1e-10);
  EXPECT_LT((std::get<0>(r.gradient).to_host().array() - 2 * a * e).abs().maxCoeff(), 1e-12);
  EXPECT_LT((std::get<0>(r.product).to_host().array() - (2 * e * p + 2 * a * e * q)).abs().maxCoeff(), 1e-11);
  EXPECT_LT((std::get<1>(r.product).to_host().array() - (2 * a * e * p + a * a * e * q)).abs().maxCoeff(),
            1e-11);
}

TEST(Hessian, DirectionsMayHaveAnotherElementType) {
  FUSECL_NEEDS_DOUBLE;
  const auto x = random_matrix<double>(71, 3, matrix_cl_view::Entire, -1, 1);
  const auto v = random_matrix<float>(71, 3);
  const matrix_cl<double> wide(v.to_host().cast<double>().eval());
  const auto once = hessian_times_vector(sum(exp(x)), wrt(x), wide);
  const auto narrow = hessian_times_vector(sum(exp(x)), wrt(x), v);
  EXPECT_EQ(std::get<0>(once.product).to_host(), std::get<0>(narrow.product).to_host());
}

TEST(Hessian, DirectionsMayBeEigenObjects) {
  FUSECL_NEEDS_DOUBLE;
  const auto x = random_matrix<double>(7, 3, matrix_cl_view::Entire, -1, 1);
  parameter<double> b = 0.5;
  const MatrixXd v = random_host<double>(7, 3, -1, 1);
  const auto e = sum(exp(b * x));
  const auto wanted = hessian_times_vector(e, wrt(x, b), matrix_cl<double>(v), 2.0);
  const auto is_that = [&](const auto& found) {
    EXPECT_EQ(std::get<0>(found.product).to_host(), std::get<0>(wanted.product).to_host());
    EXPECT_EQ(std::get<1>(found.product).to_host(), std::get<1>(wanted.product).to_host());
  };
  is_that(hessian_times_vector(e, wrt(x, b), v, 2.0));
  is_that(hessian_times_vector(e, wrt(x, b), (2 * v) / 2, Eigen::VectorXd::Constant(1, 2.0)));
  is_that(hessian_times_vector(e, wrt(x, b), v.array(), 2));
  EXPECT_THROW(hessian_times_vector(e, wrt(x, b), v.topRows(6), 2), std::invalid_argument);
}

TEST(Hessian, ParametersBroadcastsAndReductions) {
  FUSECL_NEEDS_DOUBLE;
  const auto x = random_matrix<double>(71, 3, matrix_cl_view::Entire, -1, 1);
  const auto u = random_matrix<double>(71, 3);
  parameter<double> c(0.4), unused(2.0);
  const matrix_cl<double> w(0.75);
  const auto density = [&](const auto& m, const auto& s) {
    return log(sum(exp(s * m))) + sum(square(m - rowwise_broadcast(rowwise_sum(m)))) * s;
  };
  const auto r = hessian_times_vector(density(x, c), wrt(x, c, optional(unused)), u, w, 0.75);
  const auto same = hessian_times_vector(density(x, c), wrt(x, c, optional(unused)), u, 0.75, w);
  EXPECT_EQ(std::get<0>(same.product).to_host(), std::get<0>(r.product).to_host());
  // differences of the gradient along the direction
  const double h = 1e-5;
  const matrix_cl<double> above(x.to_host() + h * u.to_host()), below(x.to_host() - h * u.to_host());
  parameter<double> c_above(0.4 + h * 0.75), c_below(0.4 - h * 0.75);
  const auto ga = value_and_gradient(density(above, c_above), wrt(above, c_above));
  const auto gb = value_and_gradient(density(below, c_below), wrt(below, c_below));
  const MatrixXd wanted = (std::get<0>(ga.gradient).to_host() - std::get<0>(gb.gradient).to_host()) / (2 * h);
  EXPECT_LT((std::get<0>(r.product).to_host() - wanted).cwiseAbs().maxCoeff(),
            1e-6 * (1 + wanted.cwiseAbs().maxCoeff()));
  const double by_c =
      (std::get<1>(ga.gradient).to_host()(0, 0) - std::get<1>(gb.gradient).to_host()(0, 0)) / (2 * h);
  EXPECT_NEAR(std::get<1>(r.product).to_host()(0, 0), by_c, 1e-5 * (1 + std::fabs(by_c)));
  EXPECT_EQ(std::get<2>(r.product).to_host()(0, 0), 0);
  EXPECT_THROW(hessian_times_vector(density(x, c), wrt(x, c), w, w), std::invalid_argument);
}

TEST(Hessian, DirectionsOfOneVariableAddUp) {
  FUSECL_NEEDS_DOUBLE;
  const auto x = random_matrix<double>(7, 3, matrix_cl_view::Entire, -1, 1);
  const auto u = random_matrix<double>(7, 3), v = random_matrix<double>(7, 3);
  const matrix_cl<double> both(MatrixXd(u.to_host() + v.to_host()));
  const auto e = sum(exp(x)) + prod_2d(x + 2.0);
  const auto once = hessian_times_vector(e, wrt(x), both);
  const auto twice = hessian_times_vector(e, wrt(x, x), u, v);
  const MatrixXd wanted = std::get<0>(once.product).to_host();
  const double most = 1e-12 * (1 + wanted.cwiseAbs().maxCoeff());
  EXPECT_LT((std::get<0>(twice.product).to_host() - wanted).cwiseAbs().maxCoeff(), most);
  EXPECT_LT((std::get<1>(twice.product).to_host() - wanted).cwiseAbs().maxCoeff(), most);
  EXPECT_EQ(std::get<1>(twice.gradient).to_host(), std::get<0>(once.gradient).to_host());
}

/// All elements are written, also where nothing of the gradient depends on the variables.
TEST(Hessian, TimesAVectorIsZeroWhereTheExpressionIsLinear) {
  FUSECL_NEEDS_DOUBLE;
  const auto x = random_matrix<double>(5, 3), data = random_matrix<double>(5, 3),
             u = random_matrix<double>(5, 3);
  const auto b = random_matrix<double>(3, 1), w = random_matrix<double>(3, 1);
  const auto nines = [] {
    for (int k = 0; k < 4; ++k) from_matrix_cl(matrix_cl<double>(MatrixXd::Constant(5, 3, 99).eval()));
  };
  const auto is_zero = [&](const auto& e, const auto& variable, const auto& direction) {
    nines();
    const auto r = hessian_times_vector(e, wrt(variable), direction);
    return (std::get<0>(r.product).to_host().array() == 0).all();
  };
  EXPECT_TRUE(is_zero(sum(2.0 * x), x, u));
  EXPECT_TRUE(is_zero(sum(floor(x)), x, u));
  EXPECT_TRUE(is_zero(max_2d(x), x, u));
  EXPECT_TRUE(is_zero(sum(elt_multiply(x, data)), x, u));
  EXPECT_TRUE(is_zero(sum(data * b), b, w));
  nines();
  const auto both = hessian_times_vector(sum(square(x)) + sum(data), wrt(x, data), u, u);
  EXPECT_TRUE((std::get<1>(both.product).to_host().array() == 0).all());
}

TEST(Hessian, DirectionsOfAnotherSizeAreNamed) {
  FUSECL_NEEDS_DOUBLE;
  const auto x = random_matrix<double>(5, 3), y = random_matrix<double>(2, 4);
  const auto message = [&](const auto& of_x, const auto& of_y) {
    return message_of<std::invalid_argument>(
        [&] { hessian_times_vector(sum(square(x)) + sum(exp(y)), wrt(x, y), of_x, of_y); });
  };
  EXPECT_EQ(message(x, y), "");
  EXPECT_EQ(
      message(x, MatrixXd(MatrixXd::Ones(3, 5))),
      "hessian_times_vector: variable 2 of wrt(...) is 2 x 4, its direction is 3 x 5: they must have the "
      "same size");
  EXPECT_EQ(
      message(1.0, y),
      "hessian_times_vector: variable 1 of wrt(...) is 5 x 3, its direction is 1 x 1: they must have the "
      "same size");
}

/// Their derivatives are made of |d|, copysign and selections, which have none at 0 and where branches meet.
TEST(Hessian, LogsOfSymmetricDensitiesAreSmooth) {
  FUSECL_NEEDS_DOUBLE;
  constexpr double nu = 4, sigma = 2;
  const ArrayXXd d = (ArrayXXd(1, 9) << 0, 1e-9, -1e-9, 0.5, -0.5, 2, -2, 7, -1e3).finished(), z = d / sigma,
                 q = nu + z.square();
  const matrix_cl<double> x(d.matrix()), one(MatrixXd(MatrixXd::Ones(1, 9)));
  const auto of_t = hessian_times_vector(sum(student_t_log_kernel(nu, x, sigma)), wrt(x), one);
  const ArrayXXd wanted = -(nu + 1) * (nu - z.square()) / (q.square() * sigma * sigma);
  EXPECT_LT((std::get<0>(of_t.product).to_host().array() - wanted).abs().maxCoeff(), 1e-15);
  const auto of_logistic = hessian_times_vector(sum(logistic_log_kernel(x)), wrt(x), one);
  EXPECT_LT(
      (std::get<0>(of_logistic.product).to_host().array() + 0.5 / (d / 2).cosh().square()).abs().maxCoeff(),
      1e-15);
}

/// x log(m / x) - (m - x), which is computed from m - x alone where m is near x, from the logarithm
/// elsewhere.
TEST(Hessian, OfPoissonLogKernelsIsThatOfOneFunction) {
  FUSECL_NEEDS_DOUBLE;
  const ArrayXXd x = (ArrayXXd(1, 10) << 3, 3, 3, 3, 3, 3, 3, 1e5, 2.5, 1e-3).finished(),
                 m = (ArrayXXd(1, 10) << 3, 3 + 1e-9, 2.9, 1.4, 1.6, 5.9, 6.1, 1.001e5, 1e3, 1e-9).finished();
  const matrix_cl<double> X(x.matrix()), M(m.matrix()), one(MatrixXd(MatrixXd::Ones(1, 10))),
      none(MatrixXd(MatrixXd::Zero(1, 10)));
  const auto f = sum(poisson_log_kernel(X, log(elt_divide(M, X)), M - X));
  const auto expect_near = [](const matrix_cl<double>& actual, const ArrayXXd& wanted,
                              const ArrayXXd& scale) {
    EXPECT_LT(((actual.to_host().array() - wanted).abs() / scale).maxCoeff(), 4e-15);
  };
  const auto first = value_and_gradient(f, wrt(X, M));
  const ArrayXXd t = (m - x) / x, log_ratio = (t.abs() < 0.5).select(t.log1p(), (m / x).log());
  expect_near(std::get<0>(first.gradient), log_ratio, log_ratio.abs() + 1e-12);
  expect_near(std::get<1>(first.gradient), (x - m) / m, ((x - m) / m).abs() + 1e-12);
  const auto by_x = hessian_times_vector(f, wrt(X, M), one, none);
  expect_near(std::get<0>(by_x.product), -1 / x, 1 / x);
  expect_near(std::get<1>(by_x.product), 1 / m, 1 / m);
  const auto by_m = hessian_times_vector(f, wrt(X, M), none, one);
  expect_near(std::get<1>(by_m.product), -x / (m * m), x / (m * m));
}

// Equal operands are no place of their own: the derivative by each is 1/2 there, and changes.
TEST(Hessian, OfALogSumExpOfEqualNumbersIsNotZero) {
  FUSECL_NEEDS_DOUBLE;
  const double none = -HUGE_VAL;
  const matrix_cl<double> a{1.0, 1.0, 2.0, none}, b{1.0, 1.5, 2.0, none}, u{1.0, 1.0, 1.0, 0.0},
      z{0.0, 0.0, 0.0, 0.0};
  const auto found = hessian_times_vector(sum(log_sum_exp(a, b)), wrt(a, b), u, z);
  const double p = 1 / (1 + std::exp(0.5));
  const Eigen::VectorXd wanted = (Eigen::VectorXd(4) << 0.25, p * (1 - p), 0.25, 0).finished();
  const Eigen::VectorXd by_a = std::get<0>(found.product).to_host(),
                        by_b = std::get<1>(found.product).to_host();
  EXPECT_LE((by_a - wanted).cwiseAbs().maxCoeff(), 1e-15) << by_a;
  EXPECT_LE((by_b + wanted).cwiseAbs().maxCoeff(), 1e-15) << by_b;
}

}  // namespace
}  // namespace fusecl
