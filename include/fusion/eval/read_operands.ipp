#pragma once
#include <cstring>

#include <fusion/base/list_of.hpp>
#include <fusion/eval/read_operands.hpp>
#include <fusion/runtime/queue.hpp>

namespace fusecl::detail {

FUSECL_INLINE list_of<long double> values_of(scalar_type type, const list_of<unsigned char>& bytes) {
  list_of<long double> values(bytes.size() / size_of(type));
  visit_type(type, [&]<class T>(T) {
    for (std::size_t k = 0; k < values.size(); ++k) {
      if constexpr (std::is_same_v<T, bool>) {
        values[k] = bytes[k] != 0;
      } else {
        T value;
        std::memcpy(&value, bytes.data() + k * sizeof(T), sizeof(T));
        values[k] = value;
      }
    }
  });
  return values;
}

FUSECL_INLINE ir::host_bindings read_operands(const binder& bound) {
  ir::host_bindings host;
  for (const matrix_operand& m : bound.matrices()) {
    const auto count = static_cast<std::size_t>(m.rows * m.cols);
    list_of<unsigned char> bytes(count * size_of(m.type));
    if (count > 0)
      runtime::this_thread_queue().read(*static_cast<runtime::storage*>(m.storage), 0, bytes.size(),
                                        bytes.data());
    host.matrices.push_back({m.rows, m.cols, values_of(m.type, bytes)});
  }
  for (const scalar_operand& s : bound.scalars()) host.scalars.push_back(number_in<long double>(s));
  host.extents.assign(bound.extents().begin(), bound.extents().end());
  return host;
}

}  // namespace fusecl::detail
