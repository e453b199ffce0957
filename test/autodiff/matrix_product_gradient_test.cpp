// Derivatives of products of matrices: against differences and forward accumulation in every case of data and
// variables, of repeated operands and within expressions, on the tape, and second ones.

#include <support/both_forms.hpp>
#include <support/compare.hpp>
#include <support/gradients.hpp>

#include <fusion/autodiff/hessian.hpp>
#include <fusion/autodiff/var.hpp>
#include <fusion/runtime/counters.hpp>

namespace fusecl {
namespace {

using namespace test;

TEST(MatrixProductGradient, IsThatOfDifferencesForDataAndVariables) {
  FUSECL_NEEDS_DOUBLE;
  in_both_forms([] {
    for (const auto [n, k, m] : std::vector<std::array<int, 3>>{{3, 4, 2}, {2, 0, 3}, {0, 2, 2}, {5, 2, 7}}) {
      const auto a = numbers(n, k), b = numbers(k, m), c = numbers(n, m);
      EXPECT_GRADIENT([](const auto& x, const auto& y) { return sum(sin(x * y)); }, a, b);
      EXPECT_GRADIENT([&](const auto& x) { return sum(square(x * b - c)); }, a);
      EXPECT_GRADIENT([&](const auto& y) { return sum(square(a * y - c)); }, b);
    }
  });
}

TEST(MatrixProductGradient, OfRepeatedOperandsAddsBoth) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = numbers(4, 4), w = numbers(4, 4), l = numbers(4, 4, matrix_cl_view::Lower);
  EXPECT_GRADIENT([&](const auto& x) { return sum(elt_multiply(w, x * transpose(x))); }, a);
  EXPECT_GRADIENT([&](const auto& x) { return sum(elt_multiply(w, x * x * x)); }, a);
  EXPECT_GRADIENT([&](const auto& x) { return sum(elt_multiply(w, x * transpose(x))); }, l);
  EXPECT_GRADIENT([&](const auto& x) { return sum(log1p_exp(exp(x) * (x + w))); }, a);
}

TEST(MatrixProductGradient, OfPartsAndOfWhatFollowsFromOtherProducts) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = numbers(5, 6), b = numbers(6, 5), c = numbers(3, 3);
  parameter<double> s = 0.7;
  EXPECT_GRADIENT(
      [&](const auto& x, const auto& y) {
        return sum(square(c * block(x, 2, 1, 3, 4) * transpose(block(y, 1, 2, 3, 4))));
      },
      a, b);
  EXPECT_GRADIENT([&](const auto& x, const auto& y, const auto& p) { return sum(tanh(p * (x * y))); }, a, b,
                  s);
  EXPECT_GRADIENT([](const auto& x) { return sum(square(crossprod(x))) + sum(exp(tcrossprod(x))); }, a);
  EXPECT_GRADIENT([](const auto& x, const auto& y) { return sum(rowwise_log_sum_exp(x * y)); }, a, b);
}

TEST(MatrixProductGradient, OfTrianglesAndDiagonals) {
  FUSECL_NEEDS_DOUBLE;
  const auto l = numbers(5, 5, matrix_cl_view::Lower), u = numbers(5, 5, matrix_cl_view::Upper),
             w = numbers(5, 5), b = numbers(5, 3), v = numbers(5, 1);
  in_both_forms([&] {
    EXPECT_GRADIENT([&](const auto& x, const auto& y) { return sum(elt_multiply(w, x * y)); }, l, u);
    EXPECT_GRADIENT([&](const auto& x) { return sum(square(x * x + w)); }, l);
    EXPECT_GRADIENT([&](const auto& x, const auto& y) { return sum(sin(transpose(x) * y)); }, u, b);
    EXPECT_GRADIENT([&](const auto& x) { return sum(elt_multiply(w, tcrossprod(x) * crossprod(x))); }, l);
    EXPECT_GRADIENT([&](const auto& x, const auto& y) { return sum(square(diag_matrix(x) * y)); }, v, b);
    EXPECT_GRADIENT([&](const auto& x) { return sum(exp(w * diag_matrix(x) * w)); }, v);
  });
}

/// The value is a sum that the product's own kernel takes, beside what the derivatives are products with.
TEST(MatrixProductGradient, OfSumsTakenWithTheProduct) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = numbers(66, 9), b = numbers(9, 65), c = numbers(66, 65);
  const host<double> x = from_matrix_cl(a), y = from_matrix_cl(b), z = from_matrix_cl(c);
  const host<double> wanted = 2 * (x * y - z);
  in_both_forms([&] {
    const auto density = sum(square(a * b - c));
    auto result = value_and_gradient(density, wrt(a, b));
    const counters before = runtime_counters();
    result = value_and_gradient(density, wrt(a, b));
    // a CPU of many units adds the parts of the sum in a launch of its own
    EXPECT_LE((runtime_counters() - before).launches, 4u);
    EXPECT_NEAR(result.value, (x * y - z).squaredNorm(), 1e-9);
    const auto& [of_a, of_b] = result.gradient;
    EXPECT_LE((from_matrix_cl(of_a) - wanted * y.transpose()).cwiseAbs().maxCoeff(), 1e-11);
    EXPECT_LE((from_matrix_cl(of_b) - x.transpose() * wanted).cwiseAbs().maxCoeff(), 1e-11);
  });
}

