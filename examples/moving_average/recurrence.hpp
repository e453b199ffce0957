#pragma once
// Leaves of two operands, a matrix and a number: linear recurrences along columns, and the neighbours of
// elements, which their derivatives need. docs/user_leaves.md explains them.

#include <array>
#include <stdexcept>
#include <string_view>
#include <tuple>

#include <fusion/expr/user_leaf.hpp>

/// The element before each one in its column, after it if `FromEnd`; 0 where there is none.
template <bool FromEnd>
struct neighbour {
  static constexpr std::string_view name = "neighbour";
  static constexpr std::array<std::string_view, 1> parameters = {"x"};
  static constexpr std::size_t sized_as = 0;

  static std::int64_t tasks(fusecl::leaf_size result, fusecl::leaf_size) { return result.rows * result.cols; }

  static constexpr fusecl::leaf_macro macros[] = {{"FROM_END", FromEnd}};
  static constexpr std::string_view body = R"(
    const long i = task % rows, j = task / rows, from = FROM_END ? i + 1 : i - 1;
    result(i, j, from >= 0 && from < rows ? x(from, j) : (real)0.0);)";

  static auto pullback(const auto&, const auto&, const auto& adjoint) {
    return fusecl::user_leaf<neighbour<!FromEnd>>(adjoint);
  }
  static auto pushforward(const auto&, const auto&, const auto& x_moves) {
    return fusecl::user_leaf<neighbour>(x_moves);
  }

  static void host(const fusecl::leaf_values& result, const fusecl::leaf_values& x) {
    for (std::int64_t j = 0; j < result.cols; ++j)
      for (std::int64_t i = 0; i < result.rows; ++i) {
        const std::int64_t from = FromEnd ? i + 1 : i - 1;
        result(i, j) = from >= 0 && from < result.rows ? x(from, j) : 0;
      }
  }
};

/// y_i = x_i + c y_(i-1) along each column, from the last element backwards if `FromEnd`.
template <bool FromEnd>
struct recurrence {
  static constexpr std::string_view name = "recurrence";
  static constexpr std::array<std::string_view, 2> parameters = {"x", "c"};

  static fusecl::leaf_size size(fusecl::leaf_size x, fusecl::leaf_size c) {
    if (c.rows != 1 || c.cols != 1) throw std::invalid_argument("recurrence: c must be a number");
    return x;
  }
  static constexpr std::size_t sized_as = 0;
  static std::int64_t tasks(fusecl::leaf_size result, fusecl::leaf_size, fusecl::leaf_size) {
    return result.cols;
  }

  static constexpr fusecl::leaf_macro macros[] = {{"FROM_END", FromEnd}};
  static constexpr std::string_view body = R"(
    const real factor = c(0, 0);
    real y = 0.0;
    for (long k = 0; k < rows; ++k) {
      const long i = FROM_END ? rows - 1 - k : k;
      y = x(i, task) + factor * y;
      result(i, task, y);
    })";

  /// The adjoints of x follow the recurrence from the other end; c meets each of them times the element
  /// before.
  static auto pullback(const auto&, const auto& c, const auto& y, const auto& adjoint) {
    const auto by_x = fusecl::shared(fusecl::user_leaf<recurrence<!FromEnd>>(adjoint, c));
    return std::tuple(by_x, sum(elt_multiply(by_x, fusecl::user_leaf<neighbour<FromEnd>>(y))));
  }
  static auto pushforward(const auto&, const auto& c, const auto& y, const auto& x_moves,
                          const auto& c_moves) {
    const auto moves = x_moves + sum(c_moves) * fusecl::user_leaf<neighbour<FromEnd>>(y);
    return fusecl::user_leaf<recurrence>(moves, c);
  }

  static void host(const fusecl::leaf_values& result, const fusecl::leaf_values& x,
                   const fusecl::leaf_values& c) {
    for (std::int64_t j = 0; j < result.cols; ++j) {
      long double y = 0;
      for (std::int64_t k = 0; k < result.rows; ++k) {
        const std::int64_t i = FromEnd ? result.rows - 1 - k : k;
        y = x(i, j) + c(0, 0) * y;
        result(i, j) = y;
      }
    }
  }
};
