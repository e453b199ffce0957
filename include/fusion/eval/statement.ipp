#pragma once
#include <stdexcept>
#include <string>

#include <fusion/eval/statement.hpp>

namespace fusecl::detail {

FUSECL_INLINE const statement& derived_statement::complete() {
  whole_.derived = this;
  whole_.results = results_.data();
  whole_.result_count = results_.size();
  // what follows the expressions' words says itself how long it is
  bound_.choice(rule->number);
  bound_.choice(static_cast<std::uint32_t>(variables.size()));
  for (const passes::variable& v : variables)
    bound_.choice(static_cast<std::uint32_t>(v.number) << 2 | (v.again ? 2u : 0u) | (v.matrix ? 1u : 0u));
  bound_.choice(static_cast<std::uint32_t>(given.size()));
  for (const given_root& r : given) bound_.choice(r.of << 3 | static_cast<std::uint32_t>(r.name));
  bound_.choice(static_cast<std::uint32_t>(results_.size()));
  for (const result_slot& r : results_) bound_.choice(static_cast<std::uint32_t>(r.type));
  return whole_;
}

/// Results of one size are walked together.
inline void unify_common_sizes(ir::graph& g, const statement& s) {
  ir::node_id first = ir::no_node;
  for (std::size_t k = 0; !s.derived && k < s.result_count; ++k) {
    if (!s.results[k].common) continue;
    if (first == ir::no_node) first = g.roots[k];
    for (const auto& [a, b] :
         {std::pair(g[first].rows, g[g.roots[k]].rows), std::pair(g[first].cols, g[g.roots[k]].cols)})
      if (a != ir::one && b != ir::one) g.unify(a, b);
  }
}

FUSECL_INLINE ir::graph lower_statement(const statement& s, const binder& bound, bool folds) {
  ir::graph g;
  lowering low(g, bound, folds);
  const std::size_t expressions = s.derived ? s.derived->values : s.result_count;
  for (std::size_t k = 0; k < expressions; ++k) g.roots.push_back(s.lower(s.expressions, k, low));
  unify_common_sizes(g, s);
  bool parts = false;
  for (std::size_t k = 0; k < s.result_count; ++k) parts = parts || s.results[k].part;
  for (std::size_t k = 0; parts && k < s.result_count; ++k) {
    const std::uint32_t word = low.next_word();
    ir::root_place& place = g.places.emplace_back();
    if (!s.results[k].part) continue;
    const ir::extent offset = low.extents();
    place = {true, map_of(word, offset), low.extents(), s.results[k].brings};
    g.bring(place.brings);
  }
  if (s.derived) {
    for (std::size_t k = 0; k < s.derived->given.size(); ++k) g.roots.push_back(low.matrix());
    g = s.derived->rule->apply(std::move(g), *s.derived);
  }
  for (std::size_t k = 0; k < s.result_count; ++k)
    if (s.results[k].target) g.roots[k] = g.cast(s.results[k].type, g.roots[k]);
  return g;
}

FUSECL_INLINE void check_results(const statement& s) {
  for (std::size_t k = 0; k < s.result_count; ++k) {
    const result_slot& r = s.results[k];
    if (r.rows < 0 || r.cols < 0)
      throw std::invalid_argument(
          std::string("evaluation: ") + (r.rows < 0 ? "rows" : "columns") + " of " + r.name +
          " are not determined by the expression; give it a size, as in constant(x, rows, cols)");
  }
}

}  // namespace fusecl::detail
