#pragma once
// Matrices without a device: operands for tests of everything that comes before the launch of a kernel.

#include <cstdint>
#include <memory>
#include <vector>

#include <fusion/eval/prepared.hpp>
#include <fusion/expr/statistics.hpp>
#include <fusion/ir/interpret.hpp>

namespace fusecl::test {

/// An operand of an expression; equal numbers stand for the same memory.
template <element T>
struct placeholder : expression<placeholder<T>> {
  static constexpr scalar_type type = scalar_type_v<T>;
  static constexpr bool is_scalar = false;
  int number;
  std::int64_t rows_;
  std::int64_t cols_;
  matrix_cl_view view_;

  explicit placeholder(int memory, std::int64_t rows = 5, std::int64_t cols = 5,
                       matrix_cl_view view = matrix_cl_view::Entire)
      : number(memory), rows_(rows), cols_(cols), view_(view) {}
  std::int64_t rows() const { return rows_; }
  std::int64_t cols() const { return cols_; }
  void gather(binder& b) const {
    static char memory[100];
    b.matrix({memory + number, rows_, cols_, type, view_, true});
  }
  ir::node_id lower(lowering& low) const { return low.matrix(); }
};

/// A statement before the passes, with what its walk collected.
struct lowered_statement {
  std::unique_ptr<binder> bound;
  ir::graph graph;

  std::vector<std::uint32_t> key() const { return {bound->key().begin(), bound->key().end()}; }
  list_of<std::int64_t> extents() const { return {bound->extents().begin(), bound->extents().end()}; }
};

/// The graph of a statement that evaluates these expressions together.
template <expression_like... Es>
lowered_statement lowered(const Es&... es) {
  lowered_statement result{std::make_unique<binder>(), {}};
  const void* expressions[] = {&es...};
  detail::result_slot slots[sizeof...(Es)] = {};
  (es.gather(*result.bound), ...);
  result.graph = detail::lower_statement(
      {nullptr, expressions, detail::lower_nth<Es...>, slots, sizeof...(Es)}, *result.bound);
  return result;
}

/// Values of the results of a graph.
inline list_of<ir::host_matrix> results_of(const ir::graph& g, const ir::host_bindings& bindings) {
  const list_of<ir::host_matrix> all = ir::interpret(g, bindings);
  list_of<ir::host_matrix> results;
  for (ir::node_id root : g.roots) results.push_back(all[static_cast<std::size_t>(root)]);
  return results;
}

}  // namespace fusecl::test
