#pragma once
#include <algorithm>
#include <cstdio>
#include <ostream>

#include <fusion/base/fill.hpp>
#include <fusion/base/list_of.hpp>
#include <fusion/eval/explain.hpp>
#include <fusion/eval/prepared.hpp>
#include <fusion/ir/needed_parts.hpp>
#include <fusion/passes/pass.hpp>
#include <fusion/runtime/profiling.hpp>

namespace fusecl {
namespace detail {

/// Geometry a step would be launched with.
FUSECL_INLINE schedule::geometry usual_geometry(const prepared_plan& prepared, const binder& bound,
                                                std::size_t k) {
  const bool padded = are_padded(bound);
  return geometry_of(prepared, sizes_of(bound), k, padded, padded);
}

FUSECL_INLINE std::int64_t plan_size(const schedule::plan& p, const binder& bound, ir::extent e) {
  return p.size_of(e, sizes_of(bound));
}

/// Elements of an operand that a step reads: fewer than all where views leave others out, and where only
/// accesses use it.
FUSECL_INLINE std::int64_t elements_read(const schedule::plan& plan, const schedule::step& s,
                                         const binder& bound, std::int64_t slot) {
  const matrix_operand& m = bound.matrices()[static_cast<std::size_t>(slot)];
  const std::int64_t most = elements_in(m.view, m.rows, m.cols);
  const ir::graph& g = plan.graph;
  const auto is_given = [&](ir::node_id id) { return plan.is_given(s, id); };
  const list_of<ir::node_id> walked = s.walked_values(g);
  const ir::sparse_node_map<matrix_cl_view> needed =
      ir::needed_parts(g, plan.cone(s, walked), walked, s.domain_parts(g, true), is_given);
  const auto within = [&](ir::node_id id) {
    const ir::node& n = g[id];
    const std::int64_t rows = plan_size(plan, bound, n.rows), cols = plan_size(plan, bound, n.cols);
    const bool in_domain = g.resolve(n.rows) == s.rows && g.resolve(n.cols) == s.cols;
    const matrix_cl_view* part = needed.find(id);
    const matrix_cl_view looked_at =
        in_domain && part != nullptr ? both(s.part, *part) : matrix_cl_view::Entire;
    return elements_in(both(looked_at, n.view), rows, cols);
  };
  std::int64_t accessed = 0;
  for (ir::node_id user = 0; user < g.size(); ++user)
    for (int k = 0; k < ir::arity(g[user]); ++k) {
      const ir::node_id id = g[user].operands[k];
      if (!g[id].is(ir::leaf_operations::matrix) || g[id].index != slot) continue;
      if (g[user].op->kind != ir::op_class::access) return within(id);
      accessed += within(user);
    }
  if (accessed > 0) return std::min(accessed, most);
  for (ir::node_id id = 0; id < g.size(); ++id)
    if (g[id].is(ir::leaf_operations::matrix) && g[id].index == slot) return within(id);
  return most;
}

/// Adds what one kernel reads and writes, by its arguments.
FUSECL_INLINE void count_bytes(explanation& e, const codegen::kernel_text& kernel, const schedule::plan& plan,
                               const schedule::geometry& shape, const schedule::step& s,
                               const statement& statement, const binder& bound) {
  for (const codegen::argument& a : kernel.arguments) {
    std::int64_t bytes = 0;
    const auto number = static_cast<std::size_t>(a.number);
    if (a.kind == codegen::argument_kind::operand) {
      const matrix_operand& m = bound.matrices()[number];
      bytes = elements_read(plan, s, bound, a.number) * static_cast<std::int64_t>(size_of(m.type));
    } else if (a.kind == codegen::argument_kind::target) {
      const result_slot& r = statement.results[number];
      if (r.number >= 0) {  // and those beside it
        const auto add = [&](const list_of<schedule::store>& list) {
          for (const schedule::store& to : list)
            if (to.place.number >= 0) bytes += static_cast<std::int64_t>(size_of(plan.graph[to.value].type));
        };
        add(s.stores);
        add(s.epilogue);
        add(s.after_sums);
        for (const schedule::phase& p : s.phases) add(p.stores);
        e.bytes_written += bytes;
        continue;
      }
      const bool in_domain = std::any_of(s.stores.begin(), s.stores.end(), [&](const schedule::store& to) {
        return to.to == schedule::buffer{schedule::buffer_kind::target, a.number};
      });
      bytes = elements_in(in_domain ? s.part : matrix_cl_view::Entire, r.rows, r.cols) *
              static_cast<std::int64_t>(size_of(r.type));
    } else if (a.kind == codegen::argument_kind::temporary) {
      const schedule::temporary& t = plan.temporaries[number];
      bytes = plan_size(plan, bound, t.rows) * plan_size(plan, bound, t.cols) *
              static_cast<std::int64_t>(size_of(t.type));
    } else if (a.kind == codegen::argument_kind::partial) {
      const bool together = shape.bytes_together > 0;  // one buffer with the parts of all
      const std::size_t first = together ? 0 : number,
                        end = together ? shape.part_elements.size() : number + 1;
      for (std::size_t k = first; k < end; ++k) bytes += schedule::bytes_of_part(plan, s, shape, k);
    }
    (a.written ? e.bytes_written : e.bytes_read) += bytes;
    if (a.kind == codegen::argument_kind::partial && shape.kernel.last) e.bytes_read += bytes;
  }
}

/// Which plans there are for these sizes, which one holds, and how each of its steps is walked at what cost.
FUSECL_INLINE std::string decisions(const prepared_statement& all, const prepared_plan& chosen,
                                    const binder& bound) {
  std::string out;
  for (std::size_t a = 0; a < all.alternatives.size(); ++a) {
    const prepared_plan& candidate = *all.alternatives[a];
    const list_of<schedule::step>& steps = candidate.plan().steps;
    const bool tiles =
        std::any_of(steps.begin(), steps.end(), [](const schedule::step& s) { return s.is_tile(); });
    out += text::fill(
        "plan {} of {}, {}{}: ",
        {a + 1, all.alternatives.size(), tiles ? "rows stay on the chip" : "steps one after the other",
         candidate.plan().joins_sums ? ", reductions of a product with it" : ""});
    std::size_t misfit = 0;
    while (misfit < steps.size() && usual_geometry(candidate, bound, misfit).groups >= 0) ++misfit;
    if (&candidate == &chosen)
      out += "taken\n";
    else if (misfit < steps.size() && steps[misfit].opaque)
      out += text::fill(
          "does not fit: step {} is quicker without the reductions, since groups share its terms, is empty, "
          "or has rows or columns whose parts would be too many or lie in both halves of a product\n",
          {misfit});
    else if (misfit < steps.size())
      out += text::fill("does not fit: {} rows of step {} are too long for a group\n",
                        {plan_size(candidate.plan(), bound, steps[misfit].rows), misfit});
    else
      out += "holds for all sizes, but comes later\n";
  }
  for (std::size_t k = 0; k < chosen.plan().steps.size(); ++k) {
    const schedule::step& step = chosen.plan().steps[k];
    const schedule::geometry shape = usual_geometry(chosen, bound, k);
    if (shape.groups <= 0) {
      out += text::fill("step {}: nothing to do\n", {k});
      continue;
    }
    char flops[80];
    if (const auto own_flops = kinds::kind_of(shape).flops)
      std::snprintf(flops, sizeof flops, "%.3g flops and %.3g an element besides",
                    own_flops(chosen.plan(), step, sizes_of(bound)), step.flops);
    else
      std::snprintf(flops, sizeof flops, "%.3g flops an element", step.flops);
    out += text::fill("step {}: {} ({}), {}, {} groups of {}, vectors of {}",
                      {k, kinds::kind_of(shape).name, kinds::kind_of(shape).walk, flops, shape.groups,
                       shape.local, int{shape.kernel.width}});
    if (shape.kernel.partial) {
      std::int64_t parts = 0;
      for (std::int64_t elements : shape.part_elements) parts += elements;
      out += text::fill(", {} partial results", {parts});
      out += !shape.round_groups.empty() ? ""
             : shape.failed              ? " that a second kernel looks through"
             : shape.kernel.last         ? " that the last group adds"
                                         : " that a second kernel adds";
      if (!shape.round_groups.empty())
        out += text::fill(" of {} rounds with up to {} groups that another kernel finishes",
                          {shape.round_groups.size(),
                           *std::max_element(shape.round_groups.begin(), shape.round_groups.end())});
    }
    out += "\n";
  }
  return out;
}

/// What makes a statement of float matrices one of double: host numbers, which are double unless written as
/// float.
FUSECL_INLINE std::string note_on_numbers(const binder& bound) {
  bool floats = false;
  for (const matrix_operand& m : bound.matrices()) {
    if (m.type == scalar_type::float64) return {};
    floats = floats || m.type == scalar_type::float32;
  }
  std::string numbers;
  for (const scalar_operand& s : bound.scalars()) {
    if (s.type != scalar_type::float64 || s.identity != nullptr) continue;
    char text[32];
    std::snprintf(text, sizeof text, numbers.empty() ? "%g" : ", %g", number_in(s));
    numbers += text;
  }
  if (!floats || numbers.empty()) return {};
  return "computed in double, since numbers among float operands are double: " + numbers +
         ". Written as float (0.5f) they leave it in float, which most devices compute several times as fast";
}

/// What the kernels took when they ran last with these sizes.
FUSECL_INLINE void add_measured(explanation& e, prepared_plan& prepared, const binder& bound) {
  const list_of<double> seconds = prepared.seconds(sizes_of(bound));
  if (seconds.size() != e.kernels.size()) return;
  for (std::size_t k = 0; k < seconds.size(); ++k) {
    e.kernels[k].measured_seconds = seconds[k];
    e.measured_seconds += seconds[k];
  }
}

FUSECL_INLINE explanation explain_statement(const statement& s, const binder& bound) {
  check_results(s);
  explanation e;
  const prepared_statement& all = plan_for(s, bound);
  check_operand_sizes(all.written(), bound);
  prepared_plan& prepared =
      all.choose(sizes_of(bound), all_alternatives(are_padded(bound)), all_alternatives(true));
  ir::graph g = prepared.written();
  e.graphs.emplace_back("as written", ir::to_string(g));
  for (const passes::pass* p : passes::pipeline()) {
    g = p->run(g);
    e.graphs.emplace_back(std::string("after ") + p->name, ir::to_string(g));
  }
  e.dot = ir::to_dot(g);
  list_of<std::string_view> walks;
  for (std::size_t k = 0; k < prepared.plan().steps.size(); ++k) {
    const schedule::step& step = prepared.plan().steps[k];
    const schedule::geometry shape = usual_geometry(prepared, bound, k);
    walks.push_back(kinds::kind_of(shape).name);
    if (shape.groups == 0) continue;
    const compiled_step& compiled = prepared.compiled(k, shape);
    e.kernels.push_back({compiled.text.main.name, compiled.text.source, step.reason});
    for (std::size_t round = 1; round < shape.round_groups.size(); ++round)
      e.kernels.push_back({compiled.text.main.name, compiled.text.source, "it is a further round"});
    count_bytes(e, compiled.text.main, prepared.plan(), shape, step, s, bound);
    if (compiled.finish) {
      e.kernels.push_back({compiled.text.finish.name, compiled.text.source,
                           !shape.round_groups.empty() ? "it finishes what the rounds left"
                           : shape.failed              ? "it finds the first that could not be done"
                                                       : "it adds what the groups left"});
      count_bytes(e, compiled.text.finish, prepared.plan(), shape, step, s, bound);
    }
    e.flops +=
        step.flops * static_cast<double>(elements_in(step.part, plan_size(prepared.plan(), bound, step.rows),
                                                     plan_size(prepared.plan(), bound, step.cols)));
    if (const auto own_flops = kinds::kind_of(shape).flops)
      e.flops += own_flops(prepared.plan(), step, sizes_of(bound));
  }
  e.plan = schedule::to_string(prepared.plan(), walks) + "\n" + decisions(all, prepared, bound);
  e.bandwidth = copy_bandwidth();
  e.predicted_seconds = static_cast<double>(e.bytes_read + e.bytes_written) / e.bandwidth;
  add_measured(e, prepared, bound);
  e.device = opencl_context.capabilities().name;
  e.note = note_on_numbers(bound);
  return e;
}

/// What a program computes, for those who count what is in it.
inline std::string without_comments(const std::string& text) {
  std::string code;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    const std::string kept = line.substr(0, line.find("//"));
    if (kept.find_first_not_of(' ') != std::string::npos || line.empty())
      code += kept.substr(0, kept.find_last_not_of(' ') + 1) + "\n";
    at = end + 1;
  }
  return code;
}

FUSECL_INLINE std::string commented_kernels_of(const statement& s, const binder& bound) {
  check_results(s);
  const prepared_statement& all = plan_for(s, bound);
  check_operand_sizes(all.written(), bound);
  prepared_plan& prepared =
      all.choose(sizes_of(bound), all_alternatives(are_padded(bound)), all_alternatives(true));
  std::string text;
  for (std::size_t k = 0; k < prepared.plan().steps.size(); ++k) {
    const schedule::geometry shape = usual_geometry(prepared, bound, k);
    if (shape.groups > 0) text += prepared.compiled(k, shape).text.source + "\n";
  }
  return text;
}

FUSECL_INLINE std::string kernel_source_of(const statement& s, const binder& bound) {
  return without_comments(commented_kernels_of(s, bound));
}

FUSECL_INLINE matrix_cl_view view_of_statement(const statement& s, const binder& bound) {
  const ir::graph g = passes::run_pipeline(lower_statement(s, bound));
  return g[g.roots[0]].view;
}

}  // namespace detail

