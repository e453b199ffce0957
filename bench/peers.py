#!/usr/bin/env python3
"""Times the bench cases in PyTorch (eager and torch.compile) and JAX where these are installed, on the GPU, and
writes them as JSON in Google Benchmark's form for report.py. Medians of device time over batches, random data."""

import argparse
import json
import statistics
import sys
import time


# Rows and columns of the whole, as in rows.cpp, and regressions, as in regressions.cpp.
ROWS = {"1e6x100": (1_000_000, 100), "1e5x256": (100_000, 256), "1e5x1000": (100_000, 1000), "1e3x1e5": (1000, 100_000)}
REGRESSIONS = {"1e6x100": (1_000_000, 100), "1e5x1000": (100_000, 1000), "1e5x10": (100_000, 10),
               "1e7x10": (10_000_000, 10), "1e4x5000": (10_000, 5000), "1000x5": (1000, 5)}
NU = 4.0
PARTS = ["elements", "rows", "regressions", "products", "factorizations", "processes"]
# elements: single statements and gradients over --size elements
PRODUCTS = [512, 1000, 1024, 1536, 2048, 3000, 4096, 5001, 8192, 16384]
FACTORS = [512, 1000, 1024, 2000, 2048, 4096, 8192, 16384]
PROCESSES = [512, 1000, 1024, 2048, 4000, 4096, 8192]


def row_bytes(work, rows, cols):
    """What has to move once: rows.cpp."""
    if work == "log_sum_exp":
        return 8.0 * (rows * cols + rows)
    return (24.0 if work == "standardised_columns" and rows > 4096 else 16.0) * rows * cols


def fitting(shapes, size):
    """Shapes of at most `size` elements; with none of them, a small one to see that everything works."""
    return {k: v for k, v in shapes.items() if v[0] * v[1] <= size} or {"1000x5": (1000, 5)}


def torch_peers(size, rounds, parts):
    import torch
    if not torch.cuda.is_available():
        raise RuntimeError("PyTorch sees no GPU")
    torch.manual_seed(1)
    device = torch.device("cuda")

    def random(*shape):
        return torch.rand(*shape, dtype=torch.float64, device=device) * 0.9 + 0.1

    def seconds(run):
        for _ in range(3):
            run()
        torch.cuda.synchronize()
        taken = []
        while len(taken) < rounds and (len(taken) < 3 or sum(taken) * 5 < 0.5):
            start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            start.record()
            for _ in range(5):
                run()
            stop.record()
            stop.synchronize()
            taken.append(start.elapsed_time(stop) / 5e3)
        return statistics.median(taken)

    if "elements" in parts:
        yield from torch_elements(torch, random, seconds, size)
    if "rows" in parts:
        yield from torch_rows(torch, random, seconds, size)
    if "regressions" in parts:
        yield from torch_regressions(torch, random, seconds, size)
    if "products" in parts:
        yield from torch_products(torch, seconds, size)
    if "factorizations" in parts:
        yield from torch_factorizations(torch, seconds, size)
    if "processes" in parts:
        yield from torch_processes(torch, random, seconds, size)


