#pragma once
#include <fusion/ir/interpret.ipp>
#include <fusion/ops/interpret_batches.hpp>

namespace fusecl::ops {

FUSECL_INLINE batch_sizes sizes_of_batch(const ir::graph& g, const ir::host_bindings& bindings,
                                         const ir::node& n, const ir::host_matrix& a,
                                         const ir::host_matrix& b) {
  return sizes_of_batch(transposed_operands::of(n), a.rows, a.cols, b.rows,
                        ir::detail::size_of_extent(g, bindings, n.rows),
                        ir::detail::size_of_extent(g, bindings, n.cols));
}

FUSECL_INLINE ir::host_matrix interpret_batched_product(const ir::graph& g, const ir::host_bindings& bindings,
                                                        const ir::node& n,
                                                        const list_of<ir::host_matrix>& values) {
  const ir::host_matrix &a = values[static_cast<std::size_t>(n.operands[0])],
                        &b = values[static_cast<std::size_t>(n.operands[1])];
  const batch_sizes sizes = sizes_of_batch(g, bindings, n, a, b);
  ir::host_matrix result{sizes.rows, sizes.cols * sizes.count, {}};
  const auto elements = static_cast<std::size_t>(result.rows * result.cols);
  list_of<long double> sums(elements);
  list_of<std::uint64_t> wholes(elements);
  const auto wrapped = [](long double x) { return static_cast<std::uint64_t>(static_cast<std::int64_t>(x)); };
  const bool floating = is_floating(n.type);
  detail::for_each_term(transposed_operands::of(n), sizes,
                        [&](std::size_t at, std::size_t left, std::size_t right) {
                          const long double x = a.values[left], y = b.values[right];
                          if (floating)
                            sums[at] += x * y;
                          else
                            wholes[at] += wrapped(x) * wrapped(y);
                        });
  for (std::size_t k = 0; k < elements; ++k) {
    const auto whole = static_cast<long double>(static_cast<std::int64_t>(wholes[k]));
    result.values.push_back(ir::rounded(n.type, floating ? sums[k] : whole));
  }
  return result;
}

}  // namespace fusecl::ops
