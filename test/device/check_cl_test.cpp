// check_cl: conditions that are computed with the rest of their statement, what is thrown where one fails,
// and what is left as it was then.

#include <limits>
#include <stdexcept>

#include <support/compare.hpp>
#include <support/messages.hpp>

namespace fusecl {
namespace {

using matrix = matrix_cl<float>;
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

class CheckCl : public ::testing::Test {
 protected:
  matrix y = matrix(std::vector<float>{1, 2, -3, -4});
  matrix m = matrix(std::vector<float>{1, nan, nan, 4, 5, 6}, 2, 3);
  matrix target = matrix(std::vector<float>{7, 8});
};

TEST_F(CheckCl, NamesTheFirstElementThatFailsCountedFromOne) {
  EXPECT_EQ(test::failed_check([&] { check_cl("f", "y", y, "positive") = y > 0.0f; }),
            "f: y[3] is -3, but must be positive!");
  EXPECT_EQ(test::failed_check([&] { check_cl("f", "y", transpose(y), "positive") = transpose(y) > 0.0f; }),
            "f: y[3] is -3, but must be positive!");
  EXPECT_EQ(test::failed_check([&] { check_cl("f", "m", m, "not nan") = !isnan(m); }),
            "f: m[2, 1] is nan, but must be not nan!");
  EXPECT_EQ(test::failed_check([&] { check_cl("f", "m", m, "below 5") = isnan(m) || m < 5.0f; }),
            "f: m[1, 3] is 5, but must be below 5!");
}

TEST_F(CheckCl, PassesWhereTheConditionHoldsEverywhere) {
  check_cl("f", "y", y, "finite") = isfinite(y);
  check_cl("f", "none", matrix(), "positive") = matrix() > 0.0f;
  check_cl("f", "y", y, "less than its square plus 1") = y < square(y) + 1.0f;
}

TEST_F(CheckCl, NanFailsAComparison) {
  EXPECT_EQ(test::failed_check([&] { check_cl("f", "m", m, "positive") = m > 0.0f; }),
            "f: m[2, 1] is nan, but must be positive!");
}

TEST_F(CheckCl, TakesNumbersAndScalarExpressions) {
  EXPECT_EQ(test::failed_check([] { check_cl("f", "n", 3, "negative") = 3 < 0; }),
            "f: n is 3, but must be negative!");
  EXPECT_EQ(test::failed_check([&] { check_cl("f", "s", sum(y), "positive") = sum(y) > 0.0f; }),
            "f: s is -4, but must be positive!");
  EXPECT_EQ(test::failed_check([&] { check_cl("f", "bound", 2.5f, "above y") = y < 2.5f && y > -4.0f; }),
            "f: bound is 2.5, but must be above y!");
}

TEST_F(CheckCl, TellsOfTheFirstCheckThatFailsAndLeavesTargetsAsTheyWere) {
  float total = 5;
  const auto statement = [&] {
    results(check_cl("f", "y", y, "finite"), check_cl("f", "y", y, "at most 1"),
            check_cl("f", "y", y, "positive"), target, total) =
        expressions(isfinite(y), y <= 1.0f, y > 0.0f, y * 2.0f, sum(y));
  };
  EXPECT_EQ(test::failed_check(statement), "f: y[2] is 2, but must be at most 1!");
  EXPECT_EQ(target.rows(), 2);
  EXPECT_EQ(target(1), 8);
  EXPECT_EQ(total, 5);
}

TEST_F(CheckCl, NumbersAndElementsAreCheckedInTheOrderWritten) {
  const auto found = [&](bool number_first, bool number) {
    return test::failed_check([&] {
      if (number_first)
        results(check_cl("f", "n", 3, "known"), check_cl("f", "y", y, "positive"), target) =
            expressions(number, y > 0.0f, y);
      else
        results(check_cl("f", "y", y, "positive"), check_cl("f", "n", 3, "known"), target) =
            expressions(y > 0.0f, number, y);
    });
  };
  EXPECT_EQ(found(true, false), "f: n is 3, but must be known!");
  EXPECT_EQ(found(false, false), "f: y[3] is -3, but must be positive!");
  EXPECT_EQ(found(true, true), "f: y[3] is -3, but must be positive!");
  EXPECT_EQ(test::failed_check([&] {
              results(check_cl("f", "y", y, "finite"), check_cl("f", "n", 3, "known"),
                      check_cl("f", "y", y, "positive"), target) =
                  expressions(isfinite(y), false, y > 0.0f, y);
            }),
            "f: n is 3, but must be known!");
  EXPECT_EQ(target(1), 8);
}

TEST_F(CheckCl, EqualTargetsBesideChecksAreRefused) {
  const matrix before = target;
  float total = 5;
  const counters start = runtime_counters();
  EXPECT_THROW(
      (results(check_cl("f", "y", y, "finite"), target, target) = expressions(isfinite(y), y, y + 1.0f)),
      std::invalid_argument);
  EXPECT_THROW((results(total, check_cl("f", "y", y, "finite"), total) =
                    expressions(sum(y), isfinite(y), sum(y) + 1.0f)),
               std::invalid_argument);
  EXPECT_EQ((runtime_counters() - start).launches, 0u);
  EXPECT_TRUE(static_cast<bool>(all(target == before)));
  EXPECT_EQ(total, 5);
  try {
    results(check_cl("f", "y", y, "finite"), target, target) = expressions(isfinite(y), y, y);
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(), "results = expressions: results 2 and 3 are the same matrix");
  }
}

TEST_F(CheckCl, TargetsOverOneBufferBesideChecksAreRefused) {
  matrix other(target.buffer(), target.rows(), 1);
  const matrix before = target;
  test::expect_message<std::invalid_argument>(
      [&] {
        results(check_cl("f", "y", y, "finite"), target, other) =
            expressions(isfinite(y), target, target + 1.0f);
      },
      "results = expressions: results 2 and 3 are matrices over one buffer");
  test::expect_message<std::invalid_argument>(
      [&] {
        results(check_cl("f", "y", y, "finite"), target, col(other, 1)) =
            expressions(isfinite(y), target, target + 1.0f);
      },
      "results = expressions: results 2 and 3 are matrices over one buffer");
  EXPECT_TRUE(static_cast<bool>(all(target == before)));
  results(check_cl("f", "y", y, "finite"), target, other) = expressions(isfinite(y), y, y + 1.0f);
  EXPECT_EQ(other(0), target(0) + 1);
}

TEST_F(CheckCl, ANumberOnTheDeviceBesideItHasOneElement) {
  scalar_cl<float> s(3.0f);
  results(check_cl("f", "y", y, "finite"), s) = expressions(isfinite(y), sum(y) + s);
  EXPECT_EQ(to_host(s), -1.0f);
  results(check_cl("f", "y", y, "finite"), s, target) = expressions(isfinite(y), s + 1.0f, target * s);
  EXPECT_EQ(to_host(s), 0.0f);
  EXPECT_EQ(target(0), -7.0f);
  EXPECT_THROW((results(check_cl("f", "y", y, "finite"), s) = expressions(isfinite(y), y)),
               std::invalid_argument);
  EXPECT_THROW((results(check_cl("f", "y", y, "finite"), s) += expressions(isfinite(y), y)),
               std::invalid_argument);
  EXPECT_THROW((results(check_cl("f", "y", y, "positive"), s) = expressions(y > 0.0f, sum(y))),
               std::domain_error);
  EXPECT_EQ(to_host(s), 0.0f);
}

TEST_F(CheckCl, CheckedExpressionsAreNumbersWhereTheChecksHold) {
  const auto positive = [&](const matrix& x) {
    return checked(sum(x), check_cl("f", "x", x, "finite", isfinite(x)), check_cl("f", "n", 1, "known", true),
                   check_cl("f", "x", x, "positive", x > 0.0f));
  };
  const matrix good(std::vector<float>{1, 2, 3});
  const float first = positive(good);
  EXPECT_EQ(first, 6);
  const counters start = runtime_counters();
  const float total = positive(good);
  const counters spent = runtime_counters() - start;
  EXPECT_EQ(total, 6);
  EXPECT_EQ(spent.launches, 1u);
  EXPECT_EQ(spent.host_waits, 1u);
  EXPECT_EQ(test::failed_check([&] { (void)float(positive(y)); }), "f: x[3] is -3, but must be positive!");
  EXPECT_EQ(test::failed_check([&] { (void)float(checked(sum(y), check_cl("f", "n", 1, "known", false))); }),
            "f: n is 1, but must be known!");
  EXPECT_THROW((void)checked(sum(y), check_cl("f", "y", y, "positive", target > 0.0f)),
               std::invalid_argument);
}

TEST_F(CheckCl, LeavesPartsAndMatricesThatItReadsAsTheyWere) {
  const matrix before = y;
  EXPECT_NE(test::failed_check(
                [&] { results(check_cl("f", "y", y, "positive"), y) = expressions(y > 0.0f, y + 1.0f); }),
            "");
  EXPECT_NE(test::failed_check([&] {
              results(check_cl("f", "y", y, "positive"), head(y, 2)) = expressions(y > 0.0f, tail(y, 2));
            }),
            "");
  EXPECT_TRUE(static_cast<bool>(all(y == before)));
}

TEST_F(CheckCl, ResultsBesideChecksThatHold) {
  float total = 0;
  results(check_cl("f", "y", y, "finite"), target, head(y, 2), total) =
      expressions(isfinite(y), head(y, 2) * 2.0f, tail(y, 2), sum(y));
  EXPECT_EQ(from_matrix_cl<std::vector<float>>(target), (std::vector<float>{2, 4}));
  EXPECT_EQ(from_matrix_cl<std::vector<float>>(y), (std::vector<float>{-3, -4, -3, -4}));
  EXPECT_EQ(total, -4);
}

TEST_F(CheckCl, AMatrixOverAUsersBufferKeepsIt) {
  const cl::Buffer buffer = target.buffer();
  matrix over(buffer, 2, 1);
  results(check_cl("f", "y", y, "finite"), over) = expressions(isfinite(y), head(y, 2));
  EXPECT_EQ(over.buffer()(), buffer());
  EXPECT_EQ(from_matrix_cl<std::vector<float>>(over), (std::vector<float>{1, 2}));
}

TEST_F(CheckCl, SizesThatDoNotFitThrowBeforeAnythingIsEnqueued) {
  const counters before = runtime_counters();
  EXPECT_THROW(check_cl("f", "m", m, "positive") = y > 0.0f, std::invalid_argument);
  EXPECT_THROW((results(check_cl("f", "y", y, "positive"), head(y, 2)) = expressions(y > 0.0f, y)),
               std::invalid_argument);
  EXPECT_EQ((runtime_counters() - before).launches, 0u);
}

TEST_F(CheckCl, AllChecksOfAStatementCostOneLaunchAndOneWait) {
  const matrix x = test::random_matrix<float>(1000, 33, matrix_cl_view::Entire, 1, 2);
  matrix r;
  float total = 0;
  counters spent;
  for (int k = 0; k < 4; ++k) {
    const counters before = runtime_counters();
    results(check_cl("f", "x", x, "finite"), check_cl("f", "x", x, "positive"), r, total) =
        expressions(isfinite(x), x > 0.0f, exp(x), sum(x));
    spent = runtime_counters() - before;
  }
  EXPECT_LE(spent.launches, 2u);
  EXPECT_EQ(spent.host_waits, 1u);
  EXPECT_EQ(spent.buffers_created, 0u);
}

TEST_F(CheckCl, KernelSourceIsThatOfTheStatementAndChangesNothing) {
  float total = 5;
  const auto text = [](const auto& left, const auto& right) {
    return left.get_kernel_source_for_evaluating(right);
  };
  const counters before = runtime_counters();
  const std::string checked = text(results(check_cl("f", "y", y, "positive"), target, total),
                                   expressions(y > 0.0f, exp(y) * 2.0f, sum(y)));
  const counters spent = runtime_counters() - before;
  EXPECT_EQ(spent.launches + spent.host_waits, 0u);
  EXPECT_EQ(target(1), 8);
  EXPECT_EQ(total, 5);
  int failed = 0;
  matrix other;
  EXPECT_EQ(checked, text(results(failed, other, total),
                          expressions(select(min_2d(cast<int>(y > 0.0f)) > 0, 0, 1), exp(y) * 2.0f, sum(y))))
      << "the number of the check that fails is one more result";
  const std::string alone = text(results(target), expressions(exp(y) * 2.0f));
  EXPECT_EQ(text(results(check_cl("f", "n", 3, "odd"), target), expressions(true, exp(y) * 2.0f)), alone);
  EXPECT_EQ(text(results(target, check_cl("f", "n", 4, "odd")), expressions(exp(y) * 2.0f, false)), alone);
  EXPECT_EQ(text(results(check_cl("f", "n", 3, "odd")), expressions(true)), "");
  const std::string of_part =
      text(results(check_cl("f", "y", y, "positive"), block_zero_based(m, 0, 0, 1, 2)),
           expressions(y > 0.0f, exp(block_zero_based(m, 1, 1, 1, 2))));
  EXPECT_NE(of_part.find("exp("), std::string::npos);
  EXPECT_THROW(text(results(check_cl("f", "y", y, "positive"), block_zero_based(m, 0, 0, 1, 2)),
                    expressions(y > 0.0f, exp(y))),
               std::invalid_argument);
}

TEST_F(CheckCl, FindsOneElementAmongMany) {
  matrix many = test::random_matrix<float>(1000, 1003, matrix_cl_view::Entire, 1, 2);
  block_zero_based(many, 499, 502, 1, 1) = -1.0f;
  block_zero_based(many, 0, 900, 2, 2) = nan;
  EXPECT_EQ(test::failed_check([&] { check_cl("f", "many", many, "positive") = many > 0.0f; }),
            "f: many[500, 503] is -1, but must be positive!");
}

TEST_F(CheckCl, SaysThatItFailsAlsoAfterFreeze) {
  y = test::random_matrix<float>(9, 1, matrix_cl_view::Entire, 1, 2);
  const auto checks = [&] { check_cl("f", "y", y, "below three") = y < 3.0f; };
  checks();
  block_zero_based(y, 4, 0, 1, 1) = 5.0f;
  freeze();
  const std::string message = test::failed_check(checks);
  unfreeze();
  EXPECT_EQ(message.rfind("f: ", 0), 0u) << message;
  EXPECT_NE(message.find("below three"), std::string::npos) << message;
}

TEST_F(CheckCl, StandsAmongResultsThatAreAddedTo) {
  const matrix good(std::vector<float>{1, 2});
  float total = 1;
  results(check_cl("f", "good", good, "positive"), total, target) +=
      expressions(good > 0.0f, sum(good), good);
  EXPECT_EQ(total, 4);
  EXPECT_EQ(Eigen::VectorXf(target), Eigen::Vector2f(8, 10));
  results(block(target, 1, 1, 1, 1), check_cl("f", "good", good, "positive")) -=
      expressions(block(target, 2, 1, 1, 1), good > 0.0f);
  EXPECT_EQ(Eigen::VectorXf(target), Eigen::Vector2f(-2, 10));
  EXPECT_EQ(test::failed_check([&] {
              results(check_cl("f", "y", y, "positive"), total, block(target, 1, 1, 2, 1)) *=
                  expressions(y > 0.0f, sum(good), target);
            }),
            "f: y[3] is -3, but must be positive!");
  EXPECT_EQ(total, 4);
  EXPECT_EQ(Eigen::VectorXf(target), Eigen::Vector2f(-2, 10));
}

TEST_F(CheckCl, ThatIsKnownToHoldLeavesNumbersToBeWaitedFor) {
  const matrix ones = test::random_matrix<float>(1000, 1000, matrix_cl_view::Entire, 1, 2);
  for (int k = 0; k < 20; ++k) {
    float total = -1, wanted = sum(exp(ones));
    results(check_cl("f", "n", 5, "positive"), total) = expressions(5 > 0, sum(exp(ones)));
    EXPECT_EQ(total, wanted);
  }
}

TEST_F(CheckCl, AConditionWithoutASizeIsThatOfAllElements) {
  const matrix wide = test::random_matrix<float>(2, 3);
  const auto both = [&](auto check) {
    check(constant(3) > 2);
    EXPECT_EQ(test::failed_check([&] { check(constant(3) > 4); }).substr(0, 5), "f: y[");
  };
  both([&](const auto& condition) { check_cl("f", "y", y, "that") = condition; });
  both([&](const auto& condition) {
    float total = 0;
    results(total, check_cl("f", "y", y, "that")) = expressions(sum(y), condition);
  });
  both([&](const auto& condition) { double(checked(sum(y), check_cl("f", "y", y, "that", condition))); });
  EXPECT_EQ(test::failed_check([&] { check_cl("f", "n", 5, "that") = constant(3) > 4; }),
            "f: n is 5, but must be that!");
  EXPECT_EQ(test::failed_check([&] { check_cl("f", "total", sum(y), "that") = constant(3.0f) > sum(y); }),
            "");
  // what has an element for each place takes the places of the value
  EXPECT_EQ(test::failed_check([&] { check_cl("f", "y", y, "that") = row_index() < 2; }),
            "f: y[3] is -3, but must be that!");
  EXPECT_EQ(test::failed_check([&] {
              check_cl("f", "w", wide, "that") = row_index() + col_index() < 2;
            }).substr(0, 7),
            "f: w[2,");
  EXPECT_EQ(test::failed_check([&] { check_cl("f", "w", wide, "that") = col_index() + row_index() < 5; }),
            "");
}

TEST_F(CheckCl, ANumberThatIsFalseFailsWhereThereAreNoElements) {
  const matrix none(0, 1);
  EXPECT_EQ(test::failed_check([&] { check_cl("f", "y", none, "a vector with elements") = none.rows() > 0; }),
            "f: y has no elements, but must be a vector with elements!");
  EXPECT_EQ(test::failed_check([&] { check_cl("f", "y", none, "positive") = none > 0.0f; }), "");
  EXPECT_EQ(test::failed_check([&] { check_cl("f", "y", none, "positive") = constant(1) > 2; }), "");
}

}  // namespace
}  // namespace fusecl
