#!/usr/bin/env python3
"""The models of paper_figures.py in numpyro, on the device that JAX finds, in double precision: microseconds of a log
density with its gradient, and seconds of a run of NUTS that JAX has compiled before. Writes a JSON file for each size
to OUT; one that is there is not measured again.

What paper_figures.py draws beside FuseCL's lines is what it finds in the folder `measured` of its own OUT: hand that
folder to this script."""

import argparse
import json
import pathlib
import statistics
import time

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.infer import MCMC, NUTS

from paper_sizes import Quick, Sizes, Smallest


def logistic(n, k):
    """The flat posterior of intercept and slopes, data as in the paper, as a potential."""
    random = np.random.default_rng(1)
    design = random.standard_normal((n, k))
    mean = 3 * design[:, 0] - 2 * design[:, 1] + 1
    outcome = (random.uniform(size=n) < 1 / (1 + np.exp(-mean))).astype(float)
    x, y = jax.device_put(design), jax.device_put(outcome)

    def potential(at):
        eta = at[0] + x @ at[1:]
        return -jnp.sum(y * eta - jnp.logaddexp(eta, 0.0))

    return potential, np.zeros(k + 1)


def made_function(x):
    """x + x^2 - x^3 + 100 sin 2x, scaled to mean 0 and variance 1 over (-10, 10), as the example does."""
    f = lambda at: at + at**2 - at**3 + 100 * np.sin(2 * at)
    everywhere = f((np.arange(1_000_000) + 0.5) / 50_000 - 10)
    return (f(x) - everywhere.mean()) / everywhere.std()


def process(n):
    """Hyper-parameters of a Gaussian process by their logarithms, priors as in the example, data alike."""
    random = np.random.default_rng(1)
    x = random.uniform(-10, 10, n)
    y = jax.device_put(made_function(x) + random.standard_normal(n) / 10)
    squares = jax.device_put((x[:, None] - x[None, :])**2)
    priors = [dist.InverseGamma(8.91924, 34.5805), dist.HalfNormal(2.0), dist.HalfNormal(1.0)]

    def potential(at):
        rho, alpha, sigma = jnp.exp(at)
        covariance = alpha**2 * jnp.exp(-squares / (2 * rho**2)) + sigma**2 * jnp.eye(n)
        factor = jnp.linalg.cholesky(covariance)
        z = jax.scipy.linalg.solve_triangular(factor, y, lower=True)
        density = -0.5 * z @ z - jnp.sum(jnp.log(jnp.diagonal(factor)))
        return -(density + sum(p.log_prob(v) + jnp.log(v) for p, v in zip(priors, (rho, alpha, sigma))))

    return potential, np.array([np.log(4.0), 0.0, -1.0])


def evaluation_us(potential, start, seconds):
    evaluate = jax.jit(jax.value_and_grad(potential))
    at = jnp.asarray(start)
    jax.block_until_ready(evaluate(at))
    times, end = [], time.perf_counter() + seconds
    while len(times) < 5 or time.perf_counter() < end:
        begin = time.perf_counter()
        jax.block_until_ready(evaluate(at))
        times.append(time.perf_counter() - begin)
    return statistics.median(times) * 1e6


def run_seconds(potential, start, iterations, chains):
    warmup, draws = iterations
    mcmc = MCMC(NUTS(potential_fn=potential), num_warmup=warmup, num_samples=draws, num_chains=chains,
                chain_method="vectorized", progress_bar=False)
    at = jnp.asarray(start if chains == 1 else np.tile(start, (chains, 1)))
    for seed in (0, 1):  # the first time it is compiled
        begin = time.perf_counter()
        mcmc.run(jax.random.PRNGKey(seed), init_params=at)
        jax.block_until_ready(mcmc.get_samples())
    return time.perf_counter() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder to write to")
    parser.add_argument("--quick", action="store_true", help="small sizes")
    parser.add_argument("--smallest", action="store_true", help="with --quick: the smallest sizes only")
    parser.add_argument("--minutes", type=float, default=60, help="start no size after so long")
    options = parser.parse_args()
    sizes = Smallest if options.smallest else Quick if options.quick else Sizes
    numpyro.enable_x64()
    options.out.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + 60 * options.minutes

    def measure(name, make, iterations, together):
        path = options.out / f"numpyro {name}.json".replace(" ", "_")
        if path.exists() or time.monotonic() > end:
            return
        potential, start = make()
        record = {"evaluation_us": evaluation_us(potential, start, sizes.case_seconds),
                  "seconds": {str(c): run_seconds(potential, start, iterations, c) for c in together},
                  "device": jax.devices()[0].device_kind, "numpyro": numpyro.__version__, "jax": jax.__version__}
        path.write_text(json.dumps(record, indent=1))
        print(name, record, flush=True)

    shapes = [(n, sizes.fixed_k) for n in sizes.logistic_n] + [(sizes.fixed_n, k) for k in sizes.logistic_k]
    for n, k in dict.fromkeys(shapes):
        measure(f"logistic {n}x{k}", lambda: logistic(n, k), sizes.logistic_run, (1, 4))
    for n in sizes.process:
        measure(f"process {n}", lambda: process(n), sizes.process_run, (1,))


if __name__ == "__main__":
    main()
