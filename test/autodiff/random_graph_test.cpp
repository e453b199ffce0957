// Thousands of random graphs: reverse accumulation against forward accumulation, against differences and
// after the passes, which keep views. fuzz.hpp says how many.

#include <autodiff/fuzz.hpp>
#include <autodiff/random_graph.hpp>
#include <support/compare.hpp>

namespace fusecl {
namespace {

using namespace test;

bool close(long double a, long double b, long double tolerance, long double bound = 0) {
  return a == b || (std::isnan(a) && std::isnan(b)) ||
         std::fabs(a - b) <= tolerance * (1 + std::fabs(b)) + bound || std::isnan(bound);
}

/// Compares everything that can be known about one graph's derivatives on the host.
class checked_graph {
 public:
  /// `exact`: all values are double, so that differences mean something.
  checked_graph(const bound_graph& b, bool exact) : b_(b), exact_(exact), variables_(b.variables()) {
    raw_ = passes::differentiate(b.g, variables_);
    ir::verify(raw_);
    passed_ = passes::run_pipeline(raw_);
    check_views();
    values_ = ir::interpret(raw_, b.values);
    if (!exact) errors_ = test::detail::carried_errors(raw_, values_, b.values);
    for (std::size_t v = 0; v < variables_.size(); ++v) check(v);
  }

  std::uint64_t compared = 0, skipped = 0;
  std::string wrong;

 private:
  std::ostream& fault(std::size_t v) {
    ++faults_;
    return text_ << "variable " << v << ": ";
  }

  /// What is left out of a result stays so whatever the passes do: multiplied by an infinite number it would
  /// be NaN.
  void check_views() {
    for (std::size_t k = 0; k < raw_.roots.size(); ++k) {
      const ir::node &before = raw_[raw_.roots[k]], &after = passed_[passed_.roots[k]];
      if (is_within(after.view, before.view)) continue;
      ++faults_;
      text_ << "result " << k << ": its view is " << view_name(after.view) << " after the passes, "
            << view_name(before.view) << " before\n";
    }
    if (faults_ > 0) wrong = text_.str();
  }

  void check(std::size_t v) {
    const std::size_t size = count_of(b_.values, variables_[v]);
    const std::size_t root = b_.g.roots.size() + v;
    const list_of<long double> got = derivative_in(raw_, b_.values, root, size);
    const list_of<long double> after = derivative_in(passed_, b_.values, root, size);
    if (got.size() != size || after.size() != size) {
      fault(v) << got.size() << " and " << after.size() << " derivatives of " << size << "\n";
    } else if (size > 0) {
      check_forward(v, got);
      for (std::size_t at = 0; at < size; ++at) {
        const long double bound = 4 * error_of(root, at);
        if (!close(after[at], got[at], exact_ ? 1e-8L : 1e-6L, bound))
          fault(v) << "element " << at << ": after the passes " << static_cast<double>(after[at])
                   << ", before " << static_cast<double>(got[at]) << " +- " << static_cast<double>(bound)
                   << "\n";
        if (exact_) check_difference(v, at, got[at]);
      }
    }
    if (faults_ > 0) wrong = text_.str();
  }

  /// One direction with all elements different.
  void check_forward(std::size_t v, const list_of<long double>& got) {
    bound_graph forward = b_;
    list_of<long double> along(got.size());
    long double expected = 0, bound = 0;
    for (std::size_t at = 0; at < got.size(); ++at) {
      along[at] = 0.25L + 0.125L * static_cast<long double>(at);
      expected += along[at] * got[at];
      bound += along[at] * 8 * error_of(b_.g.roots.size() + v, at);
    }
    const scalar_type type = b_.type_of(variables_[v]);
    const auto number = static_cast<std::size_t>(variables_[v].number);
    const ir::node_id direction =
        variables_[v].matrix
            ? forward.matrix(b_.values.matrices[number].rows, b_.values.matrices[number].cols, along, type)
            : forward.g.constant(type, 0.25);
    const ir::graph tangent = passes::forward_differentiate(forward.g, {variables_[v]}, {direction});
    const long double moved = value_of(tangent, forward.values, b_.g.roots.size());
    if (!close(moved, expected, exact_ ? 1e-9L : 1e-4L, bound))
      fault(v) << "forward " << static_cast<double>(moved) << ", reverse " << static_cast<double>(expected)
               << " +- " << static_cast<double>(bound) << "\n";
  }

  void check_difference(std::size_t v, std::size_t at, long double got) {
    const estimate wanted = difference(b_.g, b_.values, variables_[v], at, 0x1p-12L);
    if (!(wanted.error <= 1e-7L * (1 + std::fabs(wanted.value)))) {
      ++skipped;
      return;
    }
    ++compared;
    if (close(got, wanted.value, 1e-5L)) return;
    // wide steps may lead over several jumps, as of fmod, and agree with each other
    const estimate narrow = difference(b_.g, b_.values, variables_[v], at, 0x1p-24L);
    if (!close(got, narrow.value, 1e-5L))
      fault(v) << "element " << at << ": " << static_cast<double>(got) << ", difference "
               << static_cast<double>(wanted.value) << " +- " << static_cast<double>(wanted.error) << "\n";
  }

  /// What rounding to float may do to a derivative.
  long double error_of(std::size_t root, std::size_t at) const {
    if (exact_) return 0;
    const auto& errors = errors_[static_cast<std::size_t>(raw_.roots[root])];
    return errors[errors.size() == 1 ? 0 : at];
  }

  const bound_graph& b_;
  const bool exact_;
  const list_of<passes::variable> variables_;
  ir::graph raw_, passed_;
  list_of<ir::host_matrix> values_;
  list_of<list_of<long double>> errors_;
  int faults_ = 0;
  std::ostringstream text_;
};

TEST(RandomGraphs, AreDifferentiatedCorrectly) {
  std::uint64_t graphs = 0, compared = 0, skipped = 0;
  const std::uint64_t count = number_from_environment("FUSECL_FUZZ_GRAPHS", 3000);
  for_seeds(count, [&](std::uint64_t seed) {
    const bool floats = seed % 4 == 3;
    const random_graphs made(seed, {.floats = floats, .products = seed % 4 == 2, .factors = seed % 8 == 6});
    const checked_graph checked(made.result, !floats);
    ++graphs;
    compared += checked.compared;
    skipped += checked.skipped;
    if (!checked.wrong.empty())
      ADD_FAILURE() << "seed " << seed << (floats ? " with floats" : "") << "\n"
                    << checked.wrong << to_string(made.result.g);
    return true;
  });
  std::cout << "[  graphs  ] " << graphs << " of " << count << " from seed " << base_seed() << ", "
            << compared << " derivatives compared with differences, " << skipped << " next to kinks\n";
  EXPECT_GE(compared, 9 * skipped);
}

}  // namespace
}  // namespace fusecl
