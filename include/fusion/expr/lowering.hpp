#pragma once
// The walk that turns a typed expression into nodes of a graph. It reads the binder's key in the order in
// which the binder wrote it.

#include <fusion/base/list_of.hpp>
#include <fusion/expr/binder.hpp>
#include <fusion/ir/graph.hpp>

namespace fusecl {

class lowering {
 public:
  /// `folds` false makes arguments of host numbers with special values too.
  lowering(ir::graph& g, const binder& bound, bool folds = true) : graph_(g), bound_(bound), folds_(folds) {}
  /// For formulas: host numbers become constants of type `constants`.
  lowering(ir::graph& g, const binder& bound, scalar_type constants)
      : graph_(g), bound_(bound), is_formula_(true), constants_(constants) {}

  ir::graph& graph() { return graph_; }
  /// Whether operands have no values, nor sizes.
  bool is_formula() const { return is_formula_; }
  std::uint32_t next_word() { return bound_.key()[word_++]; }
  void skip_identity() { word_ += 2; }

  ir::node_id apply(const ir::operation& op, ir::node_id a);
  /// `matrices` has a bit for each operand that is a matrix (detail::matrices_among): where one of them has a
  /// single element, so have the others.
  ir::node_id apply(const ir::operation& op, const ir::node_id* operands, std::uint32_t matrices);
  ir::node_id matrix();
  /// A matrix of one element as a scalar.
  ir::node_id number_of_device();
  ir::node_id scalar(scalar_type type);
  /// The two symbols of the next stated sizes.
  ir::extent extents();

  /// Lowers a shared sub-expression once.
  template <class E>
  ir::node_id shared(const E& e) {
    const std::uint32_t seen = next_word();
    if (seen != 0) return shared_[seen - 1];
    const std::size_t number = shared_.size();
    shared_.push_back(ir::no_node);
    return shared_[number] = e.lower(*this);
  }

 private:
  const matrix_operand& next_matrix(std::size_t& slot);

  ir::graph& graph_;
  const binder& bound_;
  bool folds_ = true;
  bool is_formula_ = false;
  scalar_type constants_ = scalar_type::float64;
  std::size_t word_ = 0;
  std::int64_t scalars_ = 0;
  ir::extent stated_ = 0;
  std::size_t slots_ = 0;
  list_of<ir::node_id> shared_;
};

}  // namespace fusecl

#ifndef FUSECL_SPLIT
#include <fusion/expr/lowering.ipp>
#endif
