#!/usr/bin/env python3
"""Writes covariance_references.csv: covariances of Gaussian processes, the density of normal vectors by them, and their
derivatives, computed by mpmath from their definitions.

A line is the name of a function and ten matrices, separated by commas, each "rows columns elements" column by column and
"0 0" where there is none: x1, x2, sigma, length scale, period, weights, the covariance, and the derivatives of the sum of
weights times elements by sigma, by the length scale, by the period, by x1 and by x2. Of densities: y, mu, the matrix, and
then value and derivatives by y, mu and the lower triangle.
"""
import itertools
import pathlib
import random

from mpmath import cholesky_solve, det, diff, exp, log, matrix, mp, mpf, nstr, pi, sin, sqrt

mp.dps = 50
rng = random.Random(11)


def draw(rows, cols, low=-2.0, high=2.0):
    return [[mpf(rng.uniform(low, high)) for _ in range(rows)] for _ in range(cols)]  # columns


def text(columns):
    if columns is None:
        return "0 0"
    rows = len(columns[0]) if columns else 0
    return " ".join([str(rows), str(len(columns)), *(nstr(v, 20) for column in columns for v in column)])


def square(a, b, lengths):
    return sum(((s - t) / lengths[k % len(lengths)]) ** 2 for k, (s, t) in enumerate(zip(a, b)))


COVARIANCES = {
    "gp_exp_quad_cov": lambda a, b, s, l, _: s ** 2 * exp(-square(a, b, l) / 2),
    "gp_exponential_cov": lambda a, b, s, l, _: s ** 2 * exp(-sqrt(square(a, b, l))),
    "gp_matern32_cov": lambda a, b, s, l, _: s ** 2 * (1 + sqrt(3 * square(a, b, l))) * exp(-sqrt(3 * square(a, b, l))),
    "gp_matern52_cov": lambda a, b, s, l, _: s ** 2 * (1 + sqrt(5 * square(a, b, l)) + 5 * square(a, b, l) / 3)
    * exp(-sqrt(5 * square(a, b, l))),
    "gp_periodic_cov": lambda a, b, s, l, p: s ** 2 * exp(-2 * sin(pi * sqrt(square(a, b, [mpf(1)])) / p) ** 2 / l[0] ** 2),
    "gp_dot_prod_cov": lambda a, b, s, _l, _p: s ** 2 + sum(u * v for u, v in zip(a, b)),
}


def derivative(f, columns):
    """Of f by each element of columns, which f reads."""
    result = [[mpf(0)] * len(column) for column in columns]
    for i, column in enumerate(columns):
        for j, at in enumerate(column):
            def moved(value):
                column[j] = value
                try:
                    return f()
                finally:
                    column[j] = at
            result[i][j] = diff(moved, at, h=mpf(10) ** -20)
    return result


def covariance_line(name, dimensions, cross, many_lengths):
    x1 = draw(dimensions, 4)
    x2 = draw(dimensions, 3) if cross else None
    if dimensions > 16:  # of many dimensions points are far from each other: so they are drawn nearer
        x1, x2 = ([[v / 4 for v in p] for p in x] if x else None for x in (x1, x2))
    sigma = draw(1, 1, 0.5, 2.0)
    has_lengths = name != "gp_dot_prod_cov"
    lengths = draw(dimensions if many_lengths else 1, 1, 0.6, 1.8) if has_lengths else None
    period = draw(1, 1, 2.0, 5.0) if name == "gp_periodic_cov" else None
    others = x2 if cross else x1
    weights = draw(len(x1), len(others), -1, 1)

    def element(i, j):
        if not cross and i == j and name != "gp_dot_prod_cov":  # its derivatives have the root of 0
            return sigma[0][0] ** 2
        return COVARIANCES[name](x1[i], others[j], sigma[0][0], lengths and lengths[0], period and period[0][0])

    def total():
        return sum(weights[j][i] * element(i, j) for i in range(len(x1)) for j in range(len(others)))

    values = [[element(i, j) for i in range(len(x1))] for j in range(len(others))]
    derivatives = [derivative(total, m) if m else None for m in (sigma, lengths, period, x1, x2)]
    return ",".join([name, *map(text, (x1, x2, sigma, lengths, period, weights, values, *derivatives))])


def density_line(name, size, outcomes):
    y, mu = draw(size, outcomes), draw(size, outcomes)
    own = draw(size, size, -1, 1)
    lower = [[sum(own[k][i] * own[k][j] for k in range(size)) + (size if i == j else 0) for i in range(size)]
             for j in range(size)]

    def value():
        full = matrix(size, size)
        for i, j in itertools.product(range(size), repeat=2):
            full[i, j] = lower[min(i, j)][max(i, j)]
        precision = name == "multi_normal_prec_lpdf"
        total = mpf(0)
        for a, b in zip(y, mu):
            d = matrix([s - t for s, t in zip(a, b)])
            other = full * d if precision else cholesky_solve(full, d)
            total -= (d.T * other)[0, 0] / 2 + size * log(2 * pi) / 2
        return total + (1 if precision else -1) * len(y) * log(det(full)) / 2

    return ",".join([name, *map(text, (y, mu, lower, [[value()]], *(derivative(value, m) for m in (y, mu, lower))))])


def main():
    lines = []
    for name in COVARIANCES:
        scales = (False, True) if name not in ("gp_periodic_cov", "gp_dot_prod_cov") else (False,)
        for dimensions, cross, many in itertools.product((1, 2, 5, 17), (False, True), scales):
            lines.append(covariance_line(name, dimensions, cross, many))
    for name, (size, outcomes) in itertools.product(("multi_normal_lpdf", "multi_normal_prec_lpdf"),
                                                    ((1, 1), (1, 3), (2, 1), (4, 3))):
        lines.append(density_line(name, size, outcomes))
    path = pathlib.Path(__file__).with_name("covariance_references.csv")
    path.write_text("".join(line + "\n" for line in lines))


if __name__ == "__main__":
    main()
