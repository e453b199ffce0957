#!/usr/bin/env python3
"""Writes test/primitives/density_limits.inc: densities and their partial derivatives at the ends of supports and far
out, from the definitions of density_table.py. At an end they are limits: of points that come close to it in steps
from 1e-60 to 1e-240, at infinity 1e60 to 1e240, infinite where they do not settle.
"""
import argparse
import sys

import mpmath as m

import density_table as table

mpf = m.mpf
INFINITY = float("inf")


def probability(rate):
    """Probability below y from the negative logarithm of that above it."""
    return lambda y, *rest: -m.expm1(-rate(y, *rest))


CDF = {
    "exponential_cdf": probability(lambda y, beta: beta * y),
    "rayleigh_cdf": probability(lambda y, sigma: (y / sigma) ** 2 / 2),
    "weibull_cdf": probability(lambda y, alpha, sigma: (y / sigma) ** alpha),
    "pareto_cdf": probability(lambda y, y_min, alpha: alpha * m.log(y / y_min)),
    "pareto_type_2_cdf": probability(lambda y, mu, lam, alpha: alpha * m.log1p((y - mu) / lam)),
    "lognormal_cdf": lambda y, mu, sigma: table.below_normal((m.log(y) - mu) / sigma),
    "uniform_cdf": lambda y, alpha, beta: (y - alpha) / (beta - alpha),
}

