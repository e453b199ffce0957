// Derivatives of what selections leave out, where it is infinite or NaN: none, also beyond sums, broadcasts,
// products, maxima, scans and elements at indices; and second derivatives where an adjoint is 0 by chance.
// The same of what maxima and minima do not choose.

#include <limits>

#include <support/both_forms.hpp>
#include <support/compare.hpp>

#include <fusion/autodiff.hpp>

namespace fusecl {
namespace {

using namespace test;
using Eigen::MatrixXd;
using matrix = matrix_cl<double>;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The gradient of `e` by `x`, and that the tape finds the same.
template <class F>
MatrixXd gradient_of(const F& f, const matrix& x) {
  const MatrixXd found = std::get<0>(value_and_gradient(f(x), wrt(x)).gradient);
  var_value<matrix> v(x);
  var l = f(v);
  l.grad();
  EXPECT_EQ(MatrixXd(v.adj()), found);
  recover_memory();
  return found;
}

void expect_equal(const MatrixXd& found, const MatrixXd& wanted) {
  for (Eigen::Index k = 0; k < wanted.size(); ++k)
    if (std::isinf(wanted(k)))
      EXPECT_EQ(found(k), wanted(k)) << k;
    else
      EXPECT_NEAR(found(k), wanted(k), 1e-15) << k;
}

class Selections : public ::testing::Test {
 protected:
  void SetUp() override { FUSECL_NEEDS_DOUBLE; }
  MatrixXd a = (MatrixXd(2, 3) << 0, 3, 5, 2, 4, 6).finished();
  MatrixXd by_log = (MatrixXd(2, 3) << 0, 0, 0, 0.5, 0.25, 1 / 6.0).finished();  // second row taken
  Eigen::Vector2d v = Eigen::Vector2d(0, 2);
};

TEST_F(Selections, LeaveOutWhatIsRepeated) {
  in_both_forms([&] {
    const matrix all(a), x(v);
    expect_equal(
        gradient_of(
            [&](const auto& u) {
              return sum(select(all > 0.0 && rowwise_broadcast(u > 0.0), rowwise_broadcast(log(u)), 0.0));
            },
            x),
        Eigen::Vector2d(0, 1.5));
    const matrix_cl<int> group(std::vector<int>{0, 1, 1});
    expect_equal(
        gradient_of([&](const auto& u) { return sum(select(u[group] > 0.0, log(u)[group], 0.0)); }, x),
        Eigen::Vector2d(0, 1));
    expect_equal(
        gradient_of([&](const auto& u) { return sum(select(transpose(u) > 0.0, transpose(log(u)), 0.0)); },
                    x),
        Eigen::Vector2d(0, 0.5));
    expect_equal(gradient_of(
                     [&](const auto& u) {  // several steps beyond the sum, of which the first is finite
                       return sum(select(all > 10.0, rowwise_broadcast(exp(log(sqrt(u)))), 0.0));
                     },
                     x),
                 Eigen::Vector2d(0, 0));
  });
}

TEST_F(Selections, LeaveOutWhatIsReduced) {
  in_both_forms([&] {
    const matrix all(a), x(v), ones = matrix::Ones(3, 1);
    expect_equal(
        gradient_of([&](const auto& m) { return sum(select(x > 0.0, rowwise_sum(log(m)), 0.0)); }, all),
        by_log);
    expect_equal(gradient_of([&](const auto& m) { return sum(select(x > 0.0, log(m) * ones, 0.0)); }, all),
                 by_log);
    const MatrixXd of_products =
        gradient_of([&](const auto& m) { return sum(select(x > 0.0, rowwise_prod(log(m)), 0.0)); }, all);
    const double l2 = std::log(2.0), l4 = std::log(4.0), l6 = std::log(6.0);
    expect_equal(of_products.row(0), MatrixXd::Zero(1, 3));
    for (Eigen::Index j = 0; j < 3; ++j)
      EXPECT_NEAR(of_products(1, j), l2 * l4 * l6 / std::log(a(1, j)) / a(1, j), 1e-14);
    const matrix taken(MatrixXd(Eigen::RowVector3d(0, 1, 1)));
    expect_equal(
        gradient_of([&](const auto& m) { return sum(select(taken > 0.0, colwise_max(log(m)), 0.0)); }, all),
        (MatrixXd(2, 3) << 0, 0, 0, 0, 0.25, 1 / 6.0).finished());
    expect_equal(gradient_of(
                     [&](const auto& u) {
                       return sum(select(u > 1.0, reverse(cumulative_sum(log(reverse(u)))), 0.0));
                     },
                     x),
                 Eigen::Vector2d(0, 0.5));
  });
}

/// Rows 1 and 2 of the data are missing.
TEST_F(Selections, LeaveOutDataThatAreNaN) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  MatrixXd w(4, 3), values(4, 3);
  w << 1, 2, 3, nan, nan, infinity, nan, -infinity, nan, 4, 5, 6;
  values << 1, -1, 2, 0.5, 0, 3, -2, 1, 1, 3, 2, -3;
  MatrixXd w_taken = w;
  w_taken.middleRows(1, 2).setZero();
  MatrixXd difference = 2 * (values - w);
  difference.middleRows(1, 2).setZero();
  MatrixXd scanned(4, 3);
  scanned << 3, 4, 3, 0, 0, 0, 0, 0, 0, 12, 10, 6;
  in_both_forms([&] {
    const matrix data(w), x(values), has(Eigen::Vector4d(1, 0, 0, 1));
    const matrix everywhere(MatrixXd(Eigen::Vector4d(1, 0, 0, 1).replicate(1, 3).transpose()));
    const auto in_rows = [&](const auto& e) { return sum(select(has > 0.0, e, 0.0)); };
    expect_equal(gradient_of([&](const auto& u) { return in_rows(rowwise_sum(elt_multiply(u, data))); }, x),
                 w_taken);
    expect_equal(gradient_of([&](const auto& u) { return in_rows(rowwise_sum(square(u - data))); }, x),
                 difference);
    expect_equal(gradient_of(
                     [&](const auto& u) {
                       return sum(select(everywhere > 0.0, transpose(elt_multiply(u, data)), 0.0));
                     },
                     x),
                 w_taken);
    expect_equal(gradient_of(
                     [&](const auto& u) {
                       return in_rows(rowwise_sum(rowwise_cumulative_sum(elt_multiply(u, data))));
                     },
                     x),
                 scanned);
    const matrix_cl<int> order(std::vector<int>{3, 2, 1, 0});
    expect_equal(
        gradient_of(
            [&](const auto& u) { return in_rows(rowwise_sum(take_rows(elt_multiply(u, data), order))); }, x),
        w_taken);
  });
}

TEST_F(Selections, LeaveOutInfiniteSecondDerivatives) {
  in_both_forms([&] {
    const matrix x(Eigen::Vector3d(0, 4, 1)), taken(Eigen::Vector3d(0, 1, 0)), ones = matrix::Ones(3, 1);
    const auto products = [&](const auto& e) {
      return MatrixXd(
          std::get<0>(hessian_times_vector(sum(select(taken > 0.0, e, 0.0)), wrt(x), ones).product));
    };
    const Eigen::Vector3d wanted(0, 0.375, 0);
    expect_equal(products(rowwise_sum(pow(x, 1.5))), wanted);
    expect_equal(products(rowwise_sum(elt_multiply(x, sqrt(x)))), wanted);
    expect_equal(products(pow(x, 1.5)), wanted);
  });
}

TEST_F(Selections, LeaveOutWhatBelongsToAllElements) {
  in_both_forms([&] {
    const matrix x(v);
    parameter<double> p = 0.0;
    EXPECT_EQ(
        MatrixXd(std::get<0>(value_and_gradient(sum(select(x > 5.0, x * log(p), 0.0)), wrt(p)).gradient)),
        MatrixXd::Zero(1, 1));
    EXPECT_EQ(MatrixXd(std::get<0>(
                  value_and_gradient(
                      sum(select(x > 5.0, x * sqrt(p), 0.0)) + sum(select(x > 6.0, x * log(p), 0.0)), wrt(p))
                      .gradient)),
              MatrixXd::Zero(1, 1));
    // what is taken counts
    EXPECT_EQ(
        MatrixXd(std::get<0>(value_and_gradient(sum(select(x > 1.0, x * log(p), 0.0)), wrt(p)).gradient)),
        MatrixXd::Constant(1, 1, infinity));
    EXPECT_EQ(MatrixXd(std::get<0>(
                  value_and_gradient(sum(select(x > 5.0, x * log(p), 0.0)) + log(p), wrt(p)).gradient)),
              MatrixXd::Constant(1, 1, infinity));
  });
}

TEST_F(Selections, LeaveOutWhatNoneOfThemTakes) {
  in_both_forms([&] {
    const matrix x(Eigen::Vector4d(0, 2, 4, 0));
    const matrix_cl<int> label(std::vector<int>{3, 2, 1, 4});
    expect_equal(gradient_of(
                     [&](const auto& u) {
                       return sum(select(label == 1, log(u), 0.0) + select(label == 2, 3.0 * log(u), 0.0));
                     },
                     x),
                 Eigen::Vector4d(0, 1.5, 0.25, 0));
    // each of these is taken by one of them at least
    expect_equal(gradient_of(
                     [&](const auto& u) {
                       return sum(select(label == 1, 0.0, log(u)) + select(label == 2, 0.0, 3.0 * log(u)));
                     },
                     x),
                 Eigen::Vector4d(infinity, 0.5, 0.75, infinity));
  });
}

TEST_F(Selections, WhoseAdjointIsZeroByChanceHaveSecondDerivatives) {
  in_both_forms([&] {
    // sum of (y - log(q))^2 at y = log(q): the adjoint of log(q) is 0, its derivative is not
    const matrix y = matrix(std::vector<double>{0.5, 0.5}), q(std::exp(0.5));
    const auto f = sum(select(y > 0.0, square(y - colwise_broadcast(log(q))), 0.0));
    const auto found = hessian_times_vector(f, wrt(q), matrix(1.0));
    EXPECT_NEAR(std::get<0>(found.gradient)(0, 0), 0, 1e-15);
    EXPECT_NEAR(std::get<0>(found.product)(0, 0), 4 / std::exp(1.0), 1e-14);
  });
}

TEST_F(Selections, LeaveOutWhatAMaximumDoesNotChoose) {
  in_both_forms([&] {
    const matrix x(Eigen::Vector3d(0, 1, 4));
    const Eigen::Vector3d last(0, 0, 0.25), none(0, 0, 0);
    expect_equal(gradient_of([](const auto& u) { return sum(fmax(sqrt(u), 1.5)); }, x), last);
    expect_equal(gradient_of([](const auto& u) { return sum(fdim(sqrt(u), 1.5)); }, x), last);
    expect_equal(gradient_of([](const auto& u) { return max_2d(sqrt(u)); }, x), last);
    expect_equal(gradient_of([](const auto& u) { return -sum(fmin(-3.0 * sqrt(u), -4.5)); }, x), 3 * last);
    expect_equal(gradient_of([](const auto& u) { return min_2d(-sqrt(u)) * 2.0; }, x), -2 * last);
    expect_equal(gradient_of([](const auto& u) { return sum(fmax(log(u), -5.0)); }, x),
                 Eigen::Vector3d(0, 1, 0.25));
    expect_equal(gradient_of([](const auto& u) { return sum(fmax(fmax(sqrt(u), 0.5), 1.5)); }, x), last);
    expect_equal(gradient_of([](const auto& u) { return sum(fmax(rowwise_sum(log(u)), 9.0)); }, x), none);
    expect_equal(gradient_of([](const auto& u) { return fmax(sum(log(u)), 9.0); }, x), none);
    expect_equal(gradient_of([](const auto& u) { return sum(pow(log(u), 0.0 * value_of(u))); }, x),
                 Eigen::Vector3d(0, 0, 0));
    // what is chosen counts, and of equal ones each has a half
    expect_equal(gradient_of([](const auto& u) { return sum(fmax(sqrt(u), u)); }, x),
                 Eigen::Vector3d(infinity, 0.75, 1));
  });
}

TEST_F(Selections, LeaveOutWhatAMaximumDoesNotChooseInSecondDerivatives) {
  in_both_forms([&] {
    const matrix x(Eigen::Vector2d(0, 4)), direction(Eigen::Vector2d(1, 1));
    const auto products = [&](const auto& e) {
      const auto found = hessian_times_vector(e, wrt(x), direction);
      expect_equal(MatrixXd(std::get<0>(found.gradient)), Eigen::Vector2d(0, 1.5));
      expect_equal(MatrixXd(std::get<0>(found.product)), Eigen::Vector2d(0, 0.1875));
    };
    // x^(3/2) / 2 of the 4, with derivatives 3/4 x^(1/2) and 3/8 x^(-1/2)
    const auto half_cube = [](const auto& y) { return 0.5 * elt_multiply(elt_multiply(y, y), y); };
    products(sum(half_cube(fmax(sqrt(x), 0.5))));
    products(half_cube(max_2d(sqrt(x))));
  });
}

}  // namespace
}  // namespace fusecl
