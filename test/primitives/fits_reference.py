#!/usr/bin/env python3
"""Writes fits_reference.csv: maximum-likelihood estimates of regressions, by statsmodels and scikit-learn.

Columns of a design have mean 0 and standard deviation 1 (divided by n), with names as in the test; each line is the name
of a fit, its maximal log likelihood (or penalised one), and its coefficients in the order of the test. Needs numpy, pandas,
statsmodels and scikit-learn.
"""
import pathlib

import numpy as np
import statsmodels.api as sm
from sklearn.linear_model import LogisticRegression
from statsmodels.miscmodels.ordinal_model import OrderedModel

HERE = pathlib.Path(__file__).parent
DATA = HERE / "data"


def table(name):
    return np.loadtxt(DATA / name, delimiter=",", skiprows=1)


def standardised(x):
    return (x - x.mean(0)) / x.std(0)


def with_intercept(x):
    return np.hstack([np.ones((len(x), 1)), standardised(x)])


def line(out, name, value, *coefficients):
    numbers = np.concatenate([np.ravel(c) for c in coefficients])
    out.write(",".join([name, repr(float(value))] + [repr(float(c)) for c in numbers]) + "\n")


def polished(fun, start, steps=20):
    """Newton's iteration on a model of statsmodels, to rounding."""
    at = np.asarray(start, float)
    for _ in range(steps):
        at = at - np.linalg.solve(fun.hessian(at), fun.score(at))
    return at


def ordered_score(y, x, at, cuts):
    """Gradient of the log likelihood by complex steps, which are exact to rounding."""
    def log_likelihood(p):
        ends = np.concatenate([[-np.inf], p[-cuts:], [np.inf]])
        k, eta = y.astype(int), x @ p[:-cuts]
        below = [np.where(np.isinf(ends[j]), ends[j].real > 0, 1 / (1 + np.exp(eta - np.where(np.isinf(ends[j]), 0, ends[j]))))
                 for j in (k, k - 1)]
        return np.log(below[0] - below[1]).sum()
    steps = 1e-30j * np.eye(len(at))
    return np.array([log_likelihood(at + step).imag for step in steps]) / 1e-30


def main():
    with open(HERE / "fits_reference.csv", "w") as out:
        visits = table("randhie.csv")
        y, x = visits[:, 0], with_intercept(visits[:, 1:])
        model = sm.Poisson(y, x)
        fit = polished(model, model.fit(disp=0).params)
        line(out, "randhie_poisson", model.loglike(fit), fit)
        model = sm.NegativeBinomial(y, x)
        fit = polished(model, model.fit(disp=0, maxiter=500).params)
        line(out, "randhie_neg_binomial", model.loglike(fit), fit[:-1], 1 / fit[-1])

        survey = table("fair.csv")
        y, x = survey[:, 0], standardised(survey[:, 1:])
        model = OrderedModel(y, x, distr="logit")
        fit = model.fit(method="bfgs", disp=0, gtol=1e-7, maxiter=2000)
        at = np.concatenate([fit.params[:-4], model.transform_threshold_params(fit.params[-4:])[1:-1]])
        for _ in range(4):  # its score is a difference quotient
            steps = 1e-5 * np.eye(len(at))
            hessian = [(ordered_score(y, x, at + h, 4) - ordered_score(y, x, at - h, 4)) / 2e-5 for h in steps]
            at = at - np.linalg.solve(np.array(hessian), ordered_score(y, x, at, 4))
        line(out, "fair_ordered", model.loglike(fit.params), at)

        patients = table("diabetes.csv")
        y, x = patients[:, 0], with_intercept(patients[:, 1:])
        fit = sm.OLS(y, x).fit()
        line(out, "diabetes_normal", fit.llf, fit.params, np.sqrt(np.mean(fit.resid**2)))

        tumours = np.loadtxt(HERE / "../../examples/data/breast_cancer.csv", delimiter=",", skiprows=1)
        y, x = tumours[:, -1], with_intercept(tumours[:, :5])
        model = sm.Logit(y, x)
        fit = polished(model, model.fit(disp=0).params)
        line(out, "breast_cancer_bernoulli", model.loglike(fit), fit)

        images = table("digits.csv")
        y, x = images[:, -1], images[:, :-1] / 16
        fit = LogisticRegression(C=1.0, tol=1e-12, solver="newton-cg", max_iter=1000).fit(x, y)
        log_p = fit.predict_log_proba(x)[np.arange(len(y)), y.astype(int)].sum()
        line(out, "digits_categorical", log_p - (fit.coef_**2).sum() / 2, fit.intercept_ - fit.intercept_.mean(), fit.coef_)


if __name__ == "__main__":
    main()
