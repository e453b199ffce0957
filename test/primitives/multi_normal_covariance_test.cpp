// The densities of normal vectors by covariance and by precision, against covariance_references.csv in every
// mixture of data and variables; regression by a Gaussian process and what it costs; what they refuse.

#include <cmath>
#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>
#include <support/both_forms.hpp>
#include <support/messages.hpp>
#include <support/operands.hpp>

#include <fusion/runtime/counters.hpp>
#include <primitives/covariance_references.hpp>
#include <primitives/primitives.hpp>

namespace fusecl::test {
namespace {

using host_matrix = Eigen::MatrixXd;
using matrix_var = var_value<matrix_cl<double>>;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// What a line of the references has where; derivatives by the first three come last.
enum : std::size_t { outcomes, means, covariance, density, derivatives };

void expect_derivative(const matrix_cl<double>&, const host_matrix&) {}
void expect_derivative(const matrix_var& x, const host_matrix& want) {
  const host_matrix got = x.adj().to_host();
  ASSERT_EQ(got.rows(), want.rows());
  EXPECT_LE((got - want).cwiseAbs().maxCoeff(), 1e-12 * (1 + want.cwiseAbs().maxCoeff()));
}

/// `f(y, mu, matrix)` with propto or without, of these types.
template <class Y, class Mu, class Matrix, class F>
void compare(const covariance_reference& row, const F& f) {
  const auto made = [&](std::size_t k) { return matrix_cl<double>(row[k]); };
  const Y y = made(outcomes);
  const Mu mu = made(means);
  const Matrix matrix = made(covariance);
  const auto value = f(y, mu, matrix);
  if constexpr (std::is_same_v<decltype(value), const double>) {
    EXPECT_NEAR(value, row.number(density), 1e-13 * (1 + std::fabs(row.number(density))));
  } else {
    EXPECT_NEAR(value.val(), row.number(density), 1e-13 * (1 + std::fabs(row.number(density))));
    value.grad();
    expect_derivative(y, row[derivatives]);
    expect_derivative(mu, row[derivatives + 1]);
    expect_derivative(matrix, row[derivatives + 2]);
    recover_memory();
  }
}

/// Every mixture of one line; of the others only data and only variables, in both forms.
template <class F>
void compare_mixtures(const char* name, const F& f) {
  using data = matrix_cl<double>;
  const auto [begin, end] = covariance_references().equal_range(name);
  ASSERT_NE(begin, end);
  for (auto at = begin; at != end; ++at) {
    const covariance_reference& row = at->second;
    SCOPED_TRACE(std::to_string(row[outcomes].rows()) + " x " + std::to_string(row[outcomes].cols()));
    in_both_forms([&] {
      compare<data, data, data>(row, f);
      compare<matrix_var, matrix_var, matrix_var>(row, f);
    });
    if (row[outcomes].cols() != 1 || row[outcomes].rows() == 1) continue;
    compare<data, data, matrix_var>(row, f);
    compare<data, matrix_var, data>(row, f);
    compare<data, matrix_var, matrix_var>(row, f);
    compare<matrix_var, data, data>(row, f);
    compare<matrix_var, data, matrix_var>(row, f);
    compare<matrix_var, matrix_var, data>(row, f);
  }
}

TEST(MultiNormal, HasItsValueAndDerivatives) {
  FUSECL_NEEDS_DOUBLE;
  compare_mixtures("multi_normal_lpdf", [](const auto& y, const auto& mu, const auto& sigma) {
    return multi_normal_lpdf(y, mu, sigma);
  });
}

TEST(MultiNormalPrecision, HasItsValueAndDerivatives) {
  FUSECL_NEEDS_DOUBLE;
  compare_mixtures("multi_normal_prec_lpdf", [](const auto& y, const auto& mu, const auto& omega) {
    return multi_normal_prec_lpdf(y, mu, omega);
  });
}

host_matrix draw_covariance(int n) {
  const host_matrix own = random_host<double>(n, n, -1, 1);
  return own * own.transpose() + n * host_matrix::Identity(n, n);
}

/// The same as by its factor, past one tile, with the derivatives by the factor carried to the covariance.
TEST(MultiNormal, IsThatByTheFactor) {
  FUSECL_NEEDS_DOUBLE;
  for (const int n : {2, 65}) {
    SCOPED_TRACE(n);
    const matrix_cl<double> s(draw_covariance(n)), y(random_host<double>(n, 3, -1, 1)),
        mu(random_host<double>(n, 1, -1, 1));
    in_both_forms([&] {
      matrix_var a = s, b = s, mu_a = mu, mu_b = mu;
      const var by_covariance = multi_normal_lpdf(y, mu_a, a);
      by_covariance.grad();
      const var by_factor = multi_normal_cholesky_lpdf(y, mu_b, cholesky_decompose(b));
      by_factor.grad();
      EXPECT_NEAR(by_covariance.val(), by_factor.val(), 1e-12 * std::fabs(by_factor.val()));
      const host_matrix want = b.adj().to_host(), of_mean = mu_b.adj().to_host();
      EXPECT_LE((a.adj().to_host() - want).cwiseAbs().maxCoeff(), 1e-12 * (1 + want.cwiseAbs().maxCoeff()));
      EXPECT_LE((mu_a.adj().to_host() - of_mean).cwiseAbs().maxCoeff(), 1e-12 * (1 + of_mean.norm()));
      recover_memory();
    });
  }
}

TEST(MultiNormal, LeavesOutTermsWithoutVariables) {
  FUSECL_NEEDS_DOUBLE;
  const matrix_cl<double> s(draw_covariance(3)), y(random_host<double>(3, 1, -1, 1)),
      mu(host_matrix(host_matrix::Zero(3, 1)));
  EXPECT_EQ(multi_normal_lpdf<true>(y, mu, s), 0);
  EXPECT_EQ(multi_normal_prec_lpdf<true>(y, mu, s), 0);
  const double all = multi_normal_lpdf(y, mu, s);
  const matrix_var of_s = s;
  EXPECT_NEAR(multi_normal_lpdf<true>(y, mu, of_s).val(), all + 3 * std::log(2 * std::acos(-1)) / 2, 1e-12);
  recover_memory();
}

TEST(MultiNormal, OfNothingIsZero) {
  FUSECL_NEEDS_DOUBLE;
  const matrix_cl<double> none(0, 1), empty(0, 0), no_outcomes(3, 0), s(draw_covariance(3));
  EXPECT_EQ(multi_normal_lpdf(none, none, empty), 0);
  EXPECT_EQ(multi_normal_lpdf(no_outcomes, 0.0, s), 0);
  EXPECT_EQ(multi_normal_prec_lpdf(no_outcomes, 0.0, s), 0);
}

TEST(MultiNormal, RefusesWhatIsNoCovariance) {
  FUSECL_NEEDS_DOUBLE;
  const matrix_cl<double> y(random_host<double>(3, 1, -1, 1)), mu(random_host<double>(3, 1, -1, 1)),
      wide(3, 4);
  const host_matrix good = draw_covariance(3);
  const auto refused = [&](double value, int i, int j, const char* message) {
    host_matrix bad = good;
    bad(i, j) = value;
    const matrix_cl<double> s(bad);
    expect_message<std::domain_error>([&] { multi_normal_lpdf(y, mu, s); }, message);
    expect_message<std::domain_error>([&] { multi_normal_lpdf(y, mu, matrix_var(s)); }, message);
    recover_memory();
  };
  expect_message<std::invalid_argument>([&] { multi_normal_lpdf(y, mu, wide); },
                                        "multi_normal_lpdf: Covariance parameter (3 x 4) must be square with "
                                        "as many rows as Random variable (3 x 1) has elements");
  refused(nan, 1, 0, "multi_normal_lpdf: Covariance parameter[2, 1] is nan, but must be finite!");
  refused(9, 2, 0, "multi_normal_lpdf: Covariance parameter[3, 1] is 9, but must be symmetric!");
  refused(-1, 2, 2, "multi_normal_lpdf: Covariance parameter is not positive definite: pivot 3 is -");
  host_matrix negative = good;
  negative(0, 0) = -1;
  for (const bool variable : {false, true})
    expect_message<std::domain_error>(
        [&] {
          const matrix_cl<double> omega(negative);
          variable ? void(multi_normal_prec_lpdf(y, mu, matrix_var(omega)))
                   : void(multi_normal_prec_lpdf(y, mu, omega));
        },
        "multi_normal_prec_lpdf: Precision parameter is not positive definite: pivot 1 is -1, but must");
  const matrix_cl<double> one(host_matrix::Constant(1, 1, -2)), at(host_matrix::Zero(1, 1));
  expect_message<std::domain_error>([&] { multi_normal_prec_lpdf(at, 0.0, one); },
                                    "multi_normal_prec_lpdf: Precision parameter is not positive definite: "
                                    "pivot 1 is -2");
  recover_memory();
  host_matrix bad = good;
  bad(0, 2) = 9;
  expect_message<std::domain_error>([&] { multi_normal_prec_lpdf(y, mu, matrix_cl<double>(bad)); },
                                    "multi_normal_prec_lpdf: Precision parameter[3, 1]");
  host_matrix infinite = host_matrix::Zero(3, 1);
  infinite(1, 0) = std::numeric_limits<double>::infinity();
  expect_message<std::domain_error>(
      [&] { multi_normal_lpdf(y, matrix_cl<double>(infinite), matrix_cl<double>(good)); },
      "multi_normal_lpdf: Location parameter[2] is inf, but must be finite!");
}

/// Log density of outcomes at `x` by a Gaussian process with noise, and its derivatives by three numbers.
struct process {
  matrix_cl<double> x, y;

