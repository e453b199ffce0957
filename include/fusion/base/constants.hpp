#pragma once
// Numbers by the names that Stan Math has for them.

#include <limits>

namespace fusecl {

inline constexpr double INFTY = std::numeric_limits<double>::infinity();
inline constexpr double NEGATIVE_INFTY = -INFTY;
inline constexpr double NOT_A_NUMBER = std::numeric_limits<double>::quiet_NaN();

/// The log of a probability of 0.
inline constexpr double LOG_ZERO = NEGATIVE_INFTY;
inline constexpr double LOG_TWO = 0.69314718055994530942;
inline constexpr double LOG_HALF = -LOG_TWO;
inline constexpr double LOG_TEN = 2.3025850929940456840;
inline constexpr double LOG_PI = 1.1447298858494001741;
inline constexpr double LOG_TWO_PI = 1.8378770664093454836;
inline constexpr double LOG_SQRT_PI = LOG_PI / 2;
inline constexpr double HALF_LOG_TWO_PI = LOG_TWO_PI / 2;
inline constexpr double NEG_LOG_SQRT_TWO_PI = -HALF_LOG_TWO_PI;

inline constexpr double EPSILON = std::numeric_limits<double>::epsilon();
inline constexpr double TWO_PI = 6.2831853071795864769;
inline constexpr double SQRT_TWO = 1.4142135623730950488;
inline constexpr double INV_SQRT_TWO = 0.70710678118654752440;
inline constexpr double SQRT_PI = 1.7724538509055160273;
inline constexpr double INV_SQRT_PI = 0.56418958354775628695;
inline constexpr double SQRT_TWO_PI = 2.5066282746310005024;
inline constexpr double INV_SQRT_TWO_PI = 0.39894228040143267794;
inline constexpr double TWO_OVER_SQRT_PI = 1.1283791670955125739;

constexpr double pi() { return 3.1415926535897932385; }
constexpr double positive_infinity() { return INFTY; }
constexpr double negative_infinity() { return NEGATIVE_INFTY; }
constexpr double not_a_number() { return NOT_A_NUMBER; }
constexpr double machine_precision() { return EPSILON; }

}  // namespace fusecl
