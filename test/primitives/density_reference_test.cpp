// Values and all partial derivatives of every density against densities.csv.

#include <cmath>

#include <gtest/gtest.h>
#include <support/operands.hpp>

#include <primitives/density_cases.hpp>

namespace fusecl::test {
namespace {

class DensityReference : public ::testing::TestWithParam<density_case> {};

/// Relative to the scales of the table, which allow for the rounding of the arguments alone.
constexpr double tolerance = 1e-12;

std::string text_of(const density_row& row) {
  std::ostringstream out;
  out.precision(17);
  for (double x : row.arguments) out << ' ' << x;
  return out.str();
}

void expect_close(double got, const density_row::number& want, const std::string& what) {
  EXPECT_LE(std::fabs(got - want.value), tolerance * want.scale)
      << what << " is " << got << ", should be " << want.value << ", relative error "
      << std::fabs(got - want.value) / want.scale;
}

TEST_P(DensityReference, HasValueAndDerivatives) {
  FUSECL_NEEDS_DOUBLE;
  const density_case& density = GetParam();
  const auto& rows = density_rows(density.name);
  ASSERT_FALSE(rows.empty()) << "tools/density_table.py has no definition";
  for (const density_row& row : rows) {
    ASSERT_EQ(row.arguments.size(), density.parameters.size());
    std::vector<var_value<matrix_cl<double>>> variables;
    std::vector<detail::argument> arguments;
    for (std::size_t k = 0; k < row.arguments.size(); ++k) {
      const density_parameter& p = density.parameters[k];
      if (p.is_count)
        arguments.emplace_back(p.what, matrix_cl<int>(static_cast<int>(row.arguments[k])));
      else
        arguments.emplace_back(p.what, variables.emplace_back(matrix_cl<double>(row.arguments[k])));
    }
    const std::string at = density.name + " at" + text_of(row);
    if (variables.empty()) {  // of counts only
      expect_close(density.value(arguments, false), row.results[0], at);
      continue;
    }
    const counters before = runtime_counters();
    const var density_value = density.recorded(arguments, false);
    density_value.val();
    const counters used = runtime_counters() - before;
    EXPECT_LE(used.launches, 2u) << density.name;
    EXPECT_EQ(used.host_waits, 1u) << density.name;
    density_value.grad();
    expect_close(density_value.val(), row.results[0], at);
    ASSERT_EQ(row.results.size(), variables.size() + 1);
    for (std::size_t k = 0; k < variables.size(); ++k)
      expect_close(variables[k].adj()(0, 0), row.results[k + 1],
                   at + ": derivative " + std::to_string(k + 1));
    recover_memory();
  }
}

INSTANTIATE_TEST_SUITE_P(All, DensityReference, ::testing::ValuesIn(density_cases()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace fusecl::test