# function, arguments, and from which side y comes (0: it is no limit)
POINTS = [
    *(("gamma_lpdf", (0, alpha, 2), 1) for alpha in (0.5, 1, 2.5)),
    *(("weibull_lpdf", (0, alpha, 4), 1) for alpha in (0.5, 1, 2.5)),
    *(("chi_square_lpdf", (0, nu), 1) for nu in (1, 2, 5)),
    ("weibull_lpdf", (0, 1, 1), 1),
    ("beta_lpdf", (0, 1, 2), 1),
    ("beta_lpdf", (0, 1, 1), 1),
    ("beta_lpdf", (1, 2, 1), -1),
    ("beta_lpdf", (1, 1, 1), -1),
    ("beta_lpdf", (0, 2.5, 3), 1),
    ("beta_lpdf", (1, 3, 0.5), -1),
    ("beta_proportion_lpdf", (0, 0.25, 4), 1),
    ("exponential_cdf", (0, 2), 1),
    ("rayleigh_cdf", (0, 2), 1),
    *(("weibull_cdf", (0, alpha, 4), 1) for alpha in (0.5, 1, 2.5)),
    ("pareto_cdf", (2, 2, 3), 1),
    ("pareto_type_2_cdf", (0.5, 0.5, 2, 3), 1),
    ("lognormal_cdf", (0, 0.5, 2), 1),
    ("uniform_cdf", (1, 1, 3), 1),
    *(("cauchy_lpdf", (sign * y, 0.5, 2), 0) for sign, y in ((1, 1e9), (1, 1e99), (-1, 1e101), (1, 1e160), (-1, 1e200), (1, 1e300))),
    *(("student_t_lpdf", (y, nu, 0.5, 2), 0) for y in (1e80, 1e160, -1e200, 1e300) for nu in (0.5, 3, 1e6)),
    # the quotient of y - mu and sigma overflows
    *(("cauchy_lpdf", (y, 0.5, sigma), 0) for y, sigma in ((1e300, 1e-10), (-1e200, 1e-150), (1.5, 1e-300))),
    *(("student_t_lpdf", (y, nu, 0.5, sigma), 0)
      for y, sigma in ((1e300, 1e-10), (-1e200, 1e-150), (1.5, 1e-300)) for nu in (0.5, 3, 1e6)),
    *(("student_t_lpdf", (y, 3, 0.5, 2), 0) for y in (1e9, 4e9, 6e10, -1e12)),
    # densities at infinity
    *((name, (-side * INFINITY, *rest), side) for side in (-1, 1) for name, rest in (
        ("student_t_lpdf", (3, 0.5, 2)), ("cauchy_lpdf", (0.5, 2)), ("gumbel_lpdf", (0.5, 2)),
        ("skew_double_exponential_lpdf", (0.5, 2, 0.25)), ("skew_normal_lpdf", (0.5, 2, -3 * side)))),
    ("exp_mod_normal_lpdf", (INFINITY, 0.5, 2, 0.75), -1),
    *((name, (INFINITY, *rest), -1) for name, rest in (
        ("lognormal_lpdf", (0.5, 2)), ("gamma_lpdf", (2.5, 2)), ("inv_gamma_lpdf", (2.5, 2)), ("exponential_lpdf", (2,)),
        ("chi_square_lpdf", (5,)), ("inv_chi_square_lpdf", (5,)), ("scaled_inv_chi_square_lpdf", (5, 2)),
        ("rayleigh_lpdf", (2,)), ("frechet_lpdf", (2.5, 2)), ("pareto_lpdf", (0.5, 2.5)),
        ("pareto_type_2_lpdf", (0.5, 2, 3)), *(("weibull_lccdf", (alpha, 4)) for alpha in (0.5, 1, 2.5)))),
    ("exponential_lcdf", (0, 2), 1),
    ("rayleigh_lcdf", (0, 2), 1),
    *(("weibull_lcdf", (0, alpha, 4), 1) for alpha in (0.5, 1, 2.5)),
    ("pareto_lcdf", (2, 2, 3), 1),
    ("pareto_type_2_lcdf", (0.5, 0.5, 2, 3), 1),
    ("exponential_lcdf", (1e-200, 1e-200), 0),
    ("weibull_lcdf", (1e-20, 30, 4), 0),
    ("rayleigh_lcdf", (1e-200, 2), 0),
    ("lognormal_lpdf", (0, 0.5, 2), 1),
    ("lognormal_lcdf", (0, 0.5, 2), 1),
    ("lognormal_lccdf", (0, 0.5, 2), 1),
    ("exponential_lccdf", (0, 2), 1),
    ("rayleigh_lccdf", (0, 2), 1),
    *(("weibull_lccdf", (0, alpha, 4), 1) for alpha in (0.5, 1, 2.5)),
    ("pareto_lccdf", (2, 2, 3), 1),
    ("pareto_type_2_lccdf", (0.5, 0.5, 2, 3), 1),
    ("uniform_lcdf", (1, 1, 3), 1),
    ("uniform_lccdf", (3, 1, 3), -1),
    ("uniform_lcdf", (3, 1, 3), -1),
    ("uniform_lccdf", (1, 1, 3), 1),
    # tails above, and exponents that underflow or overflow
    *((name, (sign * y, 0.5, 2), 0) for name, sign in (("cauchy_lcdf", 1), ("cauchy_lccdf", -1)) for y in (3.5, 1e10, 1e100)),
    ("exponential_lcdf", (1e-160, 1e-160), 0),
    ("weibull_lcdf", (1e-160, 2, 1), 0),
    ("rayleigh_lcdf", (1e-160, 2), 0),
    ("weibull_lcdf", (1e3, 200, 2), 0),
    ("weibull_cdf", (1e3, 200, 2), 0),
    ("exponential_cdf", (1e200, 1e200), 0),
    ("rayleigh_cdf", (1e200, 2), 0),
    ("frechet_lccdf", (1e-3, 200, 2), 0),
    ("frechet_lccdf", (1e200, 2, 3), 0),
    ("gumbel_lccdf", (-1600, 1, 2), 0),
    ("gumbel_lccdf", (1600, 1, 2), 0),
    *((name, (sign * 1.5, 0.5, 2, tau), 0) for name, sign, taus in (
        ("skew_double_exponential_lcdf", 1, (1e-10, 1e-3, 0.5, 0.9)),
        ("skew_double_exponential_lccdf", -1, (1 - 2.0 ** -30, 0.875, 0.5, 0.125))) for tau in taus),
    *((name, (0.25, 0.5, 2, rate), 0) for name in ("exp_mod_normal_lcdf", "exp_mod_normal_lccdf")
      for rate in (20, 24, 28, 1e4, 1e9, 1e12)),
    # probabilities of nothing, far out
    ("cauchy_lcdf", (-INFINITY, 0.5, 2), 1),
    ("cauchy_lccdf", (INFINITY, 0.5, 2), -1),
    *((name, (sign * y, 0.5, 2), 0) for name, sign in (("cauchy_lcdf", -1), ("cauchy_lccdf", 1))
      for y in (1e9, 1e11, 1e160, 1e300)),
    ("lognormal_lccdf", (INFINITY, 0.5, 2), -1),
    ("pareto_lccdf", (INFINITY, 2, 3), -1),
    *(("pareto_lccdf", (y, y_min, 3), 0) for y, y_min in ((1e99, 2), (1e101, 2), (1e300, 1e-10))),
    ("pareto_type_2_lccdf", (INFINITY, 0.5, 2, 3), -1),
    *(("pareto_type_2_lccdf", (y, 0.5, lam, 3), 0) for y, lam in ((1e19, 2), (1e21, 2), (1e300, 1e-10))),
    # quotients that overflow
    *(("pareto_lpdf", (y, y_min, 3), 0) for y, y_min in ((1e99, 2), (1e101, 2), (1e300, 1e-10), (10, 1e-300))),
    ("pareto_lccdf", (1e10, 1e-300, 3), 0),
    *((name, (y, 0.5, lam, 3), 0) for name in ("pareto_type_2_lpdf", "pareto_type_2_lccdf")
      for y, lam in ((1e99, 2), (1e101, 2), (1e300, 1e-10), (1e10, 1e-300), (2.5, 1e-200))),
    *((name, (sign * 1e200, 0.5, 1e-150), 0) for sign in (1, -1)
      for name in ("logistic_lpdf", "logistic_lcdf", "logistic_lccdf")),
    *((name, (y, y_min, 1e-3), 0) for name in ("pareto_lcdf", "pareto_cdf")
      for y, y_min in ((1e99, 2), (1e300, 1e-10), (10, 1e-300))),
    *((name, (y, 0.5, lam, 1e-3), 0) for name in ("pareto_type_2_lcdf", "pareto_type_2_cdf")
      for y, lam in ((1e99, 2), (1e300, 1e-10), (2.5, 1e-200))),
    # scales by whose square no difference is divided; the quotient has no derivatives where nothing is left
    *((name, (sign * 1.5, 0, scale), 0) for scale in (1e-156, 1e-300) for name, sign in (
        ("normal_lcdf", 1), ("normal_lccdf", -1), ("double_exponential_lcdf", 1), ("double_exponential_lccdf", -1),
        ("gumbel_lcdf", 1), ("cauchy_lcdf", 1), ("cauchy_lccdf", -1))),
    *((name, (y, 0.5, 1e-156), 0) for name, y in (
        ("lognormal_lcdf", 3), ("lognormal_lccdf", 0.25), ("lognormal_cdf", 3), ("lognormal_cdf", 0.25))),
    ("skew_double_exponential_lcdf", (1.5, 0.5, 1e-156, 0.375), 0),
    ("skew_double_exponential_lccdf", (-1.5, 0.5, 1e-156, 0.375), 0),
    *((name, (1.5, 0.5, 1e-156, 0.75), 0) for name in ("exp_mod_normal_lcdf", "exp_mod_normal_lccdf")),
    # probabilities next to 1
    *(("binomial_lpmf", arguments, 0) for arguments in (
        (0, 10, 1e-14), (0, 346, 4e-12), (0, 1000, 1e-9), (10, 10, 1 - 2.0 ** -40), (10, 10, 1 - 2.0 ** -20))),
    *(("binomial_logit_lpmf", arguments, 0) for arguments in ((0, 10, -25), (10, 10, 25), (0, 10, -31), (0, 10, -3))),
    # shapes whose reciprocals have derivatives that overflow, or underflow
    ("student_t_lpdf", (1e300, 1e-100, 0.5, 2), 0),
    ("student_t_lpdf", (1e300, 1e-160, 0.5, 2), 0),
    *(("neg_binomial_2_lpmf", (3, 1, phi), 0) for phi in (1e-90, 1e-110, 1e-160)),
    *(("neg_binomial_lpmf", (3, 1, beta), 0) for beta in (1e-90, 1e10, 1e200)),
    *(("beta_binomial_lpmf", (n, 10, shape, shape), 0) for n in (0, 3, 10) for shape in (1e-160, 1e155, 1e200)),
    ("scaled_inv_chi_square_lpdf", (1e300, 3, 1e200), 0),
    ("scaled_inv_chi_square_lpdf", (1e-300, 3, 1e-200), 0),
]


