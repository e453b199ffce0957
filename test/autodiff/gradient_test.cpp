// value_and_gradient on the device: against differences and forward accumulation on the host, in both forms
// of kernels, with the budget of launches, allocations and waits.

#include <sstream>

#include <support/both_forms.hpp>
#include <support/messages.hpp>
#include <support/operands.hpp>

#include <fusion/autodiff/check_gradient.hpp>
#include <fusion/autodiff/hessian.hpp>
#include <fusion/autodiff/value_and_gradient.hpp>
#include <fusion/autodiff/var.hpp>
#include <fusion/eval/validate.hpp>

namespace fusecl {
namespace {

using namespace test;

template <class T>
constexpr double tolerance = std::is_same_v<T, double> ? 1e-7 : 2e-4;

template <class T>
class Gradient : public ::testing::Test {};
using floating_types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Gradient, floating_types);

#define EXPECT_GRADIENT(T, ...)                           \
  do {                                                    \
    const auto checked = check_gradient(__VA_ARGS__);     \
    EXPECT_TRUE(checked.passed(tolerance<T>)) << checked; \
  } while (false)

const std::vector<size_pair> sizes = {{0, 0}, {0, 3}, {1, 1}, {71, 3}};

TYPED_TEST(Gradient, ElementWiseChains) {
  using T = TypeParam;
  FUSECL_SKIP_WITHOUT_DOUBLE_IF(any_double<T>);
  in_both_forms([] {
    for (const auto [rows, cols] : sizes) {
      const auto a = random_matrix<T>(rows, cols, matrix_cl_view::Entire, -2, 2);
      const auto b = random_matrix<T>(rows, cols, matrix_cl_view::Entire, 0.5, 3);
      parameter<T> c(T(0.7));
      EXPECT_GRADIENT(
          T,
          [](const auto& x, const auto& y, const auto& s) {
            return sum(elt_multiply(inv_logit(x), log(y)) - elt_divide(tanh(s * x), y) + pow(y, x));
          },
          a, b, c);
    }
  });
}

TYPED_TEST(Gradient, RepeatedOperands) {
  using T = TypeParam;
  FUSECL_SKIP_WITHOUT_DOUBLE_IF(any_double<T>);
  in_both_forms([] {
    const auto a = random_matrix<T>(71, 3, matrix_cl_view::Entire, 0.5, 3);
    EXPECT_GRADIENT(
        T,
        [](const auto& x) {
          return sum(elt_multiply(x, x) + x + elt_divide(x, x) + pow(x, x) + hypot(x, x) +
                     lbeta(x + 1.5f, x + 1.5f));
        },
        a);
  });
}

TYPED_TEST(Gradient, BroadcastsAndReductions) {
  using T = TypeParam;
  FUSECL_SKIP_WITHOUT_DOUBLE_IF(any_double<T>);
  in_both_forms([] {
    for (const auto [rows, cols] : std::vector<size_pair>{{1, 1}, {71, 3}, {3, 71}}) {
      const auto a = random_matrix<T>(rows, cols, matrix_cl_view::Entire, -1, 1);
      const auto column = random_matrix<T>(rows, 1, matrix_cl_view::Entire, -1, 1);
      const auto row = random_matrix<T>(1, cols, matrix_cl_view::Entire, -1, 1);
      parameter<T> s(T(0.4));
      EXPECT_GRADIENT(
          T,
          [](const auto& x, const auto& u, const auto& v, const auto& p) {
            return sum(exp(x + rowwise_broadcast(u) + colwise_broadcast(p * v)));
          },
          a, column, row, s);
      EXPECT_GRADIENT(
          T,
          [](const auto& x, const auto& u, const auto& v) {
            return sum(elt_multiply(rowwise_sum(square(x)), u)) + sum(elt_multiply(colwise_max(x), v)) * 0.5f;
          },
          a, column, row);
      EXPECT_GRADIENT(
          T, [](const auto& x) { return sum(square(x - rowwise_broadcast(rowwise_sum(x)))); }, a);
      EXPECT_GRADIENT(
          T, [](const auto& x, const auto& p) { return log(sum(exp(p * x))) + p * p; }, a, s);
    }
  });
}

TYPED_TEST(Gradient, ProductsMaximaAndSelections) {
  using T = TypeParam;
  FUSECL_SKIP_WITHOUT_DOUBLE_IF(any_double<T>);
  in_both_forms([] {
    const auto a = random_matrix<T>(7, 3, matrix_cl_view::Entire, 0.5, 1.5);
    const auto b = random_matrix<T>(7, 3, matrix_cl_view::Entire, 0.5, 1.5);
    EXPECT_GRADIENT(
        T,
        [](const auto& x, const auto& y) {
          return prod_2d(x) + sum(rowwise_prod(y)) + max_2d(elt_multiply(x, y)) +
                 sum(select(x < y, exp(x), fmax(x, y)));
        },
        a, b);
  });
}

TYPED_TEST(Gradient, Views) {
  using T = TypeParam;
  FUSECL_SKIP_WITHOUT_DOUBLE_IF(any_double<T>);
  in_both_forms([] {
    for (matrix_cl_view view : all_views) {
      const auto a = random_matrix<T>(9, 9, view, -1, 1);
      const auto b = random_matrix<T>(9, 9, matrix_cl_view::Entire, -1, 1);
      EXPECT_GRADIENT(
          T, [](const auto& x, const auto& y) { return sum(exp(elt_multiply(x, y) + x)); }, a, b);
    }
  });
}

/// The rows of the table of docs/gradients.md about what lies outside of a view.
TYPED_TEST(Gradient, OutsideOfAViewIsZeroWhateverTheNumberIs) {
  using T = TypeParam;
  FUSECL_SKIP_WITHOUT_DOUBLE_IF(any_double<T>);
  in_both_forms([] {
    constexpr T nan = std::numeric_limits<T>::quiet_NaN();
    const T zero = 0;
    for (const matrix_cl_view view : {matrix_cl_view::Lower, matrix_cl_view::Upper})
      for (const std::int64_t n : {1, 9}) {
        const auto l = random_matrix<T>(n, n, view, 0.5, 2), a = random_matrix<T>(n, n);
        const auto expect = [&](const auto& e, const auto& x, bool finite_value, auto within) {
          const auto found = value_and_gradient(e, wrt(x));
          EXPECT_EQ(std::isfinite(found.value), finite_value);
          const auto gradient = from_matrix_cl(std::get<0>(found.gradient));
          for (std::int64_t j = 0; j < n; ++j)
            for (std::int64_t i = 0; i < n; ++i) {
              if (view == matrix_cl_view::Lower ? i >= j : i <= j)
                EXPECT_TRUE(within(gradient(i, j))) << i << ", " << j << ": " << gradient(i, j);
              else
                EXPECT_EQ(gradient(i, j), 0) << i << ", " << j;
            }
        };
        const auto is_nan = [](T x) { return std::isnan(x); };
        const auto is_infinite = [](T x) { return std::isinf(x); };
        const auto is_zero = [](T x) { return std::fabs(x) <= std::numeric_limits<T>::epsilon() * 4; };
        expect(sum(l * nan), l, false, is_nan);
        expect(sum(l / zero), l, false, is_infinite);
        // the value has 0 / 0 outside of the view
        expect(sum(elt_divide(l, l)), l, n == 1, is_zero);
        // of an operand without a view, whose gradient has none
        expect(sum(elt_multiply(l, a) * nan), a, false, is_nan);
        expect(sum(elt_multiply(l, a) / zero), a, false, is_infinite);
      }
  });
}

TEST(GradientMixed, OfAParameterAloneIsOne) {
  FUSECL_NEEDS_DOUBLE;
  const parameter<double> p = 0.3;
  const auto r = value_and_gradient(p, wrt(p));
  EXPECT_EQ(r.value, 0.3);
  EXPECT_EQ(from_matrix_cl<double>(std::get<0>(r.gradient)), 1);
  double gradient = 0;
  EXPECT_EQ(value_and_gradient_into(p, wrt(p), gradient), 0.3);
  EXPECT_EQ(gradient, 1);
}

TEST(GradientMixed, TypesAndCasts) {
  FUSECL_NEEDS_DOUBLE;
  in_both_forms([] {
    const auto f = random_matrix<float>(71, 3, matrix_cl_view::Entire, -2, 2);
    const auto d = random_matrix<double>(71, 3, matrix_cl_view::Entire, -2, 2);
    const auto whole = random_matrix<int>(71, 3, matrix_cl_view::Entire, -2, 2);
    parameter<float> s(0.7f);
    EXPECT_GRADIENT(
        float,
        [&](const auto& x, const auto& y, const auto& p) {
          return sum(elt_multiply(elt_multiply(x, y), whole) + cast<double>(sin(x)) + p * y);
        },
        f, d, s);
  });
}

/// A variable is known by its memory and its shape: several matrices may be over one buffer.
TEST(GradientMixed, MatricesOverOneBufferAreTheirOwn) {
  const cl::Buffer buffer(opencl_context.context(), CL_MEM_READ_WRITE, 12 * sizeof(float));
  matrix_cl<float> flat(buffer, 3, 4), small(buffer, 2, 2), wide(buffer, 2, 6);
  flat = constant(0.5f, 3, 4);
  const auto by = [](const auto& e, const auto& x) {
    return from_matrix_cl(std::get<0>(value_and_gradient(e, wrt(x)).gradient));
  };
  const Eigen::MatrixXf twice = by(sum(exp(flat)) + sum(square(small)), small);
  EXPECT_TRUE(twice.isApprox(Eigen::MatrixXf::Constant(2, 2, 1)));
  const Eigen::MatrixXf powers = by(sum(square(wide)) + sum(exp(flat)), flat);
  EXPECT_TRUE(powers.isApprox(Eigen::MatrixXf::Constant(3, 4, std::exp(0.5f))));
}

/// Every use of a variable counts, whatever its view.
TEST(GradientMixed, AVariableUnderSeveralViews) {
  const cl::Buffer buffer(opencl_context.context(), CL_MEM_READ_WRITE, 9 * sizeof(float));
  matrix_cl<float> whole(buffer, 3, 3), lower(buffer, 3, 3, matrix_cl_view::Lower),
      upper(buffer, 3, 3, matrix_cl_view::Upper);
  const Eigen::MatrixXf h = random_host<float>(3, 3, -1, 1);
  whole = matrix_cl<float>(h) + 0.0f;
  const auto e = sum(exp(whole)) + sum(square(lower)) + sum(elt_multiply(upper, transpose(lower)));
  Eigen::MatrixXf wanted = h.array().exp();
  wanted += 2 * Eigen::MatrixXf(h.triangularView<Eigen::Lower>());
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j <= i; ++j) {
      wanted(j, i) += h(i, j);
      wanted(i, j) += h(j, i);
    }
  for (const matrix_cl<float>* x : {&whole, &lower, &upper}) {
    const auto r = value_and_gradient(e, wrt(*x));
    EXPECT_LT((std::get<0>(r.gradient).to_host() - wanted).cwiseAbs().maxCoeff(), 1e-5f);
  }
  const auto triangles = value_and_gradient(sum(square(lower)) + sum(exp(lower)), wrt(lower, upper));
  EXPECT_EQ(std::get<0>(triangles.gradient).view(), matrix_cl_view::Lower);
  EXPECT_EQ(std::get<0>(triangles.gradient).to_host(), std::get<1>(triangles.gradient).to_host());
  const auto along = hessian_times_vector(e, wrt(whole), matrix_cl<float>(Eigen::MatrixXf::Ones(3, 3)));
  Eigen::MatrixXf curved = h.array().exp();
  curved += 2 * Eigen::MatrixXf(Eigen::MatrixXf::Ones(3, 3).triangularView<Eigen::Lower>());
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j <= i; ++j) {
      curved(j, i) += 1;
      curved(i, j) += 1;
    }
  EXPECT_LT((std::get<0>(along.product).to_host() - curved).cwiseAbs().maxCoeff(), 1e-5f);
  const auto checked = check_gradient(
      [&](const auto& x) { return sum(exp(x)) + sum(square(lower)) + prod_2d(upper + 0.5f); }, whole);
  EXPECT_TRUE(checked.passed(2e-4)) << checked;
}

