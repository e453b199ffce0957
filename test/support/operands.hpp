#pragma once
// Random operands for tests: fixed seed per test, all element types, sizes and views, with NaN (or the
// largest integer) where the view says that nobody reads.

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <fusion/fusion.hpp>

namespace fusecl::test {

template <class T>
using host = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

/// Seed of a whole run; FUSECL_TEST_SEED overrides it. Printed once.
inline std::uint64_t base_seed() {
  static const std::uint64_t seed = [] {
    const char* given = std::getenv("FUSECL_TEST_SEED");
    const std::uint64_t value = given != nullptr ? std::strtoull(given, nullptr, 10) : 20240607;
    std::cout << "[   seed   ] FUSECL_TEST_SEED=" << value << "\n";
    return value;
  }();
  return seed;
}

/// Generator of the current test: starts afresh with each test, so that filters and shards change nothing.
inline std::mt19937_64& generator() {
  static thread_local std::mt19937_64 engine(base_seed());
  static thread_local const ::testing::TestInfo* owner = nullptr;
  const ::testing::TestInfo* now = ::testing::UnitTest::GetInstance()->current_test_info();
  if (now != owner) {
    owner = now;
    const std::string name = now != nullptr ? std::string(now->test_suite_name()) + "." + now->name() : "";
    engine.seed(base_seed() + std::hash<std::string>{}(name));
  }
  return engine;
}

/// What stands where a view says that nobody reads.
template <class T>
constexpr T poison() {
  return is_floating(scalar_type_v<T>) ? std::numeric_limits<T>::quiet_NaN() : std::numeric_limits<T>::max();
}

/// Uniform in [low, high]; integers include both ends.
template <class T>
T random_value(double low = -10, double high = 10) {
  if constexpr (std::is_same_v<T, bool>) {
    return (generator()() & 1u) != 0;
  } else if constexpr (std::is_integral_v<T>) {
    const double least = std::is_unsigned_v<T> ? std::max(low, 0.0) : low;
    const auto first = static_cast<std::int64_t>(std::ceil(least));
    return static_cast<T>(std::uniform_int_distribution<std::int64_t>(
        first, std::max(first, static_cast<std::int64_t>(std::floor(high))))(generator()));
  } else {
    return static_cast<T>(std::uniform_real_distribution<double>(low, high)(generator()));
  }
}

template <class T>
host<T> random_host(std::int64_t rows, std::int64_t cols, double low = -10, double high = 10) {
  host<T> values(rows, cols);
  for (Eigen::Index k = 0; k < values.size(); ++k) values.data()[k] = random_value<T>(low, high);
  return values;
}

/// Poisons what `view` leaves out.
template <class T>
void poison_unread(host<T>& values, matrix_cl_view view) {
  for (Eigen::Index j = 0; j < values.cols(); ++j)
    for (Eigen::Index i = 0; i < values.rows(); ++i)
      if ((i > j && !contains_nonzero(view, matrix_cl_view::Lower)) ||
          (i < j && !contains_nonzero(view, matrix_cl_view::Upper)))
        values(i, j) = poison<T>();
}

/// A random matrix on the device; every element reaches it, also those that the view leaves out.
template <class T>
matrix_cl<T> random_matrix(std::int64_t rows, std::int64_t cols, matrix_cl_view view = matrix_cl_view::Entire,
                           double low = -10, double high = 10) {
  host<T> values = random_host<T>(rows, cols, low, high);
  poison_unread(values, view);
  matrix_cl<T> m(values);
  m.view(view);
  return m;
}

/// Numbers in [-1, 1].
template <class T = double>
matrix_cl<T> numbers(std::int64_t rows, std::int64_t cols, matrix_cl_view view = matrix_cl_view::Entire) {
  return random_matrix<T>(rows, cols, view, -1, 1);
}

/// A matrix whose triangles are far from singular, with `poison` in the strict triangle that is not read.
template <class T = double>
matrix_cl<T> triangle(std::int64_t n, matrix_cl_view part, T poison = std::numeric_limits<T>::quiet_NaN()) {
  host<T> m = random_host<T>(n, n, -1, 1);
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i) {
      if (i == j) m(i, j) += m(i, j) < 0 ? T(-2) : T(2);
      if (i != j) m(i, j) /= static_cast<T>(n);
      if (part == matrix_cl_view::Lower ? i < j : i > j) m(i, j) = poison;
    }
  return matrix_cl<T>(m);
}

