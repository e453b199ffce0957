// Functions of numbers of the host are numbers, beside those of the standard library and of <cmath> under
// whatever using-directives, and constants have the digits of their names.

#include <cmath>
#include <type_traits>

#include <gtest/gtest.h>

#include <fusion/base/constants.hpp>
#include <fusion/base/floating.hpp>
#include <fusion/expr/functions.hpp>

// What these names are depends on the using-directives where it stands.
#define SUM_OF_ALL                                                                                    \
  exp(2.0) + exp(2) + log(3.0f) + pow(2.0, 3.0) + pow(2, 3) + pow(2.0, 3) + fmax(1.0, 2.0) +          \
      hypot(3.0, 4.0) + lgamma(3.5) + lgamma(3) + abs(-2.5) + abs(-2) + isnan(2.0) + fmod(5.0, 3.0) + \
      ldexp(1.0, 3) + beta(2.0, 3.0) + fma(1.0, 2.0, 3.0)

namespace both_used {
using namespace std;
using namespace fusecl;
double sum_of_all() { return SUM_OF_ALL; }
}  // namespace both_used

namespace one_used {
using namespace fusecl;
double sum_of_all() { return SUM_OF_ALL; }
}  // namespace one_used

#undef SUM_OF_ALL

namespace with_its_own {
using namespace fusecl;

template <class T>
T square(T x) {
  return x * x;
}
double sign(double x) { return x < 0 ? -1 : 1; }
template <class A, class B>
double beta(const A& a, const B& b) {
  return a + b;
}

double of_integers() { return square(3) / 2 + sign(0) + beta(1.5, 2); }

}  // namespace with_its_own

namespace fusecl {
namespace {

TEST(FunctionsOfNumbers, AreNumbers) {
  EXPECT_EQ(square(3), 9);
  EXPECT_EQ(inv(4), 0.25);
  EXPECT_EQ(inv_logit(0.0), 0.5);
  EXPECT_EQ(sign(-2.0), -1);
  EXPECT_EQ(multiply_log(0.0, 0.0), 0);
  EXPECT_EQ(fusecl::abs(-2), 2);
  EXPECT_TRUE(fusecl::isnan(NOT_A_NUMBER));
  EXPECT_FALSE(fusecl::isnan(INFTY));
  EXPECT_EQ(fusecl::ldexp(3.0, 2), 12);
  EXPECT_NEAR(log1m(0.25), std::log(0.75), 1e-16);
  EXPECT_NEAR(lbeta(2.0, 3.0), -std::log(12.0), 1e-15);
  EXPECT_NEAR(digamma(1), -0.57721566490153286061, 1e-15);
  EXPECT_NEAR(Phi(1.0), std::erfc(-std::sqrt(0.5)) / 2, 1e-15);
  EXPECT_NEAR(binomial_coefficient_log(5, 2), std::log(10.0), 1e-15);
  EXPECT_NEAR(log_sum_exp(1000.0, 1000.0), 1000 + std::log(2.0), 1e-12);
  EXPECT_EQ(elt_multiply(2.0, 3), 6);
  EXPECT_EQ(elt_divide(3, 2.0), 1.5);
  EXPECT_TRUE((std::is_same_v<decltype(square(2.0f)), double>));
  EXPECT_TRUE((std::is_same_v<decltype(square(2)), double>));
  EXPECT_TRUE((std::is_same_v<decltype(fusecl::abs(-2)), double>));
}

TEST(FunctionsOfNumbers, StandBesideThoseOfTheStandardLibrary) {
  const double wanted = 2 * std::exp(2.0) + std::log(3.0f) + 3 * 8 + 2 + 5 + std::lgamma(3.5) +
                        std::log(2.0) + 2.5 + 2 + 0 + 2 + 8 + 1.0 / 12 + 5;
  EXPECT_NEAR(both_used::sum_of_all(), wanted, 1e-6);
  EXPECT_NEAR(one_used::sum_of_all(), wanted, 1e-6);
  EXPECT_EQ(with_its_own::of_integers(), 4 + 1 + 3.5);  // a program's own come first
}

TEST(Constants, HaveTheDigitsOfTheirNames) {
  EXPECT_EQ(pi(), std::acos(-1.0));
  EXPECT_TRUE(is_infinite(INFTY) && !std::signbit(INFTY));
  EXPECT_TRUE(is_nan(NOT_A_NUMBER));
  EXPECT_TRUE(is_infinite(LOG_ZERO) && std::signbit(LOG_ZERO));
  EXPECT_DOUBLE_EQ(SQRT_TWO * INV_SQRT_TWO, 1);
  EXPECT_DOUBLE_EQ(SQRT_TWO_PI * INV_SQRT_TWO_PI, 1);
  EXPECT_DOUBLE_EQ(SQRT_TWO_PI * SQRT_TWO_PI, TWO_PI);
  EXPECT_EQ(1 + machine_precision(), std::nextafter(1, 2));
  EXPECT_DOUBLE_EQ(SQRT_PI * INV_SQRT_PI, 1);
  EXPECT_DOUBLE_EQ(TWO_OVER_SQRT_PI, 2 * INV_SQRT_PI);
  EXPECT_DOUBLE_EQ(LOG_TWO_PI, std::log(2 * pi()));
  EXPECT_DOUBLE_EQ(NEG_LOG_SQRT_TWO_PI, -std::log(SQRT_TWO_PI));
  EXPECT_DOUBLE_EQ(LOG_SQRT_PI, std::log(SQRT_PI));
  EXPECT_DOUBLE_EQ(LOG_TEN + LOG_HALF, std::log(5.0));
}

}  // namespace
}  // namespace fusecl