/// A variable shares the memory of the matrix it is made from, and its value is another matrix.
TEST(GradientMixed, TheValueOfAVariableIsNotTheMatrixThatItWasMadeFrom) {
  const host<float> h = random_host<float>(3, 4);
  matrix_cl<float> data(h);
  const var_value<matrix_cl<float>> x(data);
  const auto e = sum(elt_multiply(data, x.val())) + sum(square(data));
  EXPECT_TRUE(std::get<0>(value_and_gradient(e, wrt(data)).gradient).to_host().isApprox(3 * h));
  EXPECT_EQ(std::get<0>(value_and_gradient(e, wrt(x.val())).gradient).to_host(), h);
  const auto both = value_and_gradient(e, wrt(data, x.val()));
  EXPECT_TRUE(std::get<0>(both.gradient).to_host().isApprox(3 * h));
  EXPECT_EQ(std::get<1>(both.gradient).to_host(), h);
  const auto along = hessian_times_vector(e, wrt(data), data);
  EXPECT_EQ(std::get<0>(along.product).to_host(), host<float>(2 * h));
}

TEST(GradientMixed, MatricesOverOneBufferAreOneVariableAlsoWhereATapeReadsThem) {
  const cl::Buffer buffer(opencl_context.context(), CL_MEM_READ_WRITE, 4 * sizeof(float));
  matrix_cl<float> a(buffer, 2, 2);
  const matrix_cl<float> b(buffer, 2, 2);
  a = constant(1.0f, 2, 2);
  const auto gradient = [&] {
    return std::get<0>(value_and_gradient(sum(a) + sum(b), wrt(a)).gradient).to_host();
  };
  EXPECT_EQ(gradient(), Eigen::MatrixXf::Constant(2, 2, 2));
  const var_value<matrix_cl<float>> x(matrix_cl<float>(2, 2)), recorded = elt_multiply(a, x);
  EXPECT_EQ(recorded.rows(), 2);
  EXPECT_EQ(gradient(), Eigen::MatrixXf::Constant(2, 2, 2));
  recover_memory();
}

