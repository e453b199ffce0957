// What a density up to a constant leaves out: the terms of its textbook formula that no variable is in, all
// of them and no others.

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <support/operands.hpp>

#include <primitives/density_cases.hpp>

namespace fusecl::test {
namespace {

/// A term of the formula that is not made of all arguments; these are bits in their order.
struct textbook_term {
  unsigned made_of;
  double (*value)(const double* arguments);
};

constexpr unsigned first = 1, second = 2, third = 4, fourth = 8;
const double log_two_pi = std::log(2 * std::acos(-1.0));

const textbook_term normal_constant{0, [](const double*) { return -log_two_pi / 2; }},
    log_two{0, [](const double*) { return std::log(2.0); }},
    minus_log_two{0, [](const double*) { return -std::log(2.0); }},
    one_over_value{first, [](const double*a) { return -std::log(a[0]); }},
    one_over_second{second, [](const double*a) { return -std::log(a[1]); }},
    one_over_third{third, [](const double*a) { return -std::log(a[2]); }},
    log_of_second{second, [](const double*a) { return std::log(a[1]); }},
    log_of_third{third, [](const double*a) { return std::log(a[2]); }},
    log_of_fourth{fourth, [](const double*a) { return std::log(a[3]); }};

/// log(n over k).
double log_choose(double n, double k) {
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}
/// log(n + a - 1 over n).
double log_ways(double n, double a) { return std::lgamma(n + a) - std::lgamma(a) - std::lgamma(n + 1); }

const textbook_term of_failures{first | second, [](const double*a) { return log_ways(a[0], a[1]); }},
    of_failures_by_third{first | third, [](const double*a) { return log_ways(a[0], a[2]); }},
    of_successes{first | second, [](const double*a) { return log_choose(a[1], a[0]); }},
    of_counts{first, [](const double*a) { return -std::lgamma(a[0] + 1); }};

/// A density without an entry fails: new ones need theirs, which may be empty.
const std::map<std::string, std::vector<textbook_term>>& textbook() {
  static const std::map<std::string, std::vector<textbook_term>> terms = {
      {"normal_lpdf", {normal_constant, one_over_third}},
      {"std_normal_lpdf", {normal_constant}},
      {"student_t_lpdf",
       {{second,
         [](const double* a) {
           return std::lgamma((a[1] + 1) / 2) - std::lgamma(a[1] / 2) - std::log(a[1] * std::acos(-1.0)) / 2;
         }},
        {fourth, [](const double* a) { return -std::log(a[3]); }}}},
      {"cauchy_lpdf", {{0, [](const double*) { return -std::log(std::acos(-1.0)); }}, one_over_third}},
      {"logistic_lpdf", {one_over_third}},
      {"double_exponential_lpdf", {one_over_third, minus_log_two}},
      {"skew_double_exponential_lpdf",
       {log_two, one_over_third, {fourth, [](const double* a) { return std::log(a[3] * (1 - a[3])); }}}},
      {"gumbel_lpdf", {one_over_third}},
      {"uniform_lpdf", {{second | third, [](const double* a) { return -std::log(a[2] - a[1]); }}}},
      {"skew_normal_lpdf", {normal_constant, log_two, one_over_third}},
      {"exp_mod_normal_lpdf", {log_of_fourth}},
      {"von_mises_lpdf",
       {{0, [](const double*) { return -log_two_pi; }},
        {third, [](const double* a) { return -std::log(std::cyl_bessel_i(0.0, a[2])); }}}},
      {"lognormal_lpdf", {normal_constant, one_over_value, one_over_third}},
      {"gamma_lpdf",
       {{first | third, [](const double* a) { return -a[2] * a[0]; }},
        {first | second, [](const double* a) { return (a[1] - 1) * std::log(a[0]); }},
        {second | third, [](const double* a) { return a[1] * std::log(a[2]); }},
        {second, [](const double* a) { return -std::lgamma(a[1]); }}}},
      {"inv_gamma_lpdf",
       {{first | third, [](const double* a) { return -a[2] / a[0]; }},
        {first | second, [](const double* a) { return -(a[1] + 1) * std::log(a[0]); }},
        {second | third, [](const double* a) { return a[1] * std::log(a[2]); }},
        {second, [](const double* a) { return -std::lgamma(a[1]); }}}},
      {"exponential_lpdf", {log_of_second}},
      {"weibull_lpdf",
       {log_of_second,
        {first | second, [](const double* a) { return (a[1] - 1) * std::log(a[0]); }},
        {second | third, [](const double* a) { return -a[1] * std::log(a[2]); }}}},
      {"beta_lpdf",
       {{first | second, [](const double* a) { return (a[1] - 1) * std::log(a[0]); }},
        {first | third, [](const double* a) { return (a[2] - 1) * std::log1p(-a[0]); }},
        {second | third,
         [](const double* a) { return std::lgamma(a[1] + a[2]) - std::lgamma(a[1]) - std::lgamma(a[2]); }}}},
      {"beta_proportion_lpdf",
       {{second | third,
         [](const double* a) {
           return std::lgamma(a[2]) - std::lgamma(a[1] * a[2]) - std::lgamma((1 - a[1]) * a[2]);
         }}}},
      {"chi_square_lpdf",
       {{first, [](const double* a) { return -a[0] / 2; }},
        {second, [](const double* a) { return -a[1] / 2 * std::log(2.0) - std::lgamma(a[1] / 2); }}}},
      {"inv_chi_square_lpdf",
       {{first, [](const double* a) { return -1 / (2 * a[0]); }},
        {second, [](const double* a) { return -a[1] / 2 * std::log(2.0) - std::lgamma(a[1] / 2); }}}},
      {"scaled_inv_chi_square_lpdf",
       {{second, [](const double* a) { return a[1] / 2 * std::log(a[1] / 2) - std::lgamma(a[1] / 2); }},
        {second | third, [](const double* a) { return a[1] * std::log(a[2]); }},
        {first | second, [](const double* a) { return -(a[1] / 2 + 1) * std::log(a[0]); }}}},
      {"rayleigh_lpdf",
       {{first, [](const double* a) { return std::log(a[0]); }},
        {second, [](const double* a) { return -2 * std::log(a[1]); }}}},
      {"frechet_lpdf",
       {one_over_value,
        log_of_second,
        {first | second, [](const double* a) { return -a[1] * std::log(a[0]); }},
        {second | third, [](const double* a) { return a[1] * std::log(a[2]); }}}},
      {"pareto_lpdf",
       {one_over_value,
        log_of_third,
        {first | third, [](const double* a) { return -a[2] * std::log(a[0]); }},
        {second | third, [](const double* a) { return a[2] * std::log(a[1]); }}}},
      {"pareto_type_2_lpdf", {one_over_third, log_of_fourth}},
      {"bernoulli_lpmf", {}},
      {"bernoulli_logit_lpmf", {}},
      {"binomial_lpmf", {of_successes}},
      {"binomial_logit_lpmf", {of_successes}},
      {"poisson_lpmf", {of_counts}},
      {"poisson_log_lpmf", {of_counts}},
      {"neg_binomial_lpmf", {of_failures}},
      {"neg_binomial_2_lpmf", {of_failures_by_third}},
      {"neg_binomial_2_log_lpmf", {of_failures_by_third}},
      {"beta_binomial_lpmf", {of_successes}},
      {"discrete_range_lpmf", {}},
  };
  return terms;
}

constexpr std::size_t elements = 3;

/// Three elements of the first argument, and one number for each of the others.
class sampled_arguments {
 public:
  explicit sampled_arguments(const density_case& density) : parameters_(density.parameters) {
    for (std::size_t k = 0; k < parameters_.size(); ++k) {
      const auto [low, high] = parameters_[k].sample;
      for (std::size_t i = 0; i < (k == 0 ? elements : 1); ++i) {
        const double x = low + (high - low) * (0.2 + 0.31 * static_cast<double>(k == 0 ? i : k % 3));
        values_[k].push_back(parameters_[k].lies == support::zero_or_one ? static_cast<double>(i % 2)
                             : parameters_[k].is_count                   ? std::round(x)
                                                                         : x);
      }
    }
  }

