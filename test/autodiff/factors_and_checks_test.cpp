// Statements with checks and a Cholesky factor that does not exist: checks are told first, in every kind of
// statement, and nothing is changed or left behind.

#include <cmath>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <support/both_forms.hpp>
#include <support/messages.hpp>
#include <support/operands.hpp>

#include <fusion/autodiff.hpp>
#include <fusion/eval/validate.hpp>
#include <fusion/runtime/counters.hpp>
#include <fusion/runtime/kept_failures.hpp>

namespace fusecl::test {
namespace {

using matrix = matrix_cl<double>;

matrix times_identity(double x) { return matrix(Eigen::MatrixXd(x * Eigen::MatrixXd::Identity(70, 70))); }

/// What is factored and what is checked, and where statements put their results.
struct given {
  matrix a, y;
  double number = 7;
  matrix factor = matrix(std::vector<double>{7, 8}), other = matrix(std::vector<double>{9});

  given(bool factor_fails, bool check_fails)
      : a(times_identity(factor_fails ? -2 : 3)), y(std::vector<double>{1, check_fails ? -2.0 : 2.0, 3}) {}

  void expect_unchanged() const {
    EXPECT_EQ(number, 7);
    EXPECT_EQ(factor.rows(), 2);
    EXPECT_EQ(factor(1), 8);
    EXPECT_EQ(other(0), 9);
  }
  auto is_positive() const { return check_cl("f", "y", y, "positive"); }
  template <class E>
  auto with_check(const E& e) const {
    return checked(e, check_cl("f", "y", y, "positive", y > 0.0));
  }
};

using statement_of = void (*)(given&);
constexpr std::ptrdiff_t without_gradient = 4;
const statement_of statements[] = {
    [](given& g) { results(g.is_positive(), g.number) = expressions(g.y > 0.0, log_determinant_spd(g.a)); },
    [](given& g) { results(g.is_positive(), g.factor) = expressions(g.y > 0.0, cholesky_decompose(g.a)); },
    [](given& g) {
      results(g.number, g.factor, g.is_positive(), g.other) =
          expressions(sum(g.y), cholesky_decompose(g.a), g.y > 0.0, g.y * 2.0);
    },
    [](given& g) { g.number = g.with_check(log_determinant_spd(g.a)); },
    [](given& g) {
      g.number =
          value_and_gradient_into(g.with_check(log_determinant_spd(g.a) + sum(g.y)), wrt(g.y), g.factor);
    },
    [](given& g) {
      g.number = value_and_gradient_into(g.with_check(log_determinant_spd(g.a)), wrt(g.a), g.factor);
    },
    [](given& g) {
      const var_value<matrix> a(g.a);
      const var y = g.with_check(log_determinant_spd(a));
      g.number = y.val();
      y.grad();
      g.factor = a.adj();
    },
};

class FactorsAndChecks : public ::testing::Test {
 protected:
  void TearDown() override { recover_memory(); }
};

/// Runs it with what fails and what does not.
void expect_checks_first(statement_of statement) {
  for (const bool factor_fails : {false, true})
    for (const bool check_fails : {false, true}) {
      given g(factor_fails, check_fails);
      const std::string said = failed_check([&] { statement(g); });
      if (check_fails)
        EXPECT_EQ(said, "f: y[2] is -2, but must be positive!");
      else if (factor_fails)
        EXPECT_EQ(said.substr(0, 55), "cholesky_decompose: A is not positive definite: pivot 1");
      else
        EXPECT_EQ(said, "");
      EXPECT_EQ(failed_check([&] { from_matrix_cl(g.y); }), "") << "said once";
      if (check_fails || factor_fails)
        g.expect_unchanged();
      else
        EXPECT_NE(g.number + static_cast<double>(g.factor.rows()), 9.0);
      EXPECT_EQ(from_matrix_cl(matrix(g.y * 2.0))(0), 2) << "the device is of use";
    }
}

TEST_F(FactorsAndChecks, ChecksAreToldFirstInEveryKindOfStatement) {
  FUSECL_NEEDS_DOUBLE;
  for (const statement_of& statement : statements) {
    SCOPED_TRACE(&statement - statements);
    expect_checks_first(statement);
  }
  in_both_forms([] {  // kernels of gradients take long to build
    for (std::ptrdiff_t k = 0; k < without_gradient; ++k) expect_checks_first(statements[k]);
  });
}

TEST_F(FactorsAndChecks, AFactorOfAnEarlierStatementIsToldBeforeTheChecksOfALaterOne) {
  FUSECL_NEEDS_DOUBLE;
  if (std::getenv("FUSECL_VALIDATE")) GTEST_SKIP() << "validated statements wait";
  given bad(true, false), g(false, true);
  bad.factor = cholesky_decompose(bad.a);
  EXPECT_EQ(failed_check([&] { statements[0](g); }).substr(0, 55),
            "cholesky_decompose: A is not positive definite: pivot 1");
  g.expect_unchanged();
  EXPECT_EQ(failed_check([&] { statements[0](g); }), "f: y[2] is -2, but must be positive!");
}

TEST_F(FactorsAndChecks, AFactorOfAnEarlierStatementIsNotKeptByALaterOneInTheSamePlace) {
  FUSECL_NEEDS_DOUBLE;
  if (std::getenv("FUSECL_VALIDATE")) GTEST_SKIP() << "validated statements wait";
  given bad(true, false);
  std::optional<runtime::kept_failures> place(std::in_place);
  bad.factor = cholesky_decompose(bad.a);  // nothing waits, as where all checks are known to hold
  place.emplace();
  EXPECT_EQ(failed_check([&] { from_matrix_cl(bad.y); }).substr(0, 55),
            "cholesky_decompose: A is not positive definite: pivot 1");
  place->tell();
  bad.factor = cholesky_decompose(bad.a);
  EXPECT_EQ(failed_check([&] { from_matrix_cl(bad.y); }), "") << "kept";
  EXPECT_EQ(failed_check([&] { place->tell(); }).substr(0, 55),
            "cholesky_decompose: A is not positive definite: pivot 1");
}

/// What is read before its statement is recorded, by validation or as there is much to look at, is told by
/// the statement.
TEST_F(FactorsAndChecks, AFactorIsToldThatIsLookedAtBeforeItsStatementIsRecorded) {
  FUSECL_NEEDS_DOUBLE;
  const std::string said = "cholesky_decompose: A is not positive definite: pivot 1";
  given bad(true, false), good(false, false);
  const auto recorded = [&] {
    var_value<matrix> a(bad.a);
    var l = log_determinant_spd(a);
    l.grad();
    EXPECT_TRUE(std::isnan(l.val()));
  };
  for (const bool validates : {false, true}) {
    const bool before = std::exchange(fusecl::detail::validates, validates || fusecl::detail::validates);
    EXPECT_EQ(failed_check(recorded).substr(0, 55), said);
    fusecl::detail::validates = before;
    recover_memory();
  }
  EXPECT_EQ(failed_check([&] {
              for (int k = 0; k < 70; ++k) {
                var_value<matrix> a(k == 20 ? bad.a : good.a);
                var l = log_determinant_spd(a);
                l.grad();
              }
              from_matrix_cl(good.y);
            }).substr(0, 55),
            said);
  EXPECT_EQ(failed_check([&] { from_matrix_cl(good.y); }), "") << "said once";
}

TEST_F(FactorsAndChecks, ChecksOfTheFactorItselfAndChecksKnownToFailAreToldFirstToo) {
  FUSECL_NEEDS_DOUBLE;
  given g(true, false);
  const auto factor = cholesky_decompose(g.a);
  EXPECT_EQ(failed_check([&] { check_cl("f", "L", diagonal(factor), "positive") = diagonal(factor) > 0.0; }),
            "f: L[1] is nan, but must be positive!");
  EXPECT_EQ(failed_check([&] {
              results(check_cl("f", "L", trace(factor), "a number"), check_cl("f", "n", 3, "even"),
                      g.number) = expressions(trace(factor) != 0.0, 3 % 2 == 0, trace(factor));
            }),
            "f: n is 3, but must be even!");
  g.expect_unchanged();
  EXPECT_EQ(failed_check([&] { from_matrix_cl(g.y); }), "");
}

TEST_F(FactorsAndChecks, CostOneWait) {
  FUSECL_NEEDS_DOUBLE;
  if (std::getenv("FUSECL_VALIDATE")) GTEST_SKIP() << "validated statements wait";
  given g(false, false);
  counters spent;
  for (int k = 0; k < 3; ++k) {
    const counters before = runtime_counters();
    statements[2](g);
    spent = runtime_counters() - before;
  }
  EXPECT_EQ(spent.host_waits, 1u);
}

}  // namespace
}  // namespace fusecl::test