TEST(GradientMixed, AMatrixOfAnotherTypeOverTheSameMemoryIsAnother) {
  const cl::Buffer buffer(opencl_context.context(), CL_MEM_READ_WRITE, 4 * sizeof(float));
  matrix_cl<float> numbers(buffer, 2, 2);
  matrix_cl<int> bits(buffer, 2, 2);
  numbers = constant(1.5f, 2, 2);
  const auto r = value_and_gradient(sum(square(numbers)) + sum(cast<float>(bits)), wrt(numbers));
  EXPECT_EQ(std::get<0>(r.gradient).to_host(), Eigen::MatrixXf::Constant(2, 2, 3));
  EXPECT_THROW(value_and_gradient(sum(cast<float>(bits)), wrt(numbers)), std::invalid_argument);
}

TEST(GradientMixed, AVariableWithoutUseIsRefusedUnlessOptional) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = random_matrix<double>(4, 3), b = random_matrix<double>(2, 5);
  parameter<double> c(2.0), unused(1.0);
  const auto r = value_and_gradient(sum(c * a), wrt(optional(b), a, optional(unused), optional(c)));
  EXPECT_EQ(std::get<0>(r.gradient).to_host(), Eigen::MatrixXd::Zero(2, 5));
  EXPECT_EQ(std::get<1>(r.gradient).to_host(), Eigen::MatrixXd::Constant(4, 3, 2));
  EXPECT_EQ(std::get<2>(r.gradient).to_host()(0, 0), 0);
  EXPECT_NEAR(std::get<3>(r.gradient).to_host()(0, 0), a.to_host().sum(), 1e-12);
  const auto refused = [](auto run) -> std::string {
    try {
      run();
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "nothing";
  };
  const std::string of_matrix = refused([&] { value_and_gradient(sum(c * a), wrt(a, b)); });
  EXPECT_NE(of_matrix.find("does not use variable 2 of wrt(...), a 2 x 5 matrix"), std::string::npos)
      << of_matrix;
  EXPECT_NE(of_matrix.find("optional(x)"), std::string::npos) << of_matrix;
  Eigen::MatrixXd kept = Eigen::MatrixXd::Constant(2, 5, 7);
  EXPECT_NE(refused([&] { value_and_gradient_into(sum(c * a), wrt(b), kept); }).find("variable 1"),
            std::string::npos);
  EXPECT_EQ(kept, Eigen::MatrixXd::Constant(2, 5, 7));
  EXPECT_NE(refused([&] { value_and_gradient(sum(a), wrt(c)); }).find("a parameter"), std::string::npos);
  EXPECT_NE(refused([&] { hessian_times_vector(sum(exp(a)), wrt(a, c), a, 1.0); }).find("hessian_times"),
            std::string::npos);
  EXPECT_NE(refused([&] { (void)gradient_kernel_source(sum(a), wrt(b)); }).find("variable 1"),
            std::string::npos);
}

TEST(GradientMixed, ExpressionsOfOneElementAreNumbers) {
  FUSECL_NEEDS_DOUBLE;
  const auto b = random_matrix<double>(71, 1, matrix_cl_view::Entire, -1, 1);
  const auto r = value_and_gradient(transpose(b) * b, wrt(b));
  EXPECT_NEAR(r.value, b.to_host().squaredNorm(), 1e-12);
  EXPECT_LT((std::get<0>(r.gradient).to_host() - 2 * b.to_host()).cwiseAbs().maxCoeff(), 1e-14);
  const auto h = hessian_times_vector(transpose(b) * b, wrt(b), b);
  EXPECT_LT((std::get<0>(h.product).to_host() - 2 * b.to_host()).cwiseAbs().maxCoeff(), 1e-14);
  const auto element = value_and_gradient(exp(block_zero_based(b, 5, 0, 1, 1)), wrt(b));
  EXPECT_NEAR(element.value, std::exp(b.to_host()(5, 0)), 1e-14);
  EXPECT_EQ(std::get<0>(element.gradient).to_host().cwiseAbs().sum(),
            std::get<0>(element.gradient).to_host()(5));
  EXPECT_THROW(value_and_gradient(exp(b), wrt(b)), std::invalid_argument);
  EXPECT_THROW(value_and_gradient(b * transpose(b), wrt(b)), std::invalid_argument);
}

