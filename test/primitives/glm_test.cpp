// Regressions by name against values and derivatives from a computation to many digits, in the mixtures of
// data and variables, numbers and containers; what they cost and what they refuse.

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <support/both_forms.hpp>
#include <support/messages.hpp>
#include <support/operands.hpp>

#include <primitives/primitives.hpp>

#include "glm_references.inc"

namespace fusecl {
namespace {

using namespace test;
using matrix = matrix_cl<double>;
using variable = var_value<matrix>;
using Eigen::MatrixXd, Eigen::VectorXd, Eigen::VectorXi;

// The regressions with one order of arguments: outcome, x, alpha, beta, further parameter.

struct normal {
  static constexpr bool has_extra = true, real_outcome = true;
  static constexpr auto& mixtures = normal_mixtures;
  static constexpr auto& extremes = normal_extremes;
  static constexpr auto& outcomes = normal_outcomes;
  template <bool propto = false>
  static auto at(const auto& y, const auto& x, const auto& a, const auto& b, const auto& e) {
    return normal_id_glm_lpdf<propto>(y, x, a, b, e);
  }
};
struct bernoulli {
  static constexpr bool has_extra = false, real_outcome = false;
  static constexpr auto& mixtures = bernoulli_mixtures;
  static constexpr auto& extremes = bernoulli_extremes;
  static constexpr auto& outcomes = bernoulli_outcomes;
  template <bool propto = false>
  static auto at(const auto& y, const auto& x, const auto& a, const auto& b, const auto&) {
    return bernoulli_logit_glm_lpmf<propto>(y, x, a, b);
  }
};
struct poisson {
  static constexpr bool has_extra = false, real_outcome = false;
  static constexpr auto& mixtures = poisson_mixtures;
  static constexpr auto& extremes = poisson_extremes;
  static constexpr auto& outcomes = poisson_outcomes;
  template <bool propto = false>
  static auto at(const auto& y, const auto& x, const auto& a, const auto& b, const auto&) {
    return poisson_log_glm_lpmf<propto>(y, x, a, b);
  }
};
struct neg_binomial {
  static constexpr bool has_extra = true, real_outcome = false;
  static constexpr auto& mixtures = neg_binomial_mixtures;
  static constexpr auto& extremes = neg_binomial_extremes;
  static constexpr auto& outcomes = neg_binomial_outcomes;
  template <bool propto = false>
  static auto at(const auto& y, const auto& x, const auto& a, const auto& b, const auto& e) {
    return neg_binomial_2_log_glm_lpmf<propto>(y, x, a, b, e);
  }
};
struct binomial {
  static constexpr bool has_extra = false, real_outcome = false;
  static constexpr auto& mixtures = binomial_mixtures;
  static constexpr auto& extremes = binomial_extremes;
  static constexpr auto& outcomes = binomial_outcomes;
  template <bool propto = false>
  static auto at(const auto& y, const auto& x, const auto& a, const auto& b, const auto& trials) {
    return binomial_logit_glm_lpmf<propto>(y, trials, x, a, b);
  }
};

// Mixtures: which arguments are variables, and which are containers (as in glm_mixture).
enum variables : unsigned {
  alpha_varies = 1,
  beta_varies = 2,
  extra_varies = 4,
  x_varies = 8,
  y_varies = 16
};
enum shapes : unsigned { alpha_vector = 1, beta_vector = 2, extra_vector = 4, y_vector = 8, x_row = 16 };

template <bool Varies, bool IsVector>
auto make_argument(const double* values, std::int64_t elements = 5) {
  if constexpr (IsVector) {
    const matrix m(MatrixXd(Eigen::Map<const MatrixXd>(values, elements, 1)));
    if constexpr (Varies)
      return variable(m);
    else
      return m;
  } else if constexpr (Varies) {
    return var(values[0]);
  } else {
    return values[0];
  }
}
MatrixXd adjoint_on_host(const var& v) { return MatrixXd::Constant(1, 1, v.adj()); }
MatrixXd adjoint_on_host(const variable& v) { return from_matrix_cl(v.adj()); }

/// The reference is of rows; an argument that is one number gets their sum.
void expect_adjoint(const auto& argument, MatrixXd wanted, bool all, const std::string& what) {
  if constexpr (requires { argument.adj(); }) {
    const MatrixXd found = adjoint_on_host(argument);
    const double scale = wanted.cwiseAbs().sum();
    if (!all) wanted = MatrixXd::Constant(1, 1, wanted.sum());
    ASSERT_EQ(found.rows(), wanted.rows()) << what;
    ASSERT_EQ(found.cols(), wanted.cols()) << what;
    EXPECT_LE((found - wanted).cwiseAbs().maxCoeff(), 2e-13 * scale) << what << '\n'
                                                                     << found << "\n"
                                                                     << wanted;
  }
}

template <class Glm, unsigned Vars, unsigned Shapes>
void expect_mixture() {
  const glm_mixture& wanted = Glm::mixtures[Shapes];
  const std::string mixture = "variables " + std::to_string(Vars) + ", containers " + std::to_string(Shapes);
  constexpr bool one_row = (Shapes & x_row) != 0;
  const MatrixXd all_x = Eigen::Map<const MatrixXd>(reference_x, 5, 2);
  const MatrixXd host_x = one_row ? MatrixXd(all_x.row(0)) : all_x;
  const auto x = [&] {
    if constexpr ((Vars & x_varies) != 0)
      return variable(matrix(host_x));
    else
      return matrix(host_x);
  }();
  const auto alpha = make_argument<(Vars & alpha_varies) != 0, (Shapes & alpha_vector) != 0>(reference_alpha);
  const auto beta = make_argument<(Vars & beta_varies) != 0, (Shapes & beta_vector) != 0>(reference_beta, 2);
  const double trials[] = {8, 8, 8, 8, 8};
  const double* const further = std::is_same_v<Glm, binomial> ? trials : reference_extra;
  const auto extra = make_argument < Glm::has_extra && (Vars & extra_varies) != 0,
             (Shapes & extra_vector) != 0 > (further);
  const auto y = [&] {
    if constexpr (Glm::real_outcome)
      return make_argument<(Vars & y_varies) != 0, (Shapes & y_vector) != 0>(Glm::outcomes);
    else if constexpr ((Shapes & y_vector) != 0)
      return matrix_cl<int>(Eigen::Map<const VectorXd>(Glm::outcomes, 5).cast<int>());
    else
      return static_cast<int>(Glm::outcomes[0]);
  }();

  const auto density = Glm::at(y, x, alpha, beta, extra);
  if constexpr (std::is_same_v<decltype(density), const double>) {
    EXPECT_NEAR(density, wanted.value, 2e-13 * std::fabs(wanted.value)) << mixture;
  } else {
    EXPECT_NEAR(density.val(), wanted.value, 2e-13 * std::fabs(wanted.value)) << mixture;
    density.grad();
    // x one row and nothing else of a size but what this regression does not have: one element
    const int rows = wanted.rows;
    const VectorXd by_eta = Eigen::Map<const VectorXd>(wanted.by_eta, rows);
    expect_adjoint(alpha, by_eta, (Shapes & alpha_vector) != 0, mixture + ", alpha");
    const MatrixXd x_rows = one_row ? MatrixXd(host_x.replicate(rows, 1)) : host_x;
    expect_adjoint(beta, x_rows.transpose() * by_eta, (Shapes & beta_vector) != 0, mixture + ", beta");
    const VectorXd host_beta = (Shapes & beta_vector) != 0
                                   ? VectorXd(Eigen::Map<const VectorXd>(reference_beta, 2))
                                   : VectorXd(VectorXd::Constant(2, reference_beta[0]));
    MatrixXd by_x = by_eta * host_beta.transpose();
    if (one_row) by_x = MatrixXd(by_x.colwise().sum());
    expect_adjoint(x, by_x, true, mixture + ", x");
    if constexpr (Glm::has_extra)
      expect_adjoint(extra, Eigen::Map<const VectorXd>(wanted.by_extra, rows), (Shapes & extra_vector) != 0,
                     mixture + ", further parameter");
    expect_adjoint(y, Eigen::Map<const VectorXd>(wanted.by_y, rows), (Shapes & y_vector) != 0,
                   mixture + ", y");
  }
  recover_memory();
}

/// Mixtures of data and variables in all shapes in turn, then all shapes of variables: 240 in all. Each has a
/// kernel of its own to be built, so every fifth is run unless FUSECL_TEST_MIXTURES is `all`.
template <class Glm, unsigned... Ks>
void expect_mixtures(std::integer_sequence<unsigned, Ks...>) {
  constexpr unsigned without = (Glm::has_extra ? 0u : 4u) | (Glm::real_outcome ? 0u : 16u);
  constexpr unsigned shapes_without = Glm::has_extra || std::is_same_v<Glm, binomial> ? 0u : 4u;
  const char* const wanted = std::getenv("FUSECL_TEST_MIXTURES");
  const bool all = wanted && std::string_view(wanted) == "all";
  int count = 0;
  const auto runs = [&] { return all || count++ % 5 == 0; };
  const auto varied = [&]<unsigned K>(std::integral_constant<unsigned, K>) {
    if constexpr ((K & without) == 0)
      if (runs()) expect_mixture<Glm, K, (K * 11 + 10) % 32 & ~shapes_without>();
    if constexpr ((K & shapes_without) == 0)
      if (runs()) expect_mixture<Glm, 31 & ~without, K>();
  };
  (varied(std::integral_constant<unsigned, Ks>{}), ...);
}

template <class Glm>
class Glms : public ::testing::Test {};
using glms = ::testing::Types<normal, bernoulli, poisson, neg_binomial, binomial>;
TYPED_TEST_SUITE(Glms, glms);

TYPED_TEST(Glms, ValuesAndDerivativesOfEveryMixture) {
  FUSECL_NEEDS_DOUBLE;
  expect_mixtures<TypeParam>(std::make_integer_sequence<unsigned, 32>{});
}

TYPED_TEST(Glms, ExtremeArguments) {
  FUSECL_NEEDS_DOUBLE;
  const matrix x(1, 0), beta(0, 1);
  // relative, but where a result is a small difference of large terms it has their errors; below the smallest
  // normal number it has few digits
  const auto within = [](double value, double largest_term) {
    return 1e-12 * std::fabs(value) + 2e-15 * largest_term + 1e-300;
  };
  for (const glm_extreme& e : TypeParam::extremes) {
    const std::string where = "y " + std::to_string(e.y) + ", eta " + std::to_string(e.eta) +
                              ", further parameter " + std::to_string(e.extra);
    var eta = e.eta;
    const auto extra = make_argument<TypeParam::has_extra, false>(&e.extra);
    var density = TypeParam::at(e.y, x, eta, beta, extra);
    density.grad();
    EXPECT_NEAR(density.val(), e.value, within(e.value, e.largest_term)) << where;
    EXPECT_NEAR(eta.adj(), e.by_eta, within(e.by_eta, e.largest_term_by_eta)) << where;
    if constexpr (TypeParam::has_extra) {
      EXPECT_NEAR(extra.adj(), e.by_extra, within(e.by_extra, e.largest_term_by_extra)) << where;
    }
    recover_memory();
  }
}

TYPED_TEST(Glms, WithoutRowsAreZeroAndWithoutColumnsDependOnTheIntercept) {
  FUSECL_NEEDS_DOUBLE;
  const matrix no_rows(0, 2), none(0, 1), b(MatrixXd::Ones(2, 1));
  EXPECT_EQ(TypeParam::at(none, no_rows, 0.5, b, 1.0), 0);
  EXPECT_EQ(TypeParam::at(1, no_rows, 0.5, b, 1.0), 0);
  EXPECT_EQ(TypeParam::at(none, matrix(MatrixXd::Ones(1, 2)), 0.5, b, 1.0), 0);
  EXPECT_EQ(var(TypeParam::at(none, no_rows, var(0.5), b, 1.0)).val(), 0);
  const matrix outcomes(VectorXd::Ones(3)), no_columns(3, 0);
  const double one = TypeParam::at(1, matrix(MatrixXd::Ones(1, 2)), -1.5, b, 1.0);
  EXPECT_NEAR(TypeParam::at(outcomes, no_columns, 0.5, none, 1.0), 3 * one, 1e-13);
  EXPECT_NEAR(TypeParam::at(1, no_columns, 0.5, none, 1.0), 3 * one, 1e-13);
  var_value<matrix> no_weights(none);
  EXPECT_NEAR(var(TypeParam::at(outcomes, no_columns, 0.5, no_weights, 1.0)).val(), 3 * one, 1e-13);
  recover_memory();
}

TYPED_TEST(Glms, UpToAConstantLeavesOutTermsWithoutVariables) {
  FUSECL_NEEDS_DOUBLE;
  const matrix x(MatrixXd::Ones(3, 2)), b(MatrixXd::Ones(2, 1));
  EXPECT_EQ((TypeParam::template at<true>(1, x, 0.5, b, 2.0)), 0);
  EXPECT_THROW((TypeParam::template at<true>(-1e300, matrix(3, 2), 0.5, matrix(3, 1), 2.0)),
               std::invalid_argument);
  var alpha = 0.5;
  const var whole = TypeParam::at(1, x, alpha, b, 2.0),
            partly = TypeParam::template at<true>(1, x, alpha, b, 2.0);
  var other = -0.25;
  const var whole_there = TypeParam::at(1, x, other, b, 2.0),
            partly_there = TypeParam::template at<true>(1, x, other, b, 2.0);
  EXPECT_NEAR(whole.val() - whole_there.val(), partly.val() - partly_there.val(), 1e-12);
  recover_memory();
}

TYPED_TEST(Glms, CostFewLaunchesAndOneWait) {
  FUSECL_NEEDS_DOUBLE;
  const matrix x = random_matrix<double>(1001, 7, matrix_cl_view::Entire, -1, 1);
  const matrix y(VectorXd::LinSpaced(1001, 0, 1).unaryExpr([](double v) { return v < 0.5 ? 0.0 : 1.0; }));
  const matrix b(MatrixXd::Constant(7, 1, 0.1));
  in_both_forms([&] {
    counters forward, reverse;
    for (int k = 0; k < 4; ++k) {
      const counters before = runtime_counters();
      variable beta(b);
      var alpha = 0.3, extra = 1.25;
      var density = [&] {
        if constexpr (TypeParam::has_extra)
          return TypeParam::at(y, x, alpha, beta, extra);
        else
          return TypeParam::at(y, x, alpha, beta, 3);
      }();
      density.val();
      const counters between = runtime_counters();
      density.grad();
      EXPECT_TRUE(std::isfinite(alpha.adj() + extra.adj()));
      recover_memory();
      forward = between - before;
      reverse = runtime_counters() - between;
    }
    EXPECT_LE(forward.launches, 2u);
    EXPECT_EQ(forward.host_waits, 1u);
    EXPECT_EQ(forward.host_reads, 1u);  // the value, the checks and the derivatives by numbers
    EXPECT_EQ(forward.buffers_created, 0u);
    EXPECT_EQ(reverse, counters());
  });
}

// On GPUs a group has tables of the terms of small counts: counts around their end, and as integers.
TEST(NegBinomialGlm, LargeCountsAmongSmallOnes) {
  FUSECL_NEEDS_DOUBLE;
  constexpr int rows = 1003;
  VectorXd counts(rows);
  for (int i = 0; i < rows; ++i) counts[i] = i % 50 == 0 ? 254 + i % 4 : i % 41 == 0 ? 1e5 : i % 9;
  const double precision = 2.5, predicted = 1.25;
  double value = 0, by_precision = 0;
  for (double n : counts) {
    const double m = std::exp(predicted);
    value += std::lgamma(n + precision) - std::lgamma(precision) - std::lgamma(n + 1) +
             n * (predicted - std::log(m + precision)) + precision * std::log(precision / (m + precision));
    by_precision += std::log(precision / (m + precision)) + 1 - (n + precision) / (m + precision);
    for (int k = 0; k < n; ++k) by_precision += 1 / (precision + k);
  }
  for (const int cols : {1, 10}) {
    const matrix x(MatrixXd::Constant(rows, cols, 1.0 / cols)), b(MatrixXd::Constant(cols, 1, 1.0));
    const auto expect_these = [&](const auto& y) {
      var phi = precision, alpha = 0.25;
      var density = neg_binomial_2_log_glm_lpmf(y, x, alpha, variable(b), phi);
      density.grad();
      EXPECT_NEAR(density.val(), value, 1e-11 * std::fabs(value)) << cols;
      EXPECT_NEAR(phi.adj(), by_precision, 1e-11 * std::fabs(by_precision)) << cols;
      recover_memory();
    };
    in_both_forms([&] {
      expect_these(matrix(counts));
      expect_these(matrix_cl<int>(VectorXi(counts.cast<int>())));
    });
  }
}

TEST(GlmErrors, NameFunctionArgumentPlaceAndValueAlsoAmongManyRows) {
  FUSECL_NEEDS_DOUBLE;
  const int n = 100003, middle = 50001;
  const matrix x = random_matrix<double>(n, 2, matrix_cl_view::Entire, -1, 1), b(MatrixXd::Ones(2, 1));
  const auto with = [&](double usual, double bad) {
    VectorXd values = VectorXd::Constant(n, usual);
    values[middle] = bad;
    return matrix(values);
  };
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(),
                   inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(failure([&] { normal_id_glm_lpdf(with(0, nan), x, 0.5, b, 1.0); }),
            "domain: normal_id_glm_lpdf: Vector of dependent variables[50002] is nan, but must be finite!");
  EXPECT_EQ(failure([&] { normal_id_glm_lpdf(0.5, x, 0.5, b, with(1, -2)); }),
            "domain: normal_id_glm_lpdf: Scale vector[50002] is -2, but must be positive finite!");
  EXPECT_EQ(failure([&] { normal_id_glm_lpdf(0.5, x, 0.5, b, var(inf)); }),
            "domain: normal_id_glm_lpdf: Scale vector is inf, but must be positive finite!");
  EXPECT_EQ(failure([&] { normal_id_glm_lpdf(0.5, x, with(1, nan), b, 1.0); }),
            "domain: normal_id_glm_lpdf: Intercept[50002] is nan, but must be finite!");
  EXPECT_EQ(failure([&] { bernoulli_logit_glm_lpmf(with(1, 2), x, 0.5, b); }),
            "domain: bernoulli_logit_glm_lpmf: Vector of dependent variables[50002] is 2, but must be 0 or "
            "1!");
  EXPECT_EQ(failure([&] { poisson_log_glm_lpmf(with(1, -1), x, var(0.5), b); }),
            "domain: poisson_log_glm_lpmf: Vector of dependent variables[50002] is -1, but must be a "
            "nonnegative whole number!");
  EXPECT_EQ(failure([&] { neg_binomial_2_log_glm_lpmf(with(1, -1), x, 0.5, b, 1.0); }),
            "domain: neg_binomial_2_log_glm_lpmf: Vector of dependent variables[50002] is -1, but must be a "
            "nonnegative whole number!");
  EXPECT_EQ(failure([&] { neg_binomial_2_log_glm_lpmf(1, x, 0.5, b, 0); }),
            "domain: neg_binomial_2_log_glm_lpmf: Precision parameter is 0, but must be positive finite!");
  EXPECT_EQ(failure([&] { binomial_logit_glm_lpmf(with(1, 4), 3, x, 0.5, b); }),
            "domain: binomial_logit_glm_lpmf: Successes variable[50002] is 4, but must be a whole "
            "number in the interval [0, population size]!");
  matrix bad_x = x, bad_b = b;
  block_zero_based(bad_x, middle, 1, 1, 1) = nan;
  block_zero_based(bad_b, 1, 0, 1, 1) = -inf;
  EXPECT_EQ(
      failure([&] { poisson_log_glm_lpmf(1, bad_x, 0.5, variable(b)); }),
      "domain: poisson_log_glm_lpmf: Matrix of independent variables[50002, 2] is nan, but must be finite!");
  EXPECT_EQ(failure([&] { bernoulli_logit_glm_lpmf(1, x, 0.5, bad_b); }),
            "domain: bernoulli_logit_glm_lpmf: Weight vector[2] is -inf, but must be finite!");
  EXPECT_EQ(failure([&] { categorical_logit_glm_lpmf(with(1, 3), x, b, matrix(MatrixXd::Ones(2, 2))); }),
            "domain: categorical_logit_glm_lpmf: Vector of dependent variables[50002] is 3, but must be a "
            "whole number in the interval [1, 2]!");
  EXPECT_EQ(failure([&] { ordered_logistic_glm_lpmf(with(1, 0), x, b, 0.5); }),
            "domain: ordered_logistic_glm_lpmf: Vector of dependent variables[50002] is 0, but must be a "
            "whole number in the interval [1, 2]!");
  EXPECT_EQ(
      failure([&] {
        ordered_logistic_glm_lpmf(1, x, b, matrix(std::vector<double>{1, 3, 2}));
      }),
      "domain: ordered_logistic_glm_lpmf: Cut-points[3] is 2, but must be greater than the one before it!");
  EXPECT_EQ(failure([&] {
              ordered_logistic_glm_lpmf(1, x, b, matrix(std::vector<double>{1, 3, inf}));
            }),
            "domain: ordered_logistic_glm_lpmf: Cut-points[3] is inf, but must be finite!");
  // the context is as it was
  EXPECT_NEAR(bernoulli_logit_glm_lpmf(1, matrix(1, 0), 0.0, matrix(0, 1)), -std::log(2.0), 1e-15);
  recover_memory();
}

TEST(GlmErrors, CountsAreWholeNumbers) {
  FUSECL_NEEDS_DOUBLE;
  const matrix x(random_host<double>(5, 2, -1, 1)), b(MatrixXd::Ones(2, 1)), two(MatrixXd::Ones(2, 2));
  constexpr double inf = std::numeric_limits<double>::infinity();
  const auto with = [](double bad) { return matrix(std::vector<double>{1, 0, 1, bad, 1}); };
  const matrix trials(std::vector<double>{3, 3, 3, 2.5, 3});
  const std::string place = ": Vector of dependent variables[4] is ";
  const std::string whole = ", but must be a nonnegative whole number!";
  EXPECT_EQ(failure([&] { poisson_log_glm_lpmf(with(1.5), x, 0.5, b); }),
            "domain: poisson_log_glm_lpmf" + place + "1.5" + whole);
  EXPECT_EQ(failure([&] { poisson_log_glm_lpmf(with(inf), x, var(0.5), b); }),
            "domain: poisson_log_glm_lpmf" + place + "inf" + whole);
  EXPECT_EQ(failure([&] { neg_binomial_2_log_glm_lpmf(with(0.25), x, 0.5, b, var(1.0)); }),
            "domain: neg_binomial_2_log_glm_lpmf" + place + "0.25" + whole);
  EXPECT_EQ(failure([&] { bernoulli_logit_glm_lpmf(with(0.5), x, 0.5, b); }),
            "domain: bernoulli_logit_glm_lpmf" + place + "0.5, but must be 0 or 1!");
  EXPECT_EQ(
      failure([&] { binomial_logit_glm_lpmf(with(0.5), 3, x, 0.5, b); }),
      "domain: binomial_logit_glm_lpmf: Successes variable[4] is 0.5, but must be a whole number in the "
      "interval [0, population size]!");
  EXPECT_EQ(failure([&] { binomial_logit_glm_lpmf(1, trials, x, 0.5, b); }),
            "domain: binomial_logit_glm_lpmf: Population size parameter[4] is 2.5" + whole);
  EXPECT_EQ(failure([&] { categorical_logit_glm_lpmf(1.5, x, b, two); }),
            "domain: categorical_logit_glm_lpmf: Vector of dependent variables is 1.5, but must be a whole "
            "number in the interval [1, 2]!");
  // whole numbers in a matrix of doubles are counts
  EXPECT_EQ(poisson_log_glm_lpmf(matrix(std::vector<double>{1, 0, 1, 7, 1}), x, 0.5, b),
            poisson_log_glm_lpmf(matrix_cl<int>(std::vector<int>{1, 0, 1, 7, 1}), x, 0.5, b));
  recover_memory();
}

TEST(GlmErrors, SizesThatDifferAreNamedBeforeAnythingIsEnqueued) {
  FUSECL_NEEDS_DOUBLE;
  const matrix x(4, 2), b(2, 1), three(3, 1), row(1, 3), square(2, 2), nothing;
  const counters before = runtime_counters();
  const auto says = [](const std::string& found, const std::string& wanted) {
    EXPECT_EQ(found, "invalid: normal_id_glm_lpdf: " + wanted);
  };
  const std::string rows = "rows of Matrix of independent variables (4 x 2) must match in size";
  says(failure([&] { normal_id_glm_lpdf(three, x, 0.5, b, 1.0); }),
       "elements of Vector of dependent variables (3 x 1) and " + rows);
  says(failure([&] { normal_id_glm_lpdf(row, x, 0.5, b, 1.0); }),
       "elements of Vector of dependent variables (1 x 3) and " + rows);
  says(
      failure([&] { normal_id_glm_lpdf(0.5, x, row, b, 1.0); }),
      "rows of Matrix of independent variables (4 x 2) and elements of Intercept (1 x 3) must match in size");
  says(failure([&] { normal_id_glm_lpdf(0.5, x, 0.5, b, three); }),
       "elements of Scale vector (3 x 1) and " + rows);
  says(failure([&] { normal_id_glm_lpdf(three, x, 0.5, b, x); }),
       "elements of Vector of dependent variables (3 x 1) and rows and columns of Scale vector (4 x 2) must "
       "match in size");
  says(failure([&] { normal_id_glm_lpdf(0.5, x, square, b, 1.0); }),
       "Intercept must be a number or a vector, and is 2 x 2");
  for (const matrix& weights : {three, row})
    says(failure([&] { normal_id_glm_lpdf(0.5, x, 0.5, weights, 1.0); }),
         "columns of Matrix of independent variables (4 x 2) and elements of Weight vector (" +
             std::to_string(weights.rows()) + " x " + std::to_string(weights.cols()) +
             ") must match in size");
  says(failure([&] { normal_id_glm_lpdf(0.5, x, 0.5, nothing, 1.0); }),
       "Weight vector must be a number or a vector, and is 0 x 0");
  // what has no elements has sizes all the same
  const matrix none(0, 2), column(0, 1);
  const matrix_cl<int> no_classes(0, 1);
  EXPECT_EQ(normal_id_glm_lpdf(column, none, column, b, 1.0), 0);
  EXPECT_EQ(normal_id_glm_lpdf(matrix(1, 0), none, 0.5, b, column), 0);
  EXPECT_EQ(normal_id_glm_lpdf(column, nothing, 0.5, column, 1.0), 0);
  says(failure([&] { normal_id_glm_lpdf(nothing, none, 0.5, b, 1.0); }),
       "Vector of dependent variables must be a number or a vector, and is 0 x 0");
  EXPECT_EQ(
      failure([&] { categorical_logit_glm_lpmf(1, x, row, b); }),
      "invalid: categorical_logit_glm_lpmf: Intercept (1 x 3) must have an element for each class, Weight "
      "matrix "
      "(2 x 1) a column for each class and a row for each column of Matrix of independent variables (4 x 2)");
  EXPECT_NE(failure([&] { ordered_logistic_glm_lpmf(three, x, b, 1.0); }).find("invalid"), std::string::npos);
  EXPECT_NE(failure([&] { categorical_logit_glm_lpmf(1, x, three, b); }).find("invalid"), std::string::npos);
  EXPECT_EQ(ordered_logistic_glm_lpmf(no_classes, none, b, three), 0);
  EXPECT_EQ(failure([&] { ordered_logistic_glm_lpmf(no_classes, none, b, matrix::Ones(2, 2)); }),
            "invalid: ordered_logistic_glm_lpmf: Cut-points must be a number or a vector, and is 2 x 2");
  EXPECT_EQ(failure([&] { ordered_logistic_glm_lpmf(no_classes, none, three, 1.0); }),
            "invalid: ordered_logistic_glm_lpmf: columns of Matrix of independent variables (0 x 2) and "
            "elements of Weight vector (3 x 1) must match in size");
  EXPECT_EQ(categorical_logit_glm_lpmf(no_classes, none, 0.5, b), 0);
  EXPECT_NE(failure([&] { categorical_logit_glm_lpmf(no_classes, none, three, b); }).find("invalid"),
            std::string::npos);
  EXPECT_EQ((runtime_counters() - before).launches, 0u);
}

void expect_near(const MatrixXd& found, const double* wanted, double tolerance) {
  const Eigen::Map<const MatrixXd> all(wanted, found.rows(), found.cols());
  EXPECT_LE((found - all).cwiseAbs().maxCoeff(), tolerance) << found << "\n\n" << all;
}

TEST(ClassGlms, ValuesAndDerivatives) {
  FUSECL_NEEDS_DOUBLE;
  const matrix_cl<int> y(class_outcomes, 5, 1);
  const matrix host_x(MatrixXd(Eigen::Map<const MatrixXd>(reference_x, 5, 2)));
  const variable x(host_x), beta(matrix(MatrixXd(Eigen::Map<const MatrixXd>(categorical_beta, 2, 4))));
  const variable alpha(matrix(MatrixXd(Eigen::Map<const MatrixXd>(categorical_alpha, 1, 4))));
  const var density = categorical_logit_glm_lpmf(y, x, alpha, beta);
  EXPECT_NEAR(density.val(), categorical_value, 1e-13);
  density.grad();
  expect_near(from_matrix_cl(x.adj()), categorical_by_x, 1e-14);
  expect_near(from_matrix_cl(alpha.adj()), categorical_by_alpha, 1e-14);
  expect_near(from_matrix_cl(beta.adj()), categorical_by_beta, 1e-14);
  EXPECT_NEAR(categorical_logit_glm_lpmf(y, host_x, alpha.val(), beta.val()), categorical_value, 1e-13);
  recover_memory();
}

TEST(ClassGlms, ValuesAndDerivativesOfOrderedClasses) {
  FUSECL_NEEDS_DOUBLE;
  const matrix_cl<int> y(class_outcomes, 5, 1);
  const matrix host_x(MatrixXd(Eigen::Map<const MatrixXd>(reference_x, 5, 2)));
  const variable x(host_x), beta(matrix(MatrixXd(Eigen::Map<const MatrixXd>(ordered_beta, 2, 1))));
  const variable cuts(matrix(MatrixXd(Eigen::Map<const MatrixXd>(ordered_cuts, 3, 1))));
  const var density = ordered_logistic_glm_lpmf(y, x, beta, cuts);
  EXPECT_NEAR(density.val(), ordered_value, 1e-13);
  density.grad();
  expect_near(from_matrix_cl(x.adj()), ordered_by_x, 1e-14);
  expect_near(from_matrix_cl(beta.adj()), ordered_by_beta, 1e-14);
  expect_near(from_matrix_cl(cuts.adj()), ordered_by_cuts, 1e-14);
  EXPECT_NEAR(ordered_logistic_glm_lpmf(y, host_x, beta.val(), cuts.val()), ordered_value, 1e-13);
  EXPECT_EQ(ordered_logistic_glm_lpmf(1, host_x, beta.val(), matrix(0, 1)), 0);  // one class
  recover_memory();
}

/// What a warm value with its derivatives costs.
template <class F>
counters cost_of(F density) {
  counters spent;
  for (int k = 0; k < 3; ++k) {
    const counters before = runtime_counters();
    var at = density();
    at.grad();
    spent = runtime_counters() - before;
    recover_memory();
  }
  return spent;
}

TEST(ClassGlms, CostFewLaunchesAndOneWait) {
  FUSECL_NEEDS_DOUBLE;
  const matrix x = random_matrix<double>(1001, 7, matrix_cl_view::Entire, -1, 1);
  const matrix_cl<int> y(VectorXd::LinSpaced(1001, 1, 3.9).cast<int>());
  const matrix b(MatrixXd::Constant(7, 1, 0.1)), cuts(std::vector<double>{-1, 1}),
      beta(random_host<double>(7, 3, -1, 1)), alpha(MatrixXd::Zero(3, 1));
  in_both_forms([&] {
    const counters by_beta = cost_of([&] { return ordered_logistic_glm_lpmf(y, x, variable(b), cuts); }),
                   by_both =
                       cost_of([&] { return ordered_logistic_glm_lpmf(y, x, variable(b), variable(cuts)); }),
                   classes = cost_of(
                       [&] { return categorical_logit_glm_lpmf(y, x, variable(alpha), variable(beta)); });
    EXPECT_LE(by_beta.launches, 2u);
    EXPECT_LE(by_both.launches, 2u);
    EXPECT_LE(classes.launches, 2u);
    for (const counters& each : {by_beta, by_both, classes}) {
      EXPECT_EQ(each.host_waits, 1u);
      EXPECT_EQ(each.host_reads, 1u);
      EXPECT_EQ(each.buffers_created, 0u);
    }
  });
}

TEST(ClassGlms, ExtremeArguments) {
  FUSECL_NEEDS_DOUBLE;
  const matrix x(1, 0), beta(0, 3);
  for (const class_extreme& e : categorical_extremes) {
    const variable alpha(matrix(MatrixXd(Eigen::Map<const MatrixXd>(e.at, 3, 1))));
    const var density = categorical_logit_glm_lpmf(e.y, x, alpha, beta);
    density.grad();
    EXPECT_NEAR(density.val(), e.value, 1e-12 * std::fabs(e.value) + 1e-300);
    for (int k = 0; k < 3; ++k)
      EXPECT_NEAR(alpha.adj()(k), e.by[k], 1e-12 * std::fabs(e.by[k]) + 1e-300) << e.y << ' ' << e.at[1];
    recover_memory();
  }
  for (const class_extreme& e : ordered_extremes) {
    const variable cuts(matrix(MatrixXd(Eigen::Map<const MatrixXd>(e.at, 2, 1))));
    const var density = ordered_logistic_glm_lpmf(e.y, x, matrix(0, 1), cuts);
    density.grad();
    EXPECT_NEAR(density.val(), e.value, 1e-12 * std::fabs(e.value) + 1e-300) << e.y << ' ' << e.at[0];
    for (int k = 0; k < 2; ++k)
      EXPECT_NEAR(cuts.adj()(k), e.by[k], 1e-12 * std::fabs(e.by[k]) + 1e-300) << e.y << ' ' << e.at[0];
    recover_memory();
  }
}

}  // namespace
}  // namespace fusecl
