// Regressions by name against values and derivatives from a computation to many digits, in the mixtures of
// data and variables, numbers and containers; what they cost and what they refuse.

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <support/operands.hpp>

#include <primitives/primitives.hpp>

#include "glm_references.inc"

namespace fusecl {
namespace {

using namespace test;
using matrix = matrix_cl<double>;
using variable = var_value<matrix>;
using Eigen::MatrixXd, Eigen::VectorXd;

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
MatrixXd adjoint_of(const var& v) { return MatrixXd::Constant(1, 1, v.adj()); }
MatrixXd adjoint_of(const variable& v) { return from_matrix_cl(v.adj()); }

/// The reference is of rows; an argument that is one number gets their sum.
void expect_adjoint(const auto& argument, MatrixXd wanted, bool all, const std::string& what) {
  if constexpr (requires { argument.adj(); }) {
    const MatrixXd found = adjoint_of(argument);
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

}  // namespace
}  // namespace fusecl
