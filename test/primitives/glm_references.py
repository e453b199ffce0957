#!/usr/bin/env python3
"""Writes glm_references.inc: log likelihoods of regressions and their derivatives, computed by mpmath.

Each row of a table is one mixture of numbers and containers, or one extreme argument. The densities are written here
from their definitions, not in the forms that the library computes.
"""
import pathlib

from mpmath import diff, exp, fsum, gamma, inf, isinf, log, loggamma, mp, mpf, nstr, pi

mp.dps = 400
ROWS = 5
X = [[mpf(v) / 64 for v in row] for row in ((19, -52), (-77, 33), (64, 5), (-12, -90), (41, 118))]
ALPHA = [mpf(v) / 64 for v in (20, -33, 51, 7, -64)]
BETA = [mpf(v) / 64 for v in (45, -27)]
EXTRA = [mpf(v) / 64 for v in (70, 33, 112, 150, 91)]
TRIALS = [8] * ROWS
OUTCOMES = {"normal": [mpf(v) / 64 for v in (-30, 55, 100, -7, 21)], "bernoulli": [1, 0, 0, 1, 1], "poisson": [2, 0, 5, 1, 3],
            "neg_binomial": [2, 0, 5, 1, 3], "binomial": [3, 0, 8, 1, 6]}


def inv_logit(x):
    return 1 / (1 + exp(-x))


def choose(n, k):
    return loggamma(n + 1) - loggamma(k + 1) - loggamma(n - k + 1)


# log density of one row, as the terms of its definition
TERMS = {
    "normal": lambda y, eta, s: (-((y - eta) / s) ** 2 / 2, -log(s), -log(2 * pi) / 2),
    "bernoulli": lambda y, eta, _: (log(inv_logit(eta)) if y == 1 else log(1 / (1 + exp(eta))),),
    "poisson": lambda y, eta, _: (y * eta, -exp(eta), -loggamma(y + 1)),
    "neg_binomial": lambda y, eta, phi: (loggamma(y + phi) - loggamma(phi) - loggamma(y + 1),
                                         y * log(exp(eta) / (exp(eta) + phi)), phi * log(phi / (exp(eta) + phi))),
    "binomial": lambda y, eta, n: (choose(n, y), y * log(inv_logit(eta)), (n - y) * log(1 / (1 + exp(eta)))),
}


def density(glm):
    return lambda y, eta, extra: fsum(TERMS[glm](y, eta, extra))


def derivatives(glm, y, eta, extra):
    """By eta, by the further parameter, by y."""
    f = density(glm)
    by_eta = diff(lambda v: f(y, v, extra), eta)
    by_extra = diff(lambda v: f(y, eta, v), extra) if glm in ("normal", "neg_binomial") else mpf(0)
    by_y = diff(lambda v: f(v, eta, extra), y) if glm == "normal" else mpf(0)
    return by_eta, by_extra, by_y


def number(x):
    if abs(x) < mpf("1e-300"):
        return "0.0"
    return nstr(mpf(x), 17, min_fixed=0, max_fixed=0)


def numbers(values):
    return "{" + ", ".join(number(v) for v in values) + "}"


def mixture(glm, shapes):
    """Bits of `shapes`: alpha, beta, further parameter, outcome are containers; x is one row."""
    one_row = bool(shapes & 16)
    rows = ROWS if not one_row or shapes & 13 else 1
    extras = TRIALS if glm == "binomial" else EXTRA
    value, lists = mpf(0), []
    for i in range(rows):
        x = X[0 if one_row else i]
        alpha = ALPHA[i if shapes & 1 else 0]
        beta = BETA if shapes & 2 else [BETA[0]] * 2
        extra = extras[i if shapes & 4 else 0]
        y = OUTCOMES[glm][i if shapes & 8 else 0]
        eta = alpha + x[0] * beta[0] + x[1] * beta[1]
        value += density(glm)(y, eta, extra)
        lists.append(derivatives(glm, y, eta, extra))
    columns = [numbers(column) for column in zip(*lists)]
    return f"    {{{shapes}, {rows}, {number(value)}, {', '.join(columns)}}},"


EXTREMES = {
    "normal": [(y, eta, s) for y in (0, 3.5, -1e8) for eta in (0, -700, 1e8) for s in (1e-6, 1, 1e8)],
    "bernoulli": [(y, eta, 1) for y in (0, 1) for eta in (-700, -40, -1, -1e-10, 0, 1e-10, 1, 40, 700)],
    "poisson": [(y, eta, 1) for y in (0, 1, 1000, 1000000) for eta in (-700, -20, 0, 5, 13.8125, 700)],
    "neg_binomial": [(y, eta, phi) for y in (0, 1, 37, 1000000) for eta in (-700, -5, 0, 5, 13.8125, 700)
                     for phi in (1e-6, 0.5, 10, 1e4, 1e8)],
    "binomial": [(y, eta, n) for y, n in ((0, 0), (0, 1), (1, 1), (7, 1000000), (500000, 1000000), (1000000, 1000000))
                 for eta in (-700, -20, 0, 0.5, 20, 700)],
}


