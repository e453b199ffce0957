// Every density with mixtures of numbers and vectors, data and variables, against its sum over single
// elements. FUSECL_TEST_MIXTURES=all takes every mixture of every function, and not one of every third.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <memory>

#include <gtest/gtest.h>
#include <support/operands.hpp>

#include <primitives/density_cases.hpp>

namespace fusecl::test {
namespace {

/// How an argument is given; counts are data.
enum class given_as { number, vector, variable_number, variable_vector };

constexpr std::size_t elements = 3;

double sample(const density_parameter& p, std::size_t i, bool moved = false) {
  const double part = (moved ? 0.15 : 0.2) + 0.31 * static_cast<double>(i);
  const double x = p.sample.low + (p.sample.high - p.sample.low) * part;
  if (p.lies == support::zero_or_one) return i % 2 == 0 ? 1 : 0;
  return p.is_count ? std::round(x) : x;
}

/// One argument with what it is made of.
struct made_argument {
  given_as as;
  std::vector<double> values;  ///< one of a number
  std::unique_ptr<detail::argument> argument;
  std::unique_ptr<var> number;
  std::unique_ptr<var_value<matrix_cl<double>>> vector;

  made_argument(const density_parameter& p, given_as as_given, bool row, bool moved) : as(as_given) {
    const bool is_number = as == given_as::number || as == given_as::variable_number;
    for (std::size_t i = 0; i < (is_number ? 1 : elements); ++i) values.push_back(sample(p, i, moved));
    const auto n = static_cast<std::int64_t>(values.size());
    const std::vector<int> counts(values.begin(), values.end());
    const auto hold = [&](const auto& x) { argument = std::make_unique<detail::argument>(p.what, x); };
    if (as == given_as::variable_number)
      hold(*(number = std::make_unique<var>(values[0])));
    else if (as == given_as::variable_vector)
      hold(*(vector = std::make_unique<var_value<matrix_cl<double>>>(
                 matrix_cl<double>(values, row ? 1 : n, row ? n : 1))));
    else if (is_number && p.is_count)
      hold(counts[0]);
    else if (is_number)
      hold(values[0]);
    else if (p.is_count)
      hold(matrix_cl<int>(counts, row ? 1 : n, row ? n : 1));
    else
      hold(matrix_cl<double>(values, row ? 1 : n, row ? n : 1));
  }
  double value(std::size_t i) const { return values[values.size() == 1 ? 0 : i]; }
  bool is_variable() const { return number || vector; }
  /// Adjoints; one of a number.
  std::vector<double> adjoints() const {
    if (number) return {number->adj()};
    const matrix_cl<double>& a = vector->adj();
    std::vector<double> all;
    for (std::int64_t i = 0; i < a.rows() * a.cols(); ++i) all.push_back(a.rows() == 1 ? a(0, i) : a(i, 0));
    return all;
  }
};

std::vector<detail::argument> list_of(const std::vector<made_argument>& made) {
  std::vector<detail::argument> list;
  for (const made_argument& each : made) list.push_back(*each.argument);
  return list;
}

/// Value, and derivatives as `adjoints` gives them, from single elements in columns.
struct single_elements {
  double value = 0;
  std::vector<std::vector<double>> derivatives;

