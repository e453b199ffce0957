// Derivatives of products, factors, inverses and systems of batches of small matrices: against differences
// and forward accumulation in every case of data and variables, within expressions, on the tape, and second
// ones.

#include <support/both_forms.hpp>
#include <support/compare.hpp>
#include <support/gradients.hpp>

#include <fusion/autodiff/hessian.hpp>
#include <fusion/autodiff/var.hpp>

namespace fusecl {
namespace {

using namespace test;

TEST(BatchesGradient, OfProductsInAllLayoutsAndCasesOfDataAndVariables) {
  FUSECL_NEEDS_DOUBLE;
  const int n = 3, k = 2, m = 4, count = 3;
  const auto a = numbers(n, k * count), b = numbers(k, m * count), at = numbers(k, n * count),
             bt = numbers(m, k * count), w = numbers(n, m * count);
  // kernels of both forms are tested by their values: one case here
  in_both_forms([&] {
    EXPECT_GRADIENT([&](const auto& x, const auto& y) { return sum(sin(batched_multiply(x, y, count))); }, a,
                    b);
  });
  EXPECT_GRADIENT([&](const auto& x) { return sum(elt_multiply(w, batched_multiply(x, b, count))); }, a);
  EXPECT_GRADIENT([&](const auto& y) { return sum(batched_multiply(a, exp(y), count)); }, b);
  EXPECT_GRADIENT(
      [&](const auto& x, const auto& y) { return sum(sin(batched_multiply(transpose_each(x), y, count))); },
      at, b);
  EXPECT_GRADIENT(
      [&](const auto& x, const auto& y) { return sum(sin(batched_multiply(x, transpose_each(y), count))); },
      a, bt);
  EXPECT_GRADIENT(
      [&](const auto& x, const auto& y) {
        return sum(sin(batched_multiply(transpose_each(x), transpose_each(y), count)));
      },
      at, bt);
}

TEST(BatchesGradient, OfMatricesThatAreTransposedByThemselves) {
  FUSECL_NEEDS_DOUBLE;
  const auto square = numbers(3, 12), wide = numbers(2, 12), w = numbers(3, 8);
  in_both_forms(
      [&] { EXPECT_GRADIENT([](const auto& x) { return sum(sin(transpose_each(x)) * 2.0); }, square); });
  EXPECT_GRADIENT([&](const auto& x) { return sum(elt_multiply(w, exp(transpose_each(x, 4)))); }, wide);
  EXPECT_GRADIENT([](const auto& x) { return sum(elt_multiply(x, transpose_each(exp(x)))); }, square);
}

TEST(BatchesGradient, OfProductsOfSingleRowsColumnsAndElements) {
  FUSECL_NEEDS_DOUBLE;
  for (const auto [n, k, m, count] : std::vector<std::array<int, 4>>{{1, 1, 1, 1},
                                                                     {1, 1, 1, 4},
                                                                     {1, 3, 1, 2},
                                                                     {3, 1, 1, 1},
                                                                     {1, 1, 3, 1},
                                                                     {2, 0, 3, 2},
                                                                     {2, 3, 2, 0}}) {
    const auto a = numbers(n, k * count), b = numbers(k, m * count);
    EXPECT_GRADIENT(
        [count = count](const auto& x, const auto& y) { return sum(sin(batched_multiply(x, y, count))); }, a,
        b);
  }
}

TEST(BatchesGradient, OfAProductWithItself) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = numbers(3, 12);
  EXPECT_GRADIENT([](const auto& x) { return sum(exp(batched_multiply(x, x, 4))); }, a);
  EXPECT_GRADIENT([](const auto& x) { return sum(exp(batched_multiply(x, transpose_each(x), 4))); }, a);
}

TEST(BatchesGradient, OfFactorsIsThatByLowerTriangles) {
  FUSECL_NEEDS_DOUBLE;
  for (const auto [n, count] : std::vector<std::array<int, 2>>{{0, 0}, {1, 1}, {1, 3}, {3, 3}}) {
    const auto a = symmetric_dominant(n, count), w = numbers(n, n * count);
    EXPECT_GRADIENT([&](const auto& x) { return sum(elt_multiply(w, exp(batched_cholesky_decompose(x)))); },
                    a);
    EXPECT_GRADIENT([&](const auto& x) { return sum(elt_multiply(w, sin(batched_tri_inverse(x)))); }, a);
  }
}

TEST(BatchesGradient, OfSystemsInAllCasesOfDataAndVariables) {
  FUSECL_NEEDS_DOUBLE;
  for (const auto [n, m, count] : std::vector<std::array<int, 3>>{{1, 1, 1}, {1, 2, 3}, {3, 2, 3}}) {
    const auto l = symmetric_dominant(n, count), b = numbers(n, m * count);
    EXPECT_GRADIENT([](const auto& x, const auto& y) { return sum(sin(batched_mdivide_left_tri_low(x, y))); },
                    l, b);
    EXPECT_GRADIENT([&](const auto& x) { return sum(square(batched_mdivide_left_tri_low(x, b))); }, l);
    EXPECT_GRADIENT([&](const auto& y) { return sum(square(batched_mdivide_left_tri_low(l, y))); }, b);
    EXPECT_GRADIENT(
        [](const auto& x, const auto& y) {
          return sum(sin(batched_mdivide_left_tri_low(transpose_each(x), y)));
        },
        l, b);
  }
}

TEST(BatchesGradient, OnTheTapeIsTheSame) {
  FUSECL_NEEDS_DOUBLE;
  using matrix_var = var_value<matrix_cl<double>>;
  const auto s = symmetric_dominant(4, 3), b = numbers(4, 6);
  const auto wanted = value_and_gradient(
      sum(square(batched_mdivide_left_tri_low(batched_cholesky_decompose(s), b))), wrt(s, b));
  matrix_var x = s, y = b;
  const matrix_var factors = batched_cholesky_decompose(x);
  const matrix_var solutions = batched_mdivide_left_tri_low(factors, y);
  var total = sum(square(solutions));
  total.grad();
  EXPECT_NEAR(total.val(), wanted.value, 1e-12);
  EXPECT_LT((x.adj().to_host() - std::get<0>(wanted.gradient).to_host()).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT((y.adj().to_host() - std::get<1>(wanted.gradient).to_host()).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(BatchesGradient, OfAnElementAtAnIndexTimesARow) {
  FUSECL_NEEDS_DOUBLE;
  const auto x = numbers(2, 2), row = numbers(1, 5);
  const matrix_cl<int> i(std::vector<int>{1}), j(std::vector<int>{0});
  host<double> wanted = host<double>::Zero(2, 2);
  wanted(1, 0) = from_matrix_cl(row).sum();
  const auto expect_wanted = [&](const auto& r) {
    EXPECT_LT((from_matrix_cl(std::get<0>(r.gradient)) - wanted).cwiseAbs().maxCoeff(), 1e-14);
  };
  expect_wanted(value_and_gradient(sum(batched_multiply(indexing(x, i, j), row, 1)), wrt(x)));
  expect_wanted(
      value_and_gradient(sum(batched_multiply(transpose_each(indexing(x, i, j), 1), row, 1)), wrt(x)));
}

/// Directional derivatives of the gradient against differences of gradients.
TEST(BatchesGradient, SecondDerivativesAreThoseOfGradients) {
  FUSECL_NEEDS_DOUBLE;
  const int n = 3, count = 2;
  const auto s = symmetric_dominant(n, count), b = numbers(n, 2 * count), v = numbers(n, n * count);
  const auto value = [&](const auto& x) {
    const auto factors = shared(batched_cholesky_decompose(x));
    return sum(sin(
               batched_multiply(transpose_each(factors), batched_mdivide_left_tri_low(factors, b), count))) +
           sum(cos(batched_tri_inverse(factors)));
  };
  const auto along = hessian_times_vector(value(s), wrt(s), v);
  const host<double> at = from_matrix_cl(s), direction = from_matrix_cl(v);
  constexpr double h = 1e-5;
  const auto gradient_at = [&](double distance) {
    const matrix_cl<double> moved(host<double>(at + distance * direction));
    return host<double>(from_matrix_cl(std::get<0>(value_and_gradient(value(moved), wrt(moved)).gradient)));
  };
  const host<double> differences = (gradient_at(h) - gradient_at(-h)) / (2 * h),
                     own = from_matrix_cl(std::get<0>(along.product));
  EXPECT_LT((own - differences).cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_GT(own.cwiseAbs().maxCoeff(), 1e-3);
}

}  // namespace
}  // namespace fusecl
