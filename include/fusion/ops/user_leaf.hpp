#pragma once
// Operations whose kernels users write (expr/user_leaf.hpp): what their records say besides.

#include <cstdint>
#include <string_view>

#include <fusion/base/config.hpp>
#include <fusion/base/list_of.hpp>
#include <fusion/ir/graph.hpp>
#include <fusion/ir/interpret.hpp>

namespace fusecl {

/// Rows and columns of an operand of a leaf, or of its result.
struct leaf_size {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  friend bool operator==(const leaf_size&, const leaf_size&) = default;
};

/// A whole number that the text of a leaf knows by name.
struct leaf_macro {
  std::string_view name;
  std::int64_t value;
};

/// The elements of an operand of a leaf, or of its result, on the host.
class leaf_values {
 public:
  explicit leaf_values(ir::host_matrix& m) : rows(m.rows), cols(m.cols), values_(m.values.data()) {}

  const std::int64_t rows, cols;
  long double& operator()(std::int64_t row, std::int64_t col) const { return values_[row + col * rows]; }

 private:
  long double* values_;
};

}  // namespace fusecl

namespace fusecl::ops {

/// The record of an operation whose kernel a user wrote.
struct user_leaf_operation : ir::operation {
  const std::string_view* parameters = nullptr;  ///< names of the operands
  std::string_view body;
  const leaf_macro* macros = nullptr;
  std::size_t macro_count = 0;
  bool stores_operands = false;  ///< what is computed is in memory before, as elements are read often
  int work_items = 0;            ///< of a task; 0: tasks are work-items, and groups as the device likes them
  std::int64_t (*tasks)(leaf_size result, const leaf_size* operands) = nullptr;
  void (*evaluate)(ir::host_matrix& result, ir::host_matrix* operands) = nullptr;  ///< null for none
  double task_flops = 0;                                                           ///< 0 for none known
};
inline bool is_user_leaf(const ir::node& n) { return n.op->brings == &ir::supports::user_leaves; }
inline const user_leaf_operation& user_leaf_of(const ir::node& n) {
  return static_cast<const user_leaf_operation&>(*n.op);
}

/// The node of such an operation, which computes in the floating-point type of its operands.
ir::node_id user_leaf(ir::graph& g, const user_leaf_operation& record, list_of<ir::node_id> operands,
                      ir::extent rows, ir::extent cols);

/// Throws std::logic_error where the leaf has no function `host`.
ir::host_matrix interpret_user_leaf(const ir::graph& g, const ir::host_bindings& bindings, const ir::node& n,
                                    const list_of<ir::host_matrix>& values);

}  // namespace fusecl::ops

#ifndef FUSECL_SPLIT
#include <fusion/ops/user_leaf.ipp>
#endif
