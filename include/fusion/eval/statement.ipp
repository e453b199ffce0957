#pragma once
#include <algorithm>
#include <stdexcept>
#include <string>

#include <fusion/base/fill.hpp>
#include <fusion/base/list_of.hpp>
#include <fusion/eval/statement.hpp>

namespace fusecl::detail {

FUSECL_INLINE const statement& derived_statement::complete() {
  whole_.derived = this;
  whole_.results = results_.data();
  whole_.result_count = results_.size();
  // what follows the expressions' words says itself how long it is
  bound_.choice(rule->number);
  bound_.choice(static_cast<std::uint32_t>(variables.size()));
  for (const passes::variable& v : variables) {
    bound_.choice(static_cast<std::uint32_t>(v.number) << 3 | (v.is_part() ? 4u : 0u) | (v.again ? 2u : 0u) |
                  (v.matrix ? 1u : 0u));
    if (v.is_part()) bound_.choice(static_cast<std::uint32_t>(v.part));
  }
  bound_.choice(static_cast<std::uint32_t>(given.size()));
  for (const given_root& r : given) bound_.choice(r.of << 3 | static_cast<std::uint32_t>(r.name));
  bound_.choice(static_cast<std::uint32_t>(results_.size()));
  for (const result_slot& r : results_)
    bound_.choice(static_cast<std::uint32_t>(r.type) | static_cast<std::uint32_t>(r.number + 1) << 3);
  return whole_;
}

/// Which sizes of a graph are known: symbols by the sizes that are bound to those that are equal.
class known_sizes {
 public:
  known_sizes(const ir::graph& g, const binder& bound) : g_(g), bound_(bound) { look(); }
  bool knows(ir::extent e) const {
    const ir::extent class_of = g_.resolve(e);
    return class_of == ir::one || known_[static_cast<std::size_t>(class_of)];
  }
  /// After sizes have become equal.
  void look() {
    known_.assign(std::max(bound_.extents().size(), static_cast<std::size_t>(g_.extents())), false);
    for (std::size_t e = 0; e < bound_.extents().size(); ++e) {
      const ir::extent class_of = g_.resolve(static_cast<ir::extent>(e));
      if (bound_.extents()[e] >= 0 && class_of != ir::one) known_[static_cast<std::size_t>(class_of)] = true;
    }
  }

