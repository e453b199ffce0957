#!/usr/bin/env python3
"""Writes diabetes_hdl_reference.csv: an independent fit of the model of examples/student_t_regression.

Model: outcome ~ student_t(nu, intercept + standardised features * slopes, sigma), gamma(2, 0.1) prior on nu, flat
priors on the coefficients and log(sigma); the density is that of the coefficients, log(sigma) and log(nu). Features
are standardised with the sample standard deviation (divisor n - 1). Estimates are the mode, found by BFGS and a root
finder of the score, which is derived by hand; standard errors come from the inverse Hessian there, by complex steps
through the score. Without the prior, statsmodels' TLinearModel has to agree.

Needs numpy, scipy and statsmodels; the example itself and its tests need none of them.
"""
import csv
import pathlib

import numpy as np
from scipy import optimize, special, stats
from statsmodels.miscmodels.tmodel import TLinearModel

FOLDER = pathlib.Path(__file__).resolve().parent
SHAPE, RATE = 2, 0.1


def read_model():
    """Names of the unknowns, design matrix and outcome."""
    table = np.loadtxt(FOLDER / "diabetes_hdl.csv", delimiter=",", skiprows=1)
    features, outcome = table[:, :-1], table[:, -1]
    standardised = (features - features.mean(axis=0)) / features.std(axis=0, ddof=1)
    names = (FOLDER / "diabetes_hdl.names").read_text().split("\n")[:-1]
    design = np.column_stack([np.ones(len(outcome)), standardised])
    return ["intercept", *names, "log(sigma)", "log(nu)"], design, outcome


class Model:
    def __init__(self, design, outcome, prior):
        self.design, self.outcome, self.prior = design, outcome, prior

    def minus_log_density(self, at):
        sigma, nu = np.exp(at[-2:])
        likelihood = stats.t.logpdf(self.outcome, nu, self.design @ at[:-2], sigma).sum()
        return -likelihood - self.prior * (SHAPE * at[-1] - RATE * nu)

    def score(self, at):
        """Gradient of the log density; complex arguments give complex results."""
        sigma, nu = np.exp(at[-2:])
        z = (self.outcome - self.design @ at[:-2]) / sigma
        weights = (nu + 1) / (nu + z**2)
        by_nu = (special.digamma((nu + 1) / 2) - special.digamma(nu / 2) - 1 / nu - np.log1p(z**2 / nu)
                 + weights * z**2 / nu) / 2
        return np.concatenate([self.design.T @ (weights * z) / sigma, [(weights * z**2 - 1).sum()],
                               [nu * by_nu.sum() + self.prior * (SHAPE - RATE * nu)]])

    def hessian(self, at):
        step = 1e-30
        columns = [self.score(at + 1j * step * unit).imag / step for unit in np.eye(len(at))]
        return np.column_stack(columns)

    def fit(self):
        """Mode and standard errors."""
        coefficients = np.linalg.lstsq(self.design, self.outcome, rcond=None)[0]
        start = [*coefficients, np.log(np.std(self.outcome - self.design @ coefficients)), np.log(10)]
        mode = optimize.minimize(self.minus_log_density, start, jac=lambda at: -self.score(at), method="BFGS").x
        mode = optimize.root(self.score, mode, jac=self.hessian, tol=1e-14).x  # to the last digits
        return mode, np.sqrt(np.diag(np.linalg.inv(-self.hessian(mode))))


def fit_statsmodels(design, outcome):
    found = TLinearModel(outcome, design).fit(method="bfgs", gtol=1e-8, maxiter=1000, disp=False).params
    return np.concatenate([found[:-2], [np.log(found[-1]), np.log(found[-2])]])


def main():
    names, design, outcome = read_model()
    difference = np.abs(Model(design, outcome, 0).fit()[0] / fit_statsmodels(design, outcome) - 1).max()
    print(f"largest relative difference between scipy and statsmodels, without prior: {difference:.1e}")
    assert difference < 1e-5
    model = Model(design, outcome, 1)
    mode, errors = model.fit()
    differences = optimize.approx_fprime(mode, model.minus_log_density, 1e-6)
    assert np.abs(differences).max() < 1e-2, differences
    with open(FOLDER / "diabetes_hdl_reference.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["coefficient", "estimate", "standard_error"])
        writer.writerows([name, f"{b:.12g}", f"{s:.12g}"] for name, b, s in zip(names, mode, errors))


if __name__ == "__main__":
    main()