TEST(MatrixProductGradient, OnTheTapeIsTheSame) {
  FUSECL_NEEDS_DOUBLE;
  using matrix_var = var_value<matrix_cl<double>>;
  const auto x = numbers(7, 5), y = numbers(5, 6), c = numbers(7, 6);
  const auto wanted = value_and_gradient(sum(square(exp(x) * y - c)), wrt(x, y));
  matrix_var a = x, b = y;
  const matrix_var product = exp(a) * b;
  var total = sum(square(product - c));
  total.grad();
  EXPECT_NEAR(total.val(), wanted.value, 1e-11 * std::abs(wanted.value));
  EXPECT_LT((a.adj().to_host() - std::get<0>(wanted.gradient).to_host()).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LT((b.adj().to_host() - std::get<1>(wanted.gradient).to_host()).cwiseAbs().maxCoeff(), 1e-10);
}

TEST(MatrixProductGradient, HessiansTimesDirectionsHaveTheirClosedForm) {
  FUSECL_NEEDS_DOUBLE;
  const auto x = numbers(7, 5), y = numbers(5, 6), u = numbers(7, 5), v = numbers(5, 6);
  const auto r = hessian_times_vector(sum(square(x * y)), wrt(x, y), u, v);
  const Eigen::MatrixXd a = x.to_host(), b = y.to_host(), p = u.to_host(), q = v.to_host();
  // the gradient of |a b|^2 is (2 a b b', 2 a' a b)
  const Eigen::MatrixXd by_a = 2 * (p * b + a * q) * b.transpose() + 2 * (a * b) * q.transpose();
  const Eigen::MatrixXd by_b = 2 * a.transpose() * (p * b + a * q) + 2 * p.transpose() * (a * b);
  EXPECT_LT((std::get<0>(r.product).to_host() - by_a).cwiseAbs().maxCoeff(), 1e-11);
  EXPECT_LT((std::get<1>(r.product).to_host() - by_b).cwiseAbs().maxCoeff(), 1e-11);
}

/// Value and both derivatives: the product and its residuals, the sum of squares, and a product each.
TEST(MatrixProductGradient, NeedsAProductForEachVariable) {
  FUSECL_NEEDS_DOUBLE;
  in_both_forms([] {
    const auto x = numbers(70, 50), y = numbers(50, 60), c = numbers(70, 60);
    const auto loss = sum(square(x * y - c));
    auto result = value_and_gradient(loss, wrt(x, y));
    result = value_and_gradient(loss, wrt(x, y));  // the first result's memory is free from now on
    const counters before = runtime_counters();
    result = value_and_gradient(loss, wrt(x, y));
    const counters spent = runtime_counters() - before;
    EXPECT_LE(spent.launches, 5u);
    EXPECT_EQ(spent.host_waits, 1u);
    EXPECT_EQ(spent.buffers_created, 0u);
  });
}

/// Where all adjoints are equal there is nothing to multiply.
TEST(MatrixProductGradient, OfASumTakesSumsOfTheOperands) {
  FUSECL_NEEDS_DOUBLE;
  const auto x = numbers(70, 50), y = numbers(50, 60);
  const auto found = value_and_gradient(sum(x * y), wrt(x, y));
  const Eigen::MatrixXd a = x.to_host(), b = y.to_host();
  const Eigen::MatrixXd by_a = b.rowwise().sum().transpose().replicate(70, 1),
                        by_b = a.colwise().sum().transpose().replicate(1, 60);
  EXPECT_LT((std::get<0>(found.gradient).to_host() - by_a).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT((std::get<1>(found.gradient).to_host() - by_b).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(MatrixProductGradient, OfAProductWithOneElementIsThatOfANumber) {
  FUSECL_NEEDS_DOUBLE;
  const matrix_cl<double> data(std::vector<double>{1, 2, -3});
  const auto adjoint = [](const var_value<matrix_cl<double>>& x) { return Eigen::MatrixXd(x.adj()); };
  {
    var_value<matrix_cl<double>> x(data);
    var c = 3.0, q = transpose(x) * x;
    EXPECT_EQ(q.val(), 14);
    var l = 0.5 * c * (transpose(x) * x) + exp(0.0 * q);
    EXPECT_EQ(l.val(), 22);
    l.grad();
    EXPECT_EQ(adjoint(x), Eigen::Vector3d(3, 6, -9));
    EXPECT_EQ(c.adj(), 7);
    q = transpose(x) * data;  // of a variable and data
    set_zero_all_adjoints();
    q.grad();
    EXPECT_EQ(adjoint(x), Eigen::Vector3d(1, 2, -3));
    q += transpose(data) * x;
    set_zero_all_adjoints();
    q.grad();
    EXPECT_EQ(adjoint(x), Eigen::Vector3d(2, 4, -6));
    var checked_one = checked(transpose(x) * x, check_cl("f", "x", x, "finite", isfinite(x)));
    set_zero_all_adjoints();
    checked_one.grad();
    EXPECT_EQ(adjoint(x), Eigen::Vector3d(2, 4, -6));
    const double found = value_of(transpose(x) * x);
    EXPECT_EQ(found, 14);
    EXPECT_THROW(var(x * transpose(x)), std::invalid_argument);
  }
  recover_memory();
}

}  // namespace
}  // namespace fusecl
