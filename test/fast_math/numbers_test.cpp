// NaN and infinities in a program whose compiler assumes that there are none: what they are is told by their
// bits.

#include <bit>
#include <cstdint>

#include <gtest/gtest.h>

#include <fusion/autodiff/check_gradient.hpp>
#include <fusion/autodiff/eigen_var.hpp>
#include <fusion/fusion.hpp>

namespace fusecl {
namespace {

// Not known to the compiler, which could otherwise make anything of them.
volatile std::uint32_t nan_bits = 0x7fc00000, infinity_bits = 0x7f800000;
float not_a_number() { return std::bit_cast<float>(static_cast<std::uint32_t>(nan_bits)); }
float infinity() { return std::bit_cast<float>(static_cast<std::uint32_t>(infinity_bits)); }

using matrix = matrix_cl<float>;

/// Whether all elements are what `is` says.
template <class Is>
bool all_are(const matrix& m, Is is) {
  const Eigen::MatrixXf host = from_matrix_cl(m);
  for (Eigen::Index k = 0; k < host.size(); ++k)
    if (!is(host.data()[k])) return false;
  return host.size() > 0;
}

TEST(FastMath, NumbersAreToldByTheirBits) {
  EXPECT_TRUE(is_nan(not_a_number()) && !is_infinite(not_a_number()) && !is_finite(not_a_number()));
  EXPECT_TRUE(is_infinite(infinity()) && is_infinite(-infinity()) && !is_nan(infinity()) &&
              !is_finite(infinity()));
  EXPECT_TRUE(is_finite(1.5f) && is_finite(0.0) && is_finite(-1e300L) && !is_nan(1.5) && !is_infinite(2.5L));
  const volatile double wide_nan = static_cast<double>(not_a_number());
  EXPECT_TRUE(is_nan(static_cast<double>(wide_nan)));
  EXPECT_TRUE(is_nan(static_cast<long double>(not_a_number())));
  EXPECT_TRUE(is_infinite(static_cast<long double>(-infinity())));
}

TEST(FastMath, ScalarsAreWhatTheyAre) {
  const matrix a(Eigen::MatrixXf::Constant(3, 5, 2));
  const matrix_cl<bool> no(Eigen::Matrix<bool, -1, -1>::Constant(3, 5, false));
  const auto nan = [](float x) { return is_nan(x); };
  const auto plus = [](float x) { return is_infinite(x) && !std::signbit(x); };
  const auto minus = [](float x) { return is_infinite(x) && std::signbit(x); };
  EXPECT_TRUE(all_are(a + not_a_number(), nan));
  EXPECT_TRUE(all_are(a - not_a_number(), nan));
  EXPECT_TRUE(all_are(a * not_a_number(), nan));
  EXPECT_TRUE(all_are(select(no, a, not_a_number()), nan));
  EXPECT_TRUE(all_are(a + infinity(), plus));
  EXPECT_TRUE(all_are(a + -infinity(), minus));
  EXPECT_TRUE(all_are(a - infinity(), minus));
  EXPECT_TRUE(all_are(a * -infinity(), minus));
  EXPECT_TRUE(all_are(-infinity() * -a, plus));
  EXPECT_TRUE(all_are(constant(infinity(), 3, 5) - a, plus));
  EXPECT_TRUE(all_are(constant(-infinity(), 3, 5) + a, minus));
  EXPECT_TRUE(all_are(select(no, a, -infinity()), minus));
  EXPECT_TRUE(all_are(a + 0.0f, [](float x) { return x == 2; }));
  EXPECT_TRUE(all_are(isnan(a * not_a_number()) + 1.0f, [](float x) { return x == 2; }));
}

TEST(FastMath, ReductionsStartFromInfinities) {
  Eigen::MatrixXf host(2, 3);
  host << -3, -1, -2, -6, -5, -4;
  const matrix a(host);
  EXPECT_EQ(from_matrix_cl(rowwise_max(a)), Eigen::Vector2f(-1, -4));
  EXPECT_EQ(from_matrix_cl(colwise_min(a)), Eigen::RowVector3f(-6, -5, -4));
  EXPECT_EQ(static_cast<float>(max_2d(a)), -1);
  EXPECT_EQ(static_cast<float>(min_2d(a)), -6);
  const matrix none(0, 3);
  EXPECT_TRUE(all_are(colwise_max(none), [](float x) { return is_infinite(x) && std::signbit(x); }));
}

TEST(FastMath, AGradientOfNanIsNotRight) {
  const auto f = [](const auto& x) { return sum(elt_multiply(x, x)); };
  const matrix good(Eigen::MatrixXf::Constant(2, 2, 1.5)),
      bad(Eigen::MatrixXf::Constant(2, 2, not_a_number()));
  EXPECT_TRUE(check_gradient(f, good).passed(1e-4));
  EXPECT_FALSE(check_gradient(f, bad).passed(1e-4));
}

TEST(FastMath, ElementsOnTheHostHandOnAnAdjointOfNan) {
  const var_value<matrix> x(matrix(Eigen::MatrixXf::Constant(2, 2, 1.5)));
  const auto elements = from_matrix_cl(x);
  var y = elements(0, 0) * not_a_number();
  for (Eigen::Index k = 1; k < elements.size(); ++k) y += elements.data()[k] * not_a_number();
  y.grad();
  EXPECT_TRUE(all_are(x.adj(), [](float each) { return is_nan(each); }));
  recover_memory();
}

}  // namespace
}  // namespace fusecl
