// Covariances of Gaussian processes against covariance_references.csv in mixtures of data and variables; in
// both forms against the host interpreter; at equal points; what they refuse.

#include <cmath>
#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>
#include <support/both_forms.hpp>
#include <support/compare.hpp>
#include <support/gradients.hpp>
#include <support/messages.hpp>

#include <fusion/autodiff/hessian.hpp>
#include <fusion/runtime/counters.hpp>
#include <primitives/covariance_references.hpp>
#include <primitives/primitives.hpp>

namespace fusecl::test {
namespace {

using host_matrix = Eigen::MatrixXd;
using matrix_var = var_value<matrix_cl<double>>;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// What a line of the references has where.
enum : std::size_t { first, second, magnitude, lengths, period, weights, values, by_magnitude, by_lengths };
enum : std::size_t { by_period = by_lengths + 1, by_first, by_second };

/// Of more than 16 dimensions squares of distances are differences of larger numbers.
double tolerance_of(const covariance_reference& row) { return row[first].rows() > 16 ? 1e-11 : 2e-14; }

void expect_near(const host_matrix& got, const host_matrix& want, double tolerance) {
  ASSERT_EQ(got.rows(), want.rows());
  ASSERT_EQ(got.cols(), want.cols());
  EXPECT_LE((got - want).cwiseAbs().maxCoeff(), tolerance * (1 + want.cwiseAbs().maxCoeff()))
      << got << "\nshould be\n"
      << want;
}
void expect_derivative(const var& x, const covariance_reference& row, std::size_t k) {
  EXPECT_NEAR(x.adj(), row.number(k), 10 * tolerance_of(row) * (1 + std::fabs(row.number(k))));
}
void expect_derivative(const matrix_var& x, const covariance_reference& row, std::size_t k) {
  const host_matrix adjoint = x.adj().to_host();
  expect_near(adjoint.reshaped(row[k].rows(), row[k].cols()), row[k], 10 * tolerance_of(row));
}
void expect_derivative(double, const covariance_reference&, std::size_t) {}
void expect_derivative(const matrix_cl<double>&, const covariance_reference&, std::size_t) {}

/// The arguments of a line as data or as variables.
template <class X>
X argument(const covariance_reference& row, std::size_t k) {
  if constexpr (std::is_same_v<X, double> || std::is_same_v<X, var>)
    return row[k].size() == 0 ? 1.0 : row.number(k);
  else
    return X(matrix_cl<double>(row[k]));
}

/// Compares values, or where there are variables the derivatives of a sum with weights.
template <class X, class S, class L, class F>
void compare(const covariance_reference& row, const F& f) {
  const auto x1 = argument<X>(row, first), x2 = argument<X>(row, second);
  const auto sigma = argument<S>(row, magnitude), p = argument<S>(row, period);
  const auto length = argument<L>(row, lengths);
  const auto covariance = f(x1, x2, sigma, length, p);
  if constexpr (std::is_same_v<X, matrix_cl<double>> && std::is_same_v<S, double>) {
    expect_near(matrix_cl<double>(covariance).to_host(), row[values], tolerance_of(row));
  } else {
    const matrix_cl<double> w(row[weights]);
    const var total = sum(elt_multiply(w, covariance));
    total.grad();
    expect_derivative(x1, row, by_first);
    if (row[second].size() > 0) expect_derivative(x2, row, by_second);
    expect_derivative(sigma, row, by_magnitude);
    if (row[lengths].size() > 0) expect_derivative(length, row, by_lengths);
    if (row[period].size() > 0) expect_derivative(p, row, by_period);
    recover_memory();
  }
}
/// `each`: also with only the points, and only the numbers as variables.
template <class Length, class LengthVar, class F>
void compare_mixtures(const covariance_reference& row, bool each, const F& f) {
  using data = matrix_cl<double>;
  SCOPED_TRACE(std::to_string(row[first].rows()) + " dimensions");
  compare<data, double, Length>(row, f);
  compare<matrix_var, var, LengthVar>(row, f);
  if (!each) return;
  compare<data, var, LengthVar>(row, f);
  compare<matrix_var, double, Length>(row, f);
}

/// Lines of `name` with points of these dimensions, by themselves or beside others; with one length scale.
template <class Self, class Cross>
void compare_all(const char* name, std::initializer_list<int> dimensions, bool each, const Self& self,
                 const Cross& cross) {
  std::size_t compared = 0;
  for (const auto& [function, row] : covariance_references())
    for (const int d : dimensions) {
      if (function != name || row[first].rows() != d || row[lengths].size() > 1) continue;
      ++compared;
      if (row[second].size() == 0)
        compare_mixtures<double, var>(row, each, self);
      else
        compare_mixtures<double, var>(row, each, cross);
    }
  EXPECT_GE(compared, 2 * dimensions.size());
}
/// The same with several.
template <class Self, class Cross>
void compare_many_lengths(const char* name, std::initializer_list<int> dimensions, bool each,
                          const Self& self, const Cross& cross) {
  std::size_t compared = 0;
  for (const auto& [function, row] : covariance_references())
    for (const int d : dimensions) {
      if (function != name || row[first].rows() != d || row[lengths].size() < 2) continue;
      ++compared;
      if (row[second].size() == 0)
        compare_mixtures<matrix_cl<double>, matrix_var>(row, each, self);
      else
        compare_mixtures<matrix_cl<double>, matrix_var>(row, each, cross);
    }
  EXPECT_EQ(compared, 2 * dimensions.size());
}

#define FUSECL_SELF(FUNCTION) \
  [](const auto& x, const auto&, const auto& s, const auto& l, const auto&) { return FUNCTION(x, s, l); }
#define FUSECL_CROSS(FUNCTION)                                                    \
  [](const auto& x1, const auto& x2, const auto& s, const auto& l, const auto&) { \
    return FUNCTION(x1, x2, s, l);                                                \
  }

/// Points and length scales are the same for all.
TEST(CovarianceReferences, ExpQuad) {
  FUSECL_NEEDS_DOUBLE;
  compare_all("gp_exp_quad_cov", {1, 5, 17}, true, FUSECL_SELF(gp_exp_quad_cov),
              FUSECL_CROSS(gp_exp_quad_cov));
  compare_many_lengths("gp_exp_quad_cov", {2, 17}, true, FUSECL_SELF(gp_exp_quad_cov),
                       FUSECL_CROSS(gp_exp_quad_cov));
}
TEST(CovarianceReferences, Exponential) {
  FUSECL_NEEDS_DOUBLE;
  compare_all("gp_exponential_cov", {2}, false, FUSECL_SELF(gp_exponential_cov),
              FUSECL_CROSS(gp_exponential_cov));
}
TEST(CovarianceReferences, Matern32) {
  FUSECL_NEEDS_DOUBLE;
  compare_all("gp_matern32_cov", {1, 17}, false, FUSECL_SELF(gp_matern32_cov), FUSECL_CROSS(gp_matern32_cov));
}
TEST(CovarianceReferences, Matern52) {
  FUSECL_NEEDS_DOUBLE;
  compare_many_lengths("gp_matern52_cov", {5}, false, FUSECL_SELF(gp_matern52_cov),
                       FUSECL_CROSS(gp_matern52_cov));
}

TEST(CovarianceReferences, Periodic) {
  FUSECL_NEEDS_DOUBLE;
  compare_all(
      "gp_periodic_cov", {1, 2}, false,
      [](const auto& x, const auto&, const auto& s, const auto& l, const auto& p) {
        return gp_periodic_cov(x, s, l, p);
      },
      [](const auto& x1, const auto& x2, const auto& s, const auto& l, const auto& p) {
        return gp_periodic_cov(x1, x2, s, l, p);
      });
}

TEST(CovarianceReferences, InnerProducts) {
  FUSECL_NEEDS_DOUBLE;
  compare_all(
      "gp_dot_prod_cov", {1, 5, 17}, false,
      [](const auto& x, const auto&, const auto& s, const auto&, const auto&) {
        return gp_dot_prod_cov(x, s);
      },
      [](const auto& x1, const auto& x2, const auto& s, const auto&, const auto&) {
        return gp_dot_prod_cov(x1, x2, s);
      });
}

TEST(Covariances, MatchTheInterpreterInBothForms) {
  FUSECL_NEEDS_DOUBLE;
  for (const int d : {1, 2, 5, 17})
    for (const int n : {0, 1, 2, 31, 33, 65}) {
      SCOPED_TRACE(std::to_string(n) + " points of dimension " + std::to_string(d));
      const matrix_cl<double> x(random_host<double>(d, n, -1, 1)), others(random_host<double>(d, 3, -1, 1));
      in_both_forms([&] {
        if (d < 17) expect_matches_reference(gp_matern52_cov(others, x, 1.3, 0.7));
        if (d != 2) expect_matches_reference(gp_dot_prod_cov(x, 0.5));
        if (d == 2) expect_matches_reference(gp_exp_quad_cov(x, 1.3, 0.7));
      });
    }
}

TEST(Covariances, HaveGradientsInBothForms) {
  FUSECL_NEEDS_DOUBLE;
  const parameter<double> sigma = 1.2, length = 0.8, period = 3.0;
  for (const int d : {1, 2})
    for (const int n : {1, 2, 17}) {
      if (n == 1 && d > 1) continue;  // a column of two numbers is two points
      SCOPED_TRACE(std::to_string(n) + " points of dimension " + std::to_string(d));
      const matrix_cl<double> x(random_host<double>(d, n, -1, 1)), w(random_host<double>(n, n, -1, 1)),
          scales(random_host<double>(d, 1, 0.5, 2));
      in_both_forms([&] {
        EXPECT_GRADIENT([&](const auto& at, const auto& s,
                            const auto& l) { return sum(elt_multiply(w, gp_matern32_cov(at, s, l))); },
                        x, sigma, scales);
        EXPECT_GRADIENT([&](const auto& at, const auto& s, const auto& l,
                            const auto& p) { return sum(elt_multiply(w, gp_periodic_cov(at, s, l, p))); },
                        x, sigma, length, period);
      });
    }
}

/// Points that are equal are a kink of the exponential covariance only.
TEST(Covariances, EqualPointsAreExact) {
  FUSECL_NEEDS_DOUBLE;
  for (const int d : {2, 17}) {
    SCOPED_TRACE(d);
    host_matrix points = random_host<double>(d, 4, 1e3, 1e3 + 1);
    points.col(2) = points.col(0);
    const matrix_cl<double> x(points);
    matrix_cl<double> k[4];
    results(k[0], k[1], k[2], k[3]) =
        expressions(gp_exp_quad_cov(x, 1.5, 0.1), gp_exponential_cov(x, 1.5, 0.1),
                    gp_matern32_cov(x, 1.5, 0.1), gp_periodic_cov(x, 1.5, 0.1, 1.0));
    for (const matrix_cl<double>& each : k) {
      const host_matrix own = each.to_host();
      EXPECT_EQ(own(0, 2), 2.25);
      EXPECT_EQ(own(2, 0), 2.25);
      for (int i = 0; i < 4; ++i) EXPECT_EQ(own(i, i), 2.25);
    }
    const matrix_var both = matrix_cl<double>(host_matrix(points.col(0).replicate(1, 2)));
    const var total = sum(gp_exponential_cov(both, 1.5, 0.1) + gp_matern32_cov(both, 1.5, 0.1) +
                          gp_periodic_cov(both, 1.5, 0.1, 1.0));
    total.grad();
    EXPECT_EQ(both.adj().to_host(), host_matrix::Zero(d, 2));
    recover_memory();
  }
}

/// k(x, y) with u = (x - y)^2 / l^2: the second derivative at equal points, by x and y, is that of the
/// covariance, -2 k'(u) / l^2 of the parts by themselves.
TEST(Covariances, HaveSecondDerivativesAtEqualPoints) {
  FUSECL_NEEDS_DOUBLE;
  host_matrix w = host_matrix::Zero(2, 2);
  w(0, 1) = 1;
  const matrix_cl<double> weights_of_pair(w);
  for (const int dimensions : {1, 16, 17}) {  // the distances of many are from a product
    SCOPED_TRACE(dimensions);
    host_matrix first = host_matrix::Zero(dimensions, 2);
    first(dimensions - 1, 0) = 1;
    const matrix_cl<double> x(host_matrix(host_matrix::Constant(dimensions, 2, 0.4))), direction(first);
    const auto second = [&](const auto& k) {
      const auto found = hessian_times_vector(sum(elt_multiply(weights_of_pair, k)), wrt(x), direction);
      return std::get<0>(found.product).to_host();
    };
    // exp(-u / 2), (1 + sqrt(3 u)) exp(-sqrt(3 u)) and its like begin with 1 - u / 2, 1 - 3 u / 2 and
    // 1 - 5 u / 6
    const double l = 0.5;
    for (const auto& [got, slope] : {std::pair(second(gp_exp_quad_cov(x, 1.0, l)), 0.5),
                                     std::pair(second(gp_matern32_cov(x, 1.0, l)), 1.5),
                                     std::pair(second(gp_matern52_cov(x, 1.0, l)), 5.0 / 6)}) {
      EXPECT_NEAR(got(dimensions - 1, 0), -2 * slope / (l * l), 1e-12);
      EXPECT_NEAR(got(dimensions - 1, 1), 2 * slope / (l * l), 1e-12);
    }
  }
}

TEST(Covariances, HaveSecondDerivativesByTheirNumbers) {
  FUSECL_NEEDS_DOUBLE;
  const matrix_cl<double> x(random_host<double>(2, 5, -1, 1)), w(random_host<double>(5, 5, -1, 1));
  parameter<double> sigma = 1.2, length = 0.8;
  const auto total = sum(elt_multiply(w, gp_matern52_cov(x, sigma, length)));
  const auto found = hessian_times_vector(total, wrt(sigma, length), 0.3, -0.7);
  const double along_sigma = std::get<0>(found.product).to_host()(0, 0),
               along_length = std::get<1>(found.product).to_host()(0, 0);
  const auto gradient_at = [&](double t) {
    sigma = 1.2 + 0.3 * t;
    length = 0.8 - 0.7 * t;
    double by_sigma = 0, by_length = 0;
    value_and_gradient_into(total, wrt(sigma, length), by_sigma, by_length);
    return std::pair(by_sigma, by_length);
  };
  const double h = 1e-5;
  const auto after = gradient_at(h), before = gradient_at(-h);
  EXPECT_NEAR(along_sigma, (after.first - before.first) / (2 * h), 1e-7);
  EXPECT_NEAR(along_length, (after.second - before.second) / (2 * h), 1e-7);
}

TEST(Covariances, FuseWithWhatIsAround) {
  FUSECL_NEEDS_DOUBLE;
  const matrix_cl<double> x(random_host<double>(3, 40, -1, 1));
  const auto k = add_diag(gp_exp_quad_cov(x, 1.0, 0.5) + gp_matern32_cov(x, 0.5, 2.0), 0.1);
  matrix_cl<double> target = k;
  const counters before = runtime_counters();
  target = k;
  EXPECT_EQ((runtime_counters() - before).launches, 1u);
}

/// The factor reads the lower triangle, and only that is computed for it.
TEST(Covariances, AreComputedWhereAFactorReadsThem) {
  FUSECL_NEEDS_DOUBLE;
  const matrix_cl<double> x(random_host<double>(2, 40, -1, 1));
  const auto factor = cholesky_decompose(add_diag(gp_exp_quad_cov(x, 1.0, 0.5), 0.1));
  EXPECT_NE(explain(factor).text().find("row_index() >= col_index()"), std::string::npos);
  expect_matches_reference(factor);
}

TEST(Covariances, OfFloatsAreFloats) {
  const matrix_cl<float> x(Eigen::MatrixXf(random_host<float>(2, 5, -1, 1)));
  const auto k = gp_exp_quad_cov(x, 1.5f, 0.5f);
  static_assert(std::is_same_v<value_type_of<decltype(k)>, float>);
  expect_matches_reference(k);
  expect_matches_reference(gp_matern52_cov(x, 1.5f, 0.5f));
  expect_matches_reference(gp_periodic_cov(x, 1.5f, 0.5f, 2.0f));
}

TEST(Covariances, OfAColumnAndOfARowAreTheSame) {
  FUSECL_NEEDS_DOUBLE;
  const host_matrix points = random_host<double>(6, 1, -1, 1);
  const matrix_cl<double> column(points), row(host_matrix(points.transpose()));
  const host_matrix k = matrix_cl<double>(gp_exp_quad_cov(column, 1.0, 0.5)).to_host();
  EXPECT_EQ(k.rows(), 6);
  EXPECT_EQ(k, matrix_cl<double>(gp_exp_quad_cov(row, 1.0, 0.5)).to_host());
  EXPECT_EQ(k, matrix_cl<double>(gp_exp_quad_cov(column, row, 1.0, 0.5)).to_host());
  EXPECT_EQ(k, matrix_cl<double>(gp_exp_quad_cov(points, column, 1.0, 0.5)).to_host());
  // beside points of six dimensions it is one of these
  const matrix_cl<double> many(random_host<double>(6, 3, -1, 1)),
      lengths_of_six(host_matrix(points.cwiseAbs()));
  EXPECT_EQ(gp_exp_quad_cov(column, many, 1.0, 0.5).rows(), 1);
  EXPECT_EQ(gp_exp_quad_cov(column, 1.0, lengths_of_six).rows(), 1);
}

TEST(Covariances, TakeLengthScalesInAVector) {
  FUSECL_NEEDS_DOUBLE;
  const matrix_cl<double> points(random_host<double>(2, 4, -1, 1));
  const std::vector<double> lengths{0.5, 2};
  const matrix_cl<double> scales(lengths);
  EXPECT_EQ(from_matrix_cl(gp_exp_quad_cov(points, 1.5, lengths)),
            from_matrix_cl(gp_exp_quad_cov(points, 1.5, scales)));
  EXPECT_EQ(from_matrix_cl(gp_matern32_cov(points, points, 1.5, lengths)),
            from_matrix_cl(gp_matern32_cov(points, points, 1.5, scales)));
  EXPECT_THROW(gp_exp_quad_cov(points, 1.5, std::vector<double>{0.5, -2}), std::domain_error);
  EXPECT_THROW(gp_exp_quad_cov(points, 1.5, std::vector<double>{0.5, 2, 3}), std::invalid_argument);
}

TEST(Covariances, RefuseNumbersThatAreNone) {
  FUSECL_NEEDS_DOUBLE;
  const matrix_cl<double> x(random_host<double>(2, 3, -1, 1));
  const auto domain = [](const auto& f, const std::string& part) {
    expect_message<std::domain_error>(f, part);
  };
  domain([&] { gp_exp_quad_cov(x, -1.0, 1.0); }, "gp_exp_quad_cov: magnitude is -1, but must be positive!");
  domain([&] { gp_exp_quad_cov(x, 1, 0); }, "gp_exp_quad_cov: length scale is 0, but must be positive!");
  domain([&] { gp_exp_quad_cov(x, x, nan, 1.0); },
         "gp_exp_quad_cov: magnitude is nan, but must be positive!");
  EXPECT_EQ(matrix_cl<double>(gp_exp_quad_cov(x, 2.0, infinity)).to_host(), host_matrix::Constant(3, 3, 4));
  domain([&] { gp_matern32_cov(x, 1.0, infinity); },
         "gp_matern32_cov: length scale is inf, but must be positive finite!");
  domain([&] { gp_matern52_cov(x, -infinity, 1.0); }, "gp_matern52_cov: magnitude is -inf");
  domain([&] { gp_exponential_cov(x, var(0.0), 1.0); }, "gp_exponential_cov: magnitude is 0");
  domain([&] { gp_exp_quad_cov(x, 1.0, Eigen::Vector2d(1, -2)); },
         "gp_exp_quad_cov: length scale is -2, but must be positive finite!");
  domain([&] { gp_periodic_cov(x, 1.0, 1.0, -2.0); }, "gp_periodic_cov: period is -2, but must be positive!");
  domain([&] { gp_periodic_cov(x, 1.0, nan, 1.0); }, "gp_periodic_cov: length-scale is nan");
  domain([&] { gp_dot_prod_cov(x, -1.0); }, "gp_dot_prod_cov: sigma is -1, but must be nonnegative finite!");
  EXPECT_EQ(gp_dot_prod_cov(x, 0.0).rows(), 3);
  recover_memory();
}

TEST(Covariances, LookAtParametersWhenTheyAreEvaluated) {
  FUSECL_NEEDS_DOUBLE;
  const matrix_cl<double> x(random_host<double>(2, 3, -1, 1));
  parameter<double> length = 0.5;
  const auto k = gp_matern32_cov(x, 1.0, length);
  matrix_cl<double> target = k;
  const host_matrix as_before = target.to_host();
  length = -0.5;
  expect_message<std::domain_error>([&] { target = k; },
                                    "gp_matern32_cov: length scale is -0.5, but must be positive finite!");
  EXPECT_EQ(target.to_host(), as_before);
  length = 0.5;
  target = k;
  EXPECT_EQ(target.to_host(), as_before);
}

TEST(Covariances, RefusePointsThatDoNotFit) {
  FUSECL_NEEDS_DOUBLE;
  const matrix_cl<double> x(2, 3), y(3, 3), three(3, 1);
  expect_message<std::invalid_argument>(
      [&] { gp_exp_quad_cov(x, y, 1.0, 1.0); },
      "gp_exp_quad_cov: points in the columns of x1 (2 x 3) and x2 (3 x 3) must have as many dimensions");
  expect_message<std::invalid_argument>(
      [&] { gp_exp_quad_cov(x, 1.0, three); },
      "gp_exp_quad_cov: x dimension (2) and number of length scales (3) must "
      "match in size; x is 2 x 3");
}

TEST(Covariances, KeepNaNsInTheirRowsAndColumns) {
  FUSECL_NEEDS_DOUBLE;
  for (const int d : {2, 17}) {
    host_matrix points = random_host<double>(d, 4, -1, 1);
    points(1, 2) = nan;
    const host_matrix k = matrix_cl<double>(gp_matern32_cov(matrix_cl<double>(points), 1.0, 0.5)).to_host();
    for (int j = 0; j < 4; ++j) EXPECT_EQ(std::isnan(k(1, j)), j == 2) << d << "\n" << k;
    EXPECT_TRUE(std::isnan(k(2, 2)));
  }
}

TEST(Covariances, OfPointsKeepTheirDigitsBesideOneFarAway) {
  FUSECL_NEEDS_DOUBLE;
  for (const int d : {16, 17})
    for (const int far : {0, 1, 2, 4}) {
      host_matrix points = random_host<double>(d, 5, -0.5, 0.5);
      points.col(far).setConstant(1e9);
      const host_matrix k = matrix_cl<double>(gp_exp_quad_cov(matrix_cl<double>(points), 1.0, 2.0)).to_host();
      for (int i = 0; i < 5; ++i)
        for (int j = 0; j < 5; ++j)
          EXPECT_NEAR(k(i, j), std::exp(-(points.col(i) - points.col(j)).squaredNorm() / 8), 1e-14)
              << d << far;
    }
  for (const int n : {0, 2, 3}) {
    const host_matrix points = random_host<double>(17, n, 100, 101);
    const host_matrix k = matrix_cl<double>(gp_exp_quad_cov(matrix_cl<double>(points), 1.0, 2.0)).to_host();
    ASSERT_EQ(k.rows(), n);
    for (int i = 0; i < n; ++i)
      EXPECT_NEAR(k(i, 0), std::exp(-(points.col(i) - points.col(0)).squaredNorm() / 8), 1e-14);
  }
}

}  // namespace
}  // namespace fusecl::test
