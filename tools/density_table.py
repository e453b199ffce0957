#!/usr/bin/env python3
"""Writes test/primitives/densities.csv: densities and their partial derivatives from their textbook definitions, by mpmath.

Columns: function, arguments (hexadecimal floating point), value and its scale, then the same of the partial derivative by
each argument that is no count. Scales are what errors are relative to: the number itself or, where the rounding of the
arguments alone changes it by more, the thousandth part of the sum of |argument * derivative by it|; for values at least
0.01, as a log density may pass through 0.

A second table, test/primitives/vector_densities.csv, has densities of vectors: their arguments are separated by `;`, each
with its rows and columns before its elements, and partial derivatives are those of arguments that are no counts.
"""
import argparse
import random

import mpmath as m

mpf = m.mpf
DIGITS = 60


def log_choose(n, k):
    return m.loggamma(n + 1) - m.loggamma(k + 1) - m.loggamma(n - k + 1)


def normal(y, mu, sigma):
    return -((y - mu) / sigma) ** 2 / 2 - m.log(sigma) - m.log(2 * m.pi) / 2


def student_t(y, nu, mu, sigma):
    z = (y - mu) / sigma
    return (m.loggamma((nu + 1) / 2) - m.loggamma(nu / 2) - m.log(nu * m.pi) / 2 - m.log(sigma)
            - (nu + 1) / 2 * m.log1p(z * z / nu))


def logistic(y, mu, sigma):
    z = (y - mu) / sigma
    return -z - 2 * m.log1p(m.exp(-z)) - m.log(sigma)


def skew_double_exponential(y, mu, sigma, tau):
    tilt = (1 - tau) * (mu - y) if y < mu else tau * (y - mu)
    return m.log(2 * tau * (1 - tau) / sigma) - 2 * tilt / sigma


def gumbel(y, mu, beta):
    z = (y - mu) / beta
    return -z - m.exp(-z) - m.log(beta)


def gamma(y, alpha, beta):
    return alpha * m.log(beta) - m.loggamma(alpha) + (alpha - 1) * m.log(y) - beta * y


def inv_gamma(y, alpha, beta):
    return alpha * m.log(beta) - m.loggamma(alpha) - (alpha + 1) * m.log(y) - beta / y


def weibull(y, alpha, sigma):
    return m.log(alpha / sigma) + (alpha - 1) * m.log(y / sigma) - (y / sigma) ** alpha


def beta(y, a, b):
    return ((a - 1) * m.log(y) + (b - 1) * m.log1p(-y)
            - m.loggamma(a) - m.loggamma(b) + m.loggamma(a + b))


def binomial(n, N, theta):
    return log_choose(N, n) + (n * m.log(theta) if n else 0) + ((N - n) * m.log1p(-theta) if n < N else 0)


def binomial_logit(n, N, alpha):
    return log_choose(N, n) - n * m.log1p(m.exp(-alpha)) - (N - n) * m.log1p(m.exp(alpha))


def poisson(n, rate):
    return (n * m.log(rate) if n else 0) - rate - m.loggamma(n + 1)


def neg_binomial_2(n, mu, phi):
    return (m.loggamma(n + phi) - m.loggamma(phi) - m.loggamma(n + 1)
            + n * (m.log(mu) - m.log(mu + phi)) - phi * m.log1p(mu / phi))


def linear(low, high):
    return lambda: random.uniform(low, high)


def log_scale(low, high):
    return lambda: float(m.exp(random.uniform(float(m.log(low)), float(m.log(high)))))


def far():
    """Of either sign and any magnitude that data have."""
    return random.choice((-1, 1)) * log_scale(1e-6, 1e6)()


def count(high):
    return lambda: float(random.choice((random.randint(0, 10), int(log_scale(1, high)()))))


def whole(low, high):
    return lambda: float(random.randint(low, high))


def near_ends():
    """Probabilities, many close to 0 or 1."""
    return random.choice((random.random(), log_scale(1e-12, 1e-2)(), 1 - log_scale(1e-12, 1e-2)()))


def near(rule, of, spread):
    """The last argument drawn close to what the others make likely."""
    return lambda *given: of(*given) * (1 + random.uniform(-spread, spread))