/// Symmetric positive definite matrices side by side.
template <class T = double>
host<T> positive_definite(std::int64_t n, std::int64_t count = 1) {
  host<T> all(n, n * count);
  for (std::int64_t b = 0; b < count; ++b) {
    const host<T> m = random_host<T>(n, n, -1, 1);
    all.middleCols(b * n, n) = m * m.transpose() + host<T>::Identity(n, n) * static_cast<T>(n);
  }
  return all;
}
/// The same with `above` in the strict upper triangles.
template <class T = double>
host<T> lower_of_positive_definite(std::int64_t n, std::int64_t count = 1,
                                   T above = std::numeric_limits<T>::quiet_NaN()) {
  host<T> all = positive_definite<T>(n, count);
  for (std::int64_t b = 0; b < count; ++b)
    all.middleCols(b * n, n).template triangularView<Eigen::StrictlyUpper>().setConstant(above);
  return all;
}

/// Matrices side by side of which every triangle is far from singular.
inline matrix_cl<double> dominant(std::int64_t n, std::int64_t count = 1,
                                  matrix_cl_view view = matrix_cl_view::Entire) {
  host<double> all = random_host<double>(n, n * count, -1, 1);
  for (std::int64_t b = 0; b < count; ++b)
    all.middleCols(b * n, n).diagonal().array() += static_cast<double>(n + 2);
  return matrix_cl<double>(all, view);
}
/// Symmetric ones.
inline matrix_cl<double> symmetric_dominant(std::int64_t n, std::int64_t count = 1) {
  host<double> all = dominant(n, count).to_host();
  for (std::int64_t b = 0; b < count; ++b) {
    const host<double> m = all.middleCols(b * n, n);
    all.middleCols(b * n, n) = (m + m.transpose()) / 2;
  }
  return matrix_cl<double>(all);
}

/// Of a product of n x k and k x m.
struct product_sizes {
  int n, k, m;
};

struct size_pair {
  std::int64_t rows, cols;
};

/// Nothing, one, less than a vector, whole vectors, ragged ones, more than a chunk or tile, long and flat.
inline const std::vector<size_pair>& all_sizes() {
  static const std::vector<size_pair> sizes = {{0, 0},   {0, 3},    {3, 0},    {1, 1},    {3, 1},
                                               {1, 3},   {8, 8},    {64, 9},   {71, 71},  {71, 33},
                                               {33, 71}, {4097, 1}, {1, 4097}, {4096, 3}, {257, 130}};
  return sizes;
}
/// The same classes in fewer sizes, for tests that loop over much else.
inline const std::vector<size_pair>& few_sizes() {
  static const std::vector<size_pair> sizes = {{0, 0}, {1, 1}, {3, 1}, {1, 3}, {64, 9}, {71, 33}, {4097, 1}};
  return sizes;
}

inline constexpr matrix_cl_view all_views[] = {matrix_cl_view::Diagonal, matrix_cl_view::Lower,
                                               matrix_cl_view::Upper, matrix_cl_view::Entire};

inline bool device_has_double() { return opencl_context.capabilities().fp64; }

template <class... Ts>
inline constexpr bool any_double = (std::is_same_v<Ts, double> || ...);

/// Where the zero is a literal, Mesa's rusticl makes an undefined value of `x / 0.0f`, 0 of `0.0f / x` and
/// `-x` of `0.0f - x`.
inline bool computes_with_literal_zeros() { return opencl_context.capabilities().platform != "rusticl"; }

}  // namespace fusecl::test

/// Ends the test as skipped, with the reason, where the device has no double and `CONDITION` says it is
/// needed.
#define FUSECL_SKIP_WITHOUT_DOUBLE_IF(CONDITION)           \
  if ((CONDITION) && !::fusecl::test::device_has_double()) \
  GTEST_SKIP() << "needs double, which " << ::fusecl::opencl_context.capabilities().name << " does not have"
#define FUSECL_NEEDS_DOUBLE FUSECL_SKIP_WITHOUT_DOUBLE_IF(true)
