#pragma once
// Bodies of special.hpp: one record an operation. Device texts are in device_functions/, long double
// references without a <cmath> name in host_functions.

#include <cmath>

#include <fusion/ops/device_functions/bessel.hpp>
#include <fusion/ops/device_functions/gamma.hpp>
#include <fusion/ops/device_functions/logistic.hpp>
#include <fusion/ops/device_functions/normal.hpp>
#include <fusion/ops/device_functions/polygamma.hpp>
#include <fusion/ops/formula.hpp>
#include <fusion/ops/host_functions.hpp>
#include <fusion/ops/special.hpp>

namespace fusecl::op {

FUSECL_OPERATION_RECORD(
    tgamma, 1, .opencl = "tgamma_branch_free$S($0)", .precedence = 16, .uses = device::uses<device::tgamma>,
    .host = [](const long double* x) -> long double { return std::tgamma(x[0]); }, .domain = {{0.01, 30}},
    .cost = 80, .partials = {"$y * digamma($0)"})

FUSECL_OPERATION_RECORD(
    lgamma, 1, .opencl = "log_gamma$S($0)", .precedence = 16, .uses = device::uses<device::lgamma>,
    .host = [](const long double* x) -> long double { return std::lgamma(x[0]); }, .domain = {{0.01, 100}},
    .accuracy_note = "Below 0, near the zeros between the poles: 4 ulp of lgamma(1-x) or of 1, the larger.",
    .cost = 80, .partials = {"digamma($0)"})

FUSECL_OPERATION_RECORD(
    digamma, 1, .opencl = "digamma$S($0)", .precedence = 16, .uses = device::uses<device::digamma>,
    .host = [](const long double* x) -> long double { return host_math::digamma(x[0]); },
    .domain = {{0.01, 100}},
    .accuracy_note = "Below 0, near its zeros: 4 ulp of digamma(1-x). NaN at 0, -1, -2, ... as in Stan Math.",
    .cost = 110, .partials = {"trigamma($0)"})

FUSECL_OPERATION_RECORD(
    trigamma, 1, .opencl = "trigamma$S($0)", .precedence = 16, .uses = device::uses<device::trigamma>,
    .host = [](const long double* x) -> long double { return host_math::trigamma(x[0]); },
    .domain = {{0.01, 100}}, .cost = 80,
    // below 0 the second derivative of psi(x) = psi(1-x) - pi cot(pi x); 2 pi^3 = 62.01...
    .partials = {
        "$0 < 0 ? polygamma(2, 1 - $0) - 62.012553360599640 * "
        "cos(3.141592653589793 * ($0 - round($0))) / pow(sin(3.141592653589793 * ($0 - round($0))), 3) "
        ": polygamma(2, $0)"})

FUSECL_OPERATION_RECORD(
    polygamma, 2, .opencl = "polygamma$S($0, $1)", .precedence = 16, .uses = device::uses<device::polygamma>,
    .host = [](const long double* x) -> long double { return host_math::polygamma(x[0], x[1]); },
    .domain = {{1, 8}, {0.05, 30}}, .ulp = 32,
    .accuracy_note =
        "Derivative of order n of digamma, 1 <= n <= 32 (rounded to an integer), x >= 0; else NaN.",
    .cost = 600, .partials = {"0", "polygamma($0 + 1, $1)"})

FUSECL_OPERATION_RECORD(
    erf, 1, .opencl = "erf_branch_free$S($0)", .precedence = 16, .uses = device::uses<device::erf>,
    .host = [](const long double* x) -> long double { return std::erf(x[0]); }, .at_zero = ir::zero_rule::all,
    .domain = {{-4, 4}}, .cost = 50, .partials = {"1.1283791670955126 * exp(-square($0))"})

FUSECL_OPERATION_RECORD(
    erfc, 1, .opencl = "erfc_branch_free$S($0)", .precedence = 16, .uses = device::uses<device::erfc>,
    .host = [](const long double* x) -> long double { return std::erfc(x[0]); }, .domain = {{-4, 8}},
    .cost = 70, .partials = {"-1.1283791670955126 * exp(-square($0))"})

FUSECL_OPERATION_RECORD(
    Phi, 1, .opencl = "Phi$S($0)", .precedence = 16, .uses = device::uses<device::Phi>,
    .host = [](const long double* x) -> long double { return host_math::Phi(x[0]); }, .domain = {{-12, 6}},
    .cost = 75, .partials = {"0.3989422804014327 * exp(-0.5 * square($0))"})

FUSECL_OPERATION_RECORD(
    Phi_approx, 1, .opencl = "Phi_approx$S($0)", .precedence = 16, .uses = device::uses<device::Phi_approx>,
    .host = [](const long double* x) -> long double {
      return 1 / (1 + std::exp(-(0.07056L * x[0] * x[0] + 1.5976L) * x[0]));
    },
    .domain = {{-8, 6}}, .cost = 40, .partials = {"$y * Phi_approx(-$0) * (0.21168 * square($0) + 1.5976)"})

FUSECL_OPERATION_RECORD(
    inv_Phi, 1, .opencl = "inv_Phi$S($0)", .precedence = 16, .uses = device::uses<device::inv_Phi>,
    .host = [](const long double* x) -> long double { return host_math::inv_Phi(x[0]); },
    .domain = {{0.0001, 0.9999}}, .ulp = 5, .accuracy_note = "4 ulp above 1e-30; in float 5 ulp below.",
    .cost = 130, .partials = {"2.5066282746310002 * exp(0.5 * square($y))"})

FUSECL_OPERATION_RECORD(
    log1m, 1, .opencl = "log1p(-$0)", .precedence = 16,
    .host = [](const long double* x) -> long double { return std::log1p(-x[0]); },
    .at_zero = ir::zero_rule::all, .domain = {{-10, 0.999}}, .cost = 23, .partials = {"-1 / (1 - $0)"},
    .by_ptx = &device::log1m_unbranched)

FUSECL_OPERATION_RECORD(
    log1p_exp, 1, .opencl = "log1p_exp$S($0)", .precedence = 16, .uses = device::uses<device::log1p_exp>,
    .host = [](const long double* x) -> long double { return host_math::log1p_exp(x[0]); }, .cost = 42,
    .partials = {"inv_logit($0)"})

FUSECL_OPERATION_RECORD(
    log1m_exp, 1, .opencl = "log1m_exp$S($0)", .precedence = 16, .uses = device::uses<device::log1m_exp>,
    .host = [](const long double* x) -> long double { return host_math::log1m_exp(x[0]); },
    .domain = {{-10, -0.0001}}, .cost = 82, .partials = {"-1 / expm1(fabs($0))"})

FUSECL_OPERATION_RECORD(
    log_inv_logit, 1, .opencl = "-log1p_exp$S(-$0)", .precedence = 14,
    .uses = device::uses<device::log1p_exp>,
    .host = [](const long double* x) -> long double { return -host_math::log1p_exp(-x[0]); }, .cost = 44,
    .partials = {"inv_logit(-$0)"})

FUSECL_OPERATION_RECORD(
    log1m_inv_logit, 1, .opencl = "-log1p_exp$S($0)", .precedence = 14,
    .uses = device::uses<device::log1p_exp>,
    .host = [](const long double* x) -> long double { return -host_math::log1p_exp(x[0]); }, .cost = 43,
    .partials = {"-inv_logit($0)"})

FUSECL_OPERATION_RECORD(
    inv_logit, 1, .opencl = "inv_logit$S($0)", .precedence = 16, .uses = device::uses<device::inv_logit>,
    .host = [](const long double* x) -> long double { return 1 / (1 + std::exp(-x[0])); }, .cost = 24,
    .partials = {"$y * inv_logit(-$0)"})

FUSECL_OPERATION_RECORD(
    inv_cloglog, 1, .opencl = "inv_cloglog$S($0)", .precedence = 16,
    .uses = device::uses<device::inv_cloglog>,
    .host = [](const long double* x) -> long double { return -std::expm1(-std::exp(x[0])); }, .cost = 40,
    .partials = {"exp($0 - exp($0))"})

FUSECL_OPERATION_RECORD(
    logit, 1, .opencl = "logit$S($0)", .precedence = 16, .uses = device::uses<device::logit>,
    .host = [](const long double* x) -> long double { return host_math::logit(x[0]); },
    .domain = {{0.0001, 0.9999}}, .cost = 52, .partials = {"1 / ($0 * (1 - $0))"})

FUSECL_OPERATION_RECORD(
    log_Phi, 1, .opencl = "log_Phi$S($0)", .precedence = 16, .uses = device::uses<device::log_Phi>,
    .host = [](const long double* x) -> long double { return host_math::log_Phi(x[0]); },
    .domain = {{-30, 6}}, .cost = 180,
    // the density over the probability; far below from its asymptotic series, where the exponent loses its
    // digits
    .partials = {"$0 < -38 ? -$0 / (1 - inv_square($0) * (1 - 3 * inv_square($0) * (1 - 5 * inv_square($0) * "
                 "(1 - 7 * inv_square($0))))) : 0.3989422804014327 * exp(-0.5 * square($0) - $y)"})

FUSECL_OPERATION_RECORD(
    log_i0e, 1, .opencl = "log_i0e$S($0)", .precedence = 16, .uses = device::uses<device::log_i0e>,
    .host = [](const long double* x) -> long double { return host_math::log_i0e(x[0]); },
    .at_zero = ir::zero_rule::all, .domain = {{0, 60}},
    .accuracy_note =
        "Log of the modified Bessel function of order 0, scaled: `log(exp(-x) I0(x))` for x >= 0.",
    .cost = 190, .partials = {"i1_i0_m1($0)"})

FUSECL_OPERATION_RECORD(
    i1_i0_m1, 1, .opencl = "i1_i0_m1$S($0)", .precedence = 16, .uses = device::uses<device::i1_i0_m1>,
    .host = [](const long double* x) -> long double { return host_math::i1_i0_m1(x[0]); },
    .domain = {{0, 60}},
    .accuracy_note =
        "Ratio of modified Bessel functions, `I1(x) / I0(x) - 1` for x >= 0. Of its derivative "
        "log10(x) digits are lost.",
    .cost = 170,
    // of I1 / I0: 1 - (I1 / I0)^2 - (I1 / I0) / x, and its power series
    .partials = {"$0 < 0.01 ? 0.5 - square($0) * (0.1875 - square($0) * (0.052083333333333336 - "
                 "0.012532552083333334 * square($0))) : -$y * (2 + $y) - (1 + $y) / $0"})

FUSECL_OPERATION_RECORD(
    log1pmx, 1, .opencl = "log1pmx$S($0)", .precedence = 16, .uses = device::uses<device::log1pmx>,
    .host = [](const long double* x) -> long double { return host_math::log1pmx(x[0]); },
    .at_zero = ir::zero_rule::all, .domain = {{-0.9, 10}}, .ulp = 12, .accuracy_note = "`log1p(x) - x`.",
    .cost = 70, .partials = {"-$0 / (1 + $0)"})

FUSECL_OPERATION_RECORD(
    lgamma_stirling_diff, 1, .opencl = "lgamma_stirling_diff$S($0)", .precedence = 16,
    .uses = device::uses<device::lgamma_stirling_diff>,
    .host = [](const long double* x) -> long double { return host_math::lgamma_stirling_diff(x[0]); },
    .domain = {{1, 100}},
    .accuracy_note = "`lgamma(x) - ((x - 1/2) log(x) - x + log(2 pi) / 2)` for x >= 0; below 1: 4 ulp of 1.",
    .cost = 70, .partials = {"digamma_stirling_diff($0)"})

FUSECL_OPERATION_RECORD(
    digamma_stirling_diff, 1, .opencl = "digamma_stirling_diff$S($0)", .precedence = 16,
    .uses = device::uses<device::digamma_stirling_diff>,
    .host = [](const long double* x) -> long double { return host_math::digamma_stirling_diff(x[0]); },
    .domain = {{1, 100}}, .ulp = 5,
    .accuracy_note = "`digamma(x) - log(x) + 1 / (2 x)` for x >= 0; below 1: 4 ulp of 1 / x.", .cost = 70,
    .partials = {"trigamma($0) - 1 / $0 - 0.5 / square($0)"})

FUSECL_OPERATION_RECORD(
    beta, 2, .opencl = "beta$S($0, $1)", .precedence = 16, .uses = device::uses<device::beta>,
    .host = [](const long double* x) -> long double { return host_math::beta(x[0], x[1]); },
    .domain = {{0.1, 20}, {0.1, 20}}, .ulp = 5, .accuracy_note = "4 ulp where both operands are at least 1.",
    .cost = 300, .commutative = true,
    .partials = {"$y * (digamma_stirling_diff($0) - digamma_stirling_diff($0 + $1) - log1p($1 / $0) - 0.5 / "
                 "($0 * (1 + $0 / $1)))",
                 "$y * (digamma_stirling_diff($1) - digamma_stirling_diff($0 + $1) - log1p($0 / $1) - 0.5 / "
                 "($1 * (1 + $1 / $0)))"})

FUSECL_OPERATION_RECORD(
    lbeta, 2, .opencl = "lbeta$S($0, $1)", .precedence = 16, .uses = device::uses<device::lbeta>,
    .host = [](const long double* x) -> long double { return host_math::lbeta(x[0], x[1]); },
    .domain = {{1.5, 100}, {1.5, 100}},
    .accuracy_note = "Near beta(a,b) = 1: 4 ulp of max(1/2, min(a,b) log(a+b)).", .cost = 280,
    .commutative = true,
    // digamma(x) - digamma(x + y) by Stirling's formula, whose logarithms cancel where y is small beside x
    .partials = {"digamma_stirling_diff($0) - digamma_stirling_diff($0 + $1) - log1p($1 / $0) - 0.5 / ($0 * "
                 "(1 + $0 / $1))",
                 "digamma_stirling_diff($1) - digamma_stirling_diff($0 + $1) - log1p($0 / $1) - 0.5 / ($1 * "
                 "(1 + $1 / $0))"})

FUSECL_OPERATION_RECORD(
    binomial_coefficient_log, 2, .opencl = "binomial_coefficient_log$S($0, $1)", .precedence = 16,
    .uses = device::uses<device::binomial_coefficient_log>,
    .host = [](const long double* x) -> long double {
      return host_math::binomial_coefficient_log(x[0], x[1]);
    },
    .at_zero = ir::zero_rule::all, .domain = {{20, 100}, {1, 20}},
    .accuracy_note = "Near k = 0 and k = n, for k that is no integer: 4 ulp of 1/10.", .cost = 300,
    .partials = {"digamma($0 + 1) - digamma($0 - $1 + 1)", "digamma($0 - $1 + 1) - digamma($1 + 1)"})

FUSECL_OPERATION_RECORD(
    log_inv_logit_diff, 2, .opencl = "log_inv_logit_diff$S($0, $1)", .precedence = 16,
    .uses = device::uses<device::log_inv_logit_diff>,
    .host = [](const long double* x) -> long double { return host_math::log_inv_logit_diff(x[0], x[1]); },
    .domain = {{0.1, 10}, {-10, 0}},
    .accuracy_note = "Equal operands give -infinity, infinite ones too; x < y gives NaN.", .cost = 170,
    .partials = {"inv_logit(-$0) + 1 / expm1($0 - $1)", "-1 / expm1($0 - $1) - inv_logit($1)"})

FUSECL_OPERATION_RECORD(
    log_diff_exp, 2, .opencl = "log_diff_exp$S($0, $1)", .precedence = 16,
    .uses = device::uses<device::log_diff_exp>,
    .host = [](const long double* x) -> long double { return host_math::log_diff_exp(x[0], x[1]); },
    .domain = {{2, 10}, {-10, 1}}, .accuracy_note = "Near exp(x) - exp(y) = 1: 4 ulp of x.", .cost = 85,
    .partials = {"1 + 1 / expm1($0 - $1)", "-1 / expm1($0 - $1)"})

FUSECL_OPERATION_RECORD(
    log_sum_exp, 2, .opencl = "log_sum_exp$S($0, $1)", .precedence = 16,
    .uses = device::uses<device::log_sum_exp>,
    .host = [](const long double* x) -> long double { return host_math::log_sum_exp(x[0], x[1]); },
    .domain = {{0, 10}, {0, 10}}, .accuracy_note = "Near exp(x) + exp(y) = 1: 4 ulp of max(x, y).",
    .cost = 45, .commutative = true,
    .partials = {"isnan($0 - $1) ? ($0 == $1 ? 0.5 : $0 - $1) : inv_logit($0 - $1)",
                 "isnan($1 - $0) ? ($0 == $1 ? 0.5 : $1 - $0) : inv_logit($1 - $0)"})

FUSECL_OPERATION_RECORD(
    log1p_exp_both, 2, .opencl = "log1p_exp_both$S($0, $1)", .precedence = 16,
    .uses = device::uses<device::log1p_exp_both>,
    .host = [](const long double* x) -> long double {
      return host_math::log1p_exp(x[0]) + host_math::log1p_exp(x[1]);
    },
    .domain = {{-10, 10}, {-10, 10}}, .accuracy_note = "`log1p_exp(x) + log1p_exp(y)`, by one logarithm.",
    .cost = 65, .commutative = true, .partials = {"inv_logit($0)", "inv_logit($1)"})

FUSECL_OPERATION_RECORD(
    multiply_log, 2, .opencl = "multiply_log$S($0, $1)", .precedence = 16,
    .uses = device::uses<device::multiply_log>,
    .host = [](const long double* x) -> long double { return host_math::multiply_log(x[0], x[1]); },
    .at_zero = ir::zero_rule::all, .domain = {{-10, 10}, {0.001, 100}}, .cost = 23,
    .partials = {"log($1)", "$0 == 0 ? 0 : $0 / $1"})

FUSECL_OPERATION_RECORD(
    lmultiply, 2, .opencl = "multiply_log$S($0, $1)", .precedence = 16,
    .uses = device::uses<device::multiply_log>,
    .host = [](const long double* x) -> long double { return host_math::multiply_log(x[0], x[1]); },
    .at_zero = ir::zero_rule::all, .domain = {{-10, 10}, {0.001, 100}}, .cost = 23,
    .partials = {"log($1)", "$0 == 0 ? 0 : $0 / $1"})

FUSECL_OPERATION_RECORD(
    logistic_log_kernel, 1, .opencl = "logistic_log_kernel$S($0)", .precedence = 16,
    .uses = device::uses<device::logistic_log_kernel>,
    .host = [](const long double* x) -> long double {
      return -std::fabs(x[0]) - 2 * std::log1p(std::exp(-std::fabs(x[0])));
    },
    .accuracy_note = "The log of the logistic density, `-2 * log(2 * cosh(x / 2))`.", .cost = 44,
    .partials = {"-tanh(0.5 * $0)"})

namespace detail {

/// Of nu, d and sigma, with a = d / m and b = sigma / m, where m is the larger one of |d| and sigma: one of
/// them is 1 or -1, the other w, so that no quotient overflows. t = (a^2 / nu) / (a^2 / nu + b^2) is r / (1 +
/// r) with r = (d / sigma)^2 / nu, of which log1p(r) - t loses its digits where both are small.
FUSECL_INLINE ir::node_id partial_of_student_t(ir::graph& g, const ir::node_id* operands, ir::node_id result,
                                               int k) {
  const auto made = [&](std::string_view formula, std::initializer_list<ir::node_id> of) {
    return ops::build_formula(g, formula, of.begin(), result);
  };
  const ir::node_id nu = operands[0], d = operands[1], sigma = operands[2];
  const ir::node_id size = made("fabs($0)", {d});
  const ir::node_id is_far = made("$0 > $1", {size, sigma});
  const ir::node_id m = made("$0 ? $1 : $2", {is_far, size, sigma});
  const ir::node_id w = made("$0 / $1", {made("$0 ? $1 : $2", {is_far, sigma, d}), m});
  const ir::node_id inverse_nu = made("1 / $0", {nu});
  const ir::node_id a2_over_nu = made("$0 ? $1 : $2 * ($2 * $1)", {is_far, inverse_nu, w});
  const ir::node_id b2 = made("$0 ? square($1) : 1", {is_far, w});
  const ir::node_id inverse_sum = made("inv($0 + $1)", {b2, a2_over_nu});
  if (k == 0) {
    const ir::node_id t = made("$0 * $1", {a2_over_nu, inverse_sum});
    const ir::node_id small = made("0.5 * (log1pmx($0 < 0.5 ? -$0 : 0) + $0 * $1)", {t, inverse_nu});
    // by the result, as one more logarithm takes a fifth of a regression's time: costs eps |log(sigma)|
    const ir::node_id log1p_r = made("-2 * ($y + log($0)) * inv($1 + 1)", {sigma, nu});
    const ir::node_id large = made("-0.5 * ($0 - $1 * (1 + $2))", {log1p_r, t, inverse_nu});
    return made("$0 < 0.5 ? $1 : $2", {t, small, large});
  }
  if (k == 1) {
    const ir::node_id a = made("$0 ? copysign(1, $1) : $2", {is_far, d, w});
    return made("-(1 + $0) * $1 / $2", {inverse_nu, made("$0 * $1", {a, inverse_sum}), m});
  }
  const ir::node_id difference = made("$0 ? 1 - square($1) : square($1) - 1", {is_far, w});
  return made("$0 * $1", {difference, made("$0 / $1", {inverse_sum, sigma})});
}

}  // namespace detail

FUSECL_OPERATION_RECORD(
    student_t_log_kernel, 3, .opencl = "student_t_log_kernel$S($0, $1, $2)", .precedence = 16,
    .uses = device::uses<device::student_t_log_kernel>,
    .host = [](const long double* x) -> long double {
      const long double z = x[1] / x[2];
      return -(x[0] + 1) / 2 * std::log1p(z * z / x[0]) - std::log(x[2]);
    },
    .domain = {{0.5, 30}, {-10, 10}, {1, 10}}, .ulp = 8,
    .accuracy_note =
        "Student's t density without its constants, "
        "`-(nu + 1) / 2 * log1p(square(d / sigma) / nu) - log(sigma)` of nu, d and sigma.",
    .cost = 80,
    .partials =
        {"-0.5 * (log1p(square($1 / $2) / $0) - (1 + 1 / $0) * square($1 / $2) / ($0 + square($1 / $2)))",
         "-($0 + 1) * $1 / ($0 * square($2) + square($1))",
         "(square($1 / $2) - 1) * $0 / (($0 + square($1 / $2)) * $2)"},
    .partial = detail::partial_of_student_t)

FUSECL_OPERATION_RECORD(
    poisson_log_kernel, 3, .opencl = "poisson_log_kernel$S($0, $1, $2)", .precedence = 16,
    .uses = device::uses<device::poisson_log_kernel>,
    .host = [](const long double* x) -> long double {
      const bool near = std::fabs(x[2] - 0.25L * x[0]) < 0.75L * x[0];
      const long double far = is_infinite(x[2]) ? -x[2] : x[0] * x[1] - x[2];
      return near ? x[0] * host_math::log1pmx(x[2] / x[0]) : far;
    },
    .at_zero = ir::zero_rule::all, .domain = {{1, 20}, {-1, 1}, {-10, 10}},
    .accuracy_note =
        "`x * l - d` of x, l = log(m / x) and d = m - x: the log of the Poisson probability of x with mean m "
        "over that with mean x. Where m is in (x / 2, 2 x) it is computed from d alone, of which it then "
        "keeps the digits.",
    .cost = 40,
    // where l plays no part the derivatives by d and x have its share
    .partials = {"fabs($2 - 0.25 * $0) < 0.75 * $0 ? ($y + $2 * ($2 / ($0 + $2))) / $0 : $1",
                 "fabs($2 - 0.25 * $0) < 0.75 * $0 ? 0 : $0",
                 "fabs($2 - 0.25 * $0) < 0.75 * $0 ? -($2 / ($0 + $2)) : -1"})

}  // namespace fusecl::op