  Eigen::Vector4d operator()(double alpha, double rho, double sigma) const {
    var a = alpha, r = rho, s = sigma;
    const var density = multi_normal_lpdf(y, 0.0, add_diag(gp_exp_quad_cov(x, a, r), square(s)));
    density.grad();
    const Eigen::Vector4d all(density.val(), a.adj(), r.adj(), s.adj());
    recover_memory();
    return all;
  }
};

process draw_process(int n) {
  Eigen::VectorXd x(n), y(n);
  for (int i = 0; i < n; ++i) {
    x[i] = 0.1 * i;
    y[i] = std::sin(x[i]) + 0.1 * std::cos(17.0 * i);
  }
  return {matrix_cl<double>(x), matrix_cl<double>(y)};
}

TEST(GaussianProcess, HasDerivativesByItsNumbers) {
  FUSECL_NEEDS_DOUBLE;
  for (const int n : {2, 31, 65}) {
    SCOPED_TRACE(n);
    const process of = draw_process(n);
    in_both_forms([&] {
      const Eigen::Vector4d at = of(1.2, 0.9, 0.3);
      const double h = 1e-5;
      for (int k = 0; k < 3; ++k) {
        const Eigen::Vector3d step = h * Eigen::Vector3d::Unit(k);
        const auto moved = [&](double sign) {
          return of(1.2 + sign * step[0], 0.9 + sign * step[1], 0.3 + sign * step[2])[0];
        };
        EXPECT_NEAR(at[k + 1], (moved(1) - moved(-1)) / (2 * h), 1e-6 * (1 + std::fabs(at[k + 1])));
      }
    });
  }
}

/// n = 1000 in the form of a GPU: 16 panels of the factor, in which its inverse comes along, one kernel that
/// finishes them, and at most 12 launches of everything else, which do not depend on n.
TEST(GaussianProcess, CostsOneWaitAndNoBuffer) {
  FUSECL_NEEDS_DOUBLE;
  if (!gpu_form_is_sound()) GTEST_SKIP() << "the driver compiles the form of a GPU wrong";
  const schedule_as_before restored;
  set_schedule("gpu");
  const process of = draw_process(1000);
  of(1.2, 0.9, 0.3);
  of(1.1, 0.9, 0.3);
  const counters before = runtime_counters();
  of(1.3, 0.8, 0.4);
  const counters spent = runtime_counters() - before;
  EXPECT_EQ(spent.host_waits, 1u);
  EXPECT_EQ(spent.buffers_created, 0u);
  EXPECT_EQ(spent.programs_built, 0u);
  EXPECT_LE(spent.launches, 29u);
}

TEST(GaussianProcess, RefusesWhatIsNoNumber) {
  FUSECL_NEEDS_DOUBLE;
  const process of = draw_process(3);
  expect_message<std::domain_error>([&] { of(-1, 1, 1); }, "gp_exp_quad_cov: magnitude is -1");
  expect_message<std::domain_error>([&] { of(1, nan, 1); }, "gp_exp_quad_cov: length scale is nan");
  expect_message<std::domain_error>(
      [&] { of(1, 1, nan); },
      "multi_normal_lpdf: Covariance parameter is not positive definite: pivot 1 is "
      "nan");
  recover_memory();
}

}  // namespace
}  // namespace fusecl::test
