// Random graphs as the tape records them: a statement leaves its value in memory, and the reverse pass, a
// statement of its own, takes from there what it would otherwise compute again. fuzz.hpp says how many.

#include <autodiff/fuzz.hpp>
#include <autodiff/graph_on_device.hpp>
#include <autodiff/with_gradients.hpp>

#include <fusion/autodiff/derivation.hpp>

namespace fusecl {
namespace {

using namespace test;
using fusecl::detail::root_name;

/// One value of a graph, which the tape would record, with an adjoint to start from and adjoints so far.
class recorded : private random_numbers {
 public:
  /// Records the node `of` of a graph.
  recorded(const random_graphs& made, ir::node_id of, ir::host_matrix interpreted, std::uint64_t seed)
      : random_numbers(seed), bound(made.result), value(std::move(interpreted)), value_(of) {
    bound.g.roots = {value_};
    const scalar_type type = bound.g[value_].type;
    give(root_name::seed, 0, bound.matrix(value.rows, value.cols, some(value), type));
    const ir::graph alone = forward();
    for (const passes::variable& v : bound.variables()) {
      if (!reads(alone, v)) continue;
      if (v.matrix && one_in(2)) {
        const ir::host_matrix& m = bound.values.matrices[static_cast<std::size_t>(v.number)];
        give(root_name::adjoint, rule_.variables.size(),
             bound.matrix(m.rows, m.cols, some(m), bound.type_of(v)));
      }
      rule_.variables.push_back(v);
    }
  }

  bool depends() const { return !rule_.variables.empty(); }
  /// The statement of the value.
  ir::graph forward() const {
    ir::graph g = bound.g;
    g.roots.resize(1);
    return passes::merge_and_prune(g);
  }
  /// The reverse pass, which computes everything anew.
  ir::graph reverse() const { return passes::merge_and_prune(rule_.rule->apply(bound.g, rule_)); }
  /// The reverse pass which is given the value.
  ir::graph reverse_with(const ir::host_matrix& kept) {
    const ir::node n = bound.g[value_];
    give(root_name::kept, 0, bound.matrix(kept.rows, kept.cols, kept.values, n.type, n.view));
    return reverse();
  }

  /// A value as far from the interpreter's as a device's may be.
  ir::host_matrix moved() {
    const ir::graph g = forward();
    const list_of<ir::host_matrix> all = ir::interpret(g, bound.values);
    const auto root = static_cast<std::size_t>(g.roots[0]);
    const auto errors = test::detail::carried_errors(g, all, bound.values)[root];
    ir::host_matrix elsewhere = value;
    for (std::size_t at = 0; at < errors.size(); ++at)
      if (std::isfinite(errors[at])) elsewhere.values[at] += one_in(2) ? errors[at] : -errors[at];
    return elsewhere;
  }

  bound_graph bound;
  ir::host_matrix value;  ///< as the interpreter computes it

 private:
  list_of<long double> some(const ir::host_matrix& like) {
    list_of<long double> elements(like.values.size());
    for (long double& x : elements) x = static_cast<long double>(real(-2, 2));
    return elements;
  }
  void give(root_name name, std::size_t of, ir::node_id id) {
    bound.g.roots.push_back(id);
    rule_.given.push_back({name, static_cast<std::uint32_t>(of)});
  }

  fusecl::detail::derivation rule_{&fusecl::detail::reverse_rule()};
  ir::node_id value_;
};

/// Calls f(recorded, seed) for computed values of random graphs, while nothing is wrong and it returns true.
template <class F>
void for_values(std::uint64_t graphs, std::int64_t steps, F f) {
  for_seeds(graphs, [&](std::uint64_t seed) {
    const random_graphs made(seed, {.floats = seed % 4 == 3,
                                    .steps = steps,
                                    .products = seed % 4 == 2,
                                    .factors = seed % 8 == 6,
                                    .costly = 4});
    const ir::graph& g = made.result.g;
    const list_of<ir::host_matrix> values = ir::interpret(g, made.result.values);
    for (ir::node_id id = 0; id < g.size(); ++id) {
      if (!is_floating(g[id].type) || g[id].op->kind == ir::op_class::leaf) continue;
      recorded r(made, id, values[static_cast<std::size_t>(id)], seed);
      if (r.depends() && (!f(r, seed) || testing::Test::HasFailure())) return false;
    }
    return true;
  });
}

std::string text_of(const std::vector<wrong_element>& wrong) {
  std::ostringstream text;
  for (const wrong_element& d : wrong) text << "adjoint " << d.root << " " << d << "\n";
  return text.str();
}

void tell(const tally& done, std::uint64_t with_kept) {
  std::cout << "[  values  ] " << done.graphs << " from seed " << base_seed() << ", " << with_kept
            << " with a kept value in the reverse pass: " << done.compared << " derivatives compared, "
            << done.zero << " of them zero, " << done.uncertain << " too uncertain\n";
}

/// The kept value is as far as it may be from what would be computed anew.
TEST(RandomGraphsOnTheTape, HaveTheSameDerivativesWithTheKeptValue) {
  tally done;
  std::uint64_t with_kept = 0;
  for_values(number_from_environment("FUSECL_FUZZ_GRAPHS", 1000), 9, [&](recorded& r, std::uint64_t seed) {
    const ir::graph anew = r.reverse();
    const std::size_t kept = r.bound.values.matrices.size();
    ++done.graphs;
    if (!reads(r.reverse_with(r.value), {true, static_cast<std::int64_t>(kept)})) return true;
    ++with_kept;
    for (std::size_t at = 0; const long double x : r.moved().values)
      r.bound.values.matrices[kept].values[at++] = ir::rounded(r.bound.matrix_types[kept], x);
    const ir::graph g = r.reverse();
    list_of<ir::host_matrix> got;
    const list_of<ir::host_matrix> all = ir::interpret(g, r.bound.values);
    for (const ir::node_id id : g.roots) got.push_back(all[static_cast<std::size_t>(id)]);
    const auto wrong = compare(r.bound, anew, got, done);
    if (!wrong.empty())
      ADD_FAILURE() << "seed " << seed << "\n" << text_of(wrong) << to_string(r.forward()) << to_string(g);
    return true;
  });
  tell(done, with_kept);
  EXPECT_GT(done.compared, 0u);
  if (with_kept >= 100) {
    EXPECT_GT(200 * with_kept, done.graphs);
    EXPECT_GE(done.compared, 9 * done.uncertain);
  }
}

/// As in a program: the device's own value is kept.
TEST(RandomGraphsOnTheTape, AgreeOnTheDevice) {
  FUSECL_NEEDS_DOUBLE;
  const std::uint64_t wanted = number_from_environment("FUSECL_FUZZ_DEVICE_GRAPHS", 48) / 6;
  tally done;
  for_values(1'000'000, 6, [&](recorded& r, std::uint64_t seed) {
    const ir::graph anew = r.reverse(), forward = r.forward();
    const std::size_t kept = r.bound.values.matrices.size();
    if (!reads(r.reverse_with(r.value), {true, static_cast<std::int64_t>(kept)})) return true;
    r.bound.values.matrices[kept] = on_device(r.bound, forward)[0];
    const ir::graph g = r.reverse();
    const auto wrong = compare(r.bound, anew, on_device(r.bound, g), done);
    if (!wrong.empty())
      ADD_FAILURE() << "seed " << seed << "\n" << text_of(wrong) << to_string(forward) << to_string(g);
    return ++done.graphs < wanted;
  });
  tell(done, done.graphs);
  EXPECT_GT(done.compared, done.uncertain);
}

}  // namespace
}  // namespace fusecl