REAL, SCALE, ANY_SCALE = linear(-5, 5), linear(0.2, 4), log_scale(1e-6, 1e6)
SHAPE, ANY_SHAPE = linear(0.3, 8), log_scale(1e-6, 1e8)
LOCATION_SCALE = [(12, REAL, REAL, SCALE), (12, far, far, ANY_SCALE)]
POSITIVE = [(12, SCALE, SHAPE, SCALE), (12, log_scale(1e-6, 1e6), log_scale(1e-3, 1e3), log_scale(1e-3, 1e3))]

# Definition, places of arguments that are counts, numbers of points and how to draw their arguments: a rule that takes
# arguments gets those before it.
TABLE = {
    "normal_lpdf": (normal, (), LOCATION_SCALE),
    "std_normal_lpdf": (lambda y: normal(y, 0, 1), (), [(8, REAL), (8, far)]),
    "student_t_lpdf": (student_t, (), [(12, REAL, SCALE, REAL, SCALE), (14, REAL, ANY_SHAPE, REAL, SCALE),
                                       (8, far, ANY_SHAPE, far, ANY_SCALE)]),
    "cauchy_lpdf": (lambda y, mu, s: -m.log1p(((y - mu) / s) ** 2) - m.log(s) - m.log(m.pi), (), LOCATION_SCALE),
    "logistic_lpdf": (logistic, (), [(14, REAL, REAL, SCALE), (6, REAL, REAL, log_scale(10, 1e6)),
                                     (6, linear(-700, 700), REAL, SCALE)]),
    "double_exponential_lpdf": (lambda y, mu, s: -abs(y - mu) / s - m.log(2 * s), (), LOCATION_SCALE),
    "skew_double_exponential_lpdf": (skew_double_exponential, (), [(12, REAL, REAL, SCALE, linear(0.01, 0.99)),
                                                                   (8, far, far, ANY_SCALE, near_ends)]),
    "gumbel_lpdf": (gumbel, (), [(14, REAL, REAL, SCALE), (6, linear(0, 700), REAL, SCALE)]),
    "uniform_lpdf": (lambda y, a, b: -m.log(b - a), (), [(6, linear(-1, 1), linear(-9, -1), linear(1, 9))]),
    "lognormal_lpdf": (lambda y, mu, s: normal(m.log(y), mu, s) - m.log(y), (),
                       [(12, SCALE, REAL, SCALE), (10, log_scale(1e-100, 1e100), far, ANY_SCALE)]),
    "gamma_lpdf": (gamma, (), POSITIVE + [(10, ANY_SCALE, ANY_SHAPE, lambda y, a: a / y * random.uniform(0.9, 1.1))]),
    "inv_gamma_lpdf": (inv_gamma, (), POSITIVE + [(10, ANY_SCALE, ANY_SHAPE, lambda y, a: a * y * random.uniform(0.9, 1.1))]),
    "exponential_lpdf": (lambda y, b: m.log(b) - b * y, (), [(8, SCALE, SCALE), (8, ANY_SCALE, ANY_SCALE)]),
    "weibull_lpdf": (weibull, (), [(12, SCALE, SHAPE, SCALE), (10, SCALE, log_scale(1e-3, 50), SCALE)]),
    "beta_lpdf": (beta, (), [(12, linear(0.01, 0.99), SHAPE, SHAPE), (12, near_ends, log_scale(1e-3, 1e4), log_scale(1e-3, 1e4)),
                             (8, linear(0.1, 0.9), log_scale(1, 1e8), lambda y, a: a * (1 - y) / y * random.uniform(0.99, 1.01))]),
    "bernoulli_lpmf": (lambda n, p: m.log(p) if n else m.log1p(-p), (0,), [(16, lambda: float(random.randint(0, 1)), near_ends)]),
    "bernoulli_logit_lpmf": (lambda n, a: -m.log1p(m.exp(-a if n else a)), (0,),
                             [(8, lambda: float(random.randint(0, 1)), REAL), (8, lambda: float(random.randint(0, 1)), linear(-700, 700))]),
    "binomial_lpmf": (binomial, (0, 1), [(10, count(10), lambda n: n + random.randint(0, 10), linear(0.01, 0.99)),
                                         (12, count(1e6), lambda n: n + int(log_scale(1, 1e6)()), near_ends),
                                         (10, count(1e6), lambda n: n + int(log_scale(1, 1e6)()),
                                          lambda n, N: min(0.999, (n + 0.5) / N * random.uniform(0.99, 1.01)))]),
    "binomial_logit_lpmf": (binomial_logit, (0, 1), [(10, count(10), lambda n: n + random.randint(0, 10), REAL),
                                                     (10, count(1e6), lambda n: n + int(log_scale(1, 1e6)()), linear(-700, 700)),
                                                     (10, count(1e6), lambda n: n + int(log_scale(1, 1e6)()),
                                                      lambda n, N: float(m.log((n + 0.5) / (N - n + 0.5))) + random.uniform(-0.01, 0.01))]),
    "poisson_lpmf": (poisson, (0,), [(10, count(20), linear(0.1, 20)), (10, count(1e6), ANY_SCALE),
                                     (10, count(1e6), lambda n: (n + 0.1) * random.uniform(0.99, 1.01))]),
    "poisson_log_lpmf": (lambda n, a: n * a - m.exp(a) - m.loggamma(n + 1), (0,),
                         [(10, count(20), linear(-2, 3)), (10, count(1e6), linear(-700, 700)),
                          (10, count(1e6), lambda n: float(m.log(n + 0.1)) + random.uniform(-0.01, 0.01))]),
    "neg_binomial_lpmf": (lambda n, a, b: neg_binomial_2(n, a / b, a), (0,),
                          [(12, count(20), SHAPE, SCALE), (12, count(1e6), log_scale(1e-6, 1e8), log_scale(1e-4, 1e4))]),
    "neg_binomial_2_lpmf": (neg_binomial_2, (0,),
                            [(12, count(20), SHAPE, SHAPE), (16, count(1e6), ANY_SCALE, ANY_SHAPE),
                             (14, count(1e6), lambda n: (n + 0.1) * random.uniform(0.9, 1.1), ANY_SHAPE)]),
    "neg_binomial_2_log_lpmf": (lambda n, e, p: neg_binomial_2(n, m.exp(e), p), (0,),
                                [(12, count(20), linear(-2, 3), SHAPE), (12, count(1e6), linear(-700, 700), ANY_SHAPE),
                                 (14, count(1e6), lambda n: float(m.log(n + 0.1)) + random.uniform(-0.1, 0.1), ANY_SHAPE)]),
}


