// Functions of users, with and without derivatives: values against the interpreter in both forms of kernels,
// gradients against differences and forward accumulation, Hessian products, errors.

#include <support/both_forms.hpp>
#include <support/compare.hpp>

#include <fusion/autodiff/check_gradient.hpp>
#include <fusion/autodiff/hessian.hpp>
#include <fusion/autodiff/var.hpp>

namespace fusecl {
namespace {

using namespace test;

/// A body with branches: called lane by lane where kernels have vectors.
struct huber {
  static constexpr std::string_view name = "huber";
  static constexpr std::array<std::string_view, 2> parameters = {"r", "delta"};
  static constexpr std::string_view body = R"(
  const real a = fabs(r);
  if (a <= delta) return 0.5 * r * r;
  return delta * (a - 0.5 * delta);)";
  static auto derivatives(const auto& r, const auto& delta) {
    return std::tuple(fmax(-delta, fmin(r, delta)), fmax(fabs(r) - delta, 0.0));
  }
  static long double host(long double r, long double delta) {
    return std::fabs(r) <= delta ? r * r / 2 : delta * (std::fabs(r) - delta / 2);
  }
};

/// The derivative uses the result and numbers that are no special constants.
struct scaled_exp {
  static constexpr std::string_view name = "exp";  // as a function of OpenCL C
  static constexpr std::array<std::string_view, 1> parameters = {"x"};
  static constexpr std::string_view body = "return exp(0.3 * x) + 1e-3;";
  static auto derivatives(const auto&, const auto& y) { return std::tuple(0.3 * (y - 1e-3)); }
  static long double host(long double x) { return std::exp(0.3L * x) + 1e-3L; }
};

/// The derivative is the function itself within others.
struct its_own_derivative {
  static constexpr std::string_view name = "its_own_derivative";
  static constexpr std::array<std::string_view, 1> parameters = {"x"};
  static constexpr std::string_view body = "return exp(2.0 * x);";
  static auto derivatives(const auto& x) { return 2.0 * user_function<its_own_derivative>(x); }
  static long double host(long double x) { return std::exp(2 * x); }
};

struct three {
  static constexpr std::string_view name = "three";
  static constexpr std::array<std::string_view, 3> parameters = {"a", "b", "c"};
  static constexpr std::string_view body = "return a * b + c;";
  static auto derivatives(const auto& a, const auto& b, const auto&) { return std::tuple(b, a, 1); }
  static long double host(long double a, long double b, long double c) { return a * b + c; }
};

/// More parameters than any operation of the library has.
struct five {
  static constexpr std::string_view name = "five";
  static constexpr std::array<std::string_view, 5> parameters = {"a", "b", "c", "d", "f"};
  static constexpr std::string_view body = "return a * b + c * c - d * f * a;";
  static auto derivatives(const auto& a, const auto& b, const auto& c, const auto& d, const auto& f) {
    return std::tuple(b - d * f, a, 2 * c, -f * a, -d * a);
  }
  static long double host(long double a, long double b, long double c, long double d, long double f) {
    return a * b + c * c - d * f * a;
  }
};

struct without_derivatives {
  static constexpr std::string_view name = "step_up";
  static constexpr std::array<std::string_view, 1> parameters = {"x"};
  static constexpr std::string_view body = "return x > 0 ? x : 0.0;";
  static long double host(long double x) { return x > 0 ? x : 0; }
};

struct other_huber : huber {
  static constexpr std::string_view body = "return r + delta;";
};

struct broken {
  static constexpr std::string_view name = "broken";
  static constexpr std::array<std::string_view, 1> parameters = {"x"};
  static constexpr std::string_view body = "return no_such_function(x);";
};

struct without_return {
  static constexpr std::string_view name = "without_return";
  static constexpr std::array<std::string_view, 1> parameters = {"x"};
  static constexpr std::string_view body = "const real y = 2 * x;";
};

struct with_a_path_without_return {
  static constexpr std::string_view name = "with_a_path_without_return";
  static constexpr std::array<std::string_view, 1> parameters = {"x"};
  static constexpr std::string_view body = "if (x > 0) return x;";
};

/// The derivative by a single parameter, without a tuple.
struct halved_square {
  static constexpr std::string_view name = "halved_square";
  static constexpr std::array<std::string_view, 1> parameters = {"x"};
  static constexpr std::string_view body = "return 0.5 * x * x;";
  static auto derivatives(const auto& x) { return x; }
  static long double host(long double x) { return x * x / 2; }
};
struct three_times {
  static constexpr std::string_view name = "three_times";
  static constexpr std::array<std::string_view, 1> parameters = {"x"};
  static constexpr std::string_view body = "return 3.0 * x;";
  static double derivatives(const auto&) { return 3.0; }
};

/// Its derivative asks the device for a number, by a statement and a gradient of its own.
struct evaluating {
  static constexpr std::string_view name = "evaluating";
  static constexpr std::array<std::string_view, 1> parameters = {"x"};
  static constexpr std::string_view body = "return 4.0 * x;";
  static auto derivatives(const auto&) {
    const matrix_cl<float> a(Eigen::Vector2f(1, 2));
    const float four = sum(a) + 1.0f;
    const nested_rev_autodiff nested;
    const var_value<matrix_cl<float>> x(a);
    var lp = sum(four * x);
    lp.grad();
    return from_matrix_cl(x.adj())(0);
  }
};

template <class T>
class UserFunction : public ::testing::Test {};
using floating_types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(UserFunction, floating_types);

TYPED_TEST(UserFunction, HasTheValuesOfItsReference) {
  using T = TypeParam;
  FUSECL_SKIP_WITHOUT_DOUBLE_IF(any_double<T>);
  in_both_forms([] {
    for (const auto [rows, cols] : {size_pair{0, 3}, {1, 1}, {3, 5}, {71, 3}, {4097, 1}}) {
      const auto x = random_matrix<T>(rows, cols), y = random_matrix<T>(rows, cols);
      expect_matches_reference(user_function<huber>(x, T(1.5)));
      expect_matches_reference(user_function<huber>(T(0.3), x));
      expect_matches_reference(user_function<three>(x, user_function<scaled_exp>(y), x) + exp(y));
      expect_matches_reference(user_function<huber>(x, y) + user_function<huber>(y, x));
      expect_matches_reference(user_function<five>(x, y, T(0.5), x + y, y) - y);
      expect_matches_reference(rowwise_sum(user_function<huber>(x, colwise_broadcast(colwise_max(fabs(y))))));
    }
  });
}

TYPED_TEST(UserFunction, HasTheGradientOfItsDerivatives) {
  using T = TypeParam;
  FUSECL_SKIP_WITHOUT_DOUBLE_IF(any_double<T>);
  constexpr double tolerance = std::is_same_v<T, double> ? 1e-7 : 2e-4;
  in_both_forms([&] {
    for (const auto [rows, cols] : {size_pair{0, 3}, {1, 1}, {71, 3}}) {
      const auto x = random_matrix<T>(rows, cols, matrix_cl_view::Entire, -2, 2);
      const auto y = random_matrix<T>(rows, cols, matrix_cl_view::Entire, -2, 2);
      parameter<T> delta(T(1.25));
      const auto check = [&](const auto& f) {
        const auto checked = check_gradient(f, x, y, delta);
        EXPECT_TRUE(checked.passed(tolerance)) << checked;
      };
      check([](const auto& a, const auto& b, const auto& d) { return sum(user_function<huber>(a - b, d)); });
      check([](const auto& a, const auto& b, const auto& d) {
        return sum(user_function<three>(a, a, user_function<scaled_exp>(elt_multiply(b, d * a))));
      });
      check([](const auto& a, const auto& b, const auto& d) {
        return sum(user_function<five>(a, elt_multiply(a, b), d, exp(b), T(0.5)));
      });
    }
  });
}

TYPED_TEST(UserFunction, WithoutDerivativesWorksOnData) {
  using T = TypeParam;
  FUSECL_SKIP_WITHOUT_DOUBLE_IF(any_double<T>);
  const auto x = random_matrix<T>(5, 3);
  parameter<T> p(T(2));
  const auto [value, gradient] = value_and_gradient(
      sum(elt_multiply(user_function<without_derivatives>(stop_gradient(x)), p * x)), wrt(x, p));
  const host<T> h = x.to_host(), weight = h.cwiseMax(T(0));
  EXPECT_NEAR(value, 2 * weight.cwiseProduct(h).sum(), 1e-4 * std::abs(value));
  EXPECT_LT((std::get<0>(gradient).to_host() - 2 * weight).cwiseAbs().maxCoeff(), 1e-5);
  // what no variable reaches needs no mark
  const auto only_p = value_and_gradient(sum(p * user_function<without_derivatives>(x)), wrt(p));
  EXPECT_NEAR(std::get<0>(only_p.gradient).to_host()(0), weight.sum(), 1e-5 * weight.sum());
}

TEST(UserFunctions, WorkOnTheTapeAndInHessians) {
  FUSECL_SKIP_WITHOUT_DOUBLE_IF(true);
  const auto data = random_matrix<double>(40, 2);
  const auto h = data.to_host();
  var_value<matrix_cl<double>> x(data);
  var scale = 0.7;
  var_value<matrix_cl<double>> y = user_function<scaled_exp>(scale * x);
  var lp = sum(user_function<huber>(y, 2.0));
  lp.grad();
  const auto slope = [](double v) {
    return 0.3 * std::exp(0.3 * v) * std::max(-2.0, std::min(2.0, std::exp(0.3 * v) + 1e-3));
  };
  double expected_scale = 0;
  for (int k = 0; k < h.size(); ++k) {
    EXPECT_NEAR(x.adj().to_host()(k), 0.7 * slope(0.7 * h(k)), 1e-12 * std::abs(slope(0.7 * h(k))) + 1e-14);
    expected_scale += h(k) * slope(0.7 * h(k));
  }
  EXPECT_NEAR(scale.adj(), expected_scale, 1e-10 * std::abs(expected_scale));
  recover_memory();

  const matrix_cl<double> direction = constant(1.0, 40, 2);
  const auto second = hessian_times_vector(sum(user_function<scaled_exp>(data)), wrt(data), direction);
  const auto product = std::get<0>(second.product).to_host();
  for (int k = 0; k < h.size(); ++k)
    EXPECT_NEAR(product(k), 0.09 * std::exp(0.3 * h(k)), 1e-13 * std::exp(0.3 * h(k)));
}

TEST(UserFunctions, RepeatAndCombineInOneKernel) {
  const auto x = random_matrix<float>(33, 2);
  const std::string source = (user_function<huber>(x, 1.0f) + user_function<huber>(x + 1.0f, 1.0f))
                                 .get_kernel_source_for_evaluating_into(x);
  EXPECT_EQ(source.find("user_huber_float("), source.rfind("float user_huber_float(") + 6) << source;
}

TEST(UserFunctions, HaveToReturnOnEveryPath) {
  if (opencl_context.capabilities().platform != "Portable Computing Language")
    GTEST_SKIP() << "up to the compiler of " << opencl_context.capabilities().platform;
  const auto x = random_matrix<float>(4, 3);
  matrix_cl<float> target = constant(1.0f, 4, 3);
  const auto refused = [&](const auto& e) {
    try {
      target = e;
      ADD_FAILURE() << "it builds";
    } catch (const build_error& e) {
      EXPECT_NE(e.log().find("does not return a value"), std::string::npos) << e.what();
    }
  };
  in_both_forms([&] {
    refused(user_function<without_return>(x));
    refused(user_function<with_a_path_without_return>(x) + 1.0f);
  });
  EXPECT_EQ(target.to_host(), host<float>::Constant(4, 3, 1.0f));
}

TEST(UserFunctions, TellWhatIsWrong) {
  const auto x = random_matrix<float>(4, 3);
  matrix_cl<float> target = constant(1.0f, 4, 3);
  try {
    target = user_function<huber>(x, 1.0f) + user_function<other_huber>(x, 1.0f);
    ADD_FAILURE() << "two functions of one name";
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("user_huber"), std::string::npos) << e.what();
  }
  try {
    target = user_function<broken>(x);
    ADD_FAILURE() << "a body that does not build";
  } catch (const build_error& e) {
    EXPECT_NE(std::string(e.what()).find("no_such_function"), std::string::npos) << e.what();
  }
  EXPECT_THROW((void)reference(user_function<broken>(x)), std::logic_error);
  EXPECT_THROW((void)user_function<huber>(x, random_matrix<float>(3, 4)), std::invalid_argument);
  EXPECT_THROW((void)user_function<five>(x, x, x, x, random_matrix<float>(3, 4)), std::invalid_argument);
  EXPECT_EQ(target.to_host(), host<float>::Constant(4, 3, 1.0f));
  target = user_function<other_huber>(x, 1.0f);
  EXPECT_EQ(target.to_host(), (x.to_host().array() + 1.0f).matrix());
}

