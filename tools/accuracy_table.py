#!/usr/bin/env python3
"""Writes test/accuracy/reference.csv: function values to 22 digits, made by mpmath.

Columns: function, operands (hexadecimal floating point, empty where the function takes fewer), value, scale.
An error is counted in units in the last place of the value or, where it is given, of `scale`: near a zero of the function
that is not a simple number, where terms larger than the result cancel (`log_sum_exp` near 0, `lgamma` below 0, ...).
Most operands are exact in float too, so that one table serves both types.
"""

import argparse
import math
import random
import struct

import mpmath as m

mpf = m.mpf
INF = m.inf
NAN = m.nan


def to_float(x):
    """Nearest value of type float, or x itself where it is out of float's normal range."""
    if x == 0 or not math.isfinite(x) or not 1.2e-38 < abs(x) < 3.4e38:
        return x
    return struct.unpack("f", struct.pack("f", x))[0]


# ---- the functions, for finite operands in their domain --------------------------------------------------------


def inv_phi(p):
    if p > mpf(1) / 2:
        return -inv_phi(1 - p)
    s = m.sqrt(-2 * m.log(p))
    x = -(s - (mpf("2.515517") + s * (mpf("0.802853") + s * mpf("0.010328")))
          / (1 + s * (mpf("1.432788") + s * (mpf("0.189269") + s * mpf("0.001308")))))
    for _ in range(100):
        value = m.erfc(-x / m.sqrt(2)) / 2
        step = value * (m.log(value) - m.log(p)) * m.sqrt(2 * m.pi) * m.exp(x * x / 2)
        x -= step
        if abs(step) < mpf(10) ** (-m.mp.dps + 10):
            break
    return x


def phi(x):
    return m.erfc(-x / m.sqrt(2)) / 2


def inv_logit(x):
    return 1 / (1 + m.exp(-x))


def lbeta(a, b):
    return m.loggamma(a) + m.loggamma(b) - m.loggamma(a + b)


def log_choose(n, k):
    return m.re(m.loggamma(n + 1) - m.loggamma(k + 1) - m.loggamma(n - k + 1))


def round_away(x):
    return m.sign(x) * m.floor(abs(x) + mpf(1) / 2)


def truncate(x):
    return m.sign(x) * m.floor(abs(x))


def fmod(x, y):
    return x - y * truncate(x / y)


def digamma_scale(x, value):
    return max(abs(value), abs(m.psi(0, 1 - x))) if x < 0 else abs(value)


def lgamma_scale(x, value):
    return max(abs(value), abs(m.loggamma(1 - x)), 1) if x < 0 else abs(value)


def lbeta_scale(a, b, value):
    small, large = min(a, b), max(a, b)
    return max(abs(value), small * m.log(small + large + 1), mpf(1) / 2)


def lgamma_stirling_diff(x):
    return m.loggamma(x) - ((x - mpf(1) / 2) * m.log(x) - x + m.log(2 * m.pi) / 2)


def digamma_stirling_diff(x):
    return m.psi(0, x) - m.log(x) + 1 / (2 * x)


def t_energy(nu, d, sigma):
    return (nu + 1) / 2 * m.log1p((d / sigma)**2 / nu)


def is_near(x, d):
    return abs(d - x / 4) < 3 * x / 4


def poisson_log_kernel(x, l, d):
    return x * (m.log1p(d / x) - d / x) if is_near(x, d) else x * l - d