def extreme(glm, y, eta, extra):
    """With the largest of the terms that value and derivatives are differences of."""
    y, eta, extra = mpf(y), mpf(eta), mpf(extra)
    terms = TERMS[glm](y, eta, extra)
    by_eta, by_extra, _ = derivatives(glm, y, eta, extra)
    scale = max(abs(t) for t in terms)
    of_extra = mpf(0)
    if glm in ("normal", "neg_binomial"):
        each = [abs(diff(lambda v, k=k: TERMS[glm](y, eta, v)[k], extra)) for k in range(len(terms))]
        of_extra = max(each)
    of_eta = {"poisson": max(y, exp(eta)), "binomial": max(y, extra - y)}.get(glm, mpf(0))
    if glm == "neg_binomial":
        of_eta = y * (1 + abs(log(extra)))  # eta - log(phi) is rounded
        of_extra = max(of_extra, log(1 + exp(eta) / extra), abs(log(extra)) + 1 if y > 0 else 0)
    return f"    {{{', '.join(number(v) for v in (y, eta, extra, fsum(terms), by_eta, by_extra, scale, of_eta, of_extra))}}},"


CLASSES = [2, 4, 1, 3, 4]
CLASS_ALPHA = [mpf(v) / 64 for v in (20, -33, 51, 7)]
CLASS_BETA = [[mpf(v) / 64 for v in row] for row in ((45, -27, 13, 80), (-9, 31, 64, -50))]
CUTS = [mpf(v) / 64 for v in (-60, 11, 90)]


def categorical_row(y, eta):
    return eta[y - 1] - log(fsum(exp(e) for e in eta))


def categorical(x, alpha, beta):
    """beta by columns, one after the other; so is x."""
    rows = [[x[i], x[ROWS + i]] for i in range(ROWS)]
    etas = [[alpha[c] + row[0] * beta[2 * c] + row[1] * beta[2 * c + 1] for c in range(4)] for row in rows]
    return fsum(categorical_row(y, eta) for y, eta in zip(CLASSES, etas))


COUNTS = [[3, 0, 2, 1], [0, 0, 0, 0], [1, 5, 0, 0], [40, 0, 7, 2], [0, 0, 0, 9]]


def multinomial(x, alpha, beta):
    """alpha by columns, an element a category or each of each row."""
    rows = [[(alpha[c] if len(alpha) == 4 else alpha[ROWS * c + i]) + x[i] * beta[2 * c] + x[ROWS + i] * beta[2 * c + 1]
             for c in range(4)] for i in range(ROWS)]
    return fsum(multinomial_row(counts, eta) for counts, eta in zip(COUNTS, rows))


def multinomial_row(counts, eta):
    total = loggamma(sum(counts) + 1) - fsum(loggamma(n + 1) for n in counts)
    return total + fsum(n * categorical_row(c + 1, eta) for c, n in enumerate(counts) if n > 0)


def multinomial_extreme(counts, eta):
    eta = [mpf(e) for e in eta]
    by = gradient(lambda e: multinomial_row(counts, e), [eta])[0]
    shown = (numbers(counts), numbers(eta), number(multinomial_row(counts, eta)), numbers(by))
    return f"    {{{', '.join(shown)}}},"


def ordered_row(y, eta, cuts):
    upper = inv_logit(eta - cuts[y - 2]) if y > 1 else mpf(1)
    lower = inv_logit(eta - cuts[y - 1]) if y <= len(cuts) else mpf(0)
    return log(upper - lower)


def ordered(x, beta, cuts):
    return fsum(ordered_row(CLASSES[i], x[i] * beta[0] + x[ROWS + i] * beta[1], cuts) for i in range(ROWS))


def gradient(f, lists):
    """Derivatives of f by every element of each list."""
    def moved(k, n, v):
        return [[v if (j, m) == (k, n) else e for m, e in enumerate(each)] for j, each in enumerate(lists)]
    return [[diff(lambda v, k=k, n=n: f(*moved(k, n, v)), e) for n, e in enumerate(each)] for k, each in enumerate(lists)]