def torch_elements(torch, random, seconds, size):
    a, b, c, d = (random(size) for _ in range(4))
    element_wise = {
        "elementwise/a+b-3c": (lambda a, b, c, d: a + b - 3.0 * c, 4),
        "elementwise/exp(a)*b+log1p_exp(c)-d":
            (lambda a, b, c, d: torch.exp(a) * b + torch.log1p(torch.exp(-torch.abs(c))) + torch.clamp(c, min=0.0) - d, 5),
    }
    for name, (function, arrays) in element_wise.items():
        compiled = torch.compile(function)
        yield f"{name}/torch_eager", seconds(lambda: function(a, b, c, d)), 8.0 * size * arrays
        yield f"{name}/torch_compile", seconds(lambda: compiled(a, b, c, d)), 8.0 * size * arrays
    del c, d
    product = torch.compile(lambda x, y: (x * y).sum())
    yield "reduction/sum(a*b)/square/torch_compile", seconds(lambda: product(a, b)), 16.0 * size
    del b
    del a
    y, eta = random(size), random(size).requires_grad_()
    offset = torch.tensor(0.25, dtype=torch.float64, device=y.device, requires_grad=True)

    def poisson(y, eta, offset):
        rate = eta + offset
        return (y * rate - torch.exp(rate)).sum()

    def poisson_with_lgamma(y, eta, offset):
        rate = eta + offset
        return (y * rate - torch.exp(rate) - torch.lgamma(y + 1)).sum()

    for function in (poisson, poisson_with_lgamma):
        for form, value in (("torch_eager", function), ("torch_compile", torch.compile(function))):
            def value_and_gradient(value=value):
                total = value(y, eta, offset)
                torch.autograd.grad(total, (eta, offset))
                return total.item()
            yield f"gradients/{function.__name__}/{form}", seconds(value_and_gradient), 24.0 * size
    del y, eta
    a = random(size)
    # Column-major here is row-major there: their rows are our columns.
    shapes = {"square": (round(size**0.5), round(size**0.5)), "tall": (size // 100, 100), "wide": (100, size // 100)}
    for shape, (rows, cols) in shapes.items():
        m = a[:rows * cols].view(cols, rows)
        for name, function in {"sum": lambda m: m.sum(), "rowwise_sum": lambda m: m.sum(0),
                               "colwise_sum": lambda m: m.sum(1)}.items():
            compiled = torch.compile(function)
            yield f"reduction/{name}/{shape}/torch_eager", seconds(lambda: function(m)), 8.0 * rows * cols
            yield f"reduction/{name}/{shape}/torch_compile", seconds(lambda: compiled(m)), 8.0 * rows * cols


def torch_rows(torch, random, seconds, size):
    def layer_norm(m):
        centred = m - m.mean(1, keepdim=True)
        return centred / torch.sqrt((centred * centred).mean(1, keepdim=True) + 1e-5)

    works = {"softmax": lambda m: torch.softmax(m, 1), "log_sum_exp": lambda m: torch.logsumexp(m, 1),
             "layer_norm": layer_norm, "standardised_columns": lambda m: (m - m.mean(0)) / m.std(0)}
    for shape, (rows, cols) in fitting(ROWS, size).items():
        m = random(cols, rows).t()  # column-major
        for work, function in works.items():
            torch._dynamo.reset()
            compiled = torch.compile(function)
            for form, run in (("torch_eager", function), ("torch_compile", compiled)):
                yield f"rows/{work}/{shape}/{form}", seconds(lambda: run(m)), row_bytes(work, rows, cols)


def torch_regressions(torch, random, seconds, size):
    def logistic(x, y, b, alpha, sigma):
        eta = x @ b + alpha
        return (y * eta - torch.nn.functional.softplus(eta)).sum()

    def poisson(x, y, b, alpha, sigma):
        eta = x @ b + alpha
        return (y * eta - torch.exp(eta)).sum()

    def student_t(x, y, b, alpha, sigma):
        z = (y - (x @ b + alpha)) / sigma
        return -0.5 * (NU + 1) * torch.log1p(z * z / NU).sum() - len(y) * torch.log(sigma)

    for shape, (n, k) in fitting(REGRESSIONS, size).items():
        x, y = random(k, n).t(), (random(n) > 0.55).double()
        b = ((random(k) - 0.5) * (2 / k)).requires_grad_()
        alpha, sigma = (torch.tensor(v, dtype=torch.float64, device=x.device, requires_grad=True) for v in (0.25, 1.3))
        for model in (logistic, poisson, student_t):
            torch._dynamo.reset()
            wanted = (b, alpha, sigma) if model is student_t else (b, alpha)
            for form, value in (("torch_eager", model), ("torch_compile", torch.compile(model))):
                def value_and_gradient(value=value):
                    total = value(x, y, b, alpha, sigma)
                    torch.autograd.grad(total, wanted)
                    return total.item()
                yield f"regressions/{model.__name__}/{shape}/{form}", seconds(value_and_gradient), 8.0 * n * (k + 1)


def torch_products(torch, seconds, size):
    """Names as in products.cpp and batches.cpp; arithmetic is what takes time, so nothing counts as moved."""
    torch.backends.cuda.matmul.allow_tf32 = False

    def random(*shape, dtype=torch.float64):
        return torch.rand(*shape, dtype=dtype, device="cuda") - 0.5

    for n in [n for n in PRODUCTS if n * n <= 3 * size] or [64]:
        a, b = random(n, n), random(n, n)
        for name, run in (("nn", lambda: a @ b), ("tn", lambda: a.t() @ b), ("nt", lambda: a @ b.t()),
                          ("tt", lambda: a.t() @ b.t())):
            yield f"products/{name}/{n}/torch", seconds(run), None
        f, g = a.float(), b.float()
        for name, run in (("float_nn", lambda: f @ g), ("float_tn", lambda: f.t() @ g)):
            yield f"products/{name}/{n}/torch", seconds(run), None
    wide, tall = random(1_000_000, 100).t(), random(100, 1_000_000).t()  # column-major
    yield "products/nn/100x1e6x100/torch", seconds(lambda: wide @ tall), None
    many, others = random(10_000, 32, 32), random(10_000, 32, 32)
    yield "batches/product/10000_of_32/torch", seconds(lambda: torch.bmm(many, others)), None


def torch_factorizations(torch, seconds, size):
    """Names as in factorizations.cpp and batches.cpp; "forward_and_reverse" is of a factor."""
    def random(*shape):
        return torch.rand(*shape, dtype=torch.float64, device="cuda") - 0.5

    for n in [n for n in FACTORS if n * n <= 3 * size] or [64]:
        own, unit = random(n, n) / n**0.5, torch.eye(n, dtype=torch.float64, device="cuda")
        s = own @ own.t() + unit
        factor, b = torch.linalg.cholesky(s), random(n, n)
        y, v = b[:, :1].contiguous(), b[:, 0].contiguous()
        yield f"factorizations/cholesky/{n}/torch", seconds(lambda: torch.linalg.cholesky(s)), None

        def system(right):
            return torch.linalg.solve_triangular(factor, right, upper=False)
        yield f"factorizations/system_of_one_side/{n}/torch", seconds(lambda: system(y)), None
        yield f"factorizations/matrix_vector/{n}/torch", seconds(lambda: b @ v), 8.0 * n**2
        yield f"factorizations/vector_matrix/{n}/torch", seconds(lambda: b.t() @ v), 8.0 * n**2
        if n > 8192:
            continue
        yield f"factorizations/system/{n}/torch", seconds(lambda: system(b)), None
        yield f"factorizations/inverse/{n}/torch", seconds(lambda: system(unit)), None
        variable = s.clone().requires_grad_()

        def forward_and_reverse():
            torch.autograd.grad(torch.linalg.cholesky(variable), variable, b)
        yield f"factorizations/forward_and_reverse/{n}/torch", seconds(forward_and_reverse), None
    many = random(10_000, 64, 64)
    many = many @ many.transpose(1, 2) + 64 * torch.eye(64, dtype=torch.float64, device="cuda")
    yield "batches/cholesky/10000_of_64/torch", seconds(lambda: torch.linalg.cholesky(many)), None


def torch_processes(torch, random, seconds, size):
    """Log density of a Gaussian process with its derivatives by three numbers, read by the host, as in paper.cpp."""
    def log_density(x, y, rho, alpha, sigma):
        distance = (x[:, None] - x[None, :]) / rho
        s = alpha**2 * torch.exp(-0.5 * distance**2) + sigma**2 * torch.eye(len(x), dtype=x.dtype, device=x.device)
        factor = torch.linalg.cholesky(s)
        z = torch.linalg.solve_triangular(factor, y[:, None], upper=False)
        return -0.5 * (z * z).sum() - torch.log(torch.diagonal(factor)).sum()

    for n in [n for n in PROCESSES if n * n <= 3 * size] or [64]:
        x = 20 * random(n)
        y = torch.sin(2 * x)
        wanted = [torch.tensor(v, dtype=torch.float64, device=x.device, requires_grad=True) for v in (1.5, 1.2, 0.3)]
        torch._dynamo.reset()
        for form, value in (("torch_eager", log_density), ("torch_compile", torch.compile(log_density))):
            def value_and_gradient(value=value):
                total = value(x, y, *wanted)
                gradient = torch.autograd.grad(total, wanted)
                return torch.stack((total, *gradient)).tolist()
            yield f"paper/gaussian_process/{n}/{form}", seconds(value_and_gradient), None


def jax_peers(size, rounds, parts):
    import jax
    jax.config.update("jax_enable_x64", True)
    import jax.numpy as jnp
    if jax.devices()[0].platform != "gpu":
        raise RuntimeError("JAX sees no GPU")

    def seconds(run):
        for _ in range(3):
            run().block_until_ready()
        taken = []
        for _ in range(rounds):
            start = time.perf_counter()
            for _ in range(5):
                last = run()
            last.block_until_ready()
            taken.append((time.perf_counter() - start) / 5)
        return statistics.median(taken)

    if "elements" in parts:
        yield from jax_elements(jax, jnp, seconds, size)
    if "rows" in parts:
        yield from jax_rows(jax, jnp, seconds, size)
    if "regressions" in parts:
        yield from jax_regressions(jax, jnp, seconds, size)


def jax_elements(jax, jnp, seconds, size):
    keys = jax.random.split(jax.random.key(1), 4)
    a, b, c, d = (jax.random.uniform(k, (size,), jnp.float64, 0.1, 1.0) for k in keys)
    first = jax.jit(lambda a, b, c: a + b - 3.0 * c)
    second = jax.jit(lambda a, b, c, d: jnp.exp(a) * b + jnp.logaddexp(c, 0.0) - d)
    yield "elementwise/a+b-3c/jax", seconds(lambda: first(a, b, c)), 32.0 * size
    yield "elementwise/exp(a)*b+log1p_exp(c)-d/jax", seconds(lambda: second(a, b, c, d)), 40.0 * size
    total = jax.jit(jnp.sum)
    yield "reduction/sum/square/jax", seconds(lambda: total(a)), 8.0 * size
    del b, c, d

    def poisson(eta, offset, y):
        rate = eta + offset
        return jnp.sum(y * rate - jnp.exp(rate))

    def poisson_with_lgamma(eta, offset, y):
        rate = eta + offset
        return jnp.sum(y * rate - jnp.exp(rate) - jax.scipy.special.gammaln(y + 1))

    y = jax.random.uniform(keys[1], (size,), jnp.float64, 0.1, 1.0)
    for function in (poisson, poisson_with_lgamma):
        value_and_gradient = jax.jit(jax.value_and_grad(function, argnums=(0, 1)))

        def run(value_and_gradient=value_and_gradient):
            value, gradient = value_and_gradient(a, 0.25, y)
            float(value)  # read on the host, as the other libraries do
            return gradient[0]
        yield f"gradients/{function.__name__}/jax", seconds(run), 24.0 * size


def jax_rows(jax, jnp, seconds, size):
    def layer_norm(m):
        centred = m - m.mean(1, keepdims=True)
        return centred / jnp.sqrt((centred * centred).mean(1, keepdims=True) + 1e-5)

    works = {"softmax": lambda m: jax.nn.softmax(m, 1), "log_sum_exp": lambda m: jax.nn.logsumexp(m, 1),
             "layer_norm": layer_norm, "standardised_columns": lambda m: (m - m.mean(0)) / m.std(0, ddof=1)}
    for shape, (rows, cols) in fitting(ROWS, size).items():
        columns = jax.random.uniform(jax.random.key(1), (cols, rows), jnp.float64, 0.1, 1.0)
        for work, function in works.items():
            # arrays are row-major here: columns go in and come out as rows, so that the data is column-major
            run = jax.jit(lambda m, function=function: function(m.T).T)
            yield f"rows/{work}/{shape}/jax", seconds(lambda: run(columns)), row_bytes(work, rows, cols)


def jax_regressions(jax, jnp, seconds, size):
    def logistic(parameters, columns, y):
        eta = parameters["b"] @ columns + parameters["alpha"]
        return jnp.sum(y * eta - jnp.logaddexp(eta, 0.0))

    def poisson(parameters, columns, y):
        eta = parameters["b"] @ columns + parameters["alpha"]
        return jnp.sum(y * eta - jnp.exp(eta))

    def student_t(parameters, columns, y):
        z = (y - (parameters["b"] @ columns + parameters["alpha"])) / parameters["sigma"]
        return -0.5 * (NU + 1) * jnp.sum(jnp.log1p(z * z / NU)) - len(y) * jnp.log(parameters["sigma"])

    for shape, (n, k) in fitting(REGRESSIONS, size).items():
        keys = jax.random.split(jax.random.key(2), 3)
        columns = jax.random.uniform(keys[0], (k, n), jnp.float64, 0.1, 1.0)
        y = (jax.random.uniform(keys[1], (n,)) > 0.5).astype(jnp.float64)
        b = (jax.random.uniform(keys[2], (k,), jnp.float64) - 0.5) * (2 / k)
        for model in (logistic, poisson, student_t):
            parameters = {"b": b, "alpha": jnp.float64(0.25)}
            if model is student_t:
                parameters["sigma"] = jnp.float64(1.3)
            value_and_gradient = jax.jit(jax.value_and_grad(model))

            def run(value_and_gradient=value_and_gradient, parameters=parameters):
                value, gradient = value_and_gradient(parameters, columns, y)
                float(value)  # read on the host, as the other libraries do
                return gradient["b"]
            yield f"regressions/{model.__name__}/{shape}/jax", seconds(run), 8.0 * n * (k + 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=100_000_000)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, help="parts to measure")
    parser.add_argument("--out", required=True, help="JSON file")
    options = parser.parse_args()
    found, context = [], {}
    for library, peers in (("torch", torch_peers), ("jax", jax_peers)):
        try:
            for name, seconds, moved in peers(options.size, options.rounds, options.only):
                rate = {"GB/s": moved / seconds * 1e-9} if moved else {}
                found.append({"name": f"peer/{name}", "real_time": seconds * 1e6, "time_unit": "us", **rate})
                print(f"{name:60s} {seconds * 1e6:10.1f} us", *(f"{r:8.0f} GB/s" for r in rate.values()), flush=True)
            context[library] = sys.modules[library].__version__
        except Exception as error:  # whatever a peer lacks, the others still run
            print(f"{library}: not measured: {error}", file=sys.stderr)
    with open(options.out, "w") as file:
        json.dump({"context": context, "benchmarks": found}, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
