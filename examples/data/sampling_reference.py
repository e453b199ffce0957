#!/usr/bin/env python3
"""Writes breast_cancer_posterior.csv and randhie_posterior.csv: posterior means and standard deviations by numpyro's
No-U-Turn sampler, of the models of examples/sample_logistic and examples/sample_hierarchical.

Needs numpy, jax and numpyro; the examples and their tests need none of them.
"""
import csv
import pathlib

import jax
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.diagnostics import summary
from numpyro.infer import MCMC, NUTS

FOLDER = pathlib.Path(__file__).resolve().parent


def read(name):
    table = np.loadtxt(FOLDER / name, delimiter=",", skiprows=1)
    return table[:, :-1], table[:, -1]


def standardised(features):
    return (features - features.mean(axis=0)) / features.std(axis=0, ddof=1)


def logistic(design, outcome):
    alpha = numpyro.sample("alpha", dist.Normal(0, 2.5))
    beta = numpyro.sample("beta", dist.Normal(0, 2.5).expand([design.shape[1]]))
    numpyro.sample("y", dist.Bernoulli(logits=alpha + design @ beta), obs=outcome)


def hierarchical(design, group, groups, counts):
    mu = numpyro.sample("mu", dist.Normal(0, 1))
    tau = numpyro.sample("tau", dist.HalfNormal(1))
    beta = numpyro.sample("beta", dist.Normal(0, 1).expand([design.shape[1]]))
    z = numpyro.sample("z", dist.Normal(0, 1).expand([groups]))
    alpha = numpyro.deterministic("alpha", mu + tau * z)
    numpyro.sample("y", dist.Poisson(jax.numpy.exp(alpha[group] + design @ beta)), obs=counts)


def write(path, sampled, names):
    found = summary(sampled, prob=0.9, group_by_chain=True)
    with open(FOLDER / path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["name", "mean", "sd", "mcse"])
        for name in names:
            of = found[name]
            for k, (mean, sd, size) in enumerate(zip(*(np.ravel(of[c]) for c in ("mean", "std", "n_eff"))), 1):
                label = name if np.ndim(of["mean"]) == 0 else f"{name}.{k}"
                writer.writerow([label, f"{mean:.8g}", f"{sd:.8g}", f"{sd / size**0.5:.3g}"])
        assert max(np.max(found[name]["r_hat"]) for name in names) < 1.01


def run(model, *arguments, draws):
    mcmc = MCMC(NUTS(model), num_warmup=1000, num_samples=draws, num_chains=4, chain_method="vectorized", progress_bar=False)
    mcmc.run(jax.random.PRNGKey(20261123), *arguments)
    return mcmc.get_samples(group_by_chain=True)


def main():
    numpyro.enable_x64()
    design, outcome = read("breast_cancer.csv")
    write("breast_cancer_posterior.csv", run(logistic, standardised(design), outcome, draws=2500), ["alpha", "beta"])

    features, counts = read("randhie.csv")
    group = features[:, -1].astype(int) - 1
    design = standardised(features[:, :-1])
    sampled = run(hierarchical, design, group, group.max() + 1, counts, draws=1000)
    write("randhie_posterior.csv", sampled, ["mu", "tau", "alpha", "beta"])


if __name__ == "__main__":
    main()