def tails(lower, upper, groups, counts=()):
    """Log probabilities below and above from the smaller of the two probabilities."""
    def log_of(own, other):
        return lambda *x: m.log(own(*x)) if own(*x) < 0.5 else m.log1p(-other(*x))
    return {"lcdf": (log_of(lower, upper), counts, groups), "lccdf": (log_of(upper, lower), counts, groups)}


def chi_square(y, nu):
    return gamma(y, nu / 2, mpf(1) / 2)


def exp_mod_normal(y, mu, s, r):
    return m.log(r) + r * (mu - y + r * s * s / 2) + m.log(m.erfc(-((y - mu) / s - r * s) / m.sqrt(2)) / 2)


def beta_binomial(n, N, a, b):
    def log_beta(x, y):
        return m.loggamma(x) + m.loggamma(y) - m.loggamma(x + y)
    return log_choose(N, n) + log_beta(n + a, N - n + b) - log_beta(a, b)


def waiting(y, mu, s, r):
    """Probability that the normal part of the sum is below y and the sum is not."""
    return m.exp(r * (mu - y + r * s * s / 2)) * below_normal((y - mu) / s - r * s)


def below_normal(z):
    if m.re(z) < -1e100:  # where mpmath counts its terms by a float
        return m.mpf(0)
    return m.erfc(-z / m.sqrt(2)) / 2


def below_cauchy(z):
    return m.atan2(1, -z) / m.pi


def below_laplace(z):
    return m.exp(z) / 2 if z < 0 else 1 - m.exp(-z) / 2


def below_skew(z, tau):
    return tau * m.exp(2 * (1 - tau) * z) if z < 0 else 1 - (1 - tau) * m.exp(-2 * tau * z)


def standardized(below):
    return lambda y, mu, s: below((y - mu) / s), lambda y, mu, s: below((mu - y) / s)