  unsigned continuous() const {
    unsigned all = 0;
    for (std::size_t k = 0; k < parameters_.size(); ++k)
      if (!parameters_[k].is_count) all |= 1u << k;
    return all;
  }
  /// Those with a bit in `variables` as variables.
  std::vector<detail::argument> given(unsigned variables) const {
    std::vector<detail::argument> list;
    for (std::size_t k = 0; k < parameters_.size(); ++k) {
      const char* const what = parameters_[k].what;
      const std::vector<double>& x = values_[k];
      const bool varies = (variables >> k & 1) != 0;
      if (parameters_[k].is_count && k == 0)
        list.emplace_back(what, matrix_cl<int>(std::vector<int>(x.begin(), x.end())));
      else if (parameters_[k].is_count)
        list.emplace_back(what, static_cast<int>(x[0]));
      else if (varies && k == 0)
        list.emplace_back(what, var_value<matrix_cl<double>>(matrix_cl<double>(x)));
      else if (varies)
        list.emplace_back(what, var(x[0]));
      else if (k == 0)
        list.emplace_back(what, matrix_cl<double>(x));
      else
        list.emplace_back(what, x[0]);
    }
    return list;
  }
  /// The terms that none of these variables is in, over all elements.
  double left_out(const std::vector<textbook_term>& terms, unsigned variables) const {
    double sum = 0;
    for (std::size_t i = 0; i < elements; ++i) {
      double element[4] = {};
      for (std::size_t k = 0; k < parameters_.size(); ++k) element[k] = values_[k][k == 0 ? i : 0];
      for (const textbook_term& term : terms)
        if ((term.made_of & variables) == 0) sum += term.value(element);
    }
    return sum;
  }

 private:
  std::span<const density_parameter> parameters_;
  std::vector<double> values_[4];
};

std::vector<density_case> cases_with_a_constant() {
  std::vector<density_case> chosen;
  for (const density_case& each : density_cases())
    if (!each.name.ends_with("cdf")) chosen.push_back(each);
  return chosen;
}

class DensityConstants : public ::testing::TestWithParam<density_case> {};

TEST_P(DensityConstants, AreTheTermsOfTheTextbookWithoutVariables) {
  FUSECL_NEEDS_DOUBLE;
  const density_case& density = GetParam();
  ASSERT_TRUE(textbook().contains(density.name)) << "say which terms are not made of all arguments";
  const std::vector<textbook_term>& terms = textbook().at(density.name);
  const sampled_arguments arguments(density);
  const double whole = density.value(arguments.given(0), false);
  // one variable at a time: of several, what is left out is in all of theirs
  for (unsigned variable = 1; variable <= arguments.continuous(); variable *= 2) {
    if ((variable & arguments.continuous()) == 0) continue;
    const double kept = density.recorded(arguments.given(variable), true).val();
    EXPECT_NEAR(whole - kept, arguments.left_out(terms, variable), 1e-12)
        << density.name << "<true>, variable " << variable;
    recover_memory();
  }
}

INSTANTIATE_TEST_SUITE_P(All, DensityConstants, ::testing::ValuesIn(cases_with_a_constant()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace fusecl::test