TEST(GradientTarget, TwoInTheSamePlaceAreRefused) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = random_matrix<double>(2, 2), b = random_matrix<double>(2, 2);
  const auto e = sum(elt_multiply(a, b));
  matrix_cl<double> g;
  EXPECT_THROW(value_and_gradient_into(e, wrt(a, b), g, g), std::invalid_argument);
  Eigen::MatrixXd host;
  EXPECT_THROW(value_and_gradient_into(e, wrt(a, b), host, host), std::invalid_argument);
  EXPECT_EQ(host.size(), 0);
  Eigen::MatrixXd all = Eigen::MatrixXd::Zero(4, 4);
  EXPECT_THROW(value_and_gradient_into(e, wrt(a, b), all.block(0, 0, 2, 2), all.block(1, 1, 2, 2)),
               std::invalid_argument);
  EXPECT_TRUE(all.isZero());
  value_and_gradient_into(e, wrt(a, b), all.block(0, 0, 2, 2), all.block(2, 0, 2, 2));  // side by side
  EXPECT_EQ(all.topLeftCorner(2, 2), b.to_host());
  EXPECT_EQ(all.bottomLeftCorner(2, 2), a.to_host());
  const cl::Buffer buffer(opencl_context.context(), CL_MEM_READ_WRITE, 4 * sizeof(double));
  matrix_cl<double> one(buffer, 2, 2), other(buffer, 2, 2);
  EXPECT_THROW(value_and_gradient_into(e, wrt(a, b), one, other), std::invalid_argument);
  parameter<double> p = 2.0, q = 3.0;
  double number = 0;
  EXPECT_THROW(value_and_gradient_into(p * q, wrt(p, q), number, number), std::invalid_argument);
}

TEST(GradientExplained, AsTheValueIs) {
  const auto a = random_matrix<float>(71, 33);
  const auto density = sum(square(a)) + sum(exp(a));
  const explanation e = explain(density, wrt(a));
  ASSERT_FALSE(e.kernels.empty());
  EXPECT_NE(gradient_kernel_source(density, wrt(a)).find(e.kernels[0].source), std::string::npos);
  EXPECT_GE(e.bytes_written, 71 * 33 * 4);
  EXPECT_NE(e.text().find("float"), std::string::npos);
}

TEST(GradientExplained, TakesLittleMemory) {
  runtime::select_anew();  // what the device can do is measured again
  const auto a = random_matrix<float>(71, 33);
  trim();
  reset_pool_peak();
  const pool_counts before = pool_statistics();
  EXPECT_GT(explain(sum(exp(a) + 5.0f), wrt(a)).predicted_seconds, 0);
  EXPECT_LT(pool_statistics().peak_bytes_in_use - before.bytes_in_use, 64'000'000u);
}

TEST(GradientMixed, AParameterIsANumberWithAName) {
  FUSECL_NEEDS_DOUBLE;
  parameter b = 1;
  static_assert(std::is_same_v<decltype(b), parameter<double>>);
  static_assert(std::is_same_v<decltype(parameter(1.0f)), parameter<float>>);
  b = 0.25;
  std::ostringstream out;
  out << b;
  EXPECT_EQ(out.str(), "0.25");
  EXPECT_EQ(std::get<0>(value_and_gradient(b * b, wrt(b)).gradient).to_host()(0, 0), 0.5);
}

TEST(GradientMixed, AParameterIsReadAndChangedAsANumber) {
  FUSECL_NEEDS_DOUBLE;
  parameter<double> p = 0.5;
  const auto e = p * p;
  p += 1;
  p *= 4;
  p -= 0.5;
  p /= 2;
  const double now = p;
  EXPECT_EQ(now, 2.75);
  double total = 1;
  total += p;
  EXPECT_EQ(total, 3.75);
  EXPECT_EQ(std::exp(p), std::exp(2.75));
  EXPECT_EQ(std::max<double>(p, 1), 2.75);
  EXPECT_EQ(static_cast<double>(e), 2.75 * 2.75);
  EXPECT_EQ(std::get<0>(value_and_gradient(e, wrt(p)).gradient).to_host()(0, 0), 5.5);
  static_assert(node<decltype(exp(p))> && node<decltype(2.0 * p)> && node<decltype(pow(p, 2))>);
  // a constant everywhere of a parameter, or of a sum, keeps its derivative
  const matrix_cl<double> x(std::vector<double>{1, 2});
  const auto filled =
      sum(rep_matrix<matrix_cl<double>>(p, 2, 3)) + sum(rep_vector<matrix_cl<double>>(sum(x), 4));
  const auto found = value_and_gradient(filled, wrt(p, x));
  EXPECT_EQ(found.value, 6 * 2.75 + 12);
  EXPECT_EQ(std::get<0>(found.gradient)(0, 0), 6);
  EXPECT_EQ(std::get<1>(found.gradient).to_host(), Eigen::Vector2d(4, 4));
}

TEST(GradientMixed, BranchesOfSeveralSelectionsThatAreNotTaken) {
  FUSECL_NEEDS_DOUBLE;
  const matrix_cl<double> x(std::vector<double>{0, 2, 0.5}), zero(std::vector<double>{0});
  const auto u = shared(log(x));
  const auto expect_derivative = [&](const auto& e, const std::vector<double>& wanted) {
    const Eigen::MatrixXd got = from_matrix_cl(get<0>(value_and_gradient(sum(e), wrt(x)).gradient));
    for (Eigen::Index k = 0; k < 3; ++k)
      EXPECT_NEAR(got(k), wanted[static_cast<std::size_t>(k)], 1e-14) << "element " << k;
  };
  expect_derivative(select(x > 0.0, u, 0.0) + select(x > 1.0, 2.0 * u, 0.0), {0, 1.5, 2});
  expect_derivative(select(x > 0.0, u, 0.0) + select(x > 1.0, 0.0, select(x > 0.0, -u, 1.0)), {0, 0.5, 0});
  expect_derivative(select(x > 0.0, u + select(x > 1.0, 2.0 * u, 3.0 * u), 0.0), {0, 1.5, 8});
  expect_derivative(select(x > 0.0, select(x > 1.0, 2.0 * u, 3.0 * square(u)) - u, x),
                    {1, 0.5, 12 * std::log(0.5) - 2});
  // reached, though the adjoint is zero: its derivative counts
  const auto v = shared(sin(zero));
  const auto moved = sum(select(zero > -1.0, square(v), 0.0) + select(zero > -2.0, square(v), 0.0));
  const matrix_cl<double> one(std::vector<double>{1});
  EXPECT_NEAR(from_matrix_cl(get<0>(hessian_times_vector(moved, wrt(zero), one).product))(0), 4, 1e-14);
}