FUNCTIONS = {
    "poisson_log_kernel": poisson_log_kernel,
    "logistic_log_kernel": lambda x: -abs(x) - 2 * m.log1p(m.exp(-abs(x))),
    "student_t_log_kernel": lambda nu, d, sigma: -t_energy(nu, d, sigma) - m.log(sigma),
    "log_i0e": lambda x: m.log(m.besseli(0, x)) - x, "i1_i0_m1": lambda x: m.besseli(1, x) / m.besseli(0, x) - 1,
    "log1pmx": lambda x: m.log1p(x) - x, "log_Phi": lambda x: m.log(phi(x)) if x < 0 else m.log1p(-phi(-x)), "lgamma_stirling_diff": lgamma_stirling_diff,
    "digamma_stirling_diff": digamma_stirling_diff,
    "rsqrt": lambda x: 1 / m.sqrt(x), "sqrt": m.sqrt, "cbrt": lambda x: m.sign(x) * m.cbrt(abs(x)),
    "exp": m.exp, "exp2": lambda x: m.power(2, x), "expm1": m.expm1, "log": m.log,
    "log2": lambda x: m.log(x) / m.log(2), "log10": m.log10, "log1p": m.log1p, "sin": m.sin, "sinh": m.sinh,
    "cos": m.cos, "cosh": m.cosh, "tan": m.tan, "tanh": m.tanh, "asin": m.asin, "asinh": m.asinh, "acos": m.acos,
    "acosh": m.acosh, "atan": m.atan, "atanh": m.atanh, "floor": m.floor, "round": round_away, "ceil": m.ceil,
    "fabs": abs, "abs": abs, "trunc": truncate, "inv": lambda x: 1 / x, "inv_square": lambda x: 1 / (x * x),
    "inv_sqrt": lambda x: 1 / m.sqrt(x), "square": lambda x: x * x, "sign": m.sign, "tgamma": m.gamma,
    "lgamma": lambda x: m.log(abs(m.gamma(x))) if x < 0 else m.loggamma(x), "digamma": lambda x: m.psi(0, x),
    "trigamma": lambda x: m.psi(1, x), "polygamma": lambda n, x: m.psi(int(n), x), "erf": m.erf, "erfc": m.erfc, "Phi": phi,
    "Phi_approx": lambda x: inv_logit(mpf("0.07056") * x**3 + mpf("1.5976") * x), "inv_Phi": inv_phi,
    "log1m": lambda x: m.log1p(-x), "log1p_exp": lambda x: m.log1p(m.exp(x)),
    "log1m_exp": lambda x: m.log(-m.expm1(x)), "log_inv_logit": lambda x: -m.log1p(m.exp(-x)),
    "log1m_inv_logit": lambda x: -m.log1p(m.exp(x)), "inv_logit": inv_logit,
    "inv_cloglog": lambda x: -m.expm1(-m.exp(x)), "logit": lambda x: m.log(x / (1 - x)),
    "isfinite": lambda x: mpf(1), "isinf": lambda x: mpf(0), "isnan": lambda x: mpf(0),
    "fdim": lambda x, y: max(x - y, mpf(0)), "fmax": max, "fmin": min, "fmod": fmod, "hypot": m.hypot,
    "atan2": m.atan2, "pow": m.power, "copysign": lambda x, y: abs(x) * (-1 if y < 0 else 1),
    "beta": lambda a, b: m.exp(lbeta(a, b)), "lbeta": lbeta, "binomial_coefficient_log": log_choose,
    "log_inv_logit_diff": lambda x, y: m.log(inv_logit(x) - inv_logit(y)),
    "log_diff_exp": lambda x, y: m.log(m.exp(x) - m.exp(y)), "log_sum_exp": lambda x, y: m.log(m.exp(x) + m.exp(y)),
    "log1p_exp_both": lambda x, y: m.log1p(m.exp(x)) + m.log1p(m.exp(y)),
    "multiply_log": lambda x, y: x * m.log(y), "lmultiply": lambda x, y: x * m.log(y),
    "ldexp": lambda x, y: x * m.power(2, y), "fma": lambda x, y, z: x * y + z,
}

SCALES = {
    "poisson_log_kernel": lambda x, l, d, v: abs(v) if is_near(x, d) else max(abs(x * l), abs(d)),
    "student_t_log_kernel": lambda nu, d, sigma, v: max(abs(v), t_energy(nu, d, sigma), abs(m.log(sigma))),
    "lgamma_stirling_diff": lambda x, value: max(abs(value), 1) if x < 1 else abs(value),
    "digamma_stirling_diff": lambda x, value: max(abs(value), 1 / x) if x < 1 else abs(value),
    "digamma": digamma_scale, "lgamma": lgamma_scale, "lbeta": lbeta_scale,
    "binomial_coefficient_log": lambda n, k, v: max(abs(v), mpf("0.1")),
    "log_sum_exp": lambda x, y, v: max(abs(v), abs(max(x, y))), "log_diff_exp": lambda x, y, v: max(abs(v), abs(x)),
}

# Functions that need many digits on the way to 22 good ones.
DIGITS = {"poisson_log_kernel": 150, "log_i0e": 90, "i1_i0_m1": 90, "log1pmx": 150, "lgamma_stirling_diff": 150, "digamma_stirling_diff": 150, "lbeta": 700, "beta": 120, "binomial_coefficient_log": 120, "log_inv_logit_diff": 700, "log_diff_exp": 700,
          "log_sum_exp": 700, "log1p_exp": 700, "log1p_exp_both": 700, "log1m_exp": 700, "log_inv_logit": 700, "log1m_inv_logit": 700,
          "inv_cloglog": 700, "logit": 700, "log1m": 700, "expm1": 700, "log1p": 700, "sin": 400, "cos": 400,
          "tan": 400, "fmod": 700, "fma": 700, "atanh": 700, "asinh": 700, "fdim": 700, "hypot": 700}

