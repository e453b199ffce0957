#pragma once
// Random graphs with their gradients in one graph, as one statement computes them.

#include <algorithm>
#include <vector>

#include <autodiff/random_graph.hpp>

namespace fusecl::test {

/// Whether the graph reads a variable.
inline bool reads(const ir::graph& g, const passes::variable& v) {
  for (ir::node_id id = 0; id < g.size(); ++id)
    if (g[id].index == v.number &&
        g[id].is(v.matrix ? ir::leaf_operations::matrix : ir::leaf_operations::scalar))
      return true;
  return false;
}

/// The graphs with the gradients of their first roots: all roots, and the number of those before each graph.
struct with_gradients {
  ir::graph g;
  std::vector<std::size_t> first;

  with_gradients(const random_graphs& made, std::size_t begin, std::size_t end) : g(made.result.g) {
    list_of<ir::node_id> roots;
    for (std::size_t k = begin; k < end; ++k) {
      first.push_back(roots.size());
      g.roots = made.roots(k);
      g = passes::differentiate(g, reached(made, g));
      append(roots, g.roots);
    }
    first.push_back(roots.size());
    g.roots = roots;
    g = passes::merge_and_prune(g);
  }

 private:
  /// The variables that the first root depends on.
  static list_of<passes::variable> reached(const random_graphs& made, const ir::graph& g) {
    ir::graph alone = g;
    alone.roots = {g.roots[0]};
    alone = passes::merge_and_prune(alone);
    list_of<passes::variable> list;
    for (const passes::variable& v : made.result.variables())
      if (reads(alone, v)) list.push_back(v);
    return list;
  }
};

}  // namespace fusecl::test
