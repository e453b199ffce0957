#pragma once
// Pieces that formulas of densities share, arranged so that no large terms cancel.

#include <utility>

#include <primitives/likelihoods/record.hpp>

namespace fusecl::detail {

/// x log(m / x) - (m - x) for x > 0 and m >= 0 with log(m) and d = m - x: minus the deviance of Poisson
/// counts x with mean m, halved (Loader 2000, "Fast and accurate computation of binomial probabilities").
template <class X, class LogM, class D>
auto deviance_term(const X& x, const LogM& log_m, const D& d) {
  return poisson_log_kernel(x, log_m - log(x), d);
}

/// n log(n) - n, most of log(n!), for counts n, which the deviance terms have within them.
template <class N>
auto factorial_most(const N& n) {
  return multiply_log(n, n) - n;
}
/// The rest of it.
template <class N>
auto factorial_rest(const N& n) {
  return select(n > 0.0, lgamma_stirling_diff(n) + 0.5 * log(n) + half_log_two_pi, 0.0);
}
/// That part of log(binomial(all, n)).
template <class N, class All>
auto choices_rest(const N& n, const All& all) {
  return factorial_rest(all) - factorial_rest(n) - factorial_rest(all - n);
}

/// The deviance term of a count n, which may be 0.
template <class N, class LogM, class D>
auto count_term(const N& n, const LogM& log_m, const D& d) {
  return poisson_log_kernel(n, select(n > 0.0, log_m - log(n), 0.0), d);
}

/// log(part / all), given rest = all - part, from the smaller of part and rest.
template <class Part, class Rest, class All>
auto log_share(const Part& part, const Rest& rest, const All& all) {
  return select(part < rest, log(part) - log(all), log1m(rest / all));
}

/// log(x^a exp(-x) / gamma(a)) given log(x).
template <class X, class LogX, class A>
auto gamma_kernel(const X& x, const LogX& log_x, const A& a) {
  return deviance_term(a, log_x, x - a) + 0.5 * log(a) - lgamma_stirling_diff(a) - half_log_two_pi;
}

/// log(y), and 0 where y is not positive: there `power_at_zero` has what depends on log(y).
template <class Y>
auto log_of_positive(const Y& y) {
  return log(select(y > 0.0, y, 1.0));
}
/// y, and 0 where it is infinite.
template <class Y>
auto if_finite(const Y& y) {
  return select(isfinite(y), y, 0.0);
}
/// A log probability of what is below y, by its formula where y is finite or -infinity. At infinity it is 0:
/// there derivatives by the formula would be an infinity times 0.
template <class Y, class Formula>
auto all_below_infinity(const Y& y, const Formula& formula) {
  const auto inside = shared(y < INFTY);
  return select(inside, formula(shared(select(inside, y, 1.0))), 0.0);
}
/// The same of what is above y, which is all at -infinity.
template <class Y, class Formula>
auto all_above_minus_infinity(const Y& y, const Formula& formula) {
  const auto inside = shared(y > NEGATIVE_INFTY);
  return select(inside, formula(shared(select(inside, y, 1.0))), 0.0);
}
/// log(y), and 0 where y is not positive or infinite.
template <class Y>
auto log_of_ordinary(const Y& y) {
  return log(select(y > 0.0 && y < INFTY, y, 1.0));
}
/// What has the value of y, and derivative 0 where that is infinite: there it would be an infinity times 0.
template <class Y>
auto still_at_infinity(const Y& y) {
  return select(fabs(y) < INFTY, y, stop_gradient(y));
}
/// x, and where that is infinity a large number: a quotient that overflows, of which 0 is made, has no
/// derivative that an infinity times 0 would take the place of.
template <class X>
auto no_infinity(const X& x) {
  return fmin(x, 1e308);
}
/// x, and `most` where it is larger: there a function of it has ended, and derivatives of x itself, a
/// quotient, may be infinite.
template <class X>
auto at_most(const X& x, double most) {
  return select(x > most, most, x);
}
/// The same on both sides.
template <class X>
auto between(const X& x, double most) {
  return select(x < -most, -most, at_most(x, most));
}
/// From where on exp(-x) is 0, and exp(-x^2 / 2).
inline constexpr double exp_ends = 745.13, Phi_ends = 38.6;
/// An exponent e beyond that, where exp(-e) is 0 on every device: some have none of the smallest numbers.
inline constexpr double vanishing_exponent = 800;
/// log(y / scale) for y >= 0; far out, where the quotient may be infinite, a difference of logarithms.
template <class Y, class Scale>
auto log_quotient(const Y& y, const Scale& scale) {
  const auto near = shared(y < 1e100 * scale);
  return log(select(near, select(near, y, 1.0) / scale, y)) - select(near, 0.0, log(scale));
}
/// log(1 + d / scale) likewise for d >= 0; what is far out, but so small that 1 + d is not d, is scaled.
template <class D, class Scale>
auto log1p_quotient(const D& d, const Scale& scale) {
  constexpr double lift = 0x1p900, log_lift = 623.8324625039508;
  const auto near = shared(d < 1e100 * scale);
  const auto small = shared(d < 1e20);
  const auto apart = shared(d * select(small, lift, 1.0));
  return log1p(select(near, select(near, d, 1.0) / scale, apart)) -
         select(near, 0.0, log(scale) + select(small, log_lift, 0.0));
}
/// w - exp(w), with a derivative that is relatively accurate near w = 0.
template <class W>
auto less_its_exponential(const W& w) {
  return w - 1.0 - expm1(w);
}
/// log(Phi(x)), 0 where 1 - Phi(x) underflows: there derivatives by what x is made of may be infinite.
template <class X>
auto log_Phi_below(const X& x) {
  return select(x > Phi_ends, 0.0, log_Phi(x));
}
/// log(y^(a - 1)) at y = 0, with its derivatives, and 0 for y > 0.
template <class Y, class A>
auto power_at_zero(const Y& y, const A& a) {
  return select(y > 0.0, 0.0, multiply_log(a - 1.0, y));
}

/// The same of 1 - y.
template <class Y>
auto log1m_of_less_than_one(const Y& y) {
  return log1m(select(y < 1.0, y, 0.0));
}
template <class Y, class B>
auto power_at_one(const Y& y, const B& b) {
  return select(y < 1.0, 0.0, multiply_log(b - 1.0, 1.0 - y));
}

/// log(y^a (1 - y)^b / beta(a, b)); at y = 0 and 1 without the logarithm that is infinite there.
template <class Y, class A, class B>
auto beta_kernel(const Y& y, const A& a, const B& b) {
  const auto n = shared(a + b);
  const auto d = shared(b * y - a * (1.0 - y));
  return deviance_term(a, log(n) + log_of_positive(y), d) +
         deviance_term(b, log(n) + log1m_of_less_than_one(y), -d) + 0.5 * (log(a) + log(b) - log(n)) -
         half_log_two_pi - lgamma_stirling_diff(a) - lgamma_stirling_diff(b) + lgamma_stirling_diff(n);
}

/// By how much more than n successes are expected of `all` trials, each with probability p = 1 - q.
template <class N, class All, class P, class Q>
auto expected_besides(const N& n, const All& all, const P& p, const Q& q) {
  return select(p < 0.5, all * p - n, all - n - all * q);
}

/// log probability of n successes in `all` trials, each with probability p = 1 - q, of which d more than n
/// are expected, less choices_rest(n, all).
template <class N, class All, class LogP, class LogQ, class D>
auto binomial_kernel(const N& n, const All& all, const LogP& log_p, const LogQ& log_q, const D& d) {
  return count_term(n, log(all) + log_p, d) + count_term(all - n, log(all) + log_q, -d);
}

/// phi / (m + phi), by the quotient unless derivatives of that would overflow.
template <class M, class Phi>
auto share_of(const Phi& phi, const M& m) {
  const auto near = shared(m < 1e100 * phi);
  return select(near, 1.0 / (1.0 + m / select(near, phi, 1.0)), phi / m);
}

/// Whether 1 is more than nothing beside (x / scale)^2.
template <class X, class Scale>
auto is_near(const X& x, const Scale& scale) {
  return fabs(x) < 1e10 * scale;
}

/// log of gamma(n + a) / (gamma(a) n!).
template <class N, class A>
auto rising_factorial(const N& n, const A& a) {
  return select(n > 0.0, -log(n + a) - lbeta(n + 1.0, a), 0.0);
}
/// The same without its terms of the size of n and a and without -factorial_rest(n).
template <class N, class A>
auto rising_rest(const N& n, const A& a) {
  return lgamma_stirling_diff(n + a) - lgamma_stirling_diff(a) - 0.5 * log1p_quotient(n, a);
}

/// log probability of n failures with mean m and precision phi, given log(m) and share = phi / (m + phi), and
/// factorial_rest(n).
template <class N, class M, class LogM, class Share, class Phi>
auto neg_binomial_kernel(const N& n, const M& m, const LogM& log_m, const Share& share, const Phi& phi) {
  // of the n + phi trials d more than n are expected to fail, and d less than phi to succeed
  const auto d = shared((m - n) * share);
  const auto more = shared(m > n);
  const auto apart = shared(log1p_quotient(select(more, m - n, n - m), select(more, n, m) + phi));
  const auto log_trials = shared(select(more, -apart, apart));  // log((n + phi) / (m + phi))
  return count_term(n, log_m + log_trials, d) + poisson_log_kernel(phi, log_trials, -d) + rising_rest(n, phi);
}

/// log probability of n successes in `all` trials whose probability has a beta distribution with shapes a and
/// b, less choices_rest(n, all).
template <class N, class All, class A, class B>
auto beta_binomial_kernel(const N& n, const All& all, const A& a, const B& b) {
  // the table n, m; a, b with rows of N and s has as many more than expected as its other entries less
  const auto m = shared(all - n);
  const auto s = shared(a + b);
  const auto total = shared(all + s);
  const auto x = shared(n + a);
  const auto y = shared(m + b);
  const auto d = shared((n * b - m * a) / total);
  const auto log_row = shared(log(all) - log(total));
  const auto log_other = shared(log(s) - log(total));
  return count_term(n, log_row + log(x), -d) + count_term(m, log_row + log(y), d) +
         deviance_term(a, log_other + log(x), d) + deviance_term(b, log_other + log(y), -d) +
         rising_rest(n, a) + (rising_rest(m, b) - rising_rest(all, s));
}

/// The summands of a density of counts n whose term is without -log(n!): of its two parts the deviance terms
/// have most within them.
template <class N>
density_summands of_counts(const density_formula& f, held_pointer term, const N& n) {
  return {std::move(term), f.data_term(f.keeps(n), -factorial_rest(n), n), f.without(-factorial_most(n), n)};
}
/// Of failures n before a, no whole number, successes, without log(n + a - 1 over n).
template <class N, class A>
density_summands of_failures(const density_formula& f, held_pointer term, const N& n, const A& a) {
  return {std::move(term), f.data_term(f.keeps(n, a), -factorial_rest(n), n),
          f.without(rising_factorial(n, a) + factorial_rest(n), n, a)};
}
/// Of n successes in `all` trials, without log(all over n).
template <class N, class All>
density_summands of_successes(const density_formula& f, held_pointer term, const N& n, const All& all) {
  const auto rest = choices_rest(n, all);
  return {std::move(term), f.keeps(n, all)
                               ? f.data_term(true, rest, n, all)
                               : f.data_term(true, rest - binomial_coefficient_log(all, n), n, all)};
}

}  // namespace fusecl::detail