 private:
  const ir::graph& g_;
  const binder& bound_;
  list_of<bool> known_;
};

/// Results of one size are walked together. Gives the one whose size they take, or no_node.
FUSECL_INLINE ir::node_id unify_common_sizes(ir::graph& g, const statement& s, known_sizes& sizes) {
  ir::node_id first = ir::no_node;
  for (std::size_t k = 0; !s.derived && k < s.result_count; ++k) {
    if (!s.results[k].common) continue;
    if (first == ir::no_node) first = g.roots[k];
    for (const auto& [a, b] :
         {std::pair(g[first].rows, g[g.roots[k]].rows), std::pair(g[first].cols, g[g.roots[k]].cols)})
      if ((a != ir::one && b != ir::one) || !sizes.knows(a) || !sizes.knows(b)) g.unify(a, b);
  }
  if (first != ir::no_node) sizes.look();
  return first;
}

/// What is reduced and has no size takes that of the results, or of what the other expressions reduce.
/// Throws std::invalid_argument where there is none.
FUSECL_INLINE void give_sizes_to_operands(ir::graph& g, ir::node_id common, known_sizes& sizes,
                                          bool several) {
  list_of<ir::node_id> missing;
  for (ir::node_id id = 0; id < g.size(); ++id) {
    if (g[id].op->kind != ir::op_class::reduction) continue;
    const ir::node_id operand = g[id].operands[0];
    if (g[operand].is_scalar()) continue;
    if (!sizes.knows(g[operand].rows) || !sizes.knows(g[operand].cols))
      missing.push_back(id);
    else if (several && common == ir::no_node)
      common = operand;
  }
  for (ir::node_id id : missing) {
    const ir::node operand = g[g[id].operands[0]];
    for (const bool rows : {true, false}) {
      const ir::extent own = rows ? operand.rows : operand.cols;
      if (sizes.knows(own)) continue;
      if (common == ir::no_node || !sizes.knows(rows ? g[common].rows : g[common].cols))
        throw std::invalid_argument(text::fill(
            "evaluation: {} of what {} reduces are not determined by the expression; give it a size, "
            "as in constant(x, rows, cols)",
            {rows ? "rows" : "columns", g[id].op->name}));
      g.unify(rows ? g[common].rows : g[common].cols, own);
      sizes.look();
    }
  }
}

FUSECL_INLINE ir::graph lower_statement(const statement& s, const binder& bound, bool folds) {
  ir::graph g;
  lowering low(g, bound, folds);
  const std::size_t expressions = s.derived ? s.derived->values : s.result_count;
  for (std::size_t k = 0; k < expressions; ++k) g.roots.push_back(s.lower(s.expressions, k, low));
  bool parts = false;
  for (std::size_t k = 0; k < s.result_count; ++k) parts = parts || s.results[k].part;
  for (std::size_t k = 0; parts && k < s.result_count; ++k) {
    const std::uint32_t word = low.next_word();
    ir::root_place& place = g.places.emplace_back();
    if (!s.results[k].part) continue;
    const ir::extent offset = low.extents();
    place = {true, map_of(word & (free_part - 1), offset), low.extents(), s.results[k].brings};
    g.bring(place.brings);
    if (!(word & free_part)) continue;
    const ir::extent size = low.extents();
    g.unify(size, g[g.roots[k]].rows);
    g.unify(size + 1, g[g.roots[k]].cols);
  }
  known_sizes sizes(g, bound);
  const ir::node_id common = unify_common_sizes(g, s, sizes);
  give_sizes_to_operands(g, common, sizes, !s.derived && s.result_count > 1);
  if (s.derived) {
    for (std::size_t k = 0; k < s.derived->given.size(); ++k) g.roots.push_back(low.matrix());
    g = s.derived->rule->apply(std::move(g), *s.derived);
  }
  for (std::size_t k = 0; k < s.result_count; ++k) {
    if (s.results[k].target) g.roots[k] = g.cast(s.results[k].type, g.roots[k]);
    if (s.results[k].number < 0) continue;
    if (g.places.size() <= k) g.places.resize(k + 1);
    g.places[k].number = s.results[k].number;
  }
  return g;
}

/// What a symbol of the graph is the size of, in words: "rows of x0 (3), which is 3 x 2,".
FUSECL_INLINE std::string size_in_words(ir::extent e, const binder& bound) {
  const std::int64_t size = bound.extents()[static_cast<std::size_t>(e)];
  for (std::size_t slot = 0; slot < bound.matrices().size(); ++slot) {
    const ir::extent rows = bound.matrices()[slot].first_extent;
    if (e == rows || e == rows + 1)
      return text::fill(
          "{} of x{} ({}), which is {} x {},",
          {e == rows ? "rows" : "columns", slot, size, bound.extents()[static_cast<std::size_t>(rows)],
           bound.extents()[static_cast<std::size_t>(rows) + 1]});
  }
  return text::fill("a size that the expression states ({})", {size});
}

FUSECL_INLINE void check_operand_sizes(const ir::graph& g, const binder& bound) {
  const auto& sizes = bound.extents();
  const auto symbols = static_cast<ir::extent>(sizes.size());
  const auto known = [&](ir::extent e) { return e < symbols && sizes[static_cast<std::size_t>(e)] >= 0; };
  /// The first symbol of this class with a size, or `symbols`.
  const auto first_known = [&](ir::extent of) {
    ir::extent e = of;
    while (e < symbols && !(known(e) && g.resolve(e) == of)) ++e;
    return e;
  };
  const auto refuse = [&](ir::extent e, const std::string& must) {
    throw std::invalid_argument(
        text::fill("evaluation of {}: {} {}", {ir::formula(g, g.roots[0]), size_in_words(e, bound), must}));
  };
  for (ir::extent e = 0; e < symbols && e < g.extents(); ++e) {
    const ir::extent same = g.resolve(e);
    if (!known(e) || same == e) continue;
    const std::int64_t size = sizes[static_cast<std::size_t>(e)];
    if (same == ir::one) {
      if (size != 1) refuse(e, "must be 1");
    } else if (const ir::extent other = first_known(same); size != sizes[static_cast<std::size_t>(other)]) {
      refuse(other, text::fill("and {} must match in size", {size_in_words(e, bound)}));
    }
  }
  for (ir::node_id id = 0; id < g.size(); ++id) {
    const bool row = g[id].is(ir::leaf_operations::row_index);
    if (!row && !g[id].is(ir::leaf_operations::col_index)) continue;
    const ir::extent of = g.resolve(row ? g[id].rows : g[id].cols);
    const ir::extent e = of == ir::one ? symbols : first_known(of);
    if (e < symbols) check_index_size(row, sizes[static_cast<std::size_t>(e)]);
  }
}

FUSECL_INLINE void check_results(const statement& s) {
  for (std::size_t k = 0; k < s.result_count; ++k) {
    const result_slot& r = s.results[k];
    if (r.rows < 0 || r.cols < 0)
      throw std::invalid_argument(
          text::fill("evaluation: {} of {} are not determined by the expression; give it a size, as in "
                     "constant(x, rows, cols) or row_index(rows, cols)",
                     {r.rows < 0 ? "rows" : "columns", r.name}));
  }
}

}  // namespace fusecl::detail