FUSECL_INLINE std::string explanation::text() const {
  char line[200];
  std::snprintf(line, sizeof line, "%zu launch%s, reads %lld bytes, writes %lld bytes, %.3g flops\n",
                kernels.size(), kernels.size() == 1 ? "" : "es", static_cast<long long>(bytes_read),
                static_cast<long long>(bytes_written), flops);
  std::string out = line;
  std::snprintf(line, sizeof line, "%.3g us expected, at the copy bandwidth of ", predicted_seconds * 1e6);
  out += line + device + "\n";
  if (measured_seconds > 0) {
    std::snprintf(line, sizeof line, "%.3g us measured when it ran last, %.0f %% of that bandwidth\n",
                  measured_seconds * 1e6, 100 * predicted_seconds / measured_seconds);
    out += line;
  } else if (!kernels.empty()) {
    out += "not measured: with FUSECL_PROFILE=1 in the environment this shows how long the last run took\n";
  }
  out += (note.empty() ? "" : note + "\n") + "\n";
  const std::string* before = nullptr;
  for (const auto& [stage, graph] : graphs) {
    if (!before || *before != graph) out += "graph " + stage + ":\n" + graph + "\n";
    before = &graph;
  }
  out += plan + "\n";
  std::string shown;
  for (const explained_kernel& k : kernels) {
    out += "kernel " + k.name + (k.reason.empty() ? "" : ", apart because " + k.reason);
    std::snprintf(line, sizeof line, ", %.3g us measured", k.measured_seconds * 1e6);
    out += std::string(k.measured_seconds > 0 ? line : "") + "\n";
    if (k.source == shown) continue;
    shown = k.source;
    out += "\n" + k.source + "\n";
  }
  return out;
}

FUSECL_INLINE std::ostream& operator<<(std::ostream& out, const explanation& e) { return out << e.text(); }

}  // namespace fusecl
