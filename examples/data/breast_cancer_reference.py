#!/usr/bin/env python3
"""Writes breast_cancer_reference.csv: an independent fit of the model of examples/logistic_regression.

Model: class ~ Bernoulli(inv_logit(intercept + standardised features * slopes)), normal(0, 2.5) priors on the
intercept and on all slopes. Features are standardised with the sample standard deviation (divisor n - 1).
Estimates are the posterior mode by scipy's trust-region Newton method, standard errors come from the inverse
Hessian there. statsmodels, with the prior as an L2 penalty, has to agree.

Needs numpy, scipy and statsmodels; the example itself and its tests need none of them.
"""
import csv
import pathlib

import numpy as np
import statsmodels.api as sm
from scipy import optimize, special
from statsmodels.base._penalized import PenalizedMixin
from statsmodels.base._penalties import L2

FOLDER = pathlib.Path(__file__).resolve().parent
PRIOR_SCALE = 2.5


def read_model():
    """Names of the coefficients, design matrix and outcome."""
    table = np.loadtxt(FOLDER / "breast_cancer.csv", delimiter=",", skiprows=1)
    features, outcome = table[:, :-1], table[:, -1]
    standardised = (features - features.mean(axis=0)) / features.std(axis=0, ddof=1)
    names = (FOLDER / "breast_cancer.names").read_text().split("\n")[:-1]
    return ["intercept", *names], np.column_stack([np.ones(len(outcome)), standardised]), outcome


def fit_scipy(design, outcome):
    """Posterior mode and standard errors."""
    sign = 2 * outcome - 1

    def minus_log_density(beta):
        return -special.log_expit(sign * (design @ beta)).sum() + beta @ beta / (2 * PRIOR_SCALE**2)

    def gradient(beta):
        return design.T @ (special.expit(design @ beta) - outcome) + beta / PRIOR_SCALE**2

    def hessian(beta):
        probability = special.expit(design @ beta)
        weighted = design * (probability * (1 - probability))[:, None]
        return design.T @ weighted + np.eye(len(beta)) / PRIOR_SCALE**2

    start = np.zeros(design.shape[1])
    mode = optimize.minimize(minus_log_density, start, jac=gradient, hess=hessian, method="trust-exact",
                             options={"gtol": 1e-6}).x
    mode = optimize.root(gradient, mode, jac=hessian, tol=1e-14).x  # to the last digits
    return mode, np.sqrt(np.diag(np.linalg.inv(hessian(mode))))


def fit_statsmodels(design, outcome):
    class PenalisedLogit(PenalizedMixin, sm.Logit):
        pass

    model = PenalisedLogit(outcome, design, penal=L2(), pen_weight=1 / (2 * PRIOR_SCALE**2))
    return model.fit(method="newton", maxiter=200, tol=1e-14, disp=False, trim=False).params


def main():
    names, design, outcome = read_model()
    mode, errors = fit_scipy(design, outcome)
    difference = np.abs(mode / fit_statsmodels(design, outcome) - 1).max()
    print(f"largest relative difference between scipy and statsmodels: {difference:.1e}")
    assert difference < 1e-8
    with open(FOLDER / "breast_cancer_reference.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["coefficient", "estimate", "standard_error"])
        writer.writerows([name, f"{b:.12g}", f"{s:.12g}"] for name, b, s in zip(names, mode, errors))


if __name__ == "__main__":
    main()
