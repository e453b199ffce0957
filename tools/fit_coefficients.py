#!/usr/bin/env python3
"""Fits the polynomials and rational functions of include/fusion/ops/device_functions and prints them as OpenCL C.

Each fit is a weighted linear least-squares problem on Chebyshev nodes in 50 digits, reweighted until the error is level
(Lawson's iteration), which comes within a few per cent of the minimax error. Run it without arguments for all fits, or
with names; prints the error of each fit and the lines to paste.
"""

import argparse

import mpmath as m

m.mp.dps = 50
mpf = m.mpf
TINY = mpf(10) ** -14


def fit(f, low, high, degree, denominator=0, relative=True, rounds=14):
    """Coefficients of P and Q, Q(0) = 1, with P / Q close to f on [low, high]; and the largest error."""
    count = 6 * (degree + denominator + 2)
    low, high = mpf(low), mpf(high)
    nodes = [(low + high) / 2 + (high - low) / 2 * m.cos(m.pi * (2 * k + 1) / (2 * count)) for k in range(count)]
    values = [f(x) for x in nodes]
    size = [abs(y) if relative else mpf(1) for y in values]
    weights, q_values, best = [mpf(1)] * count, [mpf(1)] * count, None
    for step in range(rounds):
        a, b = m.matrix(count, degree + 1 + denominator), m.matrix(count, 1)
        for i, x in enumerate(nodes):
            scale = weights[i] / q_values[i] / size[i]
            for j in range(degree + 1):
                a[i, j] = scale * x**j
            for j in range(1, denominator + 1):
                a[i, degree + j] = -scale * values[i] * x**j
            b[i] = scale * values[i]
        c, _ = m.qr_solve(a, b)
        p, q = [c[j] for j in range(degree + 1)], [mpf(1)] + [c[degree + 1 + j] for j in range(denominator)]
        q_values = [m.polyval(q[::-1], x) for x in nodes]
        errors = [abs(m.polyval(p[::-1], x) / q_values[i] - values[i]) / size[i] for i, x in enumerate(nodes)]
        largest = max(errors)
        if best is None or largest < best[0]:
            best = (largest, p, q)
        if step > 0:
            weights = [w * m.sqrt(e / largest + mpf("0.02")) for w, e in zip(weights, errors)]
            top = max(weights)
            weights = [w / top for w in weights]
    return best


# ---- what is fitted ---------------------------------------------------------------------------------------------


def quantile(p):
    s = m.sqrt(-2 * m.log(p))
    x = 1 - s if p > mpf("0.01") else -s + (mpf("2.30753") + mpf("0.27061") * s) / (1 + s * (mpf("0.99229") + mpf("0.04481") * s))
    for _ in range(60):
        value = m.erfc(-x / m.sqrt(2)) / 2
        step = value * (m.log(value) - m.log(p)) * m.sqrt(2 * m.pi) * m.exp(x * x / 2)
        x -= step
        if abs(step) < mpf(10) ** -45:
            break
    return x


def tail(r):
    return -quantile(m.exp(-r * r))


def erfcx(s):
    x = 4 * (1 + s) / (1 - s)
    return (1 + 2 * x) * m.exp(x * x) * m.erfc(x)


def stirling(t):
    """(lgamma(x) - Stirling's formula) x at x = 1 / t."""
    if t < TINY:
        return mpf(1) / 12
    x = 1 / t
    return (m.loggamma(x) - ((x - mpf(1) / 2) * m.log(x) - x + m.log(2 * m.pi) / 2)) * x


def lgamma_rest(v):
    z = v - mpf(1) / 2
    if abs(z) < TINY:
        return m.euler - mpf(1) / 2
    if abs(z - 1) < TINY:
        return mpf(1) / 2 - m.euler
    return m.loggamma(1 + z) / (z * (z - 1)) - mpf(1) / 2


def digamma_rest(t):
    return mpf(1) / 12 if t < TINY else ((-m.log(t) - m.psi(0, 1 / t)) / t - mpf(1) / 2) / t


def trigamma_rest(t):
    return mpf(1) / 2 if t < TINY else (m.psi(1, 1 / t) / t - 1) / t


def cot_rest(s):
    return (1 / m.sqrt(s) - m.pi * m.cot(m.pi * m.sqrt(s))) / m.sqrt(s)


def erf_near_zero(s):
    return 2 / m.sqrt(m.pi) if s < TINY else m.erf(m.sqrt(s)) / m.sqrt(s)


def centre(s):
    q = m.sqrt(mpf("0.16") - s)
    return (-quantile(mpf(1) / 2 - q) / q - m.sqrt(2 * m.pi)) / (q * q)


def atanh_rest(s):
    f = m.sqrt(s)
    return (m.log((1 + f) / (1 - f)) - 2 * f - 2 * f**3 / 3) / f**5


def log1p_rest(s):
    """(log(1 + x) / r - 2) / r^2 with r = x / (2 + x) at r^2 = s."""
    r = m.sqrt(s)
    return mpf(2) / 3 if s < TINY else (2 * m.atanh(r) / r - 2) / s


def log_i0_rest(s):
    """log(I0(x)) / x^2 at x^2 = s."""
    return mpf(1) / 4 if s < TINY else m.log(m.besseli(0, m.sqrt(s))) / s


def log_i0e_rest(x):
    """log(sqrt(2 pi x) exp(-x) I0(x)) x."""
    return mpf(1) / 8 if x > 1 / TINY else (m.log(m.besseli(0, x) * m.sqrt(2 * m.pi * x)) - x) * x