# ---- the points: intervals (low, high, count, logarithmic) and single operands ---------------------------------

LINEAR, LOG = False, True
INTERVALS = {
    "rsqrt": [(1e-300, 1e300, 20, LOG)], "sqrt": [(1e-300, 1e300, 20, LOG)], "inv_sqrt": [(1e-300, 1e300, 12, LOG)],
    "cbrt": [(-100, 100, 10, LINEAR), (1e-300, 1e300, 10, LOG)],
    "exp": [(-87, 88, 20, LINEAR), (-740, 709, 15, LINEAR), (1e-20, 1, 5, LOG)],
    "exp2": [(-125, 127, 20, LINEAR), (-1020, 1023, 10, LINEAR)],
    "expm1": [(-20, 80, 15, LINEAR), (1e-30, 1, 15, LOG), (-1, -1e-30, 10, LOG), (-700, 700, 5, LINEAR)],
    "log": [(1e-37, 1e38, 20, LOG), (1e-300, 1e300, 10, LOG), (0.9, 1.1, 15, LINEAR)],
    "log2": [(1e-37, 1e38, 20, LOG), (0.9, 1.1, 15, LINEAR)], "log10": [(1e-37, 1e38, 20, LOG), (0.9, 1.1, 15, LINEAR)],
    "log1p": [(-0.999, 2, 20, LINEAR), (1e-37, 1e38, 20, LOG), (-1, -1e-30, 10, LOG)],
    "sin": [(-10, 10, 25, LINEAR), (1e-30, 1e5, 15, LOG)], "cos": [(-10, 10, 25, LINEAR), (1, 1e5, 10, LOG)],
    "tan": [(-10, 10, 25, LINEAR), (1e-30, 1e5, 15, LOG)], "sinh": [(-80, 80, 20, LINEAR), (1e-30, 1, 12, LOG), (-700, 700, 6, LINEAR)],
    "cosh": [(-80, 80, 20, LINEAR), (-1, 1, 10, LINEAR), (-700, 700, 6, LINEAR)],
    "tanh": [(-10, 10, 20, LINEAR), (1e-30, 1, 12, LOG)], "asin": [(-1, 1, 25, LINEAR), (1e-30, 1, 10, LOG)],
    "acos": [(-1, 1, 25, LINEAR), (0.999, 1, 6, LINEAR)], "asinh": [(-10, 10, 20, LINEAR), (1e-30, 1e38, 20, LOG)],
    "acosh": [(1, 2, 15, LINEAR), (1, 1e38, 20, LOG)], "atan": [(-10, 10, 20, LINEAR), (1e-30, 1e30, 15, LOG)],
    "atanh": [(-1, 1, 25, LINEAR), (1e-30, 1, 10, LOG)],
    "floor": [(-100, 100, 10, LINEAR)], "round": [(-100, 100, 10, LINEAR)], "ceil": [(-100, 100, 10, LINEAR)],
    "fabs": [(-100, 100, 8, LINEAR)], "abs": [(-100, 100, 8, LINEAR)], "trunc": [(-100, 100, 10, LINEAR)],
    "inv": [(1e-37, 1e37, 15, LOG), (-10, 10, 10, LINEAR)], "inv_square": [(1e-18, 1e18, 15, LOG), (-10, 10, 10, LINEAR)],
    "square": [(1e-18, 1e18, 10, LOG), (-10, 10, 10, LINEAR)], "sign": [(-10, 10, 8, LINEAR)],
    "isfinite": [(-10, 10, 4, LINEAR)], "isinf": [(-10, 10, 4, LINEAR)], "isnan": [(-10, 10, 4, LINEAR)],
    "tgamma": [(0, 34, 30, LINEAR), (1e-37, 1, 12, LOG), (-20, 0, 25, LINEAR), (34, 171, 12, LINEAR), (-170, -20, 8, LINEAR)],
    "lgamma": [(0, 10, 40, LINEAR), (1e-37, 1e36, 25, LOG), (-20, 0, 25, LINEAR), (0.95, 1.05, 12, LINEAR), (1.95, 2.05, 12, LINEAR), (1e38, 1e300, 6, LOG)],
    "digamma": [(0, 10, 40, LINEAR), (1e-37, 1e36, 25, LOG), (-20, 0, 25, LINEAR), (1.45, 1.47, 15, LINEAR), (1.1, 1.9, 15, LINEAR)],
    "trigamma": [(0, 10, 40, LINEAR), (1e-18, 1e36, 25, LOG), (-20, 0, 25, LINEAR)],
    "erf": [(-4, 4, 30, LINEAR), (1e-30, 1, 12, LOG)],
    "erfc": [(-4, 4, 30, LINEAR), (4, 9, 15, LINEAR), (9, 26.5, 15, LINEAR), (1e-30, 1, 8, LOG)],
    "Phi": [(-5, 5, 40, LINEAR), (-12.5, -5, 15, LINEAR), (-37.5, -12, 20, LINEAR), (1e-20, 1, 5, LOG)],
    "Phi_approx": [(-9, 9, 40, LINEAR), (-20, -9, 15, LINEAR)],
    "inv_Phi": [(0, 1, 40, LINEAR), (1e-37, 0.5, 25, LOG), (1e-300, 1e-38, 15, LOG), (0.499, 0.501, 6, LINEAR)],
    "log1m": [(-10, 1, 20, LINEAR), (1e-30, 1, 12, LOG), (-1e30, -1e-30, 12, LOG)],
    "log1p_exp": [(-85, 100, 30, LINEAR), (-5, 5, 20, LINEAR), (-700, 700, 12, LINEAR)],
    "log1m_exp": [(-5, 0, 30, LINEAR), (-85, -5, 15, LINEAR), (-1, -1e-37, 20, LOG), (-700, -85, 10, LINEAR)],
    "log_inv_logit": [(-100, 85, 30, LINEAR), (-5, 5, 20, LINEAR), (-700, 700, 12, LINEAR)],
    "log1m_inv_logit": [(-85, 100, 30, LINEAR), (-5, 5, 20, LINEAR), (-700, 700, 12, LINEAR)],
    "inv_logit": [(-85, 85, 30, LINEAR), (-5, 5, 20, LINEAR), (-705, 700, 12, LINEAR)],
    "inv_cloglog": [(-85, 5, 30, LINEAR), (-3, 3, 20, LINEAR), (-700, -85, 10, LINEAR)],
    "logit": [(0, 1, 40, LINEAR), (1e-37, 1, 15, LOG), (0.49, 0.51, 15, LINEAR)],
}
PAIRS = {
    "fdim": [((-10, 10, LINEAR), (-10, 10, LINEAR), 15)], "fmax": [((-10, 10, LINEAR), (-10, 10, LINEAR), 8)],
    "fmin": [((-10, 10, LINEAR), (-10, 10, LINEAR), 8)], "copysign": [((-10, 10, LINEAR), (-10, 10, LINEAR), 8)],
    "fmod": [((-1e4, 1e4, LINEAR), (-10, 10, LINEAR), 20)],
    "hypot": [((-10, 10, LINEAR), (-10, 10, LINEAR), 15), ((1e-30, 1e30, LOG), (1e-30, 1e30, LOG), 15)],
    "pow": [((0, 10, LINEAR), (-20, 20, LINEAR), 30), ((1e-5, 1e5, LOG), (-7, 7, LINEAR), 20), ((0.99, 1.01, LINEAR), (-5000, 5000, LINEAR), 10)],
    "ldexp": [((-10, 10, LINEAR), (-20, 20, "integer"), 12)],
    "beta": [((0.1, 20, LINEAR), (0.1, 20, LINEAR), 30), ((1e-10, 1, LOG), (1e-10, 1, LOG), 20), ((1e-5, 1, LOG), (1, 1e5, LOG), 20), ((20, 100, LINEAR), (20, 100, LINEAR), 15)],
    "lbeta": [((0.1, 100, LINEAR), (0.1, 100, LINEAR), 30), ((1e-10, 1, LOG), (1e-10, 1, LOG), 20), ((1e-5, 1, LOG), (1, 1e9, LOG), 20), ((10, 1e15, LOG), (10, 1e15, LOG), 25), ((1e20, 1e300, LOG), (1e-3, 1e3, LOG), 10)],
    "binomial_coefficient_log": [((20, 1000, "integer"), (1, 20, "integer"), 30), ((1e3, 1e15, LOG), (1, 50, "integer"), 30), ((30, 1000, LINEAR), (0, 30, LINEAR), 25)],
    "log_inv_logit_diff": [((0, 10, LINEAR), (-10, 0, LINEAR), 25), ((10, 80, LINEAR), (0, 10, LINEAR), 10), ((-10, 0, LINEAR), (-80, -10, LINEAR), 10), ((0, 700, LINEAR), (-700, 0, LINEAR), 10)],
    "log_diff_exp": [((0, 10, LINEAR), (-10, 0, LINEAR), 25), ((80, 700, LINEAR), (-700, 80, LINEAR), 10), ((-700, -80, LINEAR), (-740, -700, LINEAR), 6)],
    "log_sum_exp": [((-10, 10, LINEAR), (-10, 10, LINEAR), 30), ((-700, 700, LINEAR), (-700, 700, LINEAR), 15)],
    "multiply_log": [((-10, 10, LINEAR), (1e-37, 1e37, LOG), 20)], "lmultiply": [((-10, 10, LINEAR), (1e-37, 1e37, LOG), 20)],
    "polygamma": [((1, 5, "integer"), (0, 20, LINEAR), 40), ((1, 3, "integer"), (1e-6, 1e6, LOG), 25), ((5, 10, "integer"), (0.2, 10, LINEAR), 15)],
}
# Drawn last: the operands of the functions above stay what they are.
LATER_INTERVALS = {
    "log1pmx": [(-0.5, 1, 30, LINEAR), (-1, -0.5, 10, LINEAR), (1e-30, 1, 12, LOG), (-1e-30, -0.5, 12, LOG), (1, 1e30, 15, LOG)],
    "lgamma_stirling_diff": [(0, 1, 20, LINEAR), (1, 30, 25, LINEAR), (1e-30, 1, 10, LOG), (30, 1e30, 15, LOG)],
    "digamma_stirling_diff": [(0, 1, 20, LINEAR), (1, 30, 25, LINEAR), (1e-30, 1, 10, LOG), (30, 1e15, 15, LOG)],
    "log_Phi": [(-5, 5, 40, LINEAR), (-40, -5, 25, LINEAR), (5, 12, 8, LINEAR), (-1e6, -40, 15, LOG)],
    "log_i0e": [(0, 3, 20, LINEAR), (3, 20, 30, LINEAR), (1e-30, 1, 10, LOG), (20, 1e8, 20, LOG), (1e8, 1e30, 6, LOG)],
    "i1_i0_m1": [(0, 3, 20, LINEAR), (3, 20, 30, LINEAR), (1e-30, 1, 10, LOG), (20, 1e8, 20, LOG), (1e8, 1e30, 6, LOG)],
    "logistic_log_kernel": [(-10, 10, 40, LINEAR), (-700, 700, 15, LINEAR), (1e-30, 1, 10, LOG), (-1e-30, -1, 5, LOG)],
}
LATER_PAIRS = {
    "log1p_exp_both": [((-10, 10, LINEAR), (-10, 10, LINEAR), 40), ((-1, 1, LINEAR), (-1, 1, LINEAR), 20), ((-700, 700, LINEAR), (-700, 700, LINEAR), 15), ((-700, -30, LINEAR), (-40, 1, LINEAR), 10)],
}
TRIPLES = {
    "student_t_log_kernel": [((0.5, 30, LINEAR), (-10, 10, LINEAR), (0.3, 10, LINEAR), 40), ((0.01, 1e8, LOG), (-1e-3, -1e3, LOG), (1e-3, 1e3, LOG), 40), ((0.01, 1e8, LOG), (1e-30, 1e30, LOG), (1e-10, 1e10, LOG), 40), ((1, 10, LINEAR), (1e15, 1e35, LOG), (1e-3, 1, LOG), 15)],
    "poisson_log_kernel": [((1, 20, LINEAR), (-1, 1, LINEAR), (-20, 20, LINEAR), 40), ((1, 1e6, LOG), (-1, 1, LINEAR), (1e-6, 1, LOG), 20), ((1, 1e6, LOG), (-1, 1, LINEAR), (-1e-6, -0.5, LOG), 20), ((1e-30, 1, LOG), (-5, 5, LINEAR), (1e-3, 1e3, LOG), 10)],
}
LAST_PAIRS = {
    "atan2": [((-10, 10, LINEAR), (-10, 10, LINEAR), 40), ((1e-30, 1e30, LOG), (-1e-30, -1e30, LOG), 15), ((-1e-30, -1e30, LOG), (1e-30, 1e30, LOG), 15)],
}
CLOSE = 2.0**-18  # operands that differ by this times a power of two


