#pragma once
#include <algorithm>
#include <mutex>
#include <utility>

#include <fusion/autodiff/function_of_numbers.hpp>
#include <fusion/base/list_of.hpp>
#include <fusion/ir/interpret.hpp>
#include <fusion/passes/differentiate.hpp>

namespace fusecl::detail {

/// A graph with an operation of doubles and its derivatives by each of them.
inline ir::graph with_partials(const ir::operation& f) {
  ir::graph g;
  list_of<ir::node_id> operands;
  list_of<passes::variable> variables;
  for (std::int64_t k = 0; k < f.arity; ++k) {
    operands.push_back(g.scalar(scalar_type::float64, k));
    variables.push_back({false, k});
  }
  g.roots.push_back(g.apply(f, operands.data()));
  return passes::differentiate(passes::ready_for_derivatives(g), variables);
}

/// The same, made once.
inline const ir::graph& partials_of(const ir::operation& f) {
  static std::mutex& mutex = *new std::mutex;
  static auto& known = *new list_of<std::pair<const ir::operation*, const ir::graph*>>;
  const std::lock_guard lock(mutex);
  for (const auto& [operation, graph] : known)
    if (operation == &f) return *graph;
  known.push_back({&f, new ir::graph(with_partials(f))});
  return *known.back().second;
}

class function_entry : public scalar_entry {
 public:
  function_entry(double value, const ir::operation& f, std::initializer_list<number_operand> x)
      : scalar_entry(value), function_(f) {
    std::copy(x.begin(), x.end(), operands_);
  }
  void start_gradient() override { set_adjoint(0); }
  void reverse() override {
    if (!has_adjoint()) return;
    const ir::graph& g = partials_of(function_);
    ir::host_bindings bindings;
    for (int k = 0; k < function_.arity; ++k) bindings.scalars.push_back(operands_[k].value);
    const list_of<ir::host_matrix> values = ir::interpret(g, bindings);
    for (std::size_t k = 0; k < static_cast<std::size_t>(function_.arity); ++k)
      if (operands_[k].variable) {
        const auto partial = static_cast<std::size_t>(g.roots[1 + k]);
        pass_on(*operands_[k].variable, static_cast<double>(values[partial].values[0]));
      }
  }

 private:
  const ir::operation& function_;
  number_operand operands_[3] = {};
};

FUSECL_INLINE scalar_entry* record_function(const ir::operation& f, std::initializer_list<number_operand> x) {
  long double operands[3] = {};
  std::transform(x.begin(), x.end(), operands, [](const number_operand& each) { return each.value; });
  return this_thread_tape().record<function_entry>(static_cast<double>(f.host(operands)), f, x);
}

}  // namespace fusecl::detail
