// Random graphs with their gradients on the device against the interpreter, within the bounds that the
// records of their operations give. Building kernels takes the time, so a statement computes a batch of
// graphs over the same operands. fuzz.hpp says how many; FUSECL_FUZZ_BATCH sets the size of a batch,
// and FUSECL_FUZZ_FACTORS=1 has factors in all graphs.

#include <autodiff/fuzz.hpp>
#include <autodiff/random_graph.hpp>
#include <support/both_forms.hpp>
#include <support/compare.hpp>

namespace fusecl {
namespace {

using namespace test;

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
list_of<ir::host_matrix> on_device(const bound_graph& b, const ir::graph& g) {
  std::vector<device_matrix> operands(b.values.matrices.size());
  std::vector<matrix_cl_view> views(operands.size(), matrix_cl_view::Entire);
  for (ir::node_id id = 0; id < g.size(); ++id)
    if (g[id].is(ir::leaf_operations::matrix)) views[static_cast<std::size_t>(g[id].index)] = g[id].view;
  binder bound;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const ir::host_matrix& m = b.values.matrices[k];
    operands[k].type = b.matrix_types[k];
    operands[k].with([&]<class T>(matrix_cl<T>& device) {
      test::host<T> values(m.rows, m.cols);
      for (Eigen::Index at = 0; at < values.size(); ++at)
        values.data()[at] = static_cast<T>(m.values[static_cast<std::size_t>(at)]);
      poison_unread(values, views[k]);
      device = matrix_cl<T>(values);
      bound.matrix({device.storage().get(), m.rows, m.cols, scalar_type_v<T>, matrix_cl_view::Entire, true});
    });
  }
  for (std::size_t k = 2 * operands.size(); k < b.values.extents.size(); k += 2)
    bound.extents(b.values.extents[k], b.values.extents[k + 1]);
  static char identities[16];
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
  evaluation::run({&fusecl::detail::type_of_statement<random_graphs>, nullptr, nullptr, slots.data(),
                   slots.size(), &given},
                  bound);
  list_of<ir::host_matrix> results;
  for (device_matrix& t : targets)
    t.with([&](const auto& m) { results.push_back(test::detail::widened(from_matrix_cl(m))); });
  return results;
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
      for (ir::node_id id = 0; id < alone.size(); ++id)
        if (alone[id].index == v.number &&
            alone[id].is(v.matrix ? ir::leaf_operations::matrix : ir::leaf_operations::scalar))
          list.push_back(v);
    return list;
  }
};

struct tally {
  std::uint64_t graphs = 0, statements = 0, compared = 0, uncertain = 0, zero = 0;
};

/// An element of a root that the device computes otherwise than the interpreter.
struct difference {
  std::size_t root, at;
  long double found, wanted, bound;
};

