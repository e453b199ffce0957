#pragma once
// Two leaves, kernels written by hand that are operations of the language: products and inverses of many 3 x
// 3 matrices, which stand side by side in a matrix of 3 rows. docs/user_leaves.md explains them.

#include <array>
#include <stdexcept>
#include <string_view>
#include <tuple>

#include <fusion/expr/user_leaf.hpp>

/// The products of the matrices of two batches, each of which may be transposed before.
template <bool TurnA, bool TurnB>
struct product_3x3 {
  static constexpr std::string_view name = "product_3x3";
  static constexpr std::array<std::string_view, 2> parameters = {"a", "b"};
  static constexpr std::size_t sized_as = 0;  // the result has the size of a

  static fusecl::leaf_size size(fusecl::leaf_size a, fusecl::leaf_size b) {
    if (a.rows != 3 || a.cols % 3 != 0 || !(a == b))
      throw std::invalid_argument("product_3x3: a and b must be as many 3 x 3 matrices side by side");
    return a;
  }
  static std::int64_t tasks(fusecl::leaf_size result, fusecl::leaf_size, fusecl::leaf_size) {
    return result.cols / 3;
  }

  static constexpr fusecl::leaf_macro macros[] = {{"TURN_A", TurnA}, {"TURN_B", TurnB}};
  static constexpr std::string_view body = R"(
    const long first = 3 * task;
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 3; ++i) {
        real sum = 0.0;
        for (int k = 0; k < 3; ++k)
          sum += (TURN_A ? a(k, first + i) : a(i, first + k)) * (TURN_B ? b(j, first + k) : b(k, first + j));
        result(i, first + j, sum);
      })";

  static auto pullback(const auto& a, const auto& b, const auto&, const auto& adjoint) {
    return std::tuple(by_a(b, adjoint), by_b(a, adjoint));
  }
  static auto pushforward(const auto& a, const auto& b, const auto&, const auto& a_moves,
                          const auto& b_moves) {
    return fusecl::user_leaf<product_3x3>(a_moves, b) + fusecl::user_leaf<product_3x3>(a, b_moves);
  }

  static void host(const fusecl::leaf_values& result, const fusecl::leaf_values& a,
                   const fusecl::leaf_values& b) {
    for (std::int64_t first = 0; first < result.cols; first += 3)
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
          long double sum = 0;
          for (int k = 0; k < 3; ++k)
            sum += (TurnA ? a(k, first + i) : a(i, first + k)) * (TurnB ? b(j, first + k) : b(k, first + j));
          result(i, first + j) = sum;
        }
  }

 private:
  static auto by_a(const auto& b, const auto& adjoint) {
    if constexpr (TurnA)
      return fusecl::user_leaf<product_3x3<TurnB, true>>(b, adjoint);
    else
      return fusecl::user_leaf<product_3x3<false, !TurnB>>(adjoint, b);
  }
  static auto by_b(const auto& a, const auto& adjoint) {
    if constexpr (TurnB)
      return fusecl::user_leaf<product_3x3<true, TurnA>>(adjoint, a);
    else
      return fusecl::user_leaf<product_3x3<!TurnA, false>>(a, adjoint);
  }
};

/// The inverses of the matrices of a batch, by their cofactors. A matrix without an inverse has infinities or
/// NaN.
struct inverse_3x3 {
  static constexpr std::string_view name = "inverse_3x3";
  static constexpr std::array<std::string_view, 1> parameters = {"a"};
  static constexpr std::size_t sized_as = 0;

  static fusecl::leaf_size size(fusecl::leaf_size a) {
    if (a.rows != 3 || a.cols % 3 != 0)
      throw std::invalid_argument("inverse_3x3: a (" + std::to_string(a.rows) + " x " +
                                  std::to_string(a.cols) + ") must be 3 x 3 matrices side by side");
    return a;
  }
  static std::int64_t tasks(fusecl::leaf_size result, fusecl::leaf_size) { return result.cols / 3; }

  static constexpr std::string_view body = R"(
    const long first = 3 * task;
    real m[3][3], cofactor[3][3], determinant = 0.0;
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 3; ++i) m[i][j] = a(i, first + j);
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 3; ++i) {
        const int r = (i + 1) % 3, s = (i + 2) % 3, t = (j + 1) % 3, u = (j + 2) % 3;
        cofactor[i][j] = m[r][t] * m[s][u] - m[r][u] * m[s][t];
      }
    for (int i = 0; i < 3; ++i) determinant += m[i][0] * cofactor[i][0];
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 3; ++i) result(j, first + i, cofactor[i][j] / determinant);)";

  static auto pullback(const auto&, const auto& y, const auto& adjoint) {
    using fusecl::user_leaf;
    return -user_leaf<product_3x3<true, false>>(y, user_leaf<product_3x3<false, true>>(adjoint, y));
  }
  static auto pushforward(const auto&, const auto& y, const auto& a_moves) {
    using fusecl::user_leaf;
    return -user_leaf<product_3x3<false, false>>(y, user_leaf<product_3x3<false, false>>(a_moves, y));
  }

  static void host(const fusecl::leaf_values& result, const fusecl::leaf_values& a) {
    for (std::int64_t first = 0; first < result.cols; first += 3) {
      long double cofactor[3][3], determinant = 0;
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
          const int r = (i + 1) % 3, s = (i + 2) % 3, t = (j + 1) % 3, u = (j + 2) % 3;
          cofactor[i][j] = a(r, first + t) * a(s, first + u) - a(r, first + u) * a(s, first + t);
        }
      for (int i = 0; i < 3; ++i) determinant += a(i, first) * cofactor[i][0];
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) result(j, first + i) = cofactor[i][j] / determinant;
    }
  }
};
