// Functions of the library in code that users write: by their names, in kernels, functions, leaves and lines
// of code.

#include <cmath>
#include <random>

#include <gtest/gtest.h>
#include <support/operands.hpp>

#include <fusion/fusion.hpp>
#include <fusion/ops/registry.hpp>

namespace fusecl {
namespace {

using namespace opencl_kernels;
using Eigen::MatrixXd;

const ir::operation& record(std::string_view name) {
  for (const ir::operation* each : ops::registry())
    if (each->name == name) return *each;
  throw std::invalid_argument(std::string(name));
}

struct named_text {
  std::string_view name;
  device_function_text text;
};
#define FUSECL_NAMED_TEXT(NAME) {#NAME, NAME##_device_function},
constexpr named_text all[] = {FUSECL_LIBRARY_OPERATIONS(FUSECL_NAMED_TEXT)};
#undef FUSECL_NAMED_TEXT

/// A kernel that has each function's value of a column of operands in a column of its own.
std::string kernel_of_all(std::string_view type) {
  std::string text =
      "kernel void each_function(global const $ *x, global $ *y, int n) {\n  const int i = "
      "get_global_id(0);\n";
  int k = 0;
  for (const named_text& each : all) {
    const std::string at = "i + " + std::to_string(k++) + " * n";
    std::string operands = "x[" + at + "]";
    if (record(each.name).arity == 2)
      operands += ", x[" + at + " + " + std::to_string(std::size(all)) + " * n]";
    text += "  y[" + at + "] = " + std::string(each.name) + "(" + operands + ");\n";
  }
  text += "}\n";
  for (std::size_t at = text.find('$'); at != text.npos; at = text.find('$')) text.replace(at, 1, type);
  return text;
}

template <class T>
void expect_all_functions(const char* type, double ulp) {
  using matrix = Eigen::Matrix<T, -1, -1>;
  constexpr int n = 37, count = static_cast<int>(std::size(all));
  std::mt19937 random(5);
  matrix x(n, 2 * count);
  for (int k = 0; k < count; ++k)
    for (int operand = 0; operand < 2; ++operand) {
      const ir::sample_interval within = record(all[k].name).domain[operand];
      std::uniform_real_distribution<double> from(within.low, within.high);
      for (int i = 0; i < n; ++i) x(i, k + operand * count) = static_cast<T>(from(random));
    }
  std::vector<std::string> sources;
  for (int twice = 0; twice < 2; ++twice)  // texts may repeat
    for (const named_text& each : all) sources.emplace_back(std::string_view(each.text));
  sources.push_back(kernel_of_all(type));
  const kernel_cl<in_buffer, out_buffer, int> kernel("each_function", sources);
  const matrix_cl<T> operands(x);
  matrix_cl<T> values(n, count);
  kernel(cl::NDRange(n), operands, values, n);
  const matrix y = from_matrix_cl(values);
  for (int k = 0; k < count; ++k)
    for (int i = 0; i < n; ++i) {
      const long double of[] = {x(i, k), x(i, k + count)};
      const auto wanted = static_cast<double>(record(all[k].name).host(of));
      EXPECT_NEAR(y(i, k), wanted, ulp * (std::abs(wanted) + 1))
          << all[k].name << " of " << of[0] << ", " << of[1];
    }
}

TEST(LibraryFunctions, AreForKernelsOfDouble) {
  FUSECL_NEEDS_DOUBLE;
  expect_all_functions<double>("double", 1e-14);
}

TEST(LibraryFunctions, AreForKernelsOfFloat) { expect_all_functions<float>("float", 4e-6); }

TEST(LibraryFunctions, AreTextsAmongOthers) {
  const kernel_cl<in_buffer, out_buffer> kernel(
      "differences", {lgamma_stirling_device_function, lgamma_stirling_diff_device_function,
                      STRINGIFY(__kernel void differences(__global const float* x, __global float* y) {
                        const int i = get_global_id(0);
                        y[i] = lgamma_stirling(x[i]) + lgamma_stirling_diff(x[i]) - lgamma(x[i]);
                      })});
  const matrix_cl<float> x(Eigen::VectorXf::LinSpaced(20, 1.0f, 20.0f));
  matrix_cl<float> y(20, 1);
  kernel(cl::NDRange(20), x, y);
  EXPECT_LT(from_matrix_cl(y).cwiseAbs().maxCoeff(), 2e-5);
}

TEST(LibraryFunctions, AddAtomicallyToADouble) {
  FUSECL_NEEDS_DOUBLE;
  if (!opencl_context.capabilities().extension("cl_khr_int64_base_atomics"))
    GTEST_SKIP() << "the device has no atomics of 64 bits";
  const kernel_cl<out_buffer> kernel("add", {atomic_add_double_device_function, R"(
    kernel void add(global double* y) {
      local double sum;
      if (get_local_id(0) == 0) sum = 0;
      barrier(CLK_LOCAL_MEM_FENCE);
      local_atomic_add_double(&sum, 0.5);
      barrier(CLK_LOCAL_MEM_FENCE);
      if (get_local_id(0) == 0) atomic_add_double(y, sum);
    })"});
  matrix_cl<double> y(MatrixXd::Zero(1, 1));
  kernel(cl::NDRange(640), cl::NDRange(32), y);
  EXPECT_EQ(from_matrix_cl(y)(0, 0), 320);
}

struct beta_terms {
  static constexpr std::string_view name = "digamma";  // its own, beside that of the library
  static constexpr std::array<std::string_view, 3> parameters = {"a", "b", "logit"};
  static constexpr std::string_view body = R"(
    // not inv_Phi (z) itself, but
    return lbeta(a, b) + digamma (a) * log1m(logit) - inv_logit(b);)";
};

template <class Matrix>
void expect_near(const Matrix& found, const Matrix& wanted, double tolerance) {
  EXPECT_LE(((found - wanted).array().abs() / (wanted.array().abs() + 1)).maxCoeff(), tolerance)
      << found << "\nshould be\n"
      << wanted;
}

template <class T>
void expect_in_function(double tolerance) {
  using matrix = Eigen::Matrix<T, -1, -1>;
  const matrix a = test::random_host<T>(13, 5, 1, 3), b = test::random_host<T>(13, 5, 2, 4);
  const matrix c = test::random_host<T>(13, 5, -1. / 3, 1. / 3);
  const matrix_cl<T> A(a), B(b), C(c);
  const matrix_cl<T> found = user_function<beta_terms>(A, B, C) + digamma(A),
                     wanted = lbeta(A, B) + elt_multiply(digamma(A), log1m(C)) - inv_logit(B) + digamma(A);
  expect_near(from_matrix_cl(found), from_matrix_cl(wanted), tolerance);
}

TEST(LibraryFunctions, AreForFunctionsOfUsers) {
  expect_in_function<float>(1e-5);
  FUSECL_NEEDS_DOUBLE;
  expect_in_function<double>(1e-13);
}

struct of_whole_numbers {
  static constexpr std::string_view name = "of_whole_numbers";
  static constexpr std::array<std::string_view, 1> parameters = {"x"};
  static constexpr std::string_view body = "return x * square(3) + inv(4) + binomial_coefficient_log(4, 2);";
};

TEST(LibraryFunctions, TakeWholeNumbersWhateverElseAStatementHas) {
  FUSECL_NEEDS_DOUBLE;
  const matrix_cl<double> x(Eigen::VectorXd(Eigen::VectorXd::Constant(5, 2.0)));
  const matrix_cl<float> y(Eigen::VectorXf(Eigen::VectorXf::Constant(5, 3.0f)));
  const double rest = 0.25 + std::log(6.0);
  const matrix_cl<double> alone = user_function<of_whole_numbers>(x),
                          both = user_function<of_whole_numbers>(x) + user_function<of_whole_numbers>(y);
  const matrix_cl<float> of_float = user_function<of_whole_numbers>(y);
  expect_near(from_matrix_cl(alone), Eigen::MatrixXd(Eigen::VectorXd::Constant(5, 18 + rest)), 1e-14);
  expect_near(from_matrix_cl(both), Eigen::MatrixXd(Eigen::VectorXd::Constant(5, 45 + 2 * rest)), 1e-6);
  expect_near(from_matrix_cl<Eigen::VectorXf>(of_float).cast<double>().eval(),
              Eigen::VectorXd(Eigen::VectorXd::Constant(5, 27 + rest)), 1e-6);
}

TEST(LibraryFunctions, OfKernelsTakeWholeNumbers) {
  FUSECL_NEEDS_DOUBLE;
  const kernel_cl<out_buffer> kernel("whole", {digamma_device_function, lbeta_device_function, R"(
    kernel void whole(global double* y) {
      y[0] = digamma(2) - digamma(2.0) + lbeta(2, 3) - lbeta(2, 3.0) + lbeta(2.0, 3) - lbeta(2.0, 3.0);
      y[0] += lbeta(2, 3.0f) - lbeta(2.0f, 3);
    })"});
  matrix_cl<double> y(1, 1);
  kernel(cl::NDRange(1), y);
  EXPECT_EQ(from_matrix_cl(y)(0, 0), 0);
}

constexpr char rounded[] = "int r = (int)round(100 * Phi(0.5 * n)); int none = square(n) > 3;";

TEST(LibraryFunctions, AreForLinesOfCodeWithWholeNumbers) {
  FUSECL_NEEDS_DOUBLE;
  const matrix_cl<int> n(Eigen::Vector3i(-1, 0, 2));
  const auto code = opencl_code<rounded>(std::make_tuple("n"), n);
  matrix_cl<int> r, big;
  results(r, big) = expressions(code.template output<int>("r"), code.template output<int>("none"));
  EXPECT_EQ(from_matrix_cl(r), Eigen::Vector3i(31, 50, 84));
  EXPECT_EQ(from_matrix_cl(big), Eigen::Vector3i(0, 0, 1));
}

struct scaled_gamma {
  static constexpr std::string_view name = "scaled_gamma";
  static constexpr std::array<std::string_view, 2> parameters = {"a", "beta"};
  static constexpr std::size_t sized_as = 0;
  static std::int64_t tasks(leaf_size result, leaf_size, leaf_size) { return result.rows; }
  static constexpr std::string_view body = R"(
    for (long j = 0; j < cols; ++j) result(task, j, trigamma(a(task, j)) * beta(0, 0));)";
};

TEST(LibraryFunctions, AreForLeavesOfUsers) {
  FUSECL_NEEDS_DOUBLE;
  const matrix_cl<double> A(test::random_host<double>(6, 3, 1, 3));
  const matrix_cl<double> found = user_leaf<scaled_gamma>(A, 2.5), wanted = 2.5 * trigamma(A);
  expect_near(from_matrix_cl(found), from_matrix_cl(wanted), 1e-13);
}

}  // namespace
}  // namespace fusecl
