// Cholesky factors, triangular systems and inverses against the host interpreter and Eigen, in both forms of
// kernels: sizes at the edges of tiles, triangles that nobody may read, what follows in the finishing kernel,
// and what cannot be factored.

#include <limits>
#include <thread>
#include <vector>

#include <Eigen/Cholesky>
#include <support/both_forms.hpp>
#include <support/compare.hpp>
#include <support/messages.hpp>

#include <fusion/autodiff/value_and_gradient.hpp>
#include <fusion/eval/packed_copy.hpp>
#include <fusion/runtime/counters.hpp>

namespace fusecl {
namespace {

using namespace test;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

class Factorization : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override { FUSECL_NEEDS_DOUBLE; }
  int n = GetParam();
};

TEST_P(Factorization, CholeskyReadsTheLowerTriangle) {
  const auto a = matrix_cl<double>(lower_of_positive_definite(n)), c = numbers<double>(n, n);
  in_both_forms([&] {
    expect_matches_reference(cholesky_decompose(a));
    expect_matches_reference(exp(cholesky_decompose(a)) + c);
  });
}

TEST_P(Factorization, TriangularSystemsReadOneTriangle) {
  const auto l = triangle(n, matrix_cl_view::Lower), u = triangle(n, matrix_cl_view::Upper);
  in_both_forms([&] {
    for (const int m : {1, 67}) {
      const auto b = numbers<double>(n, m), row = numbers<double>(m, n);
      expect_matches_reference(mdivide_left_tri_low(l, b));
      expect_matches_reference(mdivide_left_tri<matrix_cl_view::Upper>(u, b));
      expect_matches_reference(mdivide_right_tri_low(row, l) - row);
    }
  });
}

TEST_P(Factorization, InversesReadOneTriangle) {
  const auto l = triangle(n, matrix_cl_view::Lower), u = triangle(n, matrix_cl_view::Upper);
  in_both_forms([&] {
    expect_matches_reference(mdivide_left_tri_low(l));
    expect_matches_reference(exp(tri_inverse<matrix_cl_view::Upper>(u)));
    expect_matches_reference(tri_inverse<matrix_cl_view::Lower>(transpose(u)));
  });
}

/// Which a GPU computes in the rounds of the factor, unless something else needs that.
TEST_P(Factorization, InversesOfFactorsReadTheLowerTriangle) {
  const auto a = matrix_cl<double>(lower_of_positive_definite(n)), c = numbers<double>(n, n);
  const auto inverse = mdivide_left_tri_low(cholesky_decompose(a));
  in_both_forms([&] {
    expect_matches_reference(inverse);
    expect_matches_reference(exp(transpose(inverse)) + c);
    EXPECT_ALL_MATCH_REFERENCE(cholesky_decompose(a), inverse);
  });
}

INSTANTIATE_TEST_SUITE_P(Sizes, Factorization,
                         ::testing::Values(0, 1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 129, 200));

TEST(FactorizationOf, InversesOfMatricesWithoutATriangularViewThrowAtTheCall) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = numbers<double>(3, 3);
  EXPECT_THROW(tri_inverse(a), std::invalid_argument);
  EXPECT_THROW(matrix_cl<double>(tri_inverse(a + 1.0)), std::invalid_argument);
  EXPECT_NO_THROW(tri_inverse<matrix_cl_view::Lower>(a));
  EXPECT_NO_THROW(tri_inverse(numbers<double>(1, 1)));
}

