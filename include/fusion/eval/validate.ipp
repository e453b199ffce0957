#pragma once
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include <fusion/base/fill.hpp>
#include <fusion/base/list_of.hpp>
#include <fusion/eval/evaluate.hpp>
#include <fusion/eval/read_operands.hpp>
#include <fusion/eval/validate.hpp>
#include <fusion/ops/error_bounds.hpp>
#include <fusion/passes/pass.hpp>
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
  const auto shown = [](const ir::graph& g, ir::node_id id) -> std::string {
    return id < g.size() ? text::fill("{} {}", {cpp_name(g[id].type), ir::formula(g, id)}) : "nothing";
  };
  for (ir::node_id id = 0; id < std::max(known.size(), anew.size()); ++id)
    if (id >= known.size() || id >= anew.size() || !same(id))
      return text::fill("node %{} is {}, in the plan it is {}", {id, shown(anew, id), shown(known, id)});
  if (known.roots != anew.roots) return "the results are other nodes than in the plan";
  for (std::size_t k = 0; k < known.roots.size(); ++k) {
    const ir::root_place a = known.place_of(k), b = anew.place_of(k);
    if (a.is_part != b.is_part || a.number != b.number || a.map != b.map ||
        known.resolve(a.rows) != anew.resolve(b.rows))
      return text::fill("result {} goes to another place than in the plan", {k});
  }
  return {};
}

