#pragma once
// Graphs with bound operands as statements on the device, compared with the interpreter within the bounds
// that the records of their operations give.

#include <autodiff/numeric.hpp>
#include <support/compare.hpp>

namespace fusecl::test {

/// A matrix on the device whose element type is known at run time.
struct device_matrix {
  scalar_type type;
  matrix_cl<double> as_double;
  matrix_cl<float> as_float;
  matrix_cl<int> as_int;
  matrix_cl<bool> as_bool;

  template <class F>
  void with(F f) {
    switch (type) {
      case scalar_type::float64:
        return f(as_double);
      case scalar_type::float32:
        return f(as_float);
      case scalar_type::int32:
        return f(as_int);
      default:
        return f(as_bool);
    }
  }
};

/// Derives a statement's graph from nothing.
struct given_graph : fusecl::detail::derivation {
  explicit given_graph(const ir::graph& graph) : derivation{&own_rule, 0}, g(graph) {}
  const ir::graph& g;

 private:
  static ir::graph apply(ir::graph, const derivation& d) { return static_cast<const given_graph&>(d).g; }
  static constexpr fusecl::detail::derivation_rule own_rule{0, apply};
};

/// Evaluates the roots of a graph on the device in one statement. Elements that views leave out are poisoned.
inline list_of<ir::host_matrix> on_device(const bound_graph& b, const ir::graph& g) {
  std::vector<device_matrix> operands(b.values.matrices.size());
  std::vector<matrix_cl_view> views(operands.size(), matrix_cl_view::Entire);
  for (ir::node_id id = 0; id < g.size(); ++id)
    if (g[id].is(ir::leaf_operations::matrix)) views[static_cast<std::size_t>(g[id].index)] = g[id].view;
  binder bound;
  std::size_t sizes = 0, number = 0;
  for (const bool of_matrix : b.of_matrices) {
    if (!of_matrix) bound.extents(b.values.extents[sizes], b.values.extents[sizes + 1]);
    sizes += 2;
    if (!of_matrix) continue;
    const ir::host_matrix& m = b.values.matrices[number];
    operands[number].type = b.matrix_types[number];
    operands[number].with([&]<class T>(matrix_cl<T>& device) {
      test::host<T> values(m.rows, m.cols);
      for (Eigen::Index at = 0; at < values.size(); ++at)
        values.data()[at] = static_cast<T>(m.values[static_cast<std::size_t>(at)]);
      poison_unread(values, views[number]);
      device = matrix_cl<T>(values);
      bound.matrix({device.storage().get(), m.rows, m.cols, scalar_type_v<T>, matrix_cl_view::Entire, true});
    });
    ++number;
  }
  static char identities[16];
  if (b.values.scalars.size() > sizeof identities) throw std::logic_error("on_device: too many scalars");
  for (std::size_t k = 0; k < b.values.scalars.size(); ++k) {
    if (b.scalar_types[k] == scalar_type::float32)
      bound.scalar_variable(static_cast<float>(b.values.scalars[k]), &identities[k], false);
    else
      bound.scalar_variable(static_cast<double>(b.values.scalars[k]), &identities[k], false);
  }
  static std::uint32_t statements = 0;
  bound.choice(statements++);
  const list_of<ir::host_matrix> shapes = ir::interpret(g, b.values);
  std::vector<device_matrix> targets(g.roots.size());
  std::vector<fusecl::detail::result_slot> slots;
  for (std::size_t k = 0; k < targets.size(); ++k) {
    const ir::host_matrix& shape = shapes[static_cast<std::size_t>(g.roots[k])];
    targets[k].type = g[g.roots[k]].type;
    targets[k].with([&](auto& m) {
      slots.push_back({&m, targets[k].type, shape.rows, shape.cols, "a root"});
    });
  }
  const given_graph given(g);
  evaluation::run(
      {&fusecl::detail::type_of_statement<given_graph>, nullptr, nullptr, slots.data(), slots.size(), &given},
      bound);
  list_of<ir::host_matrix> results;
  for (device_matrix& t : targets)
    t.with([&](const auto& m) { results.push_back(test::detail::widened(from_matrix_cl(m))); });
  return results;
}

struct tally {
  std::uint64_t graphs = 0, statements = 0, compared = 0, uncertain = 0, zero = 0;
};

/// An element of a root that is otherwise than the interpreter computes it.
struct wrong_element {
  std::size_t root, at;
  long double found, wanted, bound;
};
inline std::ostream& operator<<(std::ostream& out, const wrong_element& w) {
  return out << "element " << w.at << ": " << static_cast<double>(w.found) << ", should be "
             << static_cast<double>(w.wanted) << " +- " << static_cast<double>(w.bound);
}

/// Compares the roots of a graph as something computed them with what the interpreter makes of `g`.
inline std::vector<wrong_element> compare(const bound_graph& bound, const ir::graph& g,
                                          const list_of<ir::host_matrix>& got, tally& done) {
  const list_of<ir::host_matrix> values = ir::interpret(g, bound.values);
  const auto errors = test::detail::carried_errors(g, values, bound.values);
  std::vector<wrong_element> wrong;
  for (std::size_t root = 0; root < got.size(); ++root) {
    const auto id = static_cast<std::size_t>(g.roots[root]);
    for (std::size_t at = 0; at < got[root].values.size(); ++at) {
      const long double wanted = values[id].values[at], found = got[root].values[at];
      const long double unit = test::detail::unit_of(g[g.roots[root]].type);
      // the passes may have rewritten what the bound was carried through
      const long double limit = 4 * errors[id][at] + 8 * unit * (1 + std::fabs(wanted));
      if (!(limit <= 0.01L * (1 + std::fabs(wanted)))) {
        ++done.uncertain;
        continue;
      }
      ++done.compared;
      done.zero += wanted == 0;
      if (test::detail::distance(found, wanted) > limit) wrong.push_back({root, at, found, wanted, limit});
    }
  }
  return wrong;
}

}  // namespace fusecl::test