def from_upper(rate):
    """Of a distribution with probability exp(-rate) above."""
    return lambda *x: -m.expm1(-rate(*x)), lambda *x: m.exp(-rate(*x))


PARETO = [(12, linear(1, 5), linear(0.1, 0.9), SHAPE), (8, log_scale(1, 1e6), log_scale(1e-6, 1), SHAPE)]
LOMAX = [(12, linear(1, 5), linear(-3, 0), SCALE, SHAPE), (8, log_scale(1, 1e6), linear(-3, 0), ANY_SCALE, SHAPE)]
TAIL = [(12, REAL, REAL, SCALE), (8, linear(-40, 40), REAL, SCALE)]
NORMAL_TAIL = [(12, REAL, REAL, SCALE), (8, linear(-40, 40), REAL, linear(1, 4))]
TABLE |= {
    "beta_proportion_lpdf": (lambda y, mu, k: beta(y, mu * k, (1 - mu) * k), (),
                             [(12, linear(0.01, 0.99), linear(0.01, 0.99), SHAPE), (8, linear(0.01, 0.99), linear(0.01, 0.99), log_scale(1, 1e6))]),
    "chi_square_lpdf": (chi_square, (), [(12, SCALE, SHAPE), (10, ANY_SCALE, log_scale(1e-3, 1e6))]),
    "inv_chi_square_lpdf": (lambda y, nu: inv_gamma(y, nu / 2, mpf(1) / 2), (), [(12, SCALE, SHAPE), (10, ANY_SCALE, log_scale(1e-3, 1e6))]),
    "rayleigh_lpdf": (lambda y, s: m.log(y) - 2 * m.log(s) - (y / s) ** 2 / 2, (), [(8, SCALE, SCALE), (8, ANY_SCALE, ANY_SCALE)]),
    "frechet_lpdf": (lambda y, a, s: m.log(a / s) - (1 + a) * m.log(y / s) - (y / s) ** -a, (), [(12, SCALE, SHAPE, SCALE)]),
    "pareto_lpdf": (lambda y, least, a: m.log(a) + a * m.log(least) - (a + 1) * m.log(y), (), PARETO),
    "pareto_type_2_lpdf": (lambda y, mu, s, a: m.log(a / s) - (a + 1) * m.log1p((y - mu) / s), (),
                           LOMAX + [(8, log_scale(1e4, 1e7), log_scale(1e-6, 1), SCALE, log_scale(1e-7, 1e-5))]),
    "skew_normal_lpdf": (lambda y, mu, s, a: normal(y, mu, s) + m.log(2 * below_normal(a * (y - mu) / s)), (),
                         [(14, REAL, REAL, SCALE, REAL), (6, linear(-20, 20), REAL, linear(1, 4), linear(-3, 3))]),
    "exp_mod_normal_lpdf": (exp_mod_normal, (), [(14, REAL, REAL, linear(0.2, 2), linear(0.2, 2)), (6, linear(-20, 20), REAL, linear(1, 2), linear(0.2, 2)),
                                              (8, log_scale(1e2, 1e6), REAL, SCALE, log_scale(1e-4, 1))]),
}
TABLE |= {
    "scaled_inv_chi_square_lpdf": (lambda y, nu, s: inv_gamma(y, nu / 2, nu * s * s / 2), (),
                                   [(12, SCALE, SHAPE, SCALE), (10, ANY_SCALE, log_scale(1e-3, 1e6), ANY_SCALE),
                                    (8, ANY_SCALE, log_scale(1, 1e8), lambda y, nu: y**0.5 * random.uniform(0.99, 1.01))]),
    "von_mises_lpdf": (lambda y, mu, k: k * m.cos(y - mu) - m.log(2 * m.pi * m.besseli(0, k)), (),
                       [(12, linear(-3, 3), linear(-3, 3), SHAPE), (10, far, far, log_scale(1e-6, 1e8)),
                        (10, linear(-3, 3), lambda y: y + random.uniform(-1, 1) * 1e-3, log_scale(1, 1e8))]),
    "beta_binomial_lpmf": (beta_binomial, (0, 1),
                           [(12, count(10), lambda n: n + random.randint(0, 10), SHAPE, SHAPE),
                            (14, count(1e6), lambda n: n + int(log_scale(1, 1e6)()), log_scale(1e-6, 1e8), log_scale(1e-6, 1e8)),
                            (10, count(1e6), lambda n: n + int(log_scale(1, 1e6)()), log_scale(1, 1e8),
                             lambda n, N, a: a * (N - n + 0.5) / (n + 0.5) * random.uniform(0.99, 1.01))]),
    "discrete_range_lpmf": (lambda y, low, high: -m.log(high - low + 1), (0, 1, 2),
                            [(6, whole(-9, 9), lambda y: y - random.randint(0, 5), lambda y, low: y + random.randint(0, 5)),
                             (6, whole(-10**6, 10**6), lambda y: y - int(log_scale(1, 1e6)()), lambda y, low: y + int(log_scale(1, 1e6)()))]),
}
RANGE = [(6, whole(-9, 9), lambda y: y - random.randint(0, 5), lambda y, low: y + random.randint(1, 5)),
         (8, whole(-10**6, 10**6), lambda y: y - int(log_scale(1, 1e6)()), lambda y, low: y + int(log_scale(1, 1e6)()))]
