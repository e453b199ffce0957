#pragma once
// Host evaluation of products of matrices, which these bring.

#include <fusion/base/list_of.hpp>
#include <fusion/ir/interpret_collectives.ipp>

namespace fusecl::ir {

/// Rounded where an element is complete; integers wrap. What the views of operands leave out takes no part.
FUSECL_INLINE host_matrix interpret_product(const graph& g, const host_bindings&, const node& n,
                                            const list_of<host_matrix>& values) {
  const matrix_cl_view of_a = g[n.operands[0]].view, of_b = g[n.operands[1]].view;
  const host_matrix &a = detail::operand_of(n, values, 0), &b = detail::operand_of(n, values, 1);
  host_matrix result{a.rows, b.cols, {}};
  result.values.reserve(static_cast<std::size_t>(result.rows * result.cols));
  const auto wrapped = [](long double x) { return static_cast<std::uint64_t>(static_cast<std::int64_t>(x)); };
  for (std::int64_t j = 0; j < b.cols; ++j)
    for (std::int64_t i = 0; i < a.rows; ++i) {
      long double sum = 0;
      std::uint64_t whole = 0;
      for (std::int64_t k = 0; k < a.cols; ++k) {
        if (is_outside(of_a, i, k) || is_outside(of_b, k, j)) continue;
        const long double x = a.values[static_cast<std::size_t>(i + k * a.rows)],
                          y = b.values[static_cast<std::size_t>(k + j * b.rows)];
        if (is_floating(n.type))
          sum += x * y;
        else
          whole += wrapped(x) * wrapped(y);
      }
      const auto signed_sum = static_cast<std::int64_t>(whole);
      result.values.push_back(
          rounded(n.type, is_floating(n.type) ? sum : static_cast<long double>(signed_sum)));
    }
  return result;
}

}  // namespace fusecl::ir