def class_reference(name, f, names, lists):
    lines = [f"inline constexpr double {name}_value = {number(f(*lists))};"]
    for argument, values, by in zip(names, lists, gradient(f, lists)):
        if argument != "x":
            lines.append(f"inline constexpr double {name}_{argument}[] = {numbers(values)};")
        lines.append(f"inline constexpr double {name}_by_{argument}[] = {numbers(by)};")
    return lines


def class_extremes(name, f, lists):
    lines = [f"inline constexpr class_extreme {name}_extremes[] = {{"]
    for values in lists:
        values = [mpf(v) for v in values]
        for y in (1, 2, 3):
            by = gradient(lambda v, y=y: f(y, v), [values])[0]
            lines.append(f"    {{{y}, {numbers(values)}, {number(f(y, values))}, {numbers(by)}}},")
    return [*lines, "};"]


def main():
    lines = ["// Log likelihoods of regressions and their derivatives. Written by glm_references.py.", "",
             "namespace fusecl::test {", "",
             f"inline constexpr double reference_x[] = {numbers([X[i][j] for j in range(2) for i in range(ROWS)])};  // 5 x 2",
             f"inline constexpr double reference_alpha[] = {numbers(ALPHA)};",
             f"inline constexpr double reference_beta[] = {numbers(BETA)};",
             f"inline constexpr double reference_extra[] = {numbers(EXTRA)};",
             "",
             "/// A mixture of numbers and containers; derivatives of each row.",
             "struct glm_mixture {",
             "  unsigned shapes;  ///< bits: alpha, beta, further parameter, outcome are containers; x is one row",
             "  int rows;",
             "  double value, by_eta[5], by_extra[5], by_y[5];", "};",
             "/// One row.",
             "struct glm_extreme {",
             "  double y, eta, extra, value, by_eta, by_extra;",
             "  double largest_term, largest_term_by_eta, largest_term_by_extra;", "};"]
    for glm, outcomes in OUTCOMES.items():
        lines += ["", f"inline constexpr double {glm}_outcomes[] = {numbers(outcomes)};",
                  f"inline constexpr glm_mixture {glm}_mixtures[] = {{", *(mixture(glm, s) for s in range(32)), "};",
                  f"inline constexpr glm_extreme {glm}_extremes[] = {{", *(extreme(glm, *e) for e in EXTREMES[glm]), "};"]
    x = [X[i][j] for j in range(2) for i in range(ROWS)]
    beta = [CLASS_BETA[j][c] for c in range(4) for j in range(2)]
    lines += ["", "/// One row of class y with three linear predictors, or with two cut points about 0.", "struct class_extreme {",
              "  int y;", "  double at[3], value, by[3];", "};",
              f"inline constexpr int class_outcomes[] = {{{', '.join(map(str, CLASSES))}}};",
              *class_reference("categorical", categorical, ("x", "alpha", "beta"), (x, CLASS_ALPHA, beta)),
              f"inline constexpr int multinomial_counts[] = {{{', '.join(str(row[c]) for c in range(4) for row in COUNTS)}}};  // 5 x 4",
              *class_reference("multinomial", multinomial, ("x", "alpha", "beta"), (x, CLASS_ALPHA, beta)),
              *class_reference("multinomial_by_rows", multinomial, ("x", "alpha", "beta"),
                               (x, [a + mpf((i - 2) * (c - 1)) / 8 for c, a in enumerate(CLASS_ALPHA) for i in range(ROWS)], beta)),
              *class_reference("ordered", ordered, ("x", "beta", "cuts"), (x, BETA, CUTS)),
              *class_extremes("categorical", categorical_row,
                              ((0, 700, -700), (0, 1e-10, -1e-10), (1, 40, -40), (-700, -700, -701))),
              *class_extremes("ordered", lambda y, cuts: ordered_row(y, mpf(0), cuts),
                              ((-700, 700), (-1e-3, 1e-3), (-40, -39.5), (5, 700), (699, 700)))]
    lines += ["", "/// One row of counts in three categories.", "struct counts_extreme {", "  double counts[3], eta[3], value, by[3];",
              "};", "inline constexpr counts_extreme multinomial_extremes[] = {",
              *(multinomial_extreme(*e) for e in (
                  ((1000000, 3, 0), (0, -12.75, -700)), ((1000000, 999000, 1001000), (0.5, 0.5, 0.5)), ((7, 0, 0), (40, 0, -40)),
                  ((0, 0, 7), (700, 0, -700)), ((0, 1, 0), (-700, -701, -702)), ((1, 0, 2), (1e-10, -1e-10, 0)))), "};"]
    lines += ["", "}  // namespace fusecl::test"]
    path = pathlib.Path(__file__).with_name("glm_references.inc")
    path.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