def i1_i0_m1(x):
    return m.besseli(1, x) / m.besseli(0, x) - 1


def i1_i0_rest(x):
    """(1 - I1(x) / I0(x)) x."""
    return mpf(1) / 2 if x > 1 / TINY else -i1_i0_m1(x) * x


def at_inverse(f):
    return lambda t: f(1 / max(t, TINY / 2))


ROOT = m.findroot(lambda x: m.psi(0, x), 1.4616321449683623)
SQRT_2 = mpf(1.4142135623730951)
LOWEST = (mpf("0.46") - 4) / (mpf("0.46") + 4)

# name: (function, low, high, (degrees of P and Q for double), (for float), relative error)
FITS = {
    "digamma": (digamma_rest, 0, 1, (8, 8), (4, 4), True),
    "digamma_root": (lambda u: m.psi(0, ROOT + u) / u, -0.35, 0.35, (19, 0), (9, 0), True),
    "cot": (cot_rest, mpf(10) ** -30, 0.25, (14, 0), (7, 0), False),
    "trigamma": (trigamma_rest, 0, 1, (8, 8), (4, 4), True),
    "sin_squared": (lambda s: m.pi**2 / m.sin(m.pi * m.sqrt(s)) ** 2 - 1 / s, mpf(10) ** -30, 0.25, (16, 0), (9, 0), False),
    "lgamma": (lgamma_rest, 0, 4.51, (10, 9), (4, 4), False),
    "lgamma_stirling": (lambda s: stirling(m.sqrt(s)), 0, 0.04001, (7, 0), (2, 0), True),
    "sin": (lambda s: m.sinpi(m.sqrt(s)) / (m.pi * m.sqrt(s)), mpf(10) ** -30, 0.2501, (8, 0), (4, 0), True),
    "stirling_correction": (stirling, 0, 1, (8, 8), (3, 3), True),
    "erfcx": (erfcx, LOWEST, 0.75, (22, 0), (11, 0), True),
    "erf_near_zero": (erf_near_zero, 0, 0.26, (10, 0), (5, 0), True),
    "inv_Phi_centre": (centre, 0, mpf("0.16") - TINY, (7, 7), (3, 3), True),
    "inv_Phi_tail": (lambda t: (tail(mpf(3) / 2 + t) - tail(mpf(3) / 2)) / t, -0.02, 3.51, (7, 7), None, True),
    "inv_Phi_tail_float": (lambda t: (tail(mpf(3) / 2 + t) - tail(mpf(3) / 2)) / t, -0.02, 8.8, None, (4, 3), True),
    "inv_Phi_far_tail": (lambda u: tail(5 + u) - (5 + u) * SQRT_2, -0.01, 22.3, (8, 7), None, False),
    "log_extended": (atanh_rest, mpf(10) ** -12, 0.0296, (7, 0), (2, 0), True),
    "exp_extended": (lambda x: (m.expm1(x) - x) / x**2, -0.3467, 0.3467, (10, 0), (4, 0), True),
    "log1p_rest": (log1p_rest, 0, mpf(1) / 9, (9, 0), (4, 0), True),
    "log_i0e": (log_i0_rest, 0, 9, (7, 7), None, True),
    "log_i0e_7": (lambda u: log_i0e_rest(3 + u), 0, 4, (8, 8), None, True),
    "log_i0e_16": (lambda u: log_i0e_rest(7 + u), 0, 9, (7, 7), None, True),
    "log_i0e_tail": (at_inverse(log_i0e_rest), 0, 0.0625, (6, 6), None, True),
    "i1_i0_m1": (i1_i0_m1, 0, 3, (8, 8), None, True),
    "i1_i0_m1_7": (lambda u: i1_i0_rest(3 + u), 0, 4, (8, 8), None, True),
    "i1_i0_m1_16": (lambda u: i1_i0_rest(7 + u), 0, 9, (7, 7), None, True),
    "i1_i0_m1_tail": (at_inverse(i1_i0_rest), 0, 0.0625, (13, 0), None, True),
    "expm1_negative": (lambda x: (m.expm1(x) - x - x * x / 2) / x**3, -0.6932, -1e-12, (10, 0), (4, 0), True),
}


def horner(name, variable, coefficients, digits):
    texts = [f"{float(c):.{digits}g}" for c in reversed(coefficients)]
    texts = [t if "." in t or "e" in t else t + ".0" for t in texts]
    plus = lambda t: f" - {t[1:]}" if t[0] == "-" else f" + {t}"
    lines, k = [f"$T {name} = {texts[0]};"], 1
    if len(texts) % 2 == 0:
        lines, k = [f"$T {name} = {texts[0]} * {variable}{plus(texts[1])};"], 2
    while k < len(texts):
        lines.append(f"{name} = ({name} * {variable}{plus(texts[k])}) * {variable}{plus(texts[k + 1])};")
        k += 2
    return "\n".join("  " + line for line in lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fits", nargs="*", metavar="FIT", help=" ".join(FITS))
    names = parser.parse_args().fits
    if unknown := set(names) - set(FITS):
        parser.error(f"no such fit: {' '.join(sorted(unknown))}")
    for name in names or FITS:
        function, low, high, for_double, for_float, relative = FITS[name]
        for degrees, digits, kind in ((for_double, 17, "double"), (for_float, 9, "float")):
            if degrees:
                error, p, q = fit(function, low, high, degrees[0], degrees[1], relative)
                print(f"{name}, {kind}: error {m.nstr(error, 3)}")
                print(horner("num", "x", p, digits))
                if degrees[1]:
                    print(horner("den", "x", q, digits))


main()