TEST(GradientMixed, OfTheLogProbabilityFarBelow) {
  FUSECL_NEEDS_DOUBLE;
  const std::vector<double> at{-39, -1e3, -1e5, -1e9, -1e200};
  const matrix_cl<double> x(at);
  const auto result =
      hessian_times_vector(sum(log_Phi(x)), wrt(x), matrix_cl<double>(std::vector<double>(5, 1.0)));
  const Eigen::MatrixXd first = from_matrix_cl(get<0>(result.gradient)),
                        second = from_matrix_cl(get<0>(result.product));
  for (std::size_t k = 0; k < at.size(); ++k) {
    // the density over the probability, by its continued fraction
    const long double a = -static_cast<long double>(at[k]);
    long double ratio = a;
    for (int n = 60; n > 0; --n) ratio = a + static_cast<long double>(n) / ratio;
    const auto i = static_cast<Eigen::Index>(k);
    EXPECT_NEAR(first(i), static_cast<double>(ratio), 1e-12 * static_cast<double>(ratio)) << at[k];
    EXPECT_NEAR(second(i), -1, 2 / (at[k] * at[k])) << at[k];
  }
}

TEST(GradientMixed, TheOrderOfVariablesIsTheirs) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = random_matrix<double>(4, 3), b = random_matrix<double>(4, 3);
  for (int round = 0; round < 2; ++round) {
    const auto ab = value_and_gradient(sum(elt_multiply(a, elt_multiply(b, b))), wrt(a, b));
    const auto ba = value_and_gradient(sum(elt_multiply(a, elt_multiply(b, b))), wrt(b, a));
    EXPECT_EQ(std::get<0>(ab.gradient).to_host(), std::get<1>(ba.gradient).to_host());
    EXPECT_EQ(std::get<1>(ab.gradient).to_host(), std::get<0>(ba.gradient).to_host());
    EXPECT_EQ(
        std::get<0>(value_and_gradient(sum(elt_multiply(a, elt_multiply(b, b))), wrt(b)).gradient).to_host(),
        std::get<1>(ab.gradient).to_host());
  }
}

TEST(GradientMixed, MeanVarianceAndScalarFunctions) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = random_matrix<double>(71, 3);
  EXPECT_GRADIENT(
      double, [](const auto& x) { return variance(x) + mean(exp(0.1 * x)); }, a);
  parameter<double> p(0.8), q(2.5);
  EXPECT_GRADIENT(
      double, [](const auto& x, const auto& y) { return lgamma(x * y) + exp(-x) * y; }, p, q);
}

TEST(GradientMixed, AFloatAndADoubleStatementAgree) {
  FUSECL_NEEDS_DOUBLE;
  const auto d = random_matrix<double>(71, 33, matrix_cl_view::Entire, -2, 2);
  const matrix_cl<float> f(d.to_host());
  const auto wide = value_and_gradient(sum(log1p_exp(d)), wrt(d));
  const auto narrow = value_and_gradient(sum(log1p_exp(f)), wrt(f));
  EXPECT_NEAR(wide.value, narrow.value, 1e-5 * wide.value);
  EXPECT_LT((std::get<0>(wide.gradient).to_host() - std::get<0>(narrow.gradient).to_host().cast<double>())
                .cwiseAbs()
                .maxCoeff(),
            1e-6);
}

TEST(GradientBudget, OneStatementAndOneWait) {
  FUSECL_NEEDS_DOUBLE;
  in_both_forms([] {
    const auto b = random_matrix<double>(711, 33), y = random_matrix<double>(711, 33);
    matrix_cl<double> gradient;
    counters used;
    for (int round = 0; round < 3; ++round) {
      const counters before = runtime_counters();
      value_and_gradient_into(sum(elt_multiply(exp(b), y) + b), wrt(b), gradient);
      used = runtime_counters() - before;
    }
    EXPECT_LE(used.launches, 2u);
    EXPECT_EQ(used.buffers_created, 0u);
    EXPECT_EQ(used.host_waits, 1u);
    EXPECT_EQ(used.bytes_to_host, sizeof(double));
    const Eigen::MatrixXd wanted = (b.to_host().array().exp() * y.to_host().array() + 1).matrix();
    EXPECT_LT((gradient.to_host() - wanted).cwiseAbs().maxCoeff(), 1e-9 * wanted.cwiseAbs().maxCoeff());
  });
}

// A parameter for each column of the data may be kept as a column: the data are read once as where it is a
// row.
TEST(GradientBudget, ParametersOfColumnsMayBeTransposed) {
  FUSECL_NEEDS_DOUBLE;
  in_both_forms([] {
    const auto x = random_matrix<double>(711, 5), mean = random_matrix<double>(5, 1),
               log_scale = random_matrix<double>(5, 1);
    const auto z =
        elt_divide(x - colwise_broadcast(transpose(mean)), colwise_broadcast(exp(transpose(log_scale))));
    counters used;
    matrix_cl<double> by_mean, by_scale;
    for (int round = 0; round < 2; ++round) {
      const counters before = runtime_counters();
      value_and_gradient_into(-0.5 * sum(square(z)) - 711.0 * sum(log_scale), wrt(mean, log_scale), by_mean,
                              by_scale);
      used = runtime_counters() - before;
    }
    EXPECT_LE(used.launches, 2u);
    Eigen::MatrixXd of_z = x.to_host().rowwise() - mean.to_host().col(0).transpose();
    const Eigen::ArrayXd scale = log_scale.to_host().col(0).array().exp();
    of_z = of_z.array().rowwise() / scale.transpose();
    const Eigen::ArrayXd sums = of_z.colwise().sum().transpose(),
                         squares = of_z.colwise().squaredNorm().transpose();
    EXPECT_LE((by_mean.to_host().col(0).array() - sums / scale).abs().maxCoeff(), 1e-10 * squares.maxCoeff());
    EXPECT_LE((by_scale.to_host().col(0).array() - (squares - 711)).abs().maxCoeff(),
              1e-10 * squares.maxCoeff());
  });
}

