#pragma once
// Powers of square matrices.

#include <stdexcept>

#include <fusion/base/fill.hpp>
#include <fusion/eval/check_matrix.hpp>
#include <fusion/expr/product.hpp>

namespace fusecl {

/// `m` multiplied by itself, n factors, by repeated squaring: about 2 log2(n) products, evaluated at once; of
/// an expression with variables a variable. The power 0 is the identity. Throws std::invalid_argument unless
/// `m` is square, std::domain_error for a negative n or where an element is infinite or NaN. Waits for that
/// check.
template <detail::matrix_expression M>
auto matrix_power(M&& m, int n) {
  check_square("matrix_power", "m", m);
  if (n < 0)
    throw std::domain_error(
        text::fill("matrix_power: n is {}, but must be at least 0", {static_cast<std::int64_t>(n)}));
  auto square = as_operation_cl(std::forward<M>(m)).eval();
  using power_type = decltype(square);
  if constexpr (is_floating(node_of<power_type>::type))
    check_cl("matrix_power", "m", square, "finite") = isfinite(square);
  if (n == 0) return power_type(identity_matrix<cpp_type<node_of<power_type>::type>>(square.rows()).eval());
  for (; n % 2 == 0; n /= 2) square = (square * square).eval();
  power_type power = square;
  for (n /= 2; n > 0; n /= 2) {
    square = (square * square).eval();
    if (n % 2 == 1) power = (power * square).eval();
  }
  return power;
}

}  // namespace fusecl