TEST(UserFunctions, OneDerivativeNeedsNoTuple) {
  const auto a = random_matrix<float>(7, 3);
  const auto squares = value_and_gradient(sum(user_function<halved_square>(a)), wrt(a));
  EXPECT_EQ(std::get<0>(squares.gradient).to_host(), a.to_host());
  const auto thrice = value_and_gradient(sum(user_function<three_times>(a)), wrt(a));
  EXPECT_EQ(std::get<0>(thrice.gradient).to_host(), Eigen::MatrixXf::Constant(7, 3, 3));
}

TEST(UserFunctions, MayBeTheirOwnDerivative) {
  const auto a = random_matrix<float>(7, 3, matrix_cl_view::Entire, -1, 1);
  const auto r = value_and_gradient(sum(exp(user_function<its_own_derivative>(a))), wrt(a));
  const Eigen::ArrayXXf y = (2 * a.to_host().array()).exp();
  const Eigen::ArrayXXf wanted = 2 * y * y.exp();
  EXPECT_LE(((std::get<0>(r.gradient).to_host().array() - wanted) / wanted).abs().maxCoeff(), 1e-4f);
  const auto f = [](const auto& b) { return sum(exp(user_function<its_own_derivative>(b))); };
  EXPECT_TRUE(check_gradient(f, a).passed(2e-4));
}

TEST(UserFunctions, DerivativesMayEvaluate) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = random_matrix<float>(7, 3);
  const auto r = value_and_gradient(sum(user_function<evaluating>(a)), wrt(a));
  EXPECT_EQ(std::get<0>(r.gradient).to_host(), Eigen::MatrixXf::Constant(7, 3, 4));
  var_value<matrix_cl<float>> x(a);
  var lp = sum(user_function<evaluating>(x));  // records within what records it
  lp.grad();
  EXPECT_EQ(x.adj().to_host(), Eigen::MatrixXf::Constant(7, 3, 4));
  recover_memory();
  EXPECT_EQ(fusecl::detail::this_thread_tape().size(), 0u);
}

}  // namespace
}  // namespace fusecl
