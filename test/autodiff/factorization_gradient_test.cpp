// Derivatives of Cholesky factors, triangular systems and inverses: against differences and forward
// accumulation in every case of data and variables, within expressions, on the tape, and second ones.

#include <Eigen/Cholesky>
#include <support/both_forms.hpp>
#include <support/compare.hpp>
#include <support/gradients.hpp>

#include <fusion/autodiff/hessian.hpp>
#include <fusion/autodiff/var.hpp>

namespace fusecl {
namespace {

using namespace test;

TEST(FactorizationGradient, OfACholeskyFactorIsThatByTheLowerTriangle) {
  FUSECL_NEEDS_DOUBLE;
  in_both_forms([] {
    for (const int n : {0, 1, 5}) {
      const auto a = symmetric_dominant(n), w = numbers(n, n);
      EXPECT_GRADIENT([&](const auto& x) { return sum(elt_multiply(w, exp(cholesky_decompose(x)))); }, a);
    }
  });
}

/// Beyond tiles and blocks, where differences would take too long: with P the lower triangle of L' G with
/// half of its diagonal, that of inverse(L') (P + P') inverse(L) by substitutions.
TEST(FactorizationGradient, OfALargeCholeskyFactorIsTheClosedForm) {
  FUSECL_NEEDS_DOUBLE;
  in_both_forms([] {
    for (const int n : {65, 150}) {
      const host<double> own = from_matrix_cl(numbers(n, n)),
                         s = own * own.transpose() + host<double>::Identity(n, n) * static_cast<double>(n);
      const matrix_cl<double> a(s), w = numbers(n, n);
      const auto found = value_and_gradient(sum(elt_multiply(w, cholesky_decompose(a))), wrt(a));
      const host<double> da = from_matrix_cl(std::get<0>(found.gradient));
      const host<double> l = s.llt().matrixL();
      const host<double> g = from_matrix_cl(w).triangularView<Eigen::Lower>();
      EXPECT_NEAR(found.value, (g.array() * l.array()).sum(), 1e-10 * std::abs(found.value) + 1e-9);
      host<double> p = (l.transpose() * g).triangularView<Eigen::Lower>();
      p.diagonal() /= 2;
      host<double> both = p + p.transpose();
      l.transpose().triangularView<Eigen::Upper>().solveInPlace(both);
      host<double> turned = both.transpose();
      l.transpose().triangularView<Eigen::Upper>().solveInPlace(turned);
      host<double> wanted = turned.triangularView<Eigen::Lower>();
      wanted.diagonal() /= 2;
      EXPECT_LE((da - wanted).cwiseAbs().maxCoeff(), 1e-12 * wanted.cwiseAbs().maxCoeff());
    }
  });
}

/// Nobody looks at the upper triangles of the three products: L' G and the last one have n^3 / 3 flops each,
/// and that with the inverse twice as many.
TEST(FactorizationGradient, OfACholeskyFactorMultipliesWhatIsLookedAt) {
  FUSECL_NEEDS_DOUBLE;
  const int n = 400;
  const matrix_cl<double> a = symmetric_dominant(n), w = numbers(n, n);
  in_both_forms([&] {
    const auto e = sum(elt_multiply(w, cholesky_decompose(a)));
    EXPECT_NEAR(explain(e, wrt(a)).flops / std::pow(n, 3), 4.0 / 3, 0.05);
  });
}

TEST(FactorizationGradient, OfTriangularSystemsInAllCasesOfDataAndVariables) {
  FUSECL_NEEDS_DOUBLE;
  for (const auto [n, m] : std::vector<std::array<int, 2>>{{0, 2}, {1, 1}, {1, 3}, {4, 1}}) {
    const auto a = dominant(n), b = numbers(n, m);
    EXPECT_GRADIENT([](const auto& x, const auto& y) { return sum(sin(mdivide_left_tri_low(x, y))); }, a, b);
  }
  in_both_forms([] {
    for (const auto [n, m] : std::vector<std::array<int, 2>>{{5, 3}}) {
      const auto a = dominant(n), b = numbers(n, m);
      EXPECT_GRADIENT([](const auto& x, const auto& y) { return sum(sin(mdivide_left_tri_low(x, y))); }, a,
                      b);
      EXPECT_GRADIENT([&](const auto& x) { return sum(square(mdivide_left_tri_low(x, b))); }, a);
      EXPECT_GRADIENT([&](const auto& y) { return sum(square(mdivide_left_tri_low(a, y))); }, b);
    }
  });
}

TEST(FactorizationGradient, OfOtherTrianglesAndSides) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = dominant(5), b = numbers(5, 3), c = numbers(3, 5), l = dominant(5, 1, matrix_cl_view::Lower);
  EXPECT_GRADIENT(
      [](const auto& x, const auto& y) { return sum(sin(mdivide_left_tri<matrix_cl_view::Upper>(x, y))); }, a,
      b);
  EXPECT_GRADIENT([](const auto& x, const auto& y) { return sum(sin(mdivide_right_tri_low(y, x))); }, a, c);
  EXPECT_GRADIENT([&](const auto& x) { return sum(sin(mdivide_left_tri_low(x, b))); }, l);
  EXPECT_GRADIENT(
      [&](const auto& x) { return sum(square(mdivide_left_tri<matrix_cl_view::Upper>(transpose(x), b))); },
      l);
}

TEST(FactorizationGradient, OfInverses) {
  FUSECL_NEEDS_DOUBLE;
  for (const int n : {0, 1, 5}) {
    const auto l = dominant(n, 1, matrix_cl_view::Lower), u = dominant(n, 1, matrix_cl_view::Upper),
               a = symmetric_dominant(n), w = numbers(n, n);
    EXPECT_GRADIENT([&](const auto& x) { return sum(elt_multiply(w, sin(tri_inverse(x)))); }, l);
    EXPECT_GRADIENT([&](const auto& x) { return sum(elt_multiply(w, sin(tri_inverse(x)))); }, u);
    EXPECT_GRADIENT([&](const auto& x) { return sum(elt_multiply(w, inverse_spd(x))); }, a);
  }
}

TEST(FactorizationGradient, OfSymmetricSystemsDeterminantsAndForms) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = symmetric_dominant(5), b = numbers(5, 3), y = numbers(5, 1), w = numbers(3, 3),
             l = dominant(5, 1, matrix_cl_view::Lower);
  EXPECT_GRADIENT([](const auto& x, const auto& z) { return sum(sin(mdivide_left_spd(x, z))); }, a, b);
  EXPECT_GRADIENT([](const auto& x, const auto& z) { return sum(sin(mdivide_left_spd(x, z))); }, a, y);
  EXPECT_GRADIENT([](const auto& x) { return log_determinant_spd(x); }, a);
  EXPECT_GRADIENT([](const auto& x) { return log_determinant(x); }, l);
  EXPECT_GRADIENT([&](const auto& x, const auto& z) { return sum(elt_multiply(w, quad_form(x, z))); }, a, b);
  EXPECT_GRADIENT([&](const auto& x, const auto& z) { return trace_quad_form(x, z); }, a, b);
}

