#pragma once
// Statements of numbers alone are computed on the host: a launch and a wait take longer, and a kernel would
// have to be built.

#include <fusion/base/environment.hpp>
#include <fusion/base/small_buffer.hpp>
#include <fusion/eval/validate.hpp>
#include <fusion/eval/warm_plan.ipp>
#include <fusion/ir/interpret_collectives.ipp>

namespace fusecl::detail {

/// Values of the nodes of a graph in which all is one number.
class number_interpreter {
 public:
  number_interpreter(const ir::graph& g, const binder& bound) : g_(g), bound_(bound) {}

  /// False where a node is no number or no function of numbers.
  bool run() {
    for (ir::node_id id = 0; id < g_.size(); ++id) {
      const ir::node& n = g_[id];
      if (g_.resolve(n.rows) != ir::one || g_.resolve(n.cols) != ir::one) return false;
      long double value = 0;
      if (!compute(n, value)) return false;
      values_.push_back(value);
    }
    return true;
  }
  long double operator[](ir::node_id id) const { return values_[static_cast<std::size_t>(id)]; }

 private:
  bool compute(const ir::node& n, long double& value) const {
    if (n.is(ir::leaf_operations::scalar))
      value = number_in<long double>(bound_.scalars()[static_cast<std::size_t>(n.index)]);
    else if (n.is(ir::leaf_operations::constant))
      value = n.value;
    else if (n.op->kind == ir::op_class::reduction && !n.op->running)  // of one element
      value = ir::rounded(n.type, ir::detail::combined(n, ir::detail::neutral_of(n), (*this)[n.operands[0]]));
    else
      return compute_function(n, value);
    return true;
  }
  bool compute_function(const ir::node& n, long double& value) const {
    constexpr int most = 8;
    const int arity = ir::arity(n);
    const bool converts = n.is(ir::leaf_operations::cast) || n.is(ir::leaf_operations::broadcast);
    const bool is_known = n.op->kind == ir::op_class::elementwise && arity <= most && !n.op->brings &&
                          (n.op->host || n.op->host_integer);
    if (!converts && !is_known) return false;
    long double operands[most] = {};
    for (int k = 0; k < arity; ++k) operands[k] = (*this)[n.operands[k]];
    value = ir::interpret_at_place(g_, n, operands);
    return true;
  }

  const ir::graph& g_;
  const binder& bound_;
  small_buffer<long double, 64> values_;
};

/// Whether all results are numbers that the host waits for, and follow from numbers alone: they are computed
/// here then, or only counted as known where statements are only prepared.
inline bool compute_on_host(const statement& s, const binder& bound) {
  if (!bound.matrices().empty() || validates) return false;
  static const bool may = switch_is_on("FUSECL_HOST_NUMBERS", true);
  if (!may) return false;
  for (std::size_t k = 0; k < s.result_count; ++k)
    if (!s.results[k].on_host) return false;
  const ir::graph& g = find_warm_plan(s, bound).alternatives[0].prepared->plan().graph;
  number_interpreter values(g, bound);
  if (!values.run()) return false;
  for (std::size_t k = 0; k < s.result_count && !preparing; ++k) {
    number_on_host& result = *s.results[k].on_host;
    result.value = ir::rounded(result.type, values[g.roots[k]]);
    result.is_known = true;
  }
  return true;
}

}  // namespace fusecl::detail
