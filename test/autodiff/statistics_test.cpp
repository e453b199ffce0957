// Gradients of the functions of rows, columns and everything: against differences and forward accumulation,
// on the tape, and at the edges where formulas divide by zero.

#include <support/both_forms.hpp>
#include <support/operands.hpp>

#include <fusion/autodiff/check_gradient.hpp>
#include <fusion/autodiff/var.hpp>

namespace fusecl {
namespace {

using namespace test;

template <class T>
constexpr double tolerance = std::is_same_v<T, double> ? 1e-7 : 5e-4;

template <class T>
class StatisticsGradient : public ::testing::Test {};
using floating_types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(StatisticsGradient, floating_types);

#define EXPECT_GRADIENT(T, ...)                           \
  do {                                                    \
    const auto checked = check_gradient(__VA_ARGS__);     \
    EXPECT_TRUE(checked.passed(tolerance<T>)) << checked; \
  } while (false)

const std::vector<size_pair> sizes = {{1, 3}, {21, 9}};

TYPED_TEST(StatisticsGradient, OfLogSumExpAndSoftmax) {
  using T = TypeParam;
  FUSECL_SKIP_WITHOUT_DOUBLE_IF(any_double<T>);
  in_both_forms([] {
    for (const auto [rows, cols] : sizes) {
      const auto a = random_matrix<T>(rows, cols, matrix_cl_view::Entire, -2, 2);
      const auto b = random_matrix<T>(rows, cols, matrix_cl_view::Entire, -2, 2);
      EXPECT_GRADIENT(
          T,
          [](const auto& x) {
            return log_sum_exp(x) + sum(square(rowwise_log_sum_exp(x))) + sum(exp(colwise_log_sum_exp(x)));
          },
          a);
      EXPECT_GRADIENT(
          T,
          [](const auto& x, const auto& w) {
            return sum(elt_multiply(w, rowwise_softmax(x))) + sum(elt_multiply(w, colwise_softmax(x))) +
                   sum(elt_multiply(w, softmax(x)));
          },
          a, b);
      EXPECT_GRADIENT(
          T,
          [](const auto& x, const auto& w) {
            return sum(elt_multiply(w, rowwise_log_softmax(x))) + dot_product(w, colwise_log_softmax(x)) +
                   dot_product(w, log_softmax(x));
          },
          a, b);
    }
  });
}

TYPED_TEST(StatisticsGradient, OfMomentsNormsAndDistances) {
  using T = TypeParam;
  FUSECL_SKIP_WITHOUT_DOUBLE_IF(any_double<T>);
  in_both_forms([] {
    const auto a = random_matrix<T>(21, 9, matrix_cl_view::Entire, -2, 2);
    const auto b = random_matrix<T>(21, 9, matrix_cl_view::Entire, -2, 2);
    EXPECT_GRADIENT(
        T,
        [](const auto& x) {
          return sum(square(rowwise_mean(x))) + sum(rowwise_variance(x)) + sum(colwise_sd(x)) + sd(x);
        },
        a);
    EXPECT_GRADIENT(
        T,
        [](const auto& x, const auto& y) {
          return sum(rowwise_norm(x)) + norm1(y) + distance(x, y) + sum(square(rowwise_dot_product(x, y))) +
                 sum(colwise_distance(x, y)) + sum(colwise_dot_self(y));
        },
        a, b);
  });
}

TYPED_TEST(StatisticsGradient, OfTwoOperandsByTheNamesOfStanMath) {
  using T = TypeParam;
  FUSECL_SKIP_WITHOUT_DOUBLE_IF(any_double<T>);
  in_both_forms([] {
    const auto a = random_matrix<T>(21, 9, matrix_cl_view::Entire, -2, 2);
    const auto b = random_matrix<T>(21, 9, matrix_cl_view::Entire, -2, 2);
    EXPECT_GRADIENT(
        T,
        [](const auto& x, const auto& y) {
          return sum(square(rows_dot_product(x, y))) + sum(exp(0.1f * columns_dot_product(x, y)));
        },
        a, b);
    EXPECT_GRADIENT(
        T, [](const auto& x, const auto& y) { return square(squared_distance(x, exp(y))); }, a, b);
    EXPECT_GRADIENT(
        T, [](const auto& x) { return sum(square(rows_dot_self(x))) + sum(exp(0.1f * columns_dot_self(x))); },
        a);
    // a column beside a row; the derivative by each lies as it does
    const auto column = random_matrix<T>(9, 1), row = random_matrix<T>(1, 9);
    EXPECT_GRADIENT(
        T, [](const auto& x, const auto& y) { return squared_distance(x, y); }, column, row);
  });
}

TYPED_TEST(StatisticsGradient, OfTriangles) {
  using T = TypeParam;
  FUSECL_SKIP_WITHOUT_DOUBLE_IF(any_double<T>);
  in_both_forms([] {
    const auto a = random_matrix<T>(9, 9, matrix_cl_view::Lower, -2, 2);
    EXPECT_GRADIENT(
        T,
        [](const auto& x) {
          return sum(rowwise_log_sum_exp(x)) + sum(colwise_variance(x)) + sum(square(rowwise_softmax(x)));
        },
        a);
  });
}

TYPED_TEST(StatisticsGradient, AtTheEdgesIsZeroNotNaN) {
  using T = TypeParam;
  FUSECL_SKIP_WITHOUT_DOUBLE_IF(any_double<T>);
  in_both_forms([] {
    const matrix_cl<T> equal = constant(T(0.1), 71, 3), single = constant(T(4), 1, 1),
                       zeros = constant(T(0), 7, 3);
    const auto gradient = [](const auto& e, const auto& m) {
      return host<T>(std::get<0>(value_and_gradient(e, wrt(m)).gradient).to_host());
    };
    EXPECT_EQ(gradient(sd(equal), equal), (host<T>::Zero(71, 3)));
    EXPECT_EQ(gradient(sum(colwise_sd(equal)), equal), (host<T>::Zero(71, 3)));
    EXPECT_EQ(gradient(sd(single), single), (host<T>::Zero(1, 1)));
    EXPECT_EQ(gradient(variance(single), single), (host<T>::Zero(1, 1)));
    EXPECT_EQ(gradient(norm(zeros), zeros), (host<T>::Zero(7, 3)));
    EXPECT_EQ(gradient(distance(equal, equal), equal), (host<T>::Zero(71, 3)));
  });
}

TEST(StatisticsGradientTape, AgreesWithTheGradientInOneStatement) {
  FUSECL_NEEDS_DOUBLE;
  in_both_forms([] {
    const auto a = random_matrix<double>(21, 9, matrix_cl_view::Entire, -2, 2);
    const auto w = random_matrix<double>(21, 9, matrix_cl_view::Entire, -2, 2);
    const auto of = [&](const auto& x) {
      return sum(elt_multiply(w, rowwise_softmax(x))) + sum(colwise_sd(x)) + log_sum_exp(x);
    };
    const auto wanted = value_and_gradient(of(a), wrt(a));
    var_value<matrix_cl<double>> x(a);
    const var_value<matrix_cl<double>> share = rowwise_softmax(x);
    const var lp = sum(elt_multiply(w, share)) + sum(colwise_sd(x)) + log_sum_exp(x);
    lp.grad();
    EXPECT_NEAR(lp.val(), wanted.value, 1e-12 * std::fabs(wanted.value));
    EXPECT_LT((x.adj().to_host() - std::get<0>(wanted.gradient).to_host()).cwiseAbs().maxCoeff(), 1e-13);
    recover_memory();
  });
}

// States that cannot be reached, of which nothing else may hear.
TEST(StatisticsGradient, LogSumExpOfMinusInfinitiesIsFlat) {
  FUSECL_NEEDS_DOUBLE;
  in_both_forms([] {
    const double none = -HUGE_VAL;
    Eigen::MatrixXd host(3, 4);
    host << none, 1, 2, none, none, none, 0.5, 1, none, 3, -1, none;
    const matrix_cl<double> x(host);
    const auto of_columns = value_and_gradient(log_sum_exp(colwise_log_sum_exp(x)), wrt(x));
    const auto of_rows = value_and_gradient(log_sum_exp(rowwise_log_sum_exp(x)), wrt(x));
    const auto of_all = value_and_gradient(log_sum_exp(x), wrt(x));
    const Eigen::ArrayXXd powers = host.array().exp();
    for (const auto* found : {&of_columns, &of_rows, &of_all}) {
      EXPECT_NEAR(found->value, std::log(powers.sum()), 1e-14);
      EXPECT_LE((std::get<0>(found->gradient).to_host().array() - powers / powers.sum()).abs().maxCoeff(),
                1e-15);
    }
    const matrix_cl<double> nothing(Eigen::VectorXd::Constant(5, none));
    const auto flat =
        value_and_gradient(log_sum_exp(nothing) + log_sum_exp(nothing[0], nothing[1]), wrt(nothing));
    EXPECT_EQ(flat.value, none);
    const Eigen::VectorXd by_each = std::get<0>(flat.gradient).to_host();
    EXPECT_EQ(by_each, (Eigen::VectorXd(5) << 0.5, 0.5, 0, 0, 0).finished());
  });
}

}  // namespace
}  // namespace fusecl