  single_elements(const density_case& density, const std::vector<made_argument>& made)
      : derivatives(made.size()) {
    std::size_t count = 1;
    for (const made_argument& each : made) count = std::max(count, each.values.size());
    for (std::size_t k = 0; k < made.size(); ++k) derivatives[k].assign(made[k].values.size(), 0.0);
    for (std::size_t i = 0; i < count; ++i) {
      const nested_rev_autodiff inside;
      std::vector<detail::argument> list;
      std::vector<std::unique_ptr<var_value<matrix_cl<double>>>> variables(made.size());
      for (std::size_t k = 0; k < made.size(); ++k) {
        const density_parameter& p = density.parameters[k];
        if (p.is_count) {
          list.emplace_back(p.what, matrix_cl<int>(static_cast<int>(made[k].value(i))));
        } else {
          variables[k] = std::make_unique<var_value<matrix_cl<double>>>(matrix_cl<double>(made[k].value(i)));
          list.emplace_back(p.what, *variables[k]);
        }
      }
      if (std::none_of(variables.begin(), variables.end(), [](const auto& v) { return v != nullptr; })) {
        value += density.value(list, false);  // of counts only
        continue;
      }
      const var one = density.recorded(list, false);
      one.grad();
      value += one.val();
      for (std::size_t k = 0; k < made.size(); ++k)
        if (variables[k]) derivatives[k][made[k].values.size() == 1 ? 0 : i] += variables[k]->adj()(0, 0);
    }
  }
};

void expect_near(double got, double want, const std::string& what) {
  if (std::isinf(want))
    EXPECT_EQ(got, want) << what;
  else
    EXPECT_NEAR(got, want, 1e-13 + 1e-12 * std::fabs(want)) << what;
}

std::string text_of(const density_case& density, std::size_t mixture, bool propto) {
  std::string text = density.name + (propto ? "<true>(" : "(");
  for (std::size_t k = 0; k < density.parameters.size(); ++k, mixture /= 4)
    text += std::string(k ? ", " : "") + "nvNV"[mixture % 4];
  return text + ")";
}

std::vector<made_argument> make(const density_case& density, std::size_t mixture, bool moved = false) {
  std::vector<made_argument> made;
  const std::size_t turn = mixture;
  for (std::size_t k = 0; k < density.parameters.size(); ++k, mixture /= 4) {
    const auto as = static_cast<given_as>(mixture % 4);
    const bool is_variable = as == given_as::variable_number || as == given_as::variable_vector;
    // which vectors are rows differs from mixture to mixture
    made.emplace_back(density.parameters[k], as, (turn * 5 + turn / 7 * k) % 3 == 0, moved && is_variable);
  }
  return made;
}

void check_mixture(const density_case& density, std::size_t mixture) {
  const std::vector<made_argument> made = make(density, mixture);
  const std::string what = text_of(density, mixture, false);
  bool any = false;
  for (const made_argument& each : made) any = any || each.is_variable();
  const single_elements expected(density, made);
  if (!any) {
    expect_near(density.value(list_of(made), false), expected.value, what);
    EXPECT_EQ(density.value(list_of(made), true), 0) << what;
    return;
  }
  const var result = density.recorded(list_of(made), false);
  result.grad();
  expect_near(result.val(), expected.value, what);
  for (std::size_t k = 0; k < made.size(); ++k) {
    if (!made[k].is_variable()) continue;
    const std::vector<double> got = made[k].adjoints();
    ASSERT_EQ(got.size(), expected.derivatives[k].size());
    for (std::size_t i = 0; i < got.size(); ++i)
      expect_near(got[i], expected.derivatives[k][i], what + " derivative by " + density.parameters[k].name);
  }
}

/// Up to a constant: derivatives are the same, and values differ by what no variable changes.
void check_up_to_a_constant(const density_case& density, std::size_t mixture) {
  const std::string what = text_of(density, mixture, true);
  double left_out[2];
  for (const bool moved : {false, true}) {
    const std::vector<made_argument> made = make(density, mixture, moved);
    const single_elements expected(density, made);
    const var result = density.recorded(list_of(made), true);
    result.grad();
    left_out[moved] = expected.value - result.val();
    for (std::size_t k = 0; k < made.size(); ++k) {
      if (!made[k].is_variable()) continue;
      const std::vector<double> got = made[k].adjoints();
      for (std::size_t i = 0; i < got.size(); ++i)
        expect_near(got[i], expected.derivatives[k][i],
                    what + " derivative by " + density.parameters[k].name);
    }
  }
  EXPECT_NEAR(left_out[0], left_out[1], 1e-12) << what;
}

bool all_mixtures() {
  const char* wanted = std::getenv("FUSECL_TEST_MIXTURES");
  return wanted && std::string(wanted) == "all";
}

/// Its place in the list, so that a density has the same mixture whichever tests run.
std::size_t place_of(const density_case& density) {
  const std::vector<density_case>& all = density_cases();
  return static_cast<std::size_t>(
      std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.name == density.name; }) -
      all.begin());
}

class DensityMixtures : public ::testing::TestWithParam<density_case> {};

TEST_P(DensityMixtures, AgreeWithSingleElements) {
  FUSECL_NEEDS_DOUBLE;
  const density_case& density = GetParam();
  std::vector<std::size_t> mixtures;
  for (std::size_t mixture = 0; mixture < std::size_t{1} << 2 * density.parameters.size(); ++mixture) {
    bool possible = true;
    for (std::size_t k = 0, rest = mixture; k < density.parameters.size(); ++k, rest /= 4)
      possible = possible && !(density.parameters[k].is_count && rest % 4 > 1);
    if (possible) mixtures.push_back(mixture);
  }
  // one of every third function, another one from function to function
  const std::size_t turn = place_of(density) + 1;
  if (turn % 3 != 1 && !all_mixtures()) GTEST_SKIP() << "FUSECL_TEST_MIXTURES=all takes this one, too";
  const std::size_t only = (turn * 7) % mixtures.size();
  const std::size_t first = all_mixtures() ? 0 : only, last = all_mixtures() ? mixtures.size() : only + 1;
  for (std::size_t k = first; k < last; ++k) {
    check_mixture(density, mixtures[k]);
    recover_memory();
  }
  // with one argument as the only variable
  std::vector<std::size_t> continuous;
  for (std::size_t k = 0; k < density.parameters.size(); ++k)
    if (!density.parameters[k].is_count) continuous.push_back(k);
  for (std::size_t k = 0; k < continuous.size(); ++k) {
    if (!all_mixtures() && k != turn % continuous.size()) continue;
    check_up_to_a_constant(density, std::size_t{3} << 2 * continuous[k]);
    recover_memory();
  }
  std::cout << density.name << ": " << last - first << " of " << mixtures.size() << " mixtures\n";
}

// the density of several counts given one number each for the rest
TEST_P(DensityMixtures, SeveralCountsAmongNumbers) {
  FUSECL_NEEDS_DOUBLE;
  const density_case& density = GetParam();
  std::size_t mixture = 0;
  bool any_count = false;
  for (std::size_t k = 0; k < density.parameters.size(); ++k) {
    const auto as = density.parameters[k].is_count ? given_as::vector : given_as::variable_number;
    any_count = any_count || density.parameters[k].is_count;
    mixture |= static_cast<std::size_t>(as) << 2 * k;
  }
  if (!any_count) return;
  check_mixture(density, mixture);
  recover_memory();
}

INSTANTIATE_TEST_SUITE_P(All, DensityMixtures, ::testing::ValuesIn(density_cases()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace fusecl::test