def definition_of(name):
    return CDF[name] if name in CDF else table.TABLE[name][0]


def value_and_partials(definition, arguments):
    def partial(k):
        def of(x):
            return definition(*arguments[:k], x, *arguments[k + 1:])
        scale = abs(arguments[k]) or mpf(1)
        return m.diff(lambda t: of(arguments[k] + t * scale), 0, h=mpf(10) ** -400) / scale
    return [m.re(definition(*arguments))] + [m.re(partial(k)) for k in range(len(arguments))]


def limits(definition, arguments, side):
    # the distance to the end in proportion to what else there is
    def close(e):
        return -side * mpf(10) ** e if m.isinf(arguments[0]) else mpf(arguments[0]) + side * mpf(10) ** -e
    near, nearer = (value_and_partials(definition, [close(e), *map(mpf, arguments[1:])]) for e in (60, 240))
    found = []
    for a, b in zip(near, nearer):
        if abs(b) < 1e-20:
            found.append(mpf(0))
        elif abs(a - b) < mpf("1e-15") * abs(b):
            found.append(b)
        else:
            found.append(m.inf * m.sign(b) if abs(b) > abs(a) else mpf(0))
    return found


def text(x):
    if m.isinf(x) or abs(x) > sys.float_info.max:
        return "infinity" if x > 0 else "-infinity"
    if abs(x) < mpf("1e-330"):
        return "0.0"
    return m.nstr(x, 17)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", nargs="?", metavar="OUTPUT", default="test/primitives/density_limits.inc", help="%(default)s")
    with open(parser.parse_args().output, "w") as out:
        out.write("// Written by tools/density_limits.py: function, arguments, value, partial derivatives.\n")
        for name, arguments, side in POINTS:
            with m.workdps(1000):
                definition = definition_of(name)
                if side:
                    value, *partials = limits(definition, arguments, side)
                else:
                    value, *partials = value_and_partials(definition, [mpf(x) for x in arguments])
                given = ", ".join(repr(float(x)).replace("inf", "infinity") for x in arguments)
                found = ", ".join(text(x) for x in partials)
                out.write(f'{{"{name}", {{{given}}}, {text(value)}, {{{found}}}}},\n')


if __name__ == "__main__":
    main()