/// Compares the roots of a graph, computed in one statement.
std::vector<difference> compare(const bound_graph& bound, const ir::graph& g, tally& done) {
  const list_of<ir::host_matrix> values = ir::interpret(g, bound.values);
  const auto errors = test::detail::carried_errors(g, values, bound.values);
  const list_of<ir::host_matrix> got = on_device(bound, g);
  ++done.statements;
  std::vector<difference> wrong;
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

/// Compares graphs `begin` to `end`; says what is wrong, if anything.
std::string differences(const random_graphs& made, std::size_t begin, std::size_t end, tally& done) {
  const with_gradients all(made, begin, end);
  std::ostringstream text;
  try {
    for (const difference& d : compare(made.result, all.g, done)) {
      const auto graph = std::upper_bound(all.first.begin(), all.first.end(), d.root) - all.first.begin() - 1;
      text << "graph " << begin + static_cast<std::size_t>(graph) << " root "
           << d.root - all.first[static_cast<std::size_t>(graph)] << " element " << d.at << ": "
           << static_cast<double>(d.found) << ", should be " << static_cast<double>(d.wanted) << " +- "
           << static_cast<double>(d.bound) << "\n";
    }
  } catch (const std::exception& e) {
    return std::string("throws ") + e.what() + "\n";
  }
  return text.str();
}

/// The graph with fewer roots, of which one is still wrong: parts of the others are left out while that
/// holds.
ir::graph shrunk(const bound_graph& bound, ir::graph g) {
  tally ignored;
  const auto is_wrong = [&](const list_of<ir::node_id>& roots) {
    ir::graph fewer = g;
    fewer.roots = roots;
    try {
      return !compare(bound, passes::merge_and_prune(fewer), ignored).empty();
    } catch (const std::exception&) {
      return true;
    }
  };
  list_of<ir::node_id> roots = g.roots;
  for (std::size_t part = (roots.size() + 1) / 2; part > 0; part = part == 1 ? 0 : (part + 1) / 2)
    for (std::size_t at = 0; at < roots.size() && roots.size() > 1;) {
      list_of<ir::node_id> fewer;
      for (std::size_t k = 0; k < roots.size(); ++k)
        if (k < at || k >= at + part) fewer.push_back(roots[k]);
      if (!fewer.empty() && is_wrong(fewer))
        roots = fewer;
      else
        at += part;
    }
  g.roots = roots;
  return passes::merge_and_prune(g);
}

/// What is wrong with a batch, and the first of its graphs that is wrong alone, or else the fewest roots
/// found that are wrong together.
std::string report(const random_graphs& made, const std::string& wrong) {
  tally ignored;
  for (std::size_t k = 0; k < made.size(); ++k) {
    const std::string alone = differences(made, k, k + 1, ignored);
    if (!alone.empty()) return wrong + "alone: " + alone + to_string(with_gradients(made, k, k + 1).g);
  }
  return wrong + "together: " + to_string(shrunk(made.result, with_gradients(made, 0, made.size()).g));
}

TEST(RandomGraphsOnTheDevice, AgreeWithTheInterpreter) {
  FUSECL_NEEDS_DOUBLE;
  const std::uint64_t wanted = number_from_environment("FUSECL_FUZZ_DEVICE_GRAPHS", 48);
  const std::uint64_t batch = number_from_environment("FUSECL_FUZZ_BATCH", 16);
  const fuzz_shard mine;
  const bool only_factors = number_from_environment("FUSECL_FUZZ_FACTORS", 0) != 0;
  const char* given = std::getenv("FUSECL_SCHEDULE");
  const std::string form = given != nullptr ? given : "";
  tally done;
  int wrong_batches = 0;
  const time_limit limit;
  for (std::uint64_t k = 0; k * batch < wanted && wrong_batches < 5 && !limit.is_over(); ++k) {
    if (!mine.has(k)) continue;
    const std::uint64_t seed = base_seed() + k;
    const bool factors = only_factors || seed % 8 == 3, products = factors || seed % 4 == 1;
    // whose kernels take long to build: fewer graphs
    const std::uint64_t most = products ? std::min<std::uint64_t>(batch, 4) : batch;
    const auto graphs = static_cast<std::size_t>(std::min(most, wanted - k * batch));
    const std::int64_t rows = seed % 4 == 0 ? 19 : seed % 8 == 5 || seed % 16 == 11 ? 37 : 4;
    const random_graphs made(seed, {.floats = true,
                                    .graphs = graphs,
                                    .rows = rows,
                                    .steps = factors ? 3 : 6,
                                    .products = products,
                                    .factors = factors,
                                    .costly = 6});
    std::string wrong = differences(made, 0, graphs, done);
    if (!wrong.empty()) wrong = report(made, wrong);
    if (form.empty() && seed % 8 == 0) {  // the other form as well; slow where a driver is not made for it
      const bool cpu = opencl_context.capabilities().cpu;
      if (!cpu || gpu_form_is_sound()) {
        set_schedule(cpu ? "gpu" : "cpu");
        const std::string other = differences(made, 0, std::min<std::size_t>(graphs, 2), done);
        if (!other.empty()) wrong += "the form for the other kind of device: " + other;
        set_schedule("");
      }
    }
    done.graphs += graphs;
    if (wrong.empty()) continue;
    ++wrong_batches;
    ADD_FAILURE() << "FUSECL_TEST_SEED=" << seed << ", batches of " << batch << "\n" << wrong;
  }
  std::cout << "[  graphs  ] " << done.graphs << " of " << wanted << " from seed " << base_seed() << ", in "
            << done.statements << " statements: " << done.compared << " results compared, " << done.zero
            << " of them zero, " << done.uncertain << " too uncertain\n";
  if (done.statements > 10) {
    EXPECT_GE(done.compared, 9 * done.uncertain);
  }
}

}  // namespace
}  // namespace fusecl