/// The memory that a result is in, or is a part of, on the host, as the interpreter has values.
FUSECL_INLINE ir::host_matrix read_result(const result_slot& r) {
  if (r.number >= 0) {
    list_of<unsigned char> bytes(size_of(r.type));
    runtime::this_thread_queue().read(*r.target->storage(),
                                      static_cast<std::size_t>(r.number) * ir::number_stride, bytes.size(),
                                      bytes.data());
    return {1, 1, values_of(r.type, bytes)};
  }
  binder one;
  const std::int64_t rows = r.part ? r.target->rows() : r.rows, cols = r.part ? r.target->cols() : r.cols;
  one.matrix({r.target->storage().get(), rows, cols, r.type, matrix_cl_view::Entire, false});
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
    : prepared_(prepared), bound_(bound) {
  switch_is_on("FUSECL_VALIDATE", true);
  const uncounted here;
  const ir::graph anew = lower_statement(s, bound, prepared.folds());
  if (const std::string difference = graph_difference(prepared.written(), anew); !difference.empty())
    throw std::logic_error(
        text::fill("FUSECL_VALIDATE: a statement found a plan that is not its own: {}", {difference}));
  for (ir::node_id id = 0; id < anew.size(); ++id)
    comparable_ =
        comparable_ &&
        (anew[id].op->kind != ir::op_class::elementwise || anew[id].op->host || anew[id].op->host_integer) &&
        anew[id].op->has_reference;
  if (!comparable_) return;
  constexpr long double most_elements = 1 << 27;
  ir::host_bindings sizes;
  sizes.extents.assign(bound.extents().begin(), bound.extents().end());
  comparable_ = ir::interpreted_elements(anew, sizes) <= most_elements;
  if (!comparable_) return;
  operands_ = read_operands(bound);
  written_ = interpreted(anew, operands_);
  after_ = passes::run_pipeline(anew);
  passed_ = interpreted(after_, operands_);
  for (std::size_t k = 0; k < s.result_count; ++k)
    before_.push_back(s.results[k].part ? read_result(s.results[k]) : ir::host_matrix{});
}

/// A matrix whose element type its slot says.
struct slot_matrix : matrix_base {
  slot_matrix() = default;
};

/// A statement that computes one node of a graph.
struct one_node : derivation {
  const ir::graph& of;
  ir::node_id node;

  one_node(const ir::graph& g, ir::node_id id) : derivation{&own_rule, 0}, of(g), node(id) {}

 private:
  static ir::graph apply(ir::graph, const derivation& d) {
    const auto& self = static_cast<const one_node&>(d);
    ir::graph g = self.of;
    g.roots = {self.node};
    g.places.clear();
    return g;
  }
  static constexpr derivation_rule own_rule{0, apply};
};

/// What this thread evaluates is not checked while it lives.
struct not_validating {
  not_validating() { is_validating = true; }
  ~not_validating() { is_validating = false; }
};

/// The values as a buffer holds them.
FUSECL_INLINE list_of<unsigned char> bytes_of(scalar_type type, const list_of<long double>& values) {
  list_of<unsigned char> bytes(values.size() * size_of(type));
  visit_type(type, [&]<class T>(T) {
    for (std::size_t k = 0; k < values.size(); ++k) {
      const T value = static_cast<T>(values[k]);
      std::memcpy(bytes.data() + k * sizeof(T), &value, sizeof(T));
    }
  });
  return bytes;
}

/// All digits of a number, be it a double or a 64-bit integer.
FUSECL_INLINE std::string digits(long double value) {
  char text[40];
  if (std::fabs(value) <= 0x1p63L && value == std::trunc(value))
    std::snprintf(text, sizeof text, "%.0Lf", value);
  else
    std::snprintf(text, sizeof text, "%.17g", static_cast<double>(value));
  return text;
}

FUSECL_INLINE std::string expected_results::first_wrong_part() const try {
  static std::atomic<std::uint32_t> parts{0};
  const not_validating here;
  binder operands(bound_, ++parts);
  list_of<runtime::storage_ref> memory;  // results may have been written over the operands
  for (std::size_t slot = 0; slot < operands_.matrices.size(); ++slot) {
    const list_of<long double>& values = operands_.matrices[slot].values;
    const list_of<unsigned char> bytes = bytes_of(bound_.matrices()[slot].type, values);
    memory.push_back(runtime::make_storage(bytes.size()));
    runtime::this_thread_queue().write(*memory.back(), 0, bytes.size(), bytes.data());
    operands.replace_storage(slot, memory.back().get());
  }
  const ir::graph& g = prepared_.written();
  for (ir::node_id id = 0; id < g.size(); ++id) {
    const auto at = static_cast<std::size_t>(id);
    const ir::host_matrix& wanted = written_.values[at];
    if (g[id].op->kind == ir::op_class::leaf) continue;
    slot_matrix target;
    result_slot slot{&target, g[id].type, wanted.rows, wanted.cols, "a part"};
    const one_node part(g, id);
    binder own(operands, ++parts);
    evaluation::run({&type_of_statement<one_node>, nullptr, nullptr, &slot, 1, &part}, own);
    const ir::host_matrix got = read_result(slot);
    for (std::size_t k = 0; k < got.values.size(); ++k) {
      const auto row = static_cast<std::int64_t>(k) % wanted.rows,
                 col = static_cast<std::int64_t>(k) / wanted.rows;
      if (is_outside(target.view(), row, col)) continue;
      const long double bound = 4 * written_.errors[at][k] + unit_of(slot.type) * std::fabs(wanted.values[k]);
      if (distance(got.values[k], wanted.values[k]) <= bound || !is_finite(bound)) continue;
      return text::fill("the first part that is wrong alone is {}: element ({}, {}) is {}, should be {}",
                        {ir::formula(g, id), row, col, digits(got.values[k]), digits(wanted.values[k])});
    }
  }
  return "each part alone is right";
} catch (const std::exception& e) {
  return text::fill("its parts cannot be evaluated alone: {}", {e.what()});
}

/// Units in the last place that sums about a pivot may lose where two passes lose none: those of a sum, about
/// 16 where the terms are nearly equal, for every element, when the pivot is far from all others
/// (passes/accumulate_together).
FUSECL_INLINE long double expected_results::units_lost() const {
  const ir::graph& g = prepared_.plan().graph;
  bool running = false;
  for (ir::node_id id = 0; id < g.size(); ++id) running = running || g[id].op->running;
  std::size_t most = 0;
  for (const ir::host_matrix& m : operands_.matrices) most = std::max(most, m.values.size());
  return running ? 16 * static_cast<long double>(most) : 0;
}

FUSECL_INLINE void expected_results::compare(const statement& s) const {
  if (!comparable_) return;
  const uncounted here;
  const ir::graph &g = prepared_.written(), &after = after_;
  const long double lost = units_lost();
  for (std::size_t k = 0; k < s.result_count; ++k) {
    const result_slot& r = s.results[k];
    const element_place place = r.part ? *r.part : element_place{};
    const ir::host_matrix got = read_result(r);
    list_of<char> written(got.values.size(), 0);
    const auto root = static_cast<std::size_t>(g.roots[k]), twin = static_cast<std::size_t>(after.roots[k]);
    for (std::int64_t j = 0; j < r.cols; ++j)
      for (std::int64_t i = 0; i < r.rows; ++i) {
        const auto at = [&](const side& from, std::size_t node) {
          const ir::host_matrix& m = from.values[node];
          // the passes turn vectors: the elements are the same in the same order
          const bool turned = m.rows == r.cols && m.cols == r.rows && (r.rows == 1 || r.cols == 1);
          if (turned) return static_cast<std::size_t>(i + j);
          return static_cast<std::size_t>((m.rows == 1 ? 0 : i) + (m.cols == 1 ? 0 : j) * m.rows);
        };
        const std::int64_t row = place.row0 + place.row_by_i * i + place.row_by_j * j;
        const std::int64_t col = place.col0 + place.col_by_i * i + place.col_by_j * j;
        const auto own = static_cast<std::size_t>(row + col * got.rows);
        if (r.part) written[own] = 1;
        const long double found = is_outside(r.target->view(), row, col) ? 0 : got.values[own];
        const std::size_t a = at(written_, root), b = at(passed_, twin);
        long double wanted = written_.values[root].values[a];
        // the passes may have rewritten what the bound was carried through
        long double bound = 4 * written_.errors[root][a] + passed_.errors[twin][b];
        if (!is_finite(wanted) || !is_finite(bound)) {  // a rewrite may avoid an overflow
          wanted = passed_.values[twin].values[b];
          bound = passed_.errors[twin][b];
        }
        bound += lost * unit_of(g[g.roots[k]].type) * std::fabs(wanted);
        if (distance(found, wanted) <= bound || !is_finite(bound)) continue;
        throw std::logic_error(text::fill(
            "FUSECL_VALIDATE: element ({}, {}) of result {}, {}, is {} on the device and {} (within {}) by "
            "the interpreter; {}",
            {i, j, k, ir::formula(g, g.roots[k]), digits(found), digits(wanted), digits(bound),
             first_wrong_part()}));
      }
    for (std::size_t own = 0; r.part && own < got.values.size(); ++own)
      if (!written[own] && distance(got.values[own], before_[k].values[own]) != 0)
        throw std::logic_error(text::fill(
            "FUSECL_VALIDATE: result {}, {}, is a part; element {} of the memory around it changed",
            {k, ir::formula(g, g.roots[k]), own}));
  }
}

}  // namespace fusecl::detail
