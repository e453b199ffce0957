#pragma once
// Whether values are worth keeping: the flops they cost from the reductions they follow from.

#include <algorithm>

#include <fusion/base/list_of.hpp>
#include <fusion/ir/graph.hpp>

namespace fusecl::schedule {

/// Compares costs of the nodes of a graph with a limit; what a value needs twice counts once.
class costs {
 public:
  /// `counts` says of a node whether its flops do.
  template <class Counts>
  costs(const ir::graph& g, double limit, Counts&& counts) : g_(g), limit_(limit) {
    for (ir::node_id id = 0; id < g.size(); ++id) {
      const bool costly = g[id].op->kind == ir::op_class::elementwise && counts(id);
      own_.push_back(costly ? static_cast<double>(g[id].op->cost) : 0);
      double sum = own_.back();
      for (int k = 0; k < ir::arity(g[id]) && !ir::is_collective(g[id]); ++k)
        sum += at(most_, g[id].operands[k]);
      most_.push_back(std::min(sum, limit));
    }
  }

  /// Whether a value costs at least the limit.
  bool reached_by(ir::node_id id) const {
    if (at(most_, id) < limit_) return false;
    list_of<ir::node_id> found{id};
    double flops = 0;
    for (std::size_t next = 0; next < found.size(); ++next) {
      const ir::node& n = g_[found[next]];
      flops += at(own_, found[next]);
      if (flops >= limit_) return true;
      for (int k = 0; k < ir::arity(n) && !ir::is_collective(n); ++k)
        if (at(most_, n.operands[k]) > 0 &&
            std::find(found.begin(), found.end(), n.operands[k]) == found.end())
          found.push_back(n.operands[k]);
    }
    return false;
  }

 private:
  static double at(const list_of<double>& values, ir::node_id id) {
    return values[static_cast<std::size_t>(id)];
  }

  const ir::graph& g_;
  double limit_;
  list_of<double> own_;
  list_of<double> most_;  ///< where what is needed twice counts twice, up to the limit
};

}  // namespace fusecl::schedule