DISTRIBUTIONS = {
    "normal": (*standardized(below_normal), NORMAL_TAIL),
    "std_normal": (below_normal, lambda y: below_normal(-y), [(12, REAL), (10, linear(-38, 38))]),
    "cauchy": (*standardized(below_cauchy), LOCATION_SCALE),
    "logistic": (*standardized(lambda z: 1 / (1 + m.exp(-z))), TAIL),
    "double_exponential": (*standardized(below_laplace), TAIL),
    "skew_double_exponential": (lambda y, mu, s, t: below_skew((y - mu) / s, t), lambda y, mu, s, t: below_skew((mu - y) / s, 1 - t),
                                [(14, REAL, REAL, SCALE, linear(0.05, 0.95))]),
    "gumbel": (*from_upper(lambda y, mu, s: m.exp((mu - y) / s))[::-1], [(12, REAL, REAL, SCALE), (6, linear(0, 200), REAL, SCALE)]),
    "uniform": (lambda y, a, b: (y - a) / (b - a), lambda y, a, b: (b - y) / (b - a),
                [(8, linear(-1, 1), linear(-9, -1), linear(1, 9)), (6, log_scale(1e-12, 1e-2), log_scale(1e-16, 1e-14), linear(1, 9)),
                 (6, lambda: -log_scale(1e-12, 1e-2)(), linear(-9, -1), lambda: -log_scale(1e-16, 1e-14)())]),
    "lognormal": (lambda y, mu, s: below_normal((m.log(y) - mu) / s), lambda y, mu, s: below_normal((mu - m.log(y)) / s),
                  [(12, SCALE, REAL, SCALE), (8, ANY_SCALE, REAL, linear(1, 4))]),
    "exponential": (*from_upper(lambda y, b: b * y), [(8, SCALE, SCALE), (8, log_scale(1e-6, 10), log_scale(1e-6, 10))]),
    "weibull": (*from_upper(lambda y, a, s: (y / s) ** a), [(14, SCALE, linear(0.3, 4), SCALE)]),
    "frechet": (*from_upper(lambda y, a, s: (y / s) ** -a)[::-1], [(14, SCALE, linear(0.3, 4), SCALE)]),
    "rayleigh": (*from_upper(lambda y, s: (y / s) ** 2 / 2), [(12, SCALE, SCALE)]),
    "pareto": (*from_upper(lambda y, least, a: a * m.log(y / least)), PARETO),
    "pareto_type_2": (*from_upper(lambda y, mu, s, a: a * m.log1p((y - mu) / s)), LOMAX),
}
DISTRIBUTIONS |= {
    "exp_mod_normal": (lambda y, mu, s, r: below_normal((y - mu) / s) - waiting(y, mu, s, r),
                       lambda y, mu, s, r: below_normal((mu - y) / s) + waiting(y, mu, s, r),
                       [(14, REAL, REAL, linear(0.5, 2), linear(0.5, 2)), (6, linear(-8, 30), REAL, linear(1, 2), linear(0.5, 2))]),
    "bernoulli": (lambda n, p: 1 - p, lambda n, p: p, [(12, lambda: 0.0, near_ends)], (0,)),
    "discrete_range": (lambda y, low, high: (y - low + 1) / (high - low + 1), lambda y, low, high: (high - y) / (high - low + 1),
                       RANGE, (0, 1, 2)),
}
for family, functions in DISTRIBUTIONS.items():
    TABLE |= {f"{family}_{name}": entry for name, entry in tails(*functions).items()}


