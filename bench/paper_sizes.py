"""What paper_figures.py and paper_numpyro.py measure."""


class Sizes:
    """What is measured; the default is the paper's."""
    cholesky = [1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000]
    logistic_n, logistic_k, fixed_k, fixed_n = [1000, 10_000, 100_000, 1_000_000], [10, 100, 500, 1000], 10, 10_000
    shared = [(1_000_000, 100)]  # where chains share a launch
    process = [512, 1024, 2048, 4096, 8192]
    product = 2048  # of the rate at which matrices are multiplied
    logistic_run, process_run = (500, 500), (30, 10)  # iterations of warm-up, draws
    repetitions, case_seconds = 3, 0.3
    every, prediction_run = 1, (300, 300)  # monthly means of carbon dioxide


class Quick(Sizes):
    """Minutes on a CPU."""
    cholesky, process = [128, 256, 512, 1000], [64, 128, 256, 512]
    logistic_n, logistic_k = [1000, 10_000, 100_000], [10, 100]
    shared, product = [(10_000, 100)], 1024
    logistic_run, repetitions, case_seconds = (100, 100), 1, 0.1
    every = 5


class Smallest(Quick):
    """Seconds, to see that everything works."""
    cholesky, process, logistic_n, logistic_k, shared = [64, 128], [64, 128], [1000], [10], [(1000, 10)]
    fixed_n, product = 1000, 512
    logistic_run, process_run, case_seconds = (10, 5), (10, 5), 0.01
    every, prediction_run = 40, (10, 5)
