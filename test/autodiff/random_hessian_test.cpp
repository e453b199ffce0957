// Random graphs: products of their Hessians with a direction against differences of their gradients. fuzz.hpp
// says how many.

#include <autodiff/fuzz.hpp>
#include <autodiff/random_graph.hpp>

#include <fusion/autodiff/derivation.hpp>
#include <fusion/ops/error_bounds.hpp>

namespace fusecl {
namespace {

using namespace test;

/// The first root of a graph, a direction in which all variables move, and weights of the elements of its
/// gradient.
class curved : private random_numbers {
 public:
  curved(const random_graphs& made, std::uint64_t seed) : random_numbers(seed), bound_(made.result) {
    bound_.g.roots = {made.roots(0)[0]};
    bound_.g = passes::merge_and_prune(bound_.g);
    variables_ = bound_.variables();
    gradient_ = passes::differentiate(bound_.g, variables_);
    fusecl::detail::derivation rule{&fusecl::detail::hessian_product_rule()};
    bound_graph with_directions = bound_;
    for (const passes::variable& v : variables_) {
      const std::size_t count = count_of(bound_.values, v);
      directions_.push_back(numbers(count));
      weights_.push_back(numbers(count));
      rule.given.push_back(
          {fusecl::detail::root_name::direction, static_cast<std::uint32_t>(rule.variables.size())});
      rule.variables.push_back(v);
      with_directions.g.roots.push_back(direction_of(with_directions, v));
    }
    product_ = rule.rule->apply(with_directions.g, rule);
    values_ = with_directions.values;
  }

  /// What the Hessian makes of the direction, weighted, as built or after the passes.
  long double product(bool passes) const {
    return weighted(passes ? passes::run_pipeline(product_) : product_, values_, 1 + variables_.size());
  }
  estimate difference() const {
    return derivative_of(
        [&](long double t) {
          ir::host_bindings moved = bound_.values;
          for (std::size_t k = 0; k < variables_.size(); ++k) {
            list_of<long double> single;
            list_of<long double>& x = elements_of(moved, variables_[k], single);
            for (std::size_t at = 0; at < x.size(); ++at) x[at] += t * directions_[k][at];
            if (!variables_[k].matrix) moved.scalars[static_cast<std::size_t>(variables_[k].number)] = x[0];
          }
          return weighted(gradient_, moved, 1);
        },
        0, 0x1p-13L);
  }
  std::string text() const { return to_string(bound_.g) + to_string(product_); }

 private:
  list_of<long double> numbers(std::size_t count) {
    list_of<long double> list(count);
    for (long double& x : list) x = static_cast<long double>(pick(-8, 8)) / 8;
    return list;
  }
  ir::node_id direction_of(bound_graph& to, const passes::variable& v) const {
    if (!v.matrix) return to.scalar(directions_.back()[0]);
    const ir::host_matrix& m = bound_.values.matrices[static_cast<std::size_t>(v.number)];
    return to.matrix(m.rows, m.cols, directions_.back());
  }
  /// The weighted sum of a root for each variable, from number `first` on.
  long double weighted(const ir::graph& g, const ir::host_bindings& values, std::size_t first) const {
    const list_of<ir::host_matrix> all = ir::interpret(g, values);
    long double total = 0;
    for (std::size_t k = 0; k < variables_.size(); ++k) {
      const auto& elements = all[static_cast<std::size_t>(g.roots[first + k])].values;
      for (std::size_t at = 0; at < weights_[k].size(); ++at)
        total += weights_[k][at] * elements[elements.size() == 1 ? 0 : at];
    }
    return total;
  }

  bound_graph bound_;
  list_of<passes::variable> variables_;
  std::vector<list_of<long double>> directions_, weights_;
  ir::graph gradient_, product_;
  ir::host_bindings values_;
};

TEST(RandomGraphs, HaveTheRightSecondDerivatives) {
  std::uint64_t graphs = 0, compared = 0, straight = 0, skipped = 0;
  const std::uint64_t count = number_from_environment("FUSECL_FUZZ_GRAPHS", 1000);
  for_seeds(count, [&](std::uint64_t seed) {
    const random_graphs made(
        seed, {.floats = false, .steps = 6, .products = seed % 4 == 2, .factors = seed % 8 == 6});
    const curved c(made, seed);
    ++graphs;
    const long double got = c.product(false), after = c.product(true);
    const estimate wanted = c.difference();
    if (!(wanted.error <= 1e-6L * (1 + std::fabs(wanted.value)))) {
      ++skipped;
      return true;
    }
    ++compared;
    straight += wanted.value == 0;
    const long double bound = 1e-4L * (1 + std::fabs(wanted.value));
    if (fusecl::detail::distance(got, wanted.value) > bound || fusecl::detail::distance(after, got) > bound)
      ADD_FAILURE() << "seed " << seed << ": " << static_cast<double>(got) << ", after the passes "
                    << static_cast<double>(after) << ", difference " << static_cast<double>(wanted.value)
                    << " +- " << static_cast<double>(wanted.error) << "\n"
                    << c.text();
    return true;
  });
  std::cout << "[  graphs  ] " << graphs << " of " << count << " from seed " << base_seed() << ", "
            << compared << " second derivatives compared with differences, " << straight << " of them 0, "
            << skipped << " next to kinks\n";
  EXPECT_GT(compared, 0u);
  if (graphs >= 100) {
    EXPECT_GE(compared, 2 * straight);
    EXPECT_GE(compared, 4 * skipped);
  }
}

}  // namespace
}  // namespace fusecl