/// Beyond one block of 256 rows: the residual is that of a substitution, by rows of |A| |X|.
TEST(FactorizationOf, WideBlocksLeaveSmallResiduals) {
  FUSECL_NEEDS_DOUBLE;
  for (const int n : {255, 257, 515}) {
    const auto l = triangle(n, matrix_cl_view::Lower), u = triangle(n, matrix_cl_view::Upper);
    const host<double> lower = from_matrix_cl(l).triangularView<Eigen::Lower>(),
                       upper = from_matrix_cl(u).triangularView<Eigen::Upper>();
    const auto expect_small = [&](const host<double>& a, const host<double>& x, const host<double>& b) {
      const host<double> size = a.cwiseAbs() * x.cwiseAbs();
      EXPECT_LE(((a * x - b).array() / size.array().max(1e-300)).abs().maxCoeff(), 1e-14) << n;
    };
    for (const int m : {1, 4, 5, 70}) {
      const auto b = numbers<double>(n, m);
      const host<double> sides = from_matrix_cl(b);
      in_both_forms([&] {
        const host<double> x = from_matrix_cl(mdivide_left_tri_low(l, b));
        expect_small(lower, x, sides);
        expect_small(upper, from_matrix_cl(mdivide_left_tri<matrix_cl_view::Upper>(u, b)), sides);
        expect_small(lower.transpose(),
                     from_matrix_cl(mdivide_left_tri<matrix_cl_view::Upper>(transpose(l), b)), sides);
        EXPECT_TRUE(from_matrix_cl(mdivide_left_tri_low(l, b)) == x) << "not the same again";
      });
    }
    in_both_forms([&] {
      const host<double> one = host<double>::Identity(n, n);
      expect_small(lower, from_matrix_cl(tri_inverse<matrix_cl_view::Lower>(l)), one);
      expect_small(upper, from_matrix_cl(tri_inverse<matrix_cl_view::Upper>(u)), one);
    });
  }
}

/// Inverses that come with their factor, of few panels and of many.
TEST(FactorizationOf, InversesOfFactorsAreEigens) {
  FUSECL_NEEDS_DOUBLE;
  for (const int n : {255, 449, 512, 515, 1023}) {
    host<double> s = from_matrix_cl(numbers<double>(n, n));
    s = (s + s.transpose()).eval() + host<double>::Identity(n, n) * (2.0 * n);
    const host<double> factor = s.llt().matrixL(), one = host<double>::Identity(n, n),
                       wanted = factor.triangularView<Eigen::Lower>().solve(one).transpose();
    s.triangularView<Eigen::StrictlyUpper>().setConstant(nan);
    const matrix_cl<double> a(s);
    in_both_forms([&] {
      const auto turned = [&] {
        return from_matrix_cl(transpose(tri_inverse<matrix_cl_view::Lower>(cholesky_decompose(a))));
      };
      const host<double> x = turned();
      EXPECT_LE((x - wanted).cwiseAbs().maxCoeff(), 1e-13 * wanted.cwiseAbs().maxCoeff()) << n;
      EXPECT_EQ(host<double>(x.triangularView<Eigen::StrictlyLower>()).cwiseAbs().maxCoeff(), 0) << n;
      EXPECT_TRUE(turned() == x) << "not the same again";
    });
  }
}

/// From 2048 rows on few sides go by blocks of 512.
TEST(FactorizationOf, VectorsOfLargeTrianglesLeaveSmallResiduals) {
  FUSECL_NEEDS_DOUBLE;
  if (!gpu_form_is_sound()) GTEST_SKIP() << "the driver compiles the form of a GPU wrong";
  const schedule_as_before restored;
  set_schedule("gpu");
  constexpr int n = 2051;
  const auto l = triangle(n, matrix_cl_view::Lower);
  const host<double> lower = from_matrix_cl(l).triangularView<Eigen::Lower>();
  for (const int m : {1, 4, 5}) {
    const auto b = numbers<double>(n, m);
    const host<double> x = from_matrix_cl(mdivide_left_tri_low(l, b)), sides = from_matrix_cl(b),
                       size = lower.cwiseAbs() * x.cwiseAbs();
    EXPECT_LE(((lower * x - sides).array() / size.array().max(1e-300)).abs().maxCoeff(), 1e-14) << m;
  }
}

/// Where wide blocks go over zeros of inverses beside what is not finite.
TEST(FactorizationOf, WideBlocksKeepWhatIsNotFiniteInItsPlace) {
  FUSECL_NEEDS_DOUBLE;
  const int n = 300;
  const auto l = triangle(n, matrix_cl_view::Lower);
  for (const int m : {2, 6}) {
    host<double> b = from_matrix_cl(numbers<double>(n, m));
    b(40, 1) = nan;
    b(290, 0) = std::numeric_limits<double>::infinity();
    in_both_forms([&] {
      const host<double> x = from_matrix_cl(mdivide_left_tri_low(l, matrix_cl<double>(b)));
      for (int j = 0; j < m; ++j)
        for (int i = 0; i < n; ++i)
          EXPECT_EQ(std::isfinite(x(i, j)), !((j == 1 && i >= 40) || (j == 0 && i >= 290))) << i << " " << j;
    });
  }
}

