#pragma once
#include <bit>
#include <cmath>
#include <sstream>
#include <stdexcept>

#include <fusion/eval/error_bounds.hpp>
#include <fusion/eval/read_operands.hpp>
#include <fusion/eval/validate.hpp>
#include <fusion/runtime/counters.hpp>

namespace fusecl::detail {

FUSECL_INLINE std::string graph_difference(const ir::graph& known, const ir::graph& anew) {
  const auto same = [&](ir::node_id id) {
    const ir::node &a = known[id], &b = anew[id];
    if (a.op != b.op || a.type != b.type || a.index != b.index || a.view != b.view || a.map != b.map)
      return false;
    if (std::bit_cast<std::uint64_t>(a.value) != std::bit_cast<std::uint64_t>(b.value)) return false;
    for (int k = 0; k < ir::arity(a); ++k)
      if (a.operands[k] != b.operands[k]) return false;
    return known.resolve(a.rows) == anew.resolve(b.rows) && known.resolve(a.cols) == anew.resolve(b.cols);
  };
  const auto text = [](const ir::graph& g, ir::node_id id) {
    return id < g.size() ? std::string(cpp_name(g[id].type)) + " " + ir::formula(g, id) : "nothing";
  };
  for (ir::node_id id = 0; id < std::max(known.size(), anew.size()); ++id)
    if (id >= known.size() || id >= anew.size() || !same(id))
      return "node %" + std::to_string(id) + " is " + text(anew, id) + ", in the plan it is " +
             text(known, id);
  if (known.roots != anew.roots) return "the results are other nodes than in the plan";
  return {};
}

/// Host memory that a result was read to, as the interpreter has values.
inline ir::host_matrix read_result(const result_slot& r) {
  binder one;
  one.matrix({r.target->storage().get(), r.rows, r.cols, r.type, matrix_cl_view::Entire, false});
  return read_operands(one).matrices[0];
}

/// Evaluations go on counting as if nothing had been checked.
struct uncounted {
  counters before = runtime::thread_counters;
  ~uncounted() { runtime::thread_counters = before; }
};

FUSECL_INLINE expected_results::side expected_results::interpreted(const ir::graph& g,
                                                                   const ir::host_bindings& operands) {
  side result{ir::interpret(g, operands), {}};
  result.errors = carried_errors(g, result.values, operands);
  return result;
}

FUSECL_INLINE expected_results::expected_results(const statement& s, const binder& bound,
                                                 const prepared_plan& prepared)
    : prepared_(prepared) {
  const uncounted here;
  const ir::graph anew = lower_statement(s, bound, prepared.folds());
  if (const std::string difference = graph_difference(prepared.written(), anew); !difference.empty())
    throw std::logic_error("FUSECL_VALIDATE: a statement found a plan that is not its own: " + difference);
  for (ir::node_id id = 0; id < anew.size(); ++id)
    comparable_ = comparable_ && (anew[id].op->kind != ir::op_class::elementwise || anew[id].op->host ||
                                  anew[id].op->host_integer);
  if (!comparable_) return;
  const ir::host_bindings operands = read_operands(bound);
  written_ = interpreted(anew, operands);
  passed_ = interpreted(prepared.plan().graph, operands);
}

FUSECL_INLINE void expected_results::compare(const statement& s) const {
  if (!comparable_) return;
  const uncounted here;
  const ir::graph &g = prepared_.written(), &after = prepared_.plan().graph;
  for (std::size_t k = 0; k < s.result_count; ++k) {
    const result_slot& r = s.results[k];
    const ir::host_matrix got = read_result(r);
    const auto root = static_cast<std::size_t>(g.roots[k]), twin = static_cast<std::size_t>(after.roots[k]);
    for (std::int64_t j = 0; j < r.cols; ++j)
      for (std::int64_t i = 0; i < r.rows; ++i) {
        const auto at = [&](const side& from, std::size_t node) {
          const ir::host_matrix& m = from.values[node];
          return static_cast<std::size_t>((m.rows == 1 ? 0 : i) + (m.cols == 1 ? 0 : j) * m.rows);
        };
        const matrix_cl_view view = r.target->view();
        const bool unread = (i > j && !contains_nonzero(view, matrix_cl_view::Lower)) ||
                            (i < j && !contains_nonzero(view, matrix_cl_view::Upper));
        const long double found = unread ? 0 : got.values[static_cast<std::size_t>(i + j * r.rows)];
        const std::size_t a = at(written_, root), b = at(passed_, twin);
        long double wanted = written_.values[root].values[a];
        // the passes may have rewritten what the bound was carried through
        long double bound = 4 * written_.errors[root][a] + passed_.errors[twin][b];
        if (!std::isfinite(wanted) || !std::isfinite(bound)) {  // a rewrite may avoid an overflow
          wanted = passed_.values[twin].values[b];
          bound = passed_.errors[twin][b];
        }
        if (distance(found, wanted) <= bound || !std::isfinite(bound)) continue;
        std::ostringstream text;
        text.precision(17);
        text << "FUSECL_VALIDATE: element (" << i << ", " << j << ") of result " << k << ", "
             << ir::formula(g, g.roots[k]) << ", is " << static_cast<double>(found) << " on the device and "
             << static_cast<double>(wanted) << " (within " << static_cast<double>(bound)
             << ") by the interpreter";
        throw std::logic_error(text.str());
      }
  }
}

}  // namespace fusecl::detail