def draw(rules):
    given = []
    for rule in rules:
        given.append(float(rule(*given) if rule.__code__.co_argcount else rule()))
    return given


def results(definition, counts, arguments, is_log=True, diagonal=False):
    """Value and partial derivatives, each with its scale: of that, where there are many, `diagonal` leaves out mixed
    second derivatives."""
    free = [k for k in range(len(arguments)) if k not in counts]
    exact = [mpf(x) for x in arguments]

    if not free:
        value = definition(*exact)
        return [(value, max(abs(value), mpf("0.01")))]
    at = [exact[k] for k in free]

    def of_steps(*steps):  # relative ones: arguments are of any magnitude
        all_values = list(exact)
        for k, step in zip(free, steps):
            all_values[k] = exact[k] * (1 + step)
        return definition(*all_values)

    def derivative(*orders):
        zeros = tuple(mpf(0) for _ in at)
        of = m.diff(of_steps, zeros, tuple(orders)) if len(at) > 1 else m.diff(of_steps, zeros[0], orders[0])
        for x, order in zip(at, orders):
            of /= x**order
        return of

    unit = [[int(i == k) for i in range(len(free))] for k in range(len(free))]
    value = definition(*exact)
    partials = [derivative(*u) for u in unit]
    floor = mpf("0.01") if is_log else mpf(0)
    change = sum(abs(x * d) for x, d in zip(at, partials))
    found = [(value, max(abs(value), change / 1000, floor))]
    for k, partial in enumerate(partials):
        change = sum(abs(x * derivative(*[a + b for a, b in zip(unit[k], unit[i])])) for i, x in enumerate(at) if i == k or not diagonal)
        found.append((partial, max(abs(partial), change / 1000)))
    return found


def rows(functions):
    for name, (definition, counts, groups) in TABLE.items():
        if functions and name not in functions:
            continue
        random.seed(name)
        for number, *rules in groups:
            for _ in range(number):
                arguments = draw(rules)
                with m.workdps(DIGITS):
                    found = results(definition, counts, arguments, not name.endswith("cdf") or "lc" in name)
                    numbers = " ".join(f"{m.nstr(m.re(value), 17)} {m.nstr(m.re(scale), 3)}" for value, scale in found)
                yield f"{name},{' '.join(x.hex() for x in arguments)},{numbers}".replace("+", "")


# ---- densities of vectors: matrices are lists of columns ----------------------------------------------------------


def each_outcome(density):
    """Sums over outcomes; one column, or one class, stands for all."""
    def summed(*matrices):
        outcomes = max(len(columns) for columns in matrices)
        return sum(density(*(columns[k % len(columns)] for columns in matrices)) for k in range(outcomes))
    return summed


def categorical_logit(n, beta):
    return beta[int(n[0]) - 1] - m.log(sum(m.exp(b) for b in beta))


def ordered_logistic(y, eta, cuts):
    below = [m.mpf(0)] + [1 / (1 + m.exp(eta[0] - c)) for c in cuts] + [m.mpf(1)]
    return m.log(below[int(y[0])] - below[int(y[0]) - 1])


def multinomial(ns, theta):
    return m.loggamma(sum(ns) + 1) + sum(n * m.log(p) - m.loggamma(n + 1) for n, p in zip(ns, theta))


def dirichlet(theta, alpha):
    return m.loggamma(sum(alpha)) + sum((a - 1) * m.log(p) - m.loggamma(a) for p, a in zip(theta, alpha))


def columns(rows, number, rule):
    return [[rule() for _ in range(rows)] for _ in range(number)]


def simplexes(rows, number, rule=linear(0.2, 1)):
    """Columns of numbers with few bits, whose sum is 1 exactly."""
    all_columns = []
    for column in columns(rows, number, rule):
        parts = [max(1, round(x / sum(column) * 2**40)) for x in column]
        parts[parts.index(max(parts))] += 2**40 - sum(parts)
        all_columns.append([x / 2**40 for x in parts])
    return all_columns