TEST(FactorizationOf, ViewsAndParts) {
  FUSECL_NEEDS_DOUBLE;
  const host<double> s = positive_definite(50);
  const matrix_cl<double> a(s), lower(s, matrix_cl_view::Lower);
  const auto l = random_matrix<double>(40, 40, matrix_cl_view::Lower, 1, 2), b = numbers<double>(50, 40);
  in_both_forms([&] {
    expect_matches_reference(cholesky_decompose(block_zero_based(a, 3, 3, 35, 35)));
    expect_matches_reference(cholesky_decompose(lower));
    expect_matches_reference(cholesky_decompose(transpose(a) + 1.0));
    expect_matches_reference(tri_inverse(10.0 * identity_matrix<double>(40) + l));
    expect_matches_reference(tri_inverse(transpose(10.0 * identity_matrix<double>(40) + l)));
    expect_matches_reference(
        mdivide_left_tri_low(block_zero_based(a, 5, 5, 33, 33), block_zero_based(b, 2, 1, 33, 9)));
    expect_matches_reference(mdivide_left_tri_low(a, a));
    expect_matches_reference(mdivide_left_tri<matrix_cl_view::Upper>(transpose(a), 2.5 * b));
  });
}

TEST(FactorizationOf, FloatsAndIntegers) {
  const auto a = matrix_cl<float>(lower_of_positive_definite<float>(70));
  const auto l = triangle<float>(70, matrix_cl_view::Lower);
  const auto b = numbers<float>(70, 35);
  in_both_forms([&] {
    expect_matches_reference(cholesky_decompose(a));
    expect_matches_reference(mdivide_left_tri_low(l, b) * 0.5f);
    expect_matches_reference(mdivide_left_tri_low(l));
  });
  FUSECL_NEEDS_DOUBLE;
  const matrix_cl<int> whole(host<int>(host<int>::Identity(5, 5) * 9));
  const host<double> three = host<double>::Identity(5, 5) * 3;
  EXPECT_EQ(from_matrix_cl(cholesky_decompose(whole)), three);
}

TEST(FactorizationOf, SymmetricMatricesIsEigens) {
  FUSECL_NEEDS_DOUBLE;
  const int n = 70;
  const host<double> s = positive_definite(n), hb = from_matrix_cl(numbers<double>(n, 5));
  const matrix_cl<double> a = [&] {
    host<double> poisoned = s;
    poisoned.triangularView<Eigen::StrictlyUpper>().setConstant(nan);
    return matrix_cl<double>(poisoned);
  }();
  const matrix_cl<double> b(hb), bt(host<double>(hb.transpose())), l(host<double>(s.llt().matrixL()));
  const Eigen::LLT<host<double>> llt(s);
  const host<double> solution = llt.solve(hb), inverse = llt.solve(host<double>::Identity(n, n));
  const auto is = [](const auto& e, const host<double>& wanted) {
    EXPECT_LE((from_matrix_cl(e) - wanted).cwiseAbs().maxCoeff(), 1e-12 * (1 + wanted.cwiseAbs().maxCoeff()));
  };
  in_both_forms([&] {
    is(mdivide_left_spd(a, b), solution);
    is(mdivide_right_spd(bt, a), solution.transpose());
    is(inverse_spd(a), inverse);
    is(chol2inv(l), inverse);
    is(quad_form(matrix_cl<double>(s), b), hb.transpose() * s * hb);
    is(quad_form_sym(matrix_cl<double>(s), b), hb.transpose() * s * hb);
    const double logarithm = 2 * host<double>(llt.matrixL()).diagonal().array().log().sum();
    const double of_spd = log_determinant_spd(a),
                 of_triangle = log_determinant(-matrix_cl<double>(from_matrix_cl(l), matrix_cl_view::Lower));
    EXPECT_NEAR(of_spd, logarithm, 1e-12 * logarithm);
    EXPECT_NEAR(of_triangle, logarithm / 2, 1e-12 * logarithm);
    const double form = trace_quad_form(matrix_cl<double>(s), b);
    EXPECT_NEAR(form, (hb.transpose() * s * hb).trace(), 1e-10 * form);
  });
}

