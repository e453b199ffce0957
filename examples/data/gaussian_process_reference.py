#!/usr/bin/env python3
"""Writes gaussian_process_reference.csv and co2_reference.csv: posteriors of the models of
examples/sample_gaussian_process by an independent sampler.

Each has a mean, a standard deviation and their Monte Carlo standard errors for every hyper-parameter, by NUTS of
numpyro, whose gradients come from JAX, in double precision. The first is of gaussian_process.csv (150 outcomes of the
paper's regression), the second of every fifth monthly mean of co2.csv; co2_prediction_reference.csv has mean and
standard deviation of the concentration in later months, that of new measurements with their noise.

Needs numpy and numpyro; the examples and their tests need neither.
"""
import csv
import math
import pathlib
import sys

import jax
import jax.numpy as jnp
import jax.scipy.linalg
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.diagnostics import effective_sample_size, split_gelman_rubin

FOLDER = pathlib.Path(__file__).resolve().parent
EVERY = 5
MONTHS = (1, 6, 12, 24, 60, 120)  # after the last one of the data


def squared_distances(a, b):
    return (a[:, None] - b[None, :]) ** 2


def smooth(squares, scale, length):
    return scale**2 * jnp.exp(-squares / (2 * length**2))


def regression(x, y):
    rho = numpyro.sample("rho", dist.InverseGamma(8.91924, 34.5805))
    alpha = numpyro.sample("alpha", dist.HalfNormal(2))
    sigma = numpyro.sample("sigma", dist.HalfNormal(1))
    covariance = smooth(squared_distances(x, x), alpha, rho) + sigma**2 * jnp.eye(len(x))
    numpyro.sample("y", dist.MultivariateNormal(0.0, covariance), obs=y)


MEDIANS = {"trend_scale": (60, 1), "trend_length": (60, 0.5), "season_scale": (2.5, 1), "season_shape": (1, 1),
           "season_length": (90, 0.5), "short_scale": (0.5, 1), "short_length": (1, 1), "sigma": (0.2, 1)}


def co2_covariance(theta, a, b):
    squares = squared_distances(a, b)
    sines = jnp.sin(math.pi * (a[:, None] - b[None, :])) ** 2
    season = jnp.exp(-2 * sines / theta["season_shape"]**2) * smooth(squares, theta["season_scale"], theta["season_length"])
    return (smooth(squares, theta["trend_scale"], theta["trend_length"]) + season
            + smooth(squares, theta["short_scale"], theta["short_length"]))


def co2(x, y):
    theta = {name: numpyro.sample(name, dist.LogNormal(math.log(median), scale))
             for name, (median, scale) in MEDIANS.items()}
    covariance = co2_covariance(theta, x, x) + theta["sigma"]**2 * jnp.eye(len(x))
    numpyro.sample("y", dist.MultivariateNormal(0.0, covariance), obs=y)


def read_co2():
    """Every fifth monthly mean: years, concentrations less their mean, and that mean."""
    months = {}
    with open(FOLDER / "co2.csv", newline="") as file:
        for row in csv.DictReader(file):
            if row["co2"]:
                months.setdefault((int(row["date"][:4]), int(row["date"][4:6])), []).append(float(row["co2"]))
    kept = sorted(months.items())[::EVERY]
    x = np.array([(12 * year + month - 0.5) / 12 for (year, month), _ in kept])
    y = np.array([np.mean(values) for _, values in kept])
    return x, y - y.mean(), y.mean()


def sample(model, *data, draws):
    kernel = numpyro.infer.NUTS(model)
    run = numpyro.infer.MCMC(kernel, num_warmup=1000, num_samples=draws, num_chains=4, chain_method="sequential",
                             progress_bar=False)
    run.run(jax.random.PRNGKey(1), *data)
    draws = {name: np.asarray(values) for name, values in run.get_samples(group_by_chain=True).items()}
    print("divergences:", int(run.get_extra_fields()["diverging"].sum()))
    return draws


def write(name, draws):
    with open(FOLDER / name, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["quantity", "mean", "mean_error", "sd", "sd_error"])
        for quantity, values in draws.items():
            rhat = split_gelman_rubin(values)
            assert rhat < 1.01, (quantity, rhat)
            sd = values.std(ddof=1)
            error = sd / math.sqrt(effective_sample_size(values))
            # of the standard deviation by that of the squared distances from the mean
            squares = (values - values.mean()) ** 2
            sd_error = squares.std(ddof=1) / math.sqrt(effective_sample_size(squares)) / (2 * sd)
            writer.writerow([quantity, *(f"{v:.8g}" for v in (values.mean(), error, sd, sd_error))])
            print(f"{name}: {quantity} {values.mean():.5g} +- {error:.2g}, sd {sd:.4g}, R-hat {rhat:.4f}")


def predict_co2(draws, x, y):
    """Means and standard deviations in later months, over at most 1000 of the draws."""
    last = 2001 + 11.5 / 12
    places = jnp.array([last + months / 12 for months in MONTHS])

    @jax.jit
    def one(theta):
        factor = jnp.linalg.cholesky(co2_covariance(theta, x, x) + theta["sigma"]**2 * jnp.eye(len(x)))
        across = jax.scipy.linalg.solve_triangular(factor, co2_covariance(theta, x, places), lower=True)
        mean = across.T @ jax.scipy.linalg.solve_triangular(factor, y, lower=True)
        own = theta["trend_scale"]**2 + theta["season_scale"]**2 + theta["short_scale"]**2 + theta["sigma"]**2
        return mean, own - (across**2).sum(0)

    flat = {name: values.reshape(-1) for name, values in draws.items()}
    some = range(0, len(flat["sigma"]), max(1, len(flat["sigma"]) // 1000))
    found = [one({name: values[k] for name, values in flat.items()}) for k in some]
    means, variances = (np.array(part) for part in zip(*found))
    return means.mean(0), np.sqrt(variances.mean(0) + means.var(0))


def main():
    jax.config.update("jax_enable_x64", True)
    numpyro.set_host_device_count(1)
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    x, y = np.loadtxt(FOLDER / "gaussian_process.csv", delimiter=",", skiprows=1, unpack=True)
    write("gaussian_process_reference.csv", sample(regression, x, y, draws=draws))
    x, y, mean = read_co2()
    found = sample(co2, x, y, draws=draws // 2)
    write("co2_reference.csv", found)
    means, sds = predict_co2(found, x, y)
    with open(FOLDER / "co2_prediction_reference.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["months_ahead", "mean", "sd"])
        writer.writerows([k, f"{m:.8g}", f"{s:.8g}"] for k, m, s in zip(MONTHS, means + mean, sds))


if __name__ == "__main__":
    main()
