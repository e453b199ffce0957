#pragma once
#include <fusion/base/list_of.hpp>
#include <fusion/eval/prepared.hpp>
#include <fusion/eval/read_operands.hpp>
#include <fusion/eval/reference.hpp>
#include <fusion/passes/pass.hpp>

namespace fusecl::detail {

FUSECL_INLINE ir::host_matrix reference_value(const statement& s, const binder& bound, bool passes) {
  check_results(s);
  for (const operand_check& c : bound.checks())
    if (c.sizes < 0) c.run(c.what, free_size, free_size);
  ir::graph g = lower_statement(s, bound);
  check_operand_sizes(g, bound);
  if (passes) g = passes::run_pipeline(g);
  list_of<ir::host_matrix> values = ir::interpret(g, read_operands(bound));
  ir::host_matrix& value = values[static_cast<std::size_t>(g.roots[0])];
  // a node of extent one stands for any size; the statement knows which
  if (value.values.size() == 1 && s.results[0].rows * s.results[0].cols != 1)
    value.values.assign(static_cast<std::size_t>(s.results[0].rows * s.results[0].cols), value.values[0]);
  value.rows = s.results[0].rows;
  value.cols = s.results[0].cols;
  return value;
}

}  // namespace fusecl::detail