/// A form by one column is a number; whole numbers are doubles.
TEST(FactorizationOf, SymmetricFormsAreNumbersAndDoubles) {
  FUSECL_NEEDS_DOUBLE;
  const matrix_cl<long> a(host<long>::Constant(2, 2, 123456789)), one(host<long>(host<long>::Identity(2, 2)));
  const matrix_cl<double> same = quad_form_sym(a, one);
  EXPECT_EQ(same(1, 0), 123456789);
  const host<double> s = positive_definite(5), b = host<double>::Constant(5, 1, 0.5);
  const double form = quad_form_sym(matrix_cl<double>(s), matrix_cl<double>(b));
  EXPECT_NEAR(form, s.sum() / 4, 1e-13 * s.sum());
  const double turned = transpose(transpose(matrix_cl<double>(b)) * matrix_cl<double>(b));
  EXPECT_EQ(turned, 1.25);
  expect_message<std::invalid_argument>(
      [] { quad_form_sym(matrix_cl<double>(4, 4), matrix_cl<double>(3, 2)); }, "quad_form_sym: a (4 x 4)");
}

TEST(FactorizationOf, NothingIsNothingWhateverItsView) {
  FUSECL_NEEDS_DOUBLE;
  in_both_forms([] {
    const matrix_cl<double> none, of_two(numbers<double>(2, 2));
    const double logarithm = log_determinant(none);
    EXPECT_EQ(logarithm, 0);
    EXPECT_EQ(tri_inverse(none).rows(), 0);
    matrix_cl<double> inverse = tri_inverse(none + none);
    EXPECT_EQ(inverse.size(), 0);
    EXPECT_THROW(log_determinant(of_two + 1.0).eval(), std::invalid_argument);
  });
}

/// The factor and what is computed from it, in place of an operand and beside another result.
TEST(FactorizationOf, ManyResultsAndInPlace) {
  FUSECL_NEEDS_DOUBLE;
  const int n = 67;
  const host<double> s = positive_definite(n), l = s.llt().matrixL();
  const auto y = numbers<double>(n, 1);
  const host<double> z = l.triangularView<Eigen::Lower>().solve(from_matrix_cl(y));
  in_both_forms([&] {
    matrix_cl<double> a(s), halves, solution(n, 1);
    const auto factor = shared(cholesky_decompose(a));
    results(halves, a) = expressions(factor / 2.0, factor);
    EXPECT_LE((from_matrix_cl(a) - l).cwiseAbs().maxCoeff(), 1e-13 * n);
    EXPECT_LE((from_matrix_cl(halves) - l / 2).cwiseAbs().maxCoeff(), 1e-13 * n);
    solution = mdivide_left_tri_low(a, y);
    EXPECT_LE((from_matrix_cl(solution) - z).cwiseAbs().maxCoeff(), 1e-13 * n);
    matrix_cl<double> onto = y;
    onto = onto + mdivide_left_tri_low(a, onto);
    EXPECT_LE((from_matrix_cl(onto) - z - from_matrix_cl(y)).cwiseAbs().maxCoeff(), 1e-13 * n);
    a = tri_inverse<matrix_cl_view::Lower>(a);
    EXPECT_LE((from_matrix_cl(a) * l - host<double>::Identity(n, n)).cwiseAbs().maxCoeff(), 1e-13 * n);
  });
}

TEST(FactorizationOf, IsTheSameEveryTime) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = matrix_cl<double>(lower_of_positive_definite(150));
  const auto b = numbers<double>(150, 9);
  in_both_forms([&] {
    const host<double> first = from_matrix_cl(mdivide_left_spd(a, b)),
                       inverse = from_matrix_cl(inverse_spd(a));
    for (int k = 0; k < 4; ++k) {
      EXPECT_TRUE(from_matrix_cl(mdivide_left_spd(a, b)) == first);
      EXPECT_TRUE(from_matrix_cl(inverse_spd(a)) == inverse);
    }
  });
}

