// Thousands of random graphs: reverse accumulation against forward accumulation, against differences and
// after the passes. FUSECL_FUZZ_GRAPHS sets how many, FUSECL_TEST_SEED where they start.

#include <autodiff/random_graph.hpp>
#include <support/operands.hpp>

namespace fusecl {
namespace {

using namespace test;

std::uint64_t graphs_wanted(std::uint64_t usual) {
  const char* given = std::getenv("FUSECL_FUZZ_GRAPHS");
  return given ? std::strtoull(given, nullptr, 10) : usual;
}

bool close(long double a, long double b, long double tolerance) {
  return a == b || (std::isnan(a) && std::isnan(b)) || std::fabs(a - b) <= tolerance * (1 + std::fabs(b));
}

TEST(RandomGraphs, AreDifferentiatedCorrectly) {
  std::uint64_t compared = 0, skipped = 0;
  const std::uint64_t count = graphs_wanted(3000);
  for (std::uint64_t k = 0; k < count; ++k) {
    const std::uint64_t seed = base_seed() + k;
    const random_graph made(seed);
    const bound_graph& b = made.result;
    const std::vector<passes::variable> variables = b.variables();
    const ir::graph raw = passes::differentiate(b.g, variables);
    ir::verify(raw);
    const ir::graph passed = passes::run_pipeline(raw);
    int wrong = 0;
    for (std::size_t v = 0; v < variables.size(); ++v) {
      const std::size_t size = count_of(b.values, variables[v]);
      const auto got = derivative_in(raw, b.values, v + 1, size);
      const auto after = derivative_in(passed, b.values, v + 1, size);
      ASSERT_EQ(got.size(), size) << "seed " << seed;
      ASSERT_EQ(after.size(), size) << "seed " << seed;
      // one direction with all elements different
      bound_graph forward = b;
      std::vector<long double> along(size);
      long double expected_along = 0;
      for (std::size_t at = 0; at < size; ++at) {
        along[at] = 0.25L + 0.125L * static_cast<long double>(at);
        expected_along += along[at] * got[at];
      }
      const auto& m = b.values.matrices;
      const auto number = static_cast<std::size_t>(variables[v].number);
      const ir::node_id direction = variables[v].matrix
                                        ? forward.matrix(m[number].rows, m[number].cols, along)
                                        : forward.g.constant(scalar_type::float64, 0.25);
      const ir::graph tangent = passes::forward_differentiate(forward.g, {variables[v]}, {direction});
      const long double moved = value_of(tangent, forward.values, 1);
      if (!close(moved, expected_along, 1e-9L)) {
        ++wrong;
        ADD_FAILURE() << "seed " << seed << " variable " << v << ": forward " << static_cast<double>(moved)
                      << ", reverse " << static_cast<double>(expected_along);
      }
      for (std::size_t at = 0; at < size; ++at) {
        const estimate wanted = difference(b.g, b.values, variables[v], at, 0x1p-12L);
        if (!close(after[at], got[at], 1e-8L)) {
          ++wrong;
          ADD_FAILURE() << "seed " << seed << " variable " << v << " element " << at << ": after the passes "
                        << static_cast<double>(after[at]) << ", before " << static_cast<double>(got[at]);
        }
        if (!(wanted.error <= 1e-7L * (1 + std::fabs(wanted.value)))) {
          ++skipped;
          continue;
        }
        ++compared;
        if (close(got[at], wanted.value, 1e-5L)) continue;
        ++wrong;
        ADD_FAILURE() << "seed " << seed << " variable " << v << " element " << at << ": "
                      << static_cast<double>(got[at]) << ", difference " << static_cast<double>(wanted.value)
                      << " +- " << static_cast<double>(wanted.error);
      }
    }
    if (wrong) {
      std::cout << to_string(b.g) << "\n";
      break;
    }
  }
  std::cout << "[  graphs  ] " << count << " from seed " << base_seed() << ", " << compared
            << " derivatives compared, " << skipped << " next to kinks\n";
  EXPECT_GE(compared, 9 * skipped);
}

}  // namespace
}  // namespace fusecl