def special_points():
    """(function, operands, value) whose values are limits or come from the conventions of Stan Math."""
    inf, nan = math.inf, math.nan
    rows = []

    def add(name, *pairs):
        for operands, value in pairs:
            rows.append((name, operands if isinstance(operands, tuple) else (operands,), value))

    for name in INTERVALS:
        if name not in ("isfinite", "isinf", "isnan"):
            add(name, (nan, nan))
    for name in PAIRS:
        if name not in ("fmax", "fmin", "ldexp", "pow", "hypot", "copysign"):
            add(name, ((nan, 1.0), nan), ((1.0, nan), nan), ((nan, nan), nan))
    for name in ("expm1", "log1p", "sin", "sinh", "tan", "tanh", "asin", "asinh", "atan", "atanh", "erf", "sqrt", "cbrt",
                 "floor", "round", "ceil", "trunc", "fabs", "abs", "square", "sign", "log1m"):
        add(name, (0.0, 0.0))
    for name in ("asinh", "cbrt", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sinh", "sqrt", "floor", "round",
                 "ceil", "trunc", "fabs", "abs", "square", "tgamma", "lgamma", "digamma", "log1p_exp", "cosh", "acosh"):
        add(name, (inf, inf))
    for name in ("asinh", "cbrt", "sinh", "floor", "round", "ceil", "trunc", "log_inv_logit"):
        add(name, (-inf, -inf))
    for name in ("log", "log2", "log10", "log1p", "sqrt", "rsqrt", "inv_sqrt", "sin", "cos", "tan", "asin", "acos", "acosh",
                 "atanh", "tgamma", "digamma", "inv_Phi", "logit"):
        add(name, (-inf, nan))
    add("rsqrt", (0.0, inf), (inf, 0), (-1.0, nan))
    add("inv_sqrt", (0.0, inf), (inf, 0), (-1.0, nan))
    add("sqrt", (-1.0, nan))
    add("inv", (0.0, inf), (-0.0, -inf), (inf, 0))
    add("inv_square", (0.0, inf), (-inf, 0), (inf, 0))
    add("exp", (-inf, 0), (0.0, 1), (1000.0, inf), (-1000.0, 0))
    add("exp2", (-inf, 0), (0.0, 1), (10.0, 1024))
    add("expm1", (-inf, -1))
    add("log", (0.0, -inf), (1.0, 0), (-1.0, nan))
    add("log2", (0.0, -inf), (8.0, 3), (-1.0, nan))
    add("log10", (0.0, -inf), (1000.0, 3), (-1.0, nan))
    add("log1p", (-1.0, -inf), (-2.0, nan))
    add("cos", (0.0, 1), (inf, nan))
    add("sin", (inf, nan))
    add("cosh", (0.0, 1), (-inf, inf))
    add("tanh", (inf, 1), (-inf, -1))
    add("asin", (2.0, nan))
    add("acos", (1.0, 0), (2.0, nan))
    add("acosh", (1.0, 0), (0.5, nan))
    add("atanh", (1.0, inf), (-1.0, -inf), (2.0, nan))
    add("round", (0.5, 1), (-0.5, -1), (1.5, 2), (2.5, 3), (-2.5, -3))
    add("trunc", (2.9, 2), (-2.9, -2))
    add("sign", (inf, 1), (-inf, -1), (-3.0, -1))
    add("isfinite", (inf, 0), (-inf, 0), (nan, 0), (0.0, 1))
    add("isinf", (inf, 1), (-inf, 1), (nan, 0), (0.0, 0))
    add("isnan", (inf, 0), (-inf, 0), (nan, 1), (0.0, 0))
    add("tgamma", (1.0, 1), (2.0, 1), (5.0, 24), (0.0, inf), (-0.0, -inf), (-1.0, nan), (-2.0, nan), (200.0, inf))
    add("lgamma", (1.0, 0), (2.0, 0), (0.0, inf), (-1.0, inf), (-2.0, inf), (-inf, inf))
    add("digamma", (0.0, nan), (-1.0, nan), (-2.0, nan))
    add("trigamma", (0.0, inf), (-1.0, inf), (inf, 0))
    add("erf", (inf, 1), (-inf, -1), (30.0, 1))
    add("erfc", (inf, 0), (-inf, 2), (0.0, 1), (40.0, 0), (-30.0, 2))
    add("Phi", (inf, 1), (-inf, 0), (0.0, 0.5), (-50.0, 0), (50.0, 1))
    add("Phi_approx", (inf, 1), (-inf, 0), (0.0, 0.5), (-50.0, 0), (50.0, 1))
    add("inv_Phi", (0.0, -inf), (1.0, inf), (0.5, 0), (-0.5, nan), (1.5, nan), (inf, nan))
    add("log1m", (1.0, -inf), (2.0, nan), (-inf, inf), (inf, nan))
    add("log1p_exp", (-inf, 0), (1000.0, 1000))
    add("log1m_exp", (0.0, -inf), (-inf, 0), (1.0, nan), (inf, nan))
    add("log_inv_logit", (inf, 0), (-1000.0, -1000))
    add("log1m_inv_logit", (-inf, 0), (inf, -inf), (1000.0, -1000))
    add("inv_logit", (inf, 1), (-inf, 0), (0.0, 0.5), (1000.0, 1))
    add("inv_cloglog", (inf, 1), (-inf, 0), (1000.0, 1))
    add("logit", (0.0, -inf), (1.0, inf), (0.5, 0), (-0.5, nan), (1.5, nan))
    add("fmax", ((nan, 1.0), 1), ((1.0, nan), 1), ((nan, nan), nan), ((-inf, inf), inf))
    add("fmin", ((nan, 1.0), 1), ((1.0, nan), 1), ((nan, nan), nan), ((-inf, inf), -inf))
    add("fdim", ((inf, 1.0), inf), ((1.0, inf), 0))
    add("fmod", ((5.5, inf), 5.5), ((1.0, 0.0), nan), ((inf, 1.0), nan), ((-5.5, 2.0), -1.5))
    add("hypot", ((inf, nan), inf), ((3.0, 4.0), 5), ((0.0, 0.0), 0), ((nan, 1.0), nan))
    pi = "3.1415926535897932384626"
    add("atan2", ((0.0, 1.0), 0), ((0.0, -1.0), pi), ((0.0, -0.0), 0), ((-0.0, -1.0), pi), ((0.0, 0.0), 0), ((0.0, inf), 0),
        ((1.0, inf), 0), ((1.0, -inf), pi), ((inf, 1.0), "1.5707963267948966192313"), ((-inf, -3.0), "-1.5707963267948966192313"),
        ((inf, inf), "0.78539816339744830961566"), ((nan, 1.0), nan), ((1.0, nan), nan))
    add("pow", ((0.0, 0.0), 1), ((nan, 0.0), 1), ((1.0, nan), 1), ((0.0, -1.0), inf), ((-2.0, 3.0), -8), ((-8.0, 0.5), nan),
        ((2.0, inf), inf), ((0.5, inf), 0), ((nan, 1.0), nan))
    add("copysign", ((3.0, -0.0), -3), ((-3.0, inf), 3))
    add("ldexp", ((1.0, -130.0), 2.0**-130), ((3.0, 4.0), 48), ((inf, 3.0), inf), ((nan, 3.0), nan), ((0.0, 3.0), 0))
    add("beta", ((0.0, 1.0), inf), ((1.0, 1.0), 1), ((1.0, inf), 0), ((-1.0, 2.0), nan), ((2.0, 3.0), "0.083333333333333333333333"))
    add("lbeta", ((0.0, 1.0), inf), ((1.0, inf), -inf), ((-1.0, 2.0), nan))
    add("binomial_coefficient_log", ((0.0, 0.0), 0), ((5.0, 0.0), 0), ((5.0, 5.0), 0), ((5.0, 7.0), nan), ((5.0, -2.0), nan),
        ((-2.0, 0.5), nan), ((5.0, 6.0), -inf), ((10.0, -1.0), -inf))
    add("log_inv_logit_diff", ((inf, -inf), 0), ((1.0, 1.0), -inf), ((1.0, 2.0), nan), ((inf, inf), -inf), ((-inf, -inf), -inf))
    add("log_diff_exp", ((1.0, 1.0), -inf), ((1.0, 2.0), nan), ((5.0, -inf), 5), ((-inf, -inf), -inf), ((inf, inf), nan),
        ((inf, 1.0), inf))
    add("log_sum_exp", ((-inf, -inf), -inf), ((inf, inf), inf), ((-inf, 5.0), 5), ((5.0, -inf), 5), ((inf, 1.0), inf),
        ((inf, -inf), inf))
    for name in ("multiply_log", "lmultiply"):
        add(name, ((0.0, 0.0), 0), ((0.0, 3.0), 0), ((1.0, 0.0), -inf), ((1.0, inf), inf), ((0.0, inf), nan), ((2.0, -1.0), nan))
    add("polygamma", ((2.0, 0.0), -inf), ((3.0, 0.0), inf), ((2.0, inf), 0), ((0.0, 1.0), nan), ((2.0, -0.5), nan),
        ((33.0, 1.0), nan))
    add("log_Phi", (nan, nan), (-inf, -inf), (inf, 0))
    add("log_i0e", (nan, nan), (0.0, 0), (inf, -inf), (-1.0, nan))
    add("i1_i0_m1", (nan, nan), (0.0, -1), (inf, 0), (-1.0, nan))
    add("log1pmx", (nan, nan), (0.0, 0), (-1.0, -inf), (-2.0, nan), (inf, -inf))
    add("lgamma_stirling_diff", (nan, nan), (0.0, inf), (inf, 0), (-1.0, nan))
    add("digamma_stirling_diff", (nan, nan), (0.0, -inf), (inf, 0), (-1.0, nan))
    add("logistic_log_kernel", (nan, nan), (inf, -inf), (-inf, -inf))
    add("poisson_log_kernel", ((3.0, 0.0, 0.0), 0), ((3.0, -inf, -3.0), -inf), ((0.0, 0.0, 2.5), -2.5), ((0.0, 0.0, 0.0), 0),
        ((nan, 0.0, 1.0), nan), ((3.0, 0.0, nan), nan), ((3.0, nan, 9.0), nan), ((3.0, nan, 0.0), 0), ((3.0, inf, inf), -inf), ((0.0, 0.0, inf), -inf))
    add("student_t_log_kernel", ((3.0, 0.0, 1.0), 0), ((3.0, inf, 2.0), -inf), ((3.0, -inf, 2.0), -inf), ((3.0, nan, 1.0), nan),
        ((nan, 1.0, 1.0), nan), ((3.0, 1.0, nan), nan))
    add("log1p_exp_both", ((-inf, -inf), 0), ((inf, 1.0), inf), ((-inf, inf), inf), ((nan, 1.0), nan), ((1.0, nan), nan))
    add("fma", ((nan, 1.0, 1.0), nan), ((inf, 1.0, 1.0), inf), ((inf, 1.0, -inf), nan))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", nargs="?", metavar="OUTPUT", default="test/accuracy/reference.csv", help="%(default)s")
    output = parser.parse_args().output
    random.seed(20)
    rows = []

    def draw(low, high, kind):
        if kind is LOG:
            sign = -1 if high < 0 else 1
            low, high = sorted((abs(low), abs(high)))
            return sign * to_float(math.exp(random.uniform(math.log(low), math.log(high))))
        x = to_float(random.uniform(low, high))
        return float(round(x)) if kind == "integer" else x

    def emit(name, operands):
        with m.workdps(DIGITS.get(name, 60)):
            exact = [mpf(x) for x in operands]
            value = m.re(FUNCTIONS[name](*exact))
            scale = SCALES[name](*exact, value) if name in SCALES else abs(value)
            rows.append((name, operands, m.nstr(value, 22), m.nstr(scale, 4) if scale > abs(value) else ""))

    def emit_pairs(table):
        for name, intervals in table.items():
            for first, second, count in intervals:
                for _ in range(count):
                    emit(name, (draw(*first), draw(*second)))

    for name, intervals in INTERVALS.items():
        for low, high, count, kind in intervals:
            for _ in range(count):
                emit(name, (draw(low, high, kind),))
    emit_pairs(PAIRS)
    for x in (0.5, 3.0, 80.0):
        for step in (1, 64, 4096):
            emit("log_diff_exp", (x, x * (1 - step * CLOSE)))
            emit("log_inv_logit_diff", (x, x * (1 - step * CLOSE)))
    for _ in range(12):
        emit("fma", tuple(draw(-10, 10, LINEAR) for _ in range(3)))
    for name, intervals in LATER_INTERVALS.items():
        for low, high, count, kind in intervals:
            for _ in range(count):
                emit(name, (draw(low, high, kind),))
    emit_pairs(LATER_PAIRS)
    for name, intervals in TRIPLES.items():
        for first, second, third, count in intervals:
            for _ in range(count):
                emit(name, (draw(*first), draw(*second), draw(*third)))
    emit_pairs(LAST_PAIRS)
    for x in (-1e8, -1e12, -1e18):
        emit("log_Phi", (to_float(x),))
    for nu, d in ((1e32, 1e16), (1e30, 1.01e15), (1e20, 1e30), (1e-6, 1e-20)):
        emit("student_t_log_kernel", (to_float(nu), to_float(d), 1.0))
    for name, operands, value in special_points():
        with m.workdps(30):
            text = m.nstr(mpf(value), 22)
        rows.append((name, operands, text.replace("+", ""), ""))

    rows.sort(key=lambda row: row[0])
    with open(output, "w") as out:
        out.write("function,a,b,c,value,scale\n")
        for name, operands, value, scale in rows:
            texts = [float(x).hex() for x in operands] + [""] * (3 - len(operands))
            out.write(",".join([name] + texts + [value, scale]).replace(".0,", ",") + "\n")


main()