/// A NaN of a right-hand side stays in its column, below its row.
TEST(FactorizationOf, WhatIsNotFiniteStaysWhereItBelongs) {
  FUSECL_NEEDS_DOUBLE;
  const int n = 70;
  const auto l = triangle(n, matrix_cl_view::Lower);
  host<double> b = from_matrix_cl(numbers<double>(n, 6));
  b(40, 2) = nan;
  b(5, 4) = std::numeric_limits<double>::infinity();
  in_both_forms([&] {
    const host<double> x = from_matrix_cl(mdivide_left_tri_low(l, matrix_cl<double>(b)));
    for (int j = 0; j < 6; ++j)
      for (int i = 0; i < n; ++i) {
        const bool after = (j == 2 && i >= 40) || (j == 4 && i >= 5);
        EXPECT_EQ(std::isfinite(x(i, j)), !after) << i << " " << j;
      }
  });
}

void expect_bad_pivot(const host<double>& s, int pivot, const char* value) {
  const matrix_cl<double> a(s);
  matrix_cl<double> factor(s.rows(), s.rows());
  try {
    factor = cholesky_decompose(a);  // nobody waits here, unless statements are validated
    from_matrix_cl(factor);
    FAIL() << "nothing thrown for pivot " << pivot;
  } catch (const std::domain_error& e) {
    const std::string wanted =
        "cholesky_decompose: A is not positive definite: pivot " + std::to_string(pivot) + " is " + value;
    EXPECT_EQ(std::string(e.what()).substr(0, wanted.size()), wanted);
  }
  const host<double> l = from_matrix_cl(factor);  // said once
  const int n = static_cast<int>(s.rows());
  for (int j = 0; j < n; ++j)
    for (int i = j; i < n; ++i) EXPECT_EQ(std::isnan(l(i, j)), j + 1 >= pivot) << i << " " << j;
}

/// Panels of several blocks, which have inner ones.
TEST(CholeskyFactor, OfManyPanelsReadsTheLowerTriangle) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = matrix_cl<double>(lower_of_positive_definite(321));
  in_both_forms([&] { expect_matches_reference(cholesky_decompose(a)); });
  // of these columns of tiles are taken side by side
  const host<double> b = positive_definite(900);
  const matrix_cl<double> on_device(b);
  in_both_forms([&] {
    const host<double> l = from_matrix_cl(cholesky_decompose(on_device));
    EXPECT_LT((l * l.transpose() - b).norm(), 1e-13 * b.norm());
    EXPECT_EQ(l(0, 899), 0);
  });
}

TEST(CholeskyFactor, OfWhatIsNotPositiveDefiniteNamesTheFirstBadPivot) {
  FUSECL_NEEDS_DOUBLE;
  in_both_forms([] {
    for (const int n : {1, 5, 70, 135}) {
      for (const int k : {0, n / 2, n - 2, n - 1}) {
        if (k < 0) continue;
        host<double> s = host<double>::Identity(n, n) * 4;
        s(k, k) = -2.5;
        expect_bad_pivot(s, k + 1, "-2.5, but must be positive!");
        s(k, k) = nan;
        s(n - 1, n - 1) = nan;
        expect_bad_pivot(s, k + 1, "nan, but must be positive!");
      }
      host<double> singular = host<double>::Constant(n, n, 1);
      if (n > 1) expect_bad_pivot(singular, 2, "0, but must be positive!");
    }
  });
}

TEST(CholeskyFactor, ThatGivesItsInverseNamesTheFirstBadPivot) {
  FUSECL_NEEDS_DOUBLE;
  in_both_forms([] {
    for (const int n : {5, 64, 70, 135}) {
      for (const int k : {0, n / 2, n - 1}) {
        host<double> s = host<double>::Identity(n, n) * 4;
        s(k, k) = -2.5;
        const matrix_cl<double> a(s);
        matrix_cl<double> inverse(n, n);
        const std::string wanted = "pivot " + std::to_string(k + 1) + " is -2.5, but must be positive!";
        expect_message<std::domain_error>(
            [&] {
              inverse = transpose(mdivide_left_tri_low(cholesky_decompose(a)));
              from_matrix_cl(inverse);
            },
            "cholesky_decompose: A is not positive definite: " + wanted);
        const host<double> x = from_matrix_cl(inverse).transpose();
        for (int j = 0; j < n; ++j)
          for (int i = std::max(j, k); i < n; ++i) EXPECT_TRUE(std::isnan(x(i, j))) << i << " " << j;
      }
    }
  });
}