TEST(GradientBudget, ANumberThatFollowsFromSumsOverOtherRowsTooTakesNoKernelOfItsOwn) {
  FUSECL_NEEDS_DOUBLE;
  in_both_forms([] {
    const auto x = random_matrix<double>(71, 3), y = random_matrix<double>(71, 1),
               z = random_matrix<double>(33, 1),
               b = random_matrix<double>(3, 1, matrix_cl_view::Entire, -1, 1);
    matrix_cl<double> by_b;
    double value = 0;
    counters used;
    for (int round = 0; round < 2; ++round) {
      const counters before = runtime_counters();
      value = value_and_gradient_into(sum(elt_multiply(y, exp(x * b))) + max(z), wrt(b), by_b);
      used = runtime_counters() - before;
    }
    EXPECT_LE(used.launches, 3u);  // max(z), then the rows of x, whose parts another kernel may add
    const Eigen::ArrayXd terms = y.to_host().array() * (x.to_host() * b.to_host()).array().exp();
    EXPECT_NEAR(value, terms.sum() + z.to_host().maxCoeff(), 1e-12 * terms.abs().sum());
    const Eigen::MatrixXd wanted = x.to_host().transpose() * terms.matrix();
    EXPECT_LE((by_b.to_host() - wanted).norm(), 1e-12 * (1 + 10 * terms.abs().sum()));
  });
}

TEST(GradientBudget, TheValueDoesNotWaitForDerivativesThatLaterKernelsComplete) {
  FUSECL_NEEDS_DOUBLE;
  in_both_forms([] {
    constexpr std::int64_t n = 5000, groups = 70;
    std::vector<int> of_row(n);
    for (std::size_t k = 0; k < n; ++k) of_row[k] = static_cast<int>(k * 7919 % groups);
    const matrix_cl<int> group(of_row);
    const auto x = random_matrix<double>(n, 3), b = random_matrix<double>(3, 1),
               y = random_matrix<double>(n, 1);
    const auto a = random_matrix<double>(groups, 1);
    const auto density = [&] { return sum(elt_multiply(y, x * b + a[group]) - exp(x * b + a[group])); };
    matrix_cl<double> by_a, by_b;
    Eigen::VectorXd host_by_a;
    double value = 0, second = 0;
    counters on_device, on_host;
    for (int round = 0; round < 3; ++round) {
      const counters start = runtime_counters();
      value = value_and_gradient_into(density(), wrt(a, b), by_a, by_b);
      const counters middle = runtime_counters();
      second = value_and_gradient_into(density(), wrt(a), host_by_a);
      on_device = middle - start;
      on_host = runtime_counters() - middle;
    }
    EXPECT_GT(on_device.launches, 1u);
    EXPECT_EQ(on_device.host_reads, 1u);
    EXPECT_EQ(on_device.host_waits, 1u);
    EXPECT_EQ(on_host.host_reads, 2u);
    EXPECT_EQ(on_host.host_waits, 1u);
    EXPECT_EQ(on_device.events_created, on_device.events_released);
    EXPECT_EQ(on_host.events_created, on_host.events_released);
    if (!fusecl::detail::validates) {  // which reads results before the statement's end
      EXPECT_EQ(on_device.host_reads_ahead, 1u);
    }
    const double alone = density();
    EXPECT_NEAR(value, alone, 1e-10 * std::fabs(alone));
    EXPECT_NEAR(second, alone, 1e-10 * std::fabs(alone));
    EXPECT_LT((by_a.to_host() - host_by_a).norm(), 1e-10 * host_by_a.norm());
    const auto expected = value_and_gradient(density(), wrt(a, b));
    EXPECT_EQ(by_b.to_host(), std::get<1>(expected.gradient).to_host());
  });
}

TEST(GradientBudget, LargeHostTargetsAreCompleteAlthoughTheValueIsThereBefore) {
  FUSECL_NEEDS_DOUBLE;
  in_both_forms([] {
    const auto a = random_matrix<double>(300, 70), b = random_matrix<double>(70, 300);
    const Eigen::MatrixXd x = a.to_host(), y = b.to_host(), wanted = 2.0 * x * (y * y.transpose());
    const double value = (x * y).squaredNorm();
    for (int round = 0; round < 6; ++round) {
      Eigen::MatrixXd by_a = Eigen::MatrixXd::Zero(300, 70);
      const double found = value_and_gradient_into(sum(square(a * b)), wrt(a), by_a);
      EXPECT_NEAR(found, value, 1e-12 * value);
      EXPECT_LT((by_a - wanted).norm(), 1e-12 * wanted.norm()) << round;
    }
  });
}

TEST(GradientBudget, HostTargetsAreFilledWithTheSameWait) {
  FUSECL_NEEDS_DOUBLE;
  in_both_forms([] {
    const auto b = random_matrix<double>(1, 33), y = random_matrix<double>(1, 33);
    const auto unused = random_matrix<double>(2, 3);
    parameter<double> c(0.5);
    const auto density = [&] { return sum(elt_multiply(exp(b) * c, y) + b); };
    Eigen::RowVectorXd by_b;
    Eigen::Array<float, 2, 3> by_unused = Eigen::Array<float, 2, 3>::Constant(7);
    matrix_cl<double> on_device;
    double by_c = 0, value = 0;
    counters used;
    for (int round = 0; round < 3; ++round) {
      const counters before = runtime_counters();
      value = value_and_gradient_into(density(), wrt(b, c, optional(unused), y), by_b, by_c, by_unused,
                                      on_device);
      used = runtime_counters() - before;
    }
    EXPECT_EQ(used.host_waits, 1u);
    EXPECT_EQ(used.host_reads, 3u);  // by_b, by_unused, and the value with by_c
    EXPECT_EQ(used.buffers_created, 0u);
    const auto expected = value_and_gradient(density(), wrt(b, c, optional(unused), y));
    EXPECT_EQ(value, expected.value);
    EXPECT_EQ(by_b, std::get<0>(expected.gradient).to_host());
    EXPECT_EQ(by_c, std::get<1>(expected.gradient).to_host()(0, 0));
    EXPECT_TRUE((by_unused == 0).all());
    EXPECT_EQ(on_device.to_host(), std::get<3>(expected.gradient).to_host());
  });
}

TEST(GradientTarget, OnTheHostHasZerosOutsideTheView) {
  FUSECL_NEEDS_DOUBLE;
  const auto lower = random_matrix<double>(7, 7, matrix_cl_view::Lower);
  Eigen::MatrixXd gradient;
  value_and_gradient_into(sum(exp(lower)), wrt(lower), gradient);
  const Eigen::MatrixXd derivative = lower.to_host().array().exp();
  const Eigen::MatrixXd wanted = derivative.triangularView<Eigen::Lower>();
  EXPECT_LT((gradient - wanted).cwiseAbs().maxCoeff(), 1e-14 * wanted.maxCoeff());
}

