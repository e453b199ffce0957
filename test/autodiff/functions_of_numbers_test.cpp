// Element-wise functions of `var`, which the host computes: values are those of the records, derivatives
// those of their differences in extended precision.

#include <cmath>
#include <thread>

#include <support/messages.hpp>
#include <support/operands.hpp>

#include <fusion/autodiff.hpp>

namespace fusecl {
namespace {

using namespace test;

/// A place in the interval from which an operand is drawn; `at` from 0 to 1.
double sample(const ir::operation& f, int k, double at) {
  const ir::sample_interval& d = f.domain[k];
  return d.low + (d.high - d.low) * at;
}

/// The derivative of `f` by operand `k`: a difference of fourth order.
double difference(const ir::operation& f, std::vector<double> x, std::size_t k) {
  const auto at = [&](long double shift) {
    std::vector<long double> moved(x.begin(), x.end());
    moved[k] += shift;
    return f.host(moved.data());
  };
  const long double h = 1e-4L * std::fmax(0.01L, std::fabs(static_cast<long double>(x[k])));
  return static_cast<double>((8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h));
}

void expect_of_record(const ir::operation& f, const std::vector<var>& x, const var& y,
                      const std::vector<double>& values) {
  const std::vector<long double> operands(values.begin(), values.end());
  EXPECT_EQ(y.val(), static_cast<double>(f.host(operands.data()))) << f.name;
  set_zero_all_adjoints();
  y.grad();
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double wanted = difference(f, values, k);
    EXPECT_NEAR(x[k].adj(), wanted, 1e-7 * (1 + std::fabs(wanted)))
        << f.name << " of " << ::testing::PrintToString(values) << " by operand " << k;
  }
}

TEST(FunctionsOfNumbers, HaveTheValuesAndDerivativesOfTheirRecordsWithoutAKernel) {
  const counters before = runtime_counters();
  for (const double at : {0.313, 0.571, 0.837}) {
    const nested_rev_autodiff forgotten_afterwards;
#define FUSECL_CHECK(NAME)                                               \
  {                                                                      \
    const double value = sample(op::NAME::record(), 0, at);              \
    var x = value;                                                       \
    expect_of_record(op::NAME::record(), {x}, fusecl::NAME(x), {value}); \
  }
    FUSECL_UNARY_FLOATING(FUSECL_CHECK)
    FUSECL_UNARY_ARITHMETIC(FUSECL_CHECK)
#undef FUSECL_CHECK
#define FUSECL_CHECK(NAME)                                         \
  {                                                                \
    const ir::operation& f = op::NAME::record();                   \
    const double u = sample(f, 0, at), v = sample(f, 1, 1.1 - at); \
    var x = u, y = v;                                              \
    expect_of_record(f, {x, y}, fusecl::NAME(x, y), {u, v});       \
    expect_of_record(f, {x}, fusecl::NAME(x, v), {u, v});          \
    const var of_second = fusecl::NAME(u, y);                      \
    of_second.grad();                                              \
    EXPECT_EQ(of_second.val(), fusecl::NAME(u, v)) << f.name;      \
  }
    FUSECL_BINARY_FLOATING(FUSECL_CHECK)
#undef FUSECL_CHECK
#define FUSECL_CHECK(NAME)                                                                     \
  {                                                                                            \
    const ir::operation& f = op::NAME::record();                                               \
    const double u = sample(f, 0, at), v = sample(f, 1, 1.1 - at), w = sample(f, 2, 0.9 * at); \
    var x = u, y = v, z = w;                                                                   \
    expect_of_record(f, {x, y, z}, fusecl::NAME(x, y, z), {u, v, w});                          \
    expect_of_record(f, {x, y}, fusecl::NAME(x, y, w), {u, v, w});                             \
  }
    FUSECL_TERNARY_FLOATING(FUSECL_CHECK)
#undef FUSECL_CHECK
  }
  const counters used = runtime_counters() - before;
  EXPECT_EQ(used.launches, 0u);
  EXPECT_EQ(used.host_waits, 0u);
}

TEST(FunctionsOfNumbers, OfOneVariableTwiceAndOfFunctions) {
  const nested_rev_autodiff forgotten_afterwards;
  var x = 1.7;
  const var y = pow(x, x) + exp(-square(x)) * 2 + hypot(3, x);
  y.grad();
  EXPECT_DOUBLE_EQ(y.val(), std::pow(1.7, 1.7) + 2 * std::exp(-1.7 * 1.7) + std::hypot(3, 1.7));
  EXPECT_NEAR(
      x.adj(),
      std::pow(1.7, 1.7) * (std::log(1.7) + 1) - 4 * 1.7 * std::exp(-1.7 * 1.7) + 1.7 / std::hypot(3, 1.7),
      1e-14);
}

TEST(FunctionsOfNumbers, WhatIsTrueOfThemIsKnownOnTheHost) {
  const nested_rev_autodiff forgotten_afterwards;
  const var one = 1, none = std::nan(""), endless = HUGE_VAL;
  EXPECT_TRUE(isnan(none) && !isnan(one) && isinf(endless) && isfinite(one));
  static_assert(std::is_same_v<decltype(isnan(one)), bool>);
}

TEST(FunctionsOfNumbers, InStatementsOnTheDevice) {
  FUSECL_NEEDS_DOUBLE;
  const matrix_cl<double> a(random_host<double>(5, 3));
  var x = 0.4;
  const var y = sum(a * exp(x)) + log(x) * 0.4;
  y.grad();
  EXPECT_NEAR(x.adj(), std::exp(0.4) * sum(a) + 1, 1e-12);
  recover_memory();
}

TEST(FunctionsOfNumbers, AreEvaluatedAndOneElementOnTheDevice) {
  FUSECL_NEEDS_DOUBLE;
  var x = 0.4;
  EXPECT_EQ(exp(x).eval().val(), exp(0.4));
  const var_value<matrix_cl<double>> m = to_matrix_cl(exp(x));
  EXPECT_EQ(m.rows() * m.cols(), 1);
  const var y = sum(m * 3.0);
  y.grad();
  EXPECT_NEAR(x.adj(), 3 * std::exp(0.4), 1e-14);
  recover_memory();
}

TEST(FunctionsOfNumbers, OfAnotherThreadOrForgottenAreRefused) {
  const nested_rev_autodiff forgotten_afterwards;
  const var x = 1;
  std::thread([&] { expect_message<std::logic_error>([&] { exp(x); }, "exp: "); }).join();
  var inner;
  {
    const nested_rev_autodiff nested;
    inner = 2.0;
  }
  EXPECT_THROW(exp(inner), std::logic_error);
}

}  // namespace
}  // namespace fusecl