TEST(CholeskyFactor, ThatFailsEndsTheStatementWhoseResultIsANumber) {
  FUSECL_NEEDS_DOUBLE;
  const matrix_cl<double> a(host<double>(-host<double>::Identity(40, 40)));
  double x = 7;
  EXPECT_THROW(x = log_determinant_spd(a), std::domain_error);
  EXPECT_EQ(x, 7);
  EXPECT_THROW(value_and_gradient(log_determinant_spd(a), wrt(a)), std::domain_error);
  EXPECT_NO_THROW(from_matrix_cl(a)) << "said once";
}

/// The host waits as often as for any other matrix, and takes no memory that is not given back.
/// Of many factors that nobody reads the first failure is kept, and told by the next statement that reads.
TEST(CholeskyFactor, ThatFailsIsToldByNoStatementThatDoesNotRead) {
  FUSECL_NEEDS_DOUBLE;
  if (std::getenv("FUSECL_VALIDATE")) GTEST_SKIP() << "validated statements wait";
  host<double> good = positive_definite(3), bad = good;
  bad(2, 2) = -1;
  const matrix_cl<double> g(good), n(bad), b(host<double>(host<double>::Ones(3, 2)));
  matrix_cl<double> factor(3, 3), x(3, 2);
  for (int round = 0; round < 2; ++round) {
    for (int k = 0; k < 64; ++k) matrix_cl<double> unread = cholesky_decompose(k == 5 || k == 7 ? n : g);
    for (int k = 0; k < 70; ++k)
      EXPECT_NO_THROW(results(factor, x) = expressions(cholesky_decompose(g), mdivide_left_spd(g, b)));
    expect_message<std::domain_error>([&] { from_matrix_cl(x); }, "cholesky_decompose: ");
    EXPECT_LT((good * from_matrix_cl(x) - from_matrix_cl(b)).norm(), 1e-12);
    EXPECT_LT((host<double>(good.llt().matrixL()) - from_matrix_cl(factor)).norm(), 1e-12);
  }
}

TEST(CholeskyFactor, ThatSucceedsCostsNoWait) {
  FUSECL_NEEDS_DOUBLE;
  const matrix_cl<double> a(positive_definite(100));
  matrix_cl<double> l = cholesky_decompose(a);
  host<double> back = from_matrix_cl(l);
  l = cholesky_decompose(a);
  back = from_matrix_cl(l);
  counters before = runtime_counters();
  l = cholesky_decompose(a);
  counters spent = runtime_counters() - before;
  EXPECT_EQ(spent.host_waits, 0u);
  EXPECT_EQ(spent.buffers_created, 0u);
  before = runtime_counters();
  back = from_matrix_cl(l);
  spent = runtime_counters() - before;
  EXPECT_EQ(spent.host_waits, 1u);
  for (int k = 0; k < 100; ++k) l = cholesky_decompose(a);  // and nothing is read in between
  before = runtime_counters();
  l = cholesky_decompose(a);
  EXPECT_LE((runtime_counters() - before).buffers_created, 1u);
}

/// The rounds of a factor give its inverse, too, up to 2048 rows: with more, and where the factor is needed,
/// it has rounds of its own.
TEST(CholeskyFactor, GivesItsInverseWithoutFurtherLaunches) {
  FUSECL_NEEDS_DOUBLE;
  if (!gpu_form_is_sound()) GTEST_SKIP() << "the driver compiles this form wrong";
  const schedule_as_before restored;
  set_schedule("gpu");
  const matrix_cl<double> a(positive_definite(200));
  matrix_cl<double> l, inverse;
  const auto launches = [&](auto evaluate) {
    const counters before = runtime_counters();
    evaluate();
    return (runtime_counters() - before).launches;
  };
  EXPECT_EQ(launches([&] { inverse = transpose(mdivide_left_tri_low(cholesky_decompose(a))); }), 5u);
  EXPECT_GT(launches([&] {
              const auto factor = shared(cholesky_decompose(a));
              results(l, inverse) = expressions(factor, mdivide_left_tri_low(factor));
            }),
            10u);
}