TEST(GradientTarget, OfAFixedSizeMustFit) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = random_matrix<double>(3, 2);
  Eigen::Matrix2d square = Eigen::Matrix2d::Constant(5);
  double number = 5;
  Eigen::Matrix<double, Eigen::Dynamic, 3> columns;
  std::vector<double> list(1, 5.0);
  Eigen::VectorXd whole = Eigen::VectorXd::Constant(8, 5);
  const auto refuses = [&](auto&& target, const std::string& size) {
    expect_message<std::invalid_argument>(
        [&] { value_and_gradient_into(sum(exp(a)), wrt(a), target); },
        "must match in size: the variable is 3 x 2, the host gradient is " + size);
  };
  refuses(square, "2 x 2");
  refuses(number, "1 x 1");
  refuses(columns, "any x 3");
  refuses(list, "any x 1");
  refuses(whole.segment(1, 6), "6 x 1");
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 2, 2> bounded;
  expect_message<std::invalid_argument>(
      [&] { value_and_gradient_into(sum(exp(a)), wrt(a), bounded); },
      "value_and_gradient_into: the variable is 3 x 2, the host gradient holds at most 2 x 2");
  EXPECT_EQ(bounded.size(), 0);
  EXPECT_EQ(square, Eigen::Matrix2d::Constant(5));
  EXPECT_EQ(number, 5);
  EXPECT_EQ(columns.rows(), 0);
  EXPECT_EQ(list, std::vector<double>(1, 5.0));
  EXPECT_EQ(whole, Eigen::VectorXd::Constant(8, 5));
  const auto line = random_matrix<double>(1, 4);
  expect_message<std::invalid_argument>(
      [&] { value_and_gradient_into(sum(exp(line)), wrt(line), whole.head(4)); },
      "value_and_gradient_into: the variable is 1 x 4, the host gradient 4 x 1: give its transpose()");
  expect_message<std::invalid_argument>(
      [&] { value_and_gradient_into(sum(a) + sum(line), wrt(a, line), columns, whole.head(3)); },
      "must match in size: variable 1 of wrt(...) is 3 x 2, the host gradient is any x 3");
  expect_message<std::invalid_argument>(
      [&] {
        value_and_gradient_into(checked(sum(a) + sum(line), check_cl("f", "a", a, "finite", isfinite(a))),
                                wrt(a, line), number, whole.head(3));
      },
      "variable 1 of wrt(...) is 3 x 2, the host gradient is 1 x 1");
  Eigen::MatrixXd any;
  expect_message<std::invalid_argument>(
      [&] { value_and_gradient_into(sum(a) + sum(line), wrt(a, line), any, whole.head(3)); },
      "rows of variable 2 of wrt(...)");
  EXPECT_EQ(whole, Eigen::VectorXd::Constant(8, 5));
  value_and_gradient_into(sum(line), wrt(line), whole.head(4).transpose());
  EXPECT_EQ(whole.head(4), Eigen::VectorXd::Ones(4));
  const matrix_cl<double> empty(0, 3);
  Eigen::MatrixXd gradient = Eigen::MatrixXd::Ones(4, 4);
  EXPECT_EQ(value_and_gradient_into(sum(exp(empty)), wrt(empty), gradient), 0);
  EXPECT_EQ(gradient.rows(), 0);
  EXPECT_EQ(gradient.cols(), 3);
}

TEST(GradientBudget, ALogDensityAtMostTwoLaunchesMoreThanItsValue) {
  FUSECL_NEEDS_DOUBLE;
  in_both_forms([] {
    const auto x = random_matrix<double>(711, 1), y = random_matrix<double>(711, 1);
    parameter<double> alpha(0.1), beta(0.2), sigma(1.3);
    const auto density = [&] {
      return sum(-0.5 * square((y - alpha - beta * x) / sigma)) - 711.0 * log(sigma);
    };
    double value = 0;
    counters alone, together;
    for (int round = 0; round < 3; ++round) {
      const counters start = runtime_counters();
      value = density();
      const counters middle = runtime_counters();
      const auto both = value_and_gradient(density(), wrt(alpha, beta, sigma));
      alone = middle - start;
      together = runtime_counters() - middle;
      EXPECT_NEAR(both.value, value, 1e-9 * std::fabs(value));
    }
    EXPECT_LE(together.launches, alone.launches + 2);
    EXPECT_EQ(together.host_waits, 1u);
  });
}

TEST(GradientCheck, FindsAWrongDerivative) {
  FUSECL_NEEDS_DOUBLE;
  // a cast to int hides the dependence: the difference jumps, the derivative is zero
  matrix_cl<double> a(Eigen::MatrixXd::Constant(2, 2, 1.0));
  const auto checked = check_gradient([](const auto& x) { return sum(x + floor(x)); }, a);
  EXPECT_EQ(checked.entries, 4);
  EXPECT_EQ(checked.worst.size(), 4u);
  const auto smooth = check_gradient([](const auto& x) { return sum(square(x)); }, a);
  EXPECT_TRUE(smooth.passed()) << smooth;
  EXPECT_NE(to_string(smooth).find("4 derivatives"), std::string::npos);
  gradient_entry wrong{0, 0, 0, 1.0, 1.0, 1.5, 1e-9};
  EXPECT_GT(wrong.error(), 0.1);
}

