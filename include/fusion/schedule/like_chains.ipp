#pragma once
#include <algorithm>

#include <fusion/base/list_of.hpp>
#include <fusion/schedule/like_chains.hpp>

namespace fusecl::schedule {
namespace detail {

/// Holds the first chain against another one: the same operations of the same values, but for single
/// elements.
class chain_matcher {
 public:
  using pair = like_chains::pair;

  chain_matcher(const ir::graph& g, const row_chain& first, const row_chain& other) : g_(g) {
    alike_ = first.along.size() == other.along.size() && first.given.size() == other.given.size();
    for (std::size_t k = 0; alike_ && k < first.along.size(); ++k) {
      const ir::node &a = g[first.along[k]], &b = g[other.along[k]];
      alike_ = a.is(*b.op) && a.type == b.type;
      pairs_.push_back({first.along[k], other.along[k]});
    }
    for (std::size_t k = 0; alike_ && k < first.given.size(); ++k)
      alike_ = match(first.given[k], other.given[k]);
  }

  bool alike() const { return alike_; }
  const list_of<pair>& pairs() const { return pairs_; }
  bool is_number(ir::node_id id) const { return g_.is_single(g_[id]); }

  bool match(ir::node_id first, ir::node_id other) {
    if (++tried_ > most_tries) return false;
    for (const pair& known : pairs_)
      if (known.first == first || known.other == other)
        if (!is_number(first) || known.first == first) return known.first == first && known.other == other;
    const ir::node &a = g_[first], &b = g_[other];
    if (a.type != b.type || is_number(first) != is_number(other)) return false;
    const std::size_t before = pairs_.size();
    pairs_.push_back({first, other});
    if (is_number(first)) return a.type != scalar_type::boolean;
    const bool computed = a.op->kind == ir::op_class::elementwise || a.op->kind == ir::op_class::cast ||
                          a.op->kind == ir::op_class::broadcast;
    const bool fits = computed ? is_same_operation(a, b) && match_operands(a, b) : first == other;
    if (!fits) pairs_.resize(before, {});
    return fits;
  }

 private:
  static constexpr int most_tries = 2000;  // operands in both orders are many where there are many operations

  bool is_same_operation(const ir::node& a, const ir::node& b) const {
    return a.op == b.op && ir::arity(a) == ir::arity(b) && a.index == b.index && a.value == b.value &&
           a.view == b.view && g_.resolve(a.rows) == g_.resolve(b.rows) &&
           g_.resolve(a.cols) == g_.resolve(b.cols);
  }

  bool match_operands(const ir::node& a, const ir::node& b) {
    const std::size_t before = pairs_.size();
    bool fits = true;
    for (int k = 0; fits && k < ir::arity(a); ++k) fits = match(a.operands[k], b.operands[k]);
    if (fits || !a.op->commutative || ir::arity(a) != 2) return fits;
    pairs_.resize(before, {});
    return match(a.operands[0], b.operands[1]) && match(a.operands[1], b.operands[0]);
  }

  const ir::graph& g_;
  list_of<pair> pairs_;
  bool alike_ = false;
  int tried_ = 0;
};

/// Reductions of values of rows by chain, in the order of the phases; none where rows are stored, too.
FUSECL_INLINE list_of<list_of<ir::node_id>> across_by_chain(const plan& p, const step& s,
                                                            const list_of<row_chain>& chains) {
  list_of<list_of<ir::node_id>> result(chains.size());
  for (const phase& each : s.phases) {
    if (each.level == 0 || each.cols != ir::one) continue;
    if (!each.stores.empty()) return {};
    for (ir::node_id id : each.across) result[chain_of(p, s, chains, p.graph[id].operands[0])].push_back(id);
  }
  return result;
}

}  // namespace detail

FUSECL_INLINE like_chains likeness(const plan& p, const step& s, const list_of<row_chain>& chains) {
  const ir::graph& g = p.graph;
  const list_of<list_of<ir::node_id>> across = detail::across_by_chain(p, s, chains);
  if (across.empty()) return {};
  like_chains result;
  result.across.resize(across[0].size());
  for (std::size_t e = 0; e < across[0].size(); ++e) result.across[e].push_back(across[0][e]);
  for (std::size_t k = 1; k < chains.size(); ++k) {
    detail::chain_matcher both(g, chains[0], chains[k]);
    bool alike = both.alike() && across[k].size() == across[0].size();
    for (std::size_t e = 0; alike && e < across[0].size(); ++e) {
      const ir::node &a = g[across[0][e]], &b = g[across[k][e]];
      alike = a.is(*b.op) && a.type == b.type && !a.op->running && both.match(a.operands[0], b.operands[0]);
      result.across[e].push_back(across[k][e]);
    }
    if (!alike) return {};
    for (const auto& [first, other] : both.pairs()) {
      result.pairs.push_back({first, other});
      if (!both.is_number(first)) continue;
      auto at = std::find_if(result.numbers.begin(), result.numbers.end(),
                             [first = first](const list_of<ir::node_id>& own) { return own[0] == first; });
      if (at != result.numbers.end()) {
        at->push_back(other);
      } else if (first != other) {  // so far it was the same
        result.numbers.push_back(list_of<ir::node_id>(k, first));
        result.numbers.back().push_back(other);
      }
    }
  }
  result.alike = true;
  return result;
}

}  // namespace fusecl::schedule