TEST(FactorizationGradient, OfADensityWithACovariance) {
  FUSECL_NEEDS_DOUBLE;
  const auto s = symmetric_dominant(6), y = numbers(6, 1), mu = numbers(6, 1);
  parameter<double> scale = 1.3;
  const auto density = [&](const auto& x, const auto& m, const auto& c) {
    const auto factor = shared(cholesky_decompose(c * x));
    return -0.5 * dot_self(mdivide_left_tri_low(factor, y - m)) - sum(log(diagonal(factor)));
  };
  in_both_forms([&] { EXPECT_GRADIENT(density, s, mu, scale); });
}

/// With l(S) = -log|S|/2 - y' inverse(S) y / 2 the derivative by S is (a a' - inverse(S)) / 2, a = inverse(S)
/// y.
TEST(FactorizationGradient, HasTheClosedFormOfANormalDensity) {
  FUSECL_NEEDS_DOUBLE;
  const int n = 70;
  const auto s = symmetric_dominant(n), y = numbers(n, 1);
  in_both_forms([&] {
    const auto factor = shared(cholesky_decompose(s));
    const auto density = -0.5 * dot_self(mdivide_left_tri_low(factor, y)) - sum(log(diagonal(factor)));
    const auto result = value_and_gradient(density, wrt(s));
    const host<double> S = from_matrix_cl(s), inverse = S.llt().solve(host<double>::Identity(n, n));
    const host<double> alpha = inverse * from_matrix_cl(y), all = alpha * alpha.transpose() - inverse;
    const host<double> own = from_matrix_cl(std::get<0>(result.gradient));
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i)
        EXPECT_NEAR(own(i, j), i < j ? 0 : i == j ? all(i, j) / 2 : all(i, j), 1e-12) << i << " " << j;
  });
}

TEST(FactorizationGradient, OnTheTapeIsTheSame) {
  FUSECL_NEEDS_DOUBLE;
  using matrix_var = var_value<matrix_cl<double>>;
  const auto s = symmetric_dominant(6), b = numbers(6, 2);
  const auto wanted = value_and_gradient(sum(square(mdivide_left_spd(s, b))), wrt(s, b));
  matrix_var x = s, y = b;
  const matrix_var solution = mdivide_left_spd(x, y);
  var total = sum(square(solution));
  total.grad();
  EXPECT_NEAR(total.val(), wanted.value, 1e-12);
  EXPECT_LT((x.adj().to_host() - std::get<0>(wanted.gradient).to_host()).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT((y.adj().to_host() - std::get<1>(wanted.gradient).to_host()).cwiseAbs().maxCoeff(), 1e-12);
}

/// The Hessian of log|S| is -inverse(S) kron inverse(S) for a direction that is symmetric.
TEST(FactorizationGradient, SecondDerivativesHaveTheirClosedForm) {
  FUSECL_NEEDS_DOUBLE;
  const int n = 5;
  const auto s = symmetric_dominant(n);
  const host<double> S = from_matrix_cl(s), inverse = S.llt().solve(host<double>::Identity(n, n));
  host<double> direction = from_matrix_cl(numbers(n, n)).triangularView<Eigen::Lower>();
  const matrix_cl<double> v(direction);
  const auto along = hessian_times_vector(log_determinant_spd(s), wrt(s), v);
  const host<double> whole =
      direction + host<double>(direction.triangularView<Eigen::StrictlyLower>()).transpose();
  const host<double> all = -inverse * whole * inverse, own = from_matrix_cl(std::get<0>(along.product));
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      EXPECT_NEAR(own(i, j), i < j ? 0 : i == j ? all(i, j) : 2 * all(i, j), 1e-11) << i << " " << j;
}

}  // namespace
}  // namespace fusecl
