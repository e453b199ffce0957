#pragma once
#include <cstring>

#include <fusion/eval/prepared.hpp>
#include <fusion/eval/reference.hpp>
#include <fusion/passes/pass.hpp>

namespace fusecl::detail {

FUSECL_INLINE ir::host_bindings read_operands(const binder& bound) {
  ir::host_bindings host;
  for (const matrix_operand& m : bound.matrices()) {
    const auto count = static_cast<std::size_t>(m.rows * m.cols);
    std::vector<unsigned char> bytes(count * size_of(m.type));
    if (count > 0)
      runtime::this_thread_queue().read(*static_cast<runtime::storage*>(m.storage), 0, bytes.size(),
                                        bytes.data());
    ir::host_matrix values{m.rows, m.cols, std::vector<long double>(count)};
    visit_type(m.type, [&]<class T>(T) {
      for (std::size_t k = 0; k < count; ++k) {
        if constexpr (std::is_same_v<T, bool>) {
          values.values[k] = bytes[k] != 0;
        } else {
          T value;
          std::memcpy(&value, bytes.data() + k * sizeof(T), sizeof(T));
          values.values[k] = value;
        }
      }
    });
    host.matrices.push_back(std::move(values));
  }
  for (const scalar_operand& s : bound.scalars())
    visit_type(s.type, [&]<class T>(T value) {
      std::memcpy(&value, &s.bits, sizeof(T));
      host.scalars.push_back(value);
    });
  host.extents.assign(bound.extents().begin(), bound.extents().end());
  return host;
}

FUSECL_INLINE ir::host_matrix reference_value(const statement& s, const binder& bound, bool passes) {
  check_results(s);
  ir::graph g = lower_statement(s, bound);
  if (passes) g = passes::run_pipeline(g);
  std::vector<ir::host_matrix> values = ir::interpret(g, read_operands(bound));
  ir::host_matrix& value = values[static_cast<std::size_t>(g.roots[0])];
  // a node of extent one stands for any size; the statement knows which
  if (value.values.size() == 1 && s.results[0].rows * s.results[0].cols != 1)
    value.values.assign(static_cast<std::size_t>(s.results[0].rows * s.results[0].cols), value.values[0]);
  value.rows = s.results[0].rows;
  value.cols = s.results[0].cols;
  return value;
}

}  // namespace fusecl::detail