/// 16 panels of 64 columns and the kernel that finishes: half of the time at these sizes is between launches.
TEST(CholeskyFactor, TakesTwentyLaunchesAtMostForAThousandColumns) {
  FUSECL_NEEDS_DOUBLE;
  if (!gpu_form_is_sound()) GTEST_SKIP() << "the driver compiles this form wrong";
  const schedule_as_before restored;
  set_schedule("gpu");
  const int n = 1024;
  host<double> s = host<double>::Constant(n, n, -1);
  s.diagonal().setConstant(n);
  const matrix_cl<double> a(s);
  matrix_cl<double> l = cholesky_decompose(a);
  const counters before = runtime_counters();
  l = cholesky_decompose(a);
  EXPECT_LE((runtime_counters() - before).launches, 20u);
  const host<double> got = from_matrix_cl(l), wanted = s.llt().matrixL();
  EXPECT_TRUE(got.isApprox(wanted, 1e-13)) << (got - wanted).cwiseAbs().maxCoeff();
}

/// The thread that takes over its queue reads other matrices, and those of the failed statement, in peace.
TEST(CholeskyFactor, ThatFailsIsNoConcernOfLaterThreads) {
  FUSECL_NEEDS_DOUBLE;
  const matrix_cl<double> a(host<double>(-host<double>::Identity(40, 40)));
  matrix_cl<double> l(40, 40);
  std::thread([&] {
    try {
      l = cholesky_decompose(a);
    } catch (const std::domain_error&) {  // where statements are validated
    }
  }).join();
  std::thread([&] {
    EXPECT_NO_THROW(from_matrix_cl(a));
    EXPECT_TRUE(std::isnan(from_matrix_cl(l)(0, 0)));
  }).join();
}

TEST(CholeskyFactor, IsExplainedByItsLaunches) {
  FUSECL_NEEDS_DOUBLE;
  const matrix_cl<double> a(positive_definite(200));
  in_both_forms([&] {
    matrix_cl<double> l = cholesky_decompose(a);
    const counters before = runtime_counters();
    l = cholesky_decompose(a);
    const counters spent = runtime_counters() - before;
    const explanation e = explain(cholesky_decompose(a));
    EXPECT_EQ(e.kernels.size(), spent.launches);
    EXPECT_GT(e.kernels.size(), 4u);
    EXPECT_NE(e.plan.find(" rounds with up to "), std::string::npos) << e.plan;
  });
}

/// The operand is in memory before the factor reads it, though it is a number that a later sum could store.
TEST(FactorizationOf, OneComputedElementServesASum) {
  FUSECL_NEEDS_DOUBLE;
  in_both_forms([] {
    const matrix_cl<double> y(host<double>::Constant(1, 1, 3));
    for (const double s : {0.5, 0.25, 2.0}) {  // memory of one holds what another left there
      const matrix_cl<double> a(host<double>::Constant(1, 1, s));
      const double total = sum(square(mdivide_left_tri_low(cholesky_decompose(exp(a)), y)));
      EXPECT_NEAR(total, 9 / std::exp(s), 1e-14 * total);
    }
  });
}

/// What needs a triangular view takes a factor with one element, too.
TEST(FactorizationOf, OneElementHasTheViewOfMany) {
  FUSECL_NEEDS_DOUBLE;
  in_both_forms([] {
    matrix_cl<double> four(host<double>::Constant(1, 1, 4)), target(3, 3);
    target = cholesky_decompose(four);
    EXPECT_EQ(target.view(), matrix_cl_view::Lower);
    const matrix_cl<double> turned = transpose(cholesky_decompose(four));
    EXPECT_EQ(turned.view(), matrix_cl_view::Upper);
    double total = 0;
    results(four, total) = expressions(cholesky_decompose(four), sum(four));
    EXPECT_EQ(four.view(), matrix_cl_view::Lower);
    EXPECT_EQ(total, 4);
    EXPECT_EQ(packed_copy(target), std::vector<double>{2});
    target = tri_inverse<matrix_cl_view::Upper>(four);
    EXPECT_EQ(target.view(), matrix_cl_view::Upper);
    EXPECT_EQ(target(0, 0), 0.5);
    target = tri_inverse(four) + mdivide_left_tri_low(four);
    EXPECT_EQ(target.view(), matrix_cl_view::Lower);
    EXPECT_EQ(target(0, 0), 1);
    const matrix_cl<double> number = sum(four);
    EXPECT_EQ(number.view(), matrix_cl_view::Entire);
  });
}