def classes(number, categories):
    return columns(1, number, lambda: float(random.randint(1, categories)))


def increasing(rows, number, step):
    return [[-2 + sum(steps[:k + 1]) for k in range(rows)] for steps in columns(rows, number, step)]


def vector_cases():
    """Function, definition, number of arguments before the first that is no count, and the arguments."""
    tiny = log_scale(1e-9, 1)
    for number, wide in ((1, 1), (3, 1), (3, 3), (1, 3)):
        for rule in (linear(0.2, 1), tiny):
            yield "categorical_lpmf", each_outcome(lambda n, p: m.log(p[int(n[0]) - 1])), 1, (classes(number, 4), simplexes(4, wide, rule))
        for rule in (REAL, linear(-700, 700)):
            yield "categorical_logit_lpmf", each_outcome(categorical_logit), 1, (classes(number, 4), columns(4, wide, rule))
        for rule, step in ((REAL, SCALE), (linear(-300, 300), linear(1, 100)), (REAL, log_scale(1e-6, 1))):
            for lambdas in {1, max(number, wide)}:
                yield "ordered_logistic_lpmf", each_outcome(ordered_logistic), 1, (
                    classes(number, 5), columns(1, lambdas, rule), increasing(4, wide, step))
        for rule in (linear(0.2, 1), tiny):
            for counts in (count(20), count(1e6)):
                yield "multinomial_lpmf", each_outcome(multinomial), 1, (columns(3, number, counts), simplexes(3, wide, rule))
        for rule, alphas in ((linear(0.2, 1), SHAPE), (tiny, log_scale(1e-3, 1e3)), (linear(0.2, 1), log_scale(1, 1e6))):
            yield "dirichlet_lpdf", each_outcome(dirichlet), 0, (simplexes(3, number, rule), columns(3, wide, alphas))
    for name, definition in (("categorical_logit_lpmf", categorical_logit), ("ordered_logistic_lpmf", ordered_logistic)):
        middle = (columns(1, 2, REAL),) if name[0] == "o" else ()
        yield name, each_outcome(definition), 1, (classes(2, 2), *middle, columns(1 if middle else 2, 1, REAL))
    yield "dirichlet_lpdf", each_outcome(dirichlet), 0, (simplexes(40, 1), columns(40, 1, SHAPE))


def vector_rows():
    random.seed("vectors")
    for name, definition, counts, matrices in vector_cases():
        shapes = [(len(columns[0]), len(columns)) for columns in matrices]
        flat = [x for columns in matrices for column in columns for x in column]

        def of_flat(*elements):
            rest, again = iter(elements), []
            for rows, number in shapes:
                again.append([[next(rest) for _ in range(rows)] for _ in range(number)])
            return definition(*again)

        fixed = range(sum(rows * number for rows, number in shapes[:counts]))
        with m.workdps(400 if "ordered" in name or "logit" in name else DIGITS):
            found = results(of_flat, fixed, flat, diagonal=len(flat) > 20)
            numbers = " ".join(f"{m.nstr(m.re(value), 17)} {m.nstr(m.re(scale), 3)}" for value, scale in found)
        texts = [" ".join([str(rows), str(number)] + [float(x).hex() for column in columns for x in column])
                 for (rows, number), columns in zip(shapes, matrices)]
        yield f"{name},{';'.join(texts)},{numbers}".replace("+", "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vectors", action="store_true", help="write the table of densities of vectors")
    parser.add_argument("output", nargs="?", metavar="OUTPUT.csv", help="file in place of the table of the tests")
    parser.add_argument("functions", nargs="*", metavar="FUNCTION", help="only these; not of vectors")
    arguments = parser.parse_args()
    if unknown := set(arguments.functions) - set(() if arguments.vectors else TABLE):
        parser.error(f"no such function: {' '.join(sorted(unknown))}")
    default = "test/primitives/vector_densities.csv" if arguments.vectors else "test/primitives/densities.csv"
    with open(arguments.output or default, "w") as out:
        for row in vector_rows() if arguments.vectors else rows(arguments.functions):
            out.write(row + "\n")


if __name__ == "__main__":
    main()