TEST(GradientCheck, FindsNumbersThatWereReadOfAnInput) {
  FUSECL_NEEDS_DOUBLE;
  const matrix_cl<double> v(std::vector<double>{1, -2, 0}), w(std::vector<double>{0.5, 3});
  parameter<double> p = 0.25;
  const auto reads = check_gradient([](const auto& x) { return sum(square(x)) + x(0) * x(0); }, v);
  EXPECT_FALSE(reads.passed());
  EXPECT_GT(reads.unseen, 0.01);
  EXPECT_NE(to_string(reads).find("as v(0) is one"), std::string::npos);
  EXPECT_FALSE(check_gradient([](const auto& x, const auto& y,
                                 const auto& q) { return q * sum(exp(x)) + sum(y) * double(sum(square(y))); },
                              v, w, p)
                   .passed());
  const auto expect_right = [](const gradient_check& right) {
    EXPECT_TRUE(right.passed()) << right << ' ' << right.unseen;
    EXPECT_LT(right.unseen, 1e-7);
  };
  expect_right(check_gradient([](const auto& x) { return sum(square(x)) + x[0] * x[0]; }, v));
  expect_right(check_gradient(
      [](const auto& x, const auto& y, const auto& q) { return q * sum(exp(x)) + sum(y); }, v, w, p));
  expect_right(check_gradient([&](const auto&) { return sum(square(v)); }, v));
  expect_right(check_gradient([](const auto& x) { return sum(fabs(x)) + 1e8 * sum(square(x)); }, v));
  expect_right(check_gradient([](const auto& x) { return sum(log(x)); }, w));
  expect_right(check_gradient([](const auto& x) { return sum(exp(x) + 2.0 * x); },
                              random_matrix<double>(3, 3, matrix_cl_view::Lower)));
  expect_right(check_gradient([](const auto& x) { return sum(exp(x)); }, matrix_cl<double>(0, 2)));
  expect_right(check_gradient([](const auto& x, const auto& y) { return sum(elt_multiply(x, y)); }, w, w));
  expect_right(check_gradient([&](const auto& x) { return sum(elt_multiply(x, w)); }, w));
  const matrix_cl<double> near_one(std::vector<double>{0.9999, 0.5});
  expect_right(check_gradient(
      [](const auto& x) {
        return checked(sum(log(x) + log1m(x)), check_cl("f", "x", x, "in [0, 1]", x >= 0.0 && x <= 1.0));
      },
      near_one));
}

TEST(GradientCheck, OfFloatFindsNumbersThatWereRead) {
  const matrix_cl<float> v(std::vector<float>{1, -2, 0.5f});
  const auto reads = check_gradient([](const auto& x) { return sum(square(x)) + x(1) * x(1); }, v);
  EXPECT_FALSE(reads.passed(1e-4));
  const auto right = check_gradient([](const auto& x) { return sum(square(x)) + x[1] * x[1]; }, v);
  EXPECT_TRUE(right.passed(1e-4)) << right << right.unseen;
  std::vector<float> large(20000);
  for (std::size_t i = 0; i < large.size(); ++i) large[i] = 1000 + static_cast<float>(i % 97);
  const auto rounded = check_gradient([](const auto& x) { return sum(square(x)); }, matrix_cl<float>(large));
  EXPECT_TRUE(rounded.passed(1e-4)) << rounded << rounded.unseen;
}

TEST(Gradient, AHostTargetKeepsItsSizeWhereTheStatementThrows) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = random_matrix<double>(3, 3);
  Eigen::MatrixXd g = Eigen::MatrixXd::Ones(2, 2);
  freeze();
  EXPECT_THROW(value_and_gradient_into(sum(cos(a) * 0.123 + tan(a)), wrt(a), g), frozen_error);
  unfreeze();
  EXPECT_EQ(g, Eigen::MatrixXd::Ones(2, 2));
}

TEST(Gradient, ANumberOnTheDeviceIsData) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = random_matrix<double>(7, 3);
  const scalar_cl<double> s(2.5), t = sum(s * a);
  const auto [value, gradients] = value_and_gradient(s * sum(square(a)) + t, wrt(a));
  EXPECT_NEAR(value, 2.5 * (sum(square(a)) + sum(a)), 1e-9);
  EXPECT_TRUE(from_matrix_cl(std::get<0>(gradients)).isApprox(5.0 * from_matrix_cl(a)));
  var_value<matrix_cl<double>> x(a);
  var y = 3.0;
  var l = y * s * sum(x) / t;
  l.grad();
  EXPECT_NEAR(y.adj(), 1.0, 1e-12);
  EXPECT_TRUE(from_matrix_cl(x.adj()).isApprox(Eigen::MatrixXd::Constant(7, 3, 7.5 / t)));
}

TEST(Gradient, GoesToPartsOfHostObjects) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = random_matrix<double>(3, 1), b = random_matrix<double>(2, 2);
  const Eigen::VectorXd wa = 2 * a.to_host(), wb = 3 * b.to_host().reshaped();
  const auto e = sum(square(a)) + 3.0 * sum(b);
  Eigen::VectorXd all = Eigen::VectorXd::Constant(8, 7);
  std::vector<double> list, plain(4);
  value_and_gradient_into(e, wrt(a, b), all.segment(1, 3), Eigen::Map<Eigen::MatrixXd>(plain.data(), 2, 2));
  EXPECT_EQ(all[0], 7);
  EXPECT_EQ(all.segment(1, 3), wa);
  EXPECT_EQ(all.tail(4), Eigen::VectorXd::Constant(4, 7));
  EXPECT_EQ(plain, std::vector<double>(4, 3.0));
  value_and_gradient_into(e, wrt(a), list);
  EXPECT_EQ(list, std::vector<double>(wa.data(), wa.data() + 3));
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(5, 5);
  auto part = rows.block(1, 2, 2, 2);
  value_and_gradient_into(e, wrt(b), part);
  EXPECT_EQ(rows.block(1, 2, 2, 2), Eigen::MatrixXd::Constant(2, 2, 3));
  EXPECT_EQ(rows.sum(), 12);
  EXPECT_THROW(value_and_gradient_into(e, wrt(a), all.segment(1, 2)), std::invalid_argument);
}

// A step of an optimiser: what is read is what was there before.
TEST(Gradient, AParameterIsAResult) {
  FUSECL_SKIP_WITHOUT_DOUBLE_IF(true);
  parameter p = 2.0;
  const auto of_p = 3.0 * p;
  auto a = random_matrix<double>(3, 2);
  const Eigen::MatrixXd before = a.to_host();
  results(p, a) = expressions(p + sum(a), a * p);
  EXPECT_NEAR(p.value(), 2 + before.sum(), 1e-14);
  EXPECT_EQ(a.to_host(), Eigen::MatrixXd(2 * before));
  EXPECT_NEAR(double(of_p), 3 * p.value(), 1e-14);
  results(p) += expressions(sum(a));
  EXPECT_NEAR(p.value(), 2 + 3 * before.sum(), 1e-13);
  EXPECT_THROW(results(p, p) = expressions(sum(a), sum(a)), std::invalid_argument);
}

}  // namespace
}  // namespace fusecl