TEST(FactorizationErrors, NameFunctionAndSizes) {
  const matrix_cl<float> a(3, 4), square(3, 3), b(4, 2);
  EXPECT_EQ(message_of<std::invalid_argument>([&] { cholesky_decompose(a); }),
            "cholesky_decompose: a (3 x 4) must be square");
  EXPECT_EQ(message_of<std::invalid_argument>([&] { tri_inverse(a); }),
            "tri_inverse: a (3 x 4) must be square");
  EXPECT_EQ(message_of<std::invalid_argument>([&] { mdivide_left_tri_low(square, b); }),
            "mdivide_left_tri_low: a (3 x 3) and b (4 x 2) must have as many rows");
  EXPECT_EQ(message_of<std::invalid_argument>([&] { mdivide_right_tri_low(transpose(b), square); }),
            "mdivide_right_tri_low: a (3 x 3) and b (2 x 4) must have as many columns");
  EXPECT_EQ(message_of<std::invalid_argument>([&] { mdivide_right_tri_low(a, a); }),
            "mdivide_right_tri_low: a (3 x 4) must be square");
  EXPECT_EQ(message_of<std::invalid_argument>([&] { mdivide_right_spd(transpose(b), square); }),
            "mdivide_right_spd: a (3 x 3) and b (2 x 4) must have as many columns");
  EXPECT_EQ(message_of<std::invalid_argument>([&] { mdivide_left_spd(a, b); }),
            "mdivide_left_spd: a (3 x 4) must be square");
  EXPECT_EQ(message_of<std::invalid_argument>([&] { mdivide_right_spd(b, a); }),
            "mdivide_right_spd: a (3 x 4) must be square");
  EXPECT_EQ(message_of<std::invalid_argument>([&] { inverse_spd(a); }),
            "inverse_spd: a (3 x 4) must be square");
  EXPECT_EQ(message_of<std::invalid_argument>([&] { log_determinant_spd(a); }),
            "log_determinant_spd: a (3 x 4) must be square");
  EXPECT_EQ(message_of<std::invalid_argument>([&] { quad_form(square, b); }),
            "quad_form: a (3 x 3) and b (4 x 2) must have as many rows");
  matrix_cl<float> target(host<float>::Constant(2, 2, 7));
  EXPECT_EQ(message_of<std::invalid_argument>([&] { target = tri_inverse(square); }),
            "tri_inverse: a must have a triangular view: Lower, Upper or Diagonal");
  EXPECT_EQ(
      message_of<std::invalid_argument>([&] { log_determinant(square).eval(); }),
      "log_determinant: a must have a triangular view: Lower, Upper or Diagonal; log_determinant_spd(a) is "
      "that of a symmetric positive definite matrix");
  EXPECT_EQ(from_matrix_cl(target), host<float>(host<float>::Constant(2, 2, 7)));
}

/// An expression reads what its operands hold then, also where they have other sizes.
TEST(FactorizationErrors, AreFoundWhenOperandsHaveChanged) {
  FUSECL_NEEDS_DOUBLE;
  matrix_cl<double> a(positive_definite(6));
  const auto factor = cholesky_decompose(a);
  matrix_cl<double> l = factor;
  a = matrix_cl<double>(positive_definite(40));
  l = factor;
  EXPECT_EQ(l.rows(), 40);
  a = matrix_cl<double>(3, 4);
  EXPECT_THROW(l = factor, std::invalid_argument);
  EXPECT_EQ(l.rows(), 40);
}

}  // namespace
}  // namespace fusecl
