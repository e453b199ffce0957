#!/usr/bin/env python3
"""The figures of the paper (Cesnovar et al., GPU-based Parallel Computation Support for Stan) on this machine, and
some of our own: measures with bench_paper, bench_regressions and the sampling examples, and writes an SVG with a CSV
of its numbers for each.

What was measured is kept in OUT/measured, a JSON file a piece; a run goes on where the last one ended. Times from end
to end are those of the example programs, from their start to their last draw written, against the same programs with
--on-host, Eigen on one core a chain. Where the host would take longer than --piece-seconds its time is estimated:
evaluations of the device's run times Eigen's time for one; figures have hollow marks there, the CSV says so.

Times of numpyro are drawn where paper_numpyro.py left them in OUT/measured.

Needs matplotlib for the pictures; without it the CSVs are written and the exit code is 77."""

import argparse
import csv
import json
import math
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

from paper_sizes import Quick, Sizes, Smallest

ROOT = pathlib.Path(__file__).resolve().parents[1]


class Missing(Exception):
    """A program that is to be measured is not built."""


class Measured:
    """Pieces that were measured, on disk, and the clock of this run."""

    def __init__(self, options):
        self.folder = options.out / "measured"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.build, self.again, self.limit = options.build, options.again, options.piece_seconds
        self.failures, self.device, self.tflops = 0, "", options.tflops
        self.end = time.monotonic() + 60 * options.minutes

    def get(self, name, program, measure):
        """The record of a piece, measured by a program now if there is none; None where time is up or it failed."""
        path = self.folder / (re.sub(r"[^\w.-]", "_", name) + ".json")
        if path.exists() and not self.again:
            return self._usable(json.loads(path.read_text()))
        left = self.end - time.monotonic()
        if left < 2:
            return None
        if not pathlib.Path(program).is_file():
            raise Missing(f"{program} is missing: build that preset whole, or name another build folder by --build")
        print(f"{name} ...", end=" ", flush=True)
        start = time.monotonic()
        try:
            record = measure(min(self.limit, left))
        except subprocess.TimeoutExpired:
            if left < self.limit:  # the clock of the run, not of the piece
                print("time is up")
                return None
            record = {"left_out": f"longer than {self.limit:g} s"}
        except (OSError, subprocess.CalledProcessError, ValueError, KeyError) as error:
            print("failed")
            print(f"{name}: {error} {getattr(error, 'stderr', '') or ''}".strip(), file=sys.stderr)
            self.failures += 1
            return None
        unfinished = path.with_suffix(".part")
        unfinished.write_text(json.dumps(record, indent=1))
        unfinished.replace(path)
        print(record.get("left_out") or f"{time.monotonic() - start:.1f} s")
        return self._usable(record)

    @staticmethod
    def _usable(record):
        return None if "left_out" in record else record

    def program(self, kind, name):
        return str(self.build / kind / name)

    def bench(self, program, case, seconds, flags=()):
        """The record of one case of a bench program, with the device it ran on."""
        def measure(limit):
            only = f"--benchmark_filter=^{re.escape(case)}/iterations"
            command = [self.program("bench", program), *flags, only, f"--seconds={seconds}", "--benchmark_format=json"]
            done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=True)
            if not done.stdout.lstrip().startswith("{"):
                return {"left_out": "no such case on this device"}
            found = json.loads(done.stdout)
            record = found["benchmarks"][0]
            if record.get("error_occurred"):
                raise ValueError(record["error_message"])
            return {**record, "device": found["context"].get("device", "")}
        found = self.get(" ".join([program, *flags, case]), self.program("bench", program), measure)
        if found:
            self.device = found["device"]
        return found

    def product_tflops(self, n, seconds):
        """10^12 operations a second: as told on the command line, else of a product of n x n matrices."""
        if self.tflops:
            return self.tflops
        found = self.bench("bench_products", f"products/nn/{n}", seconds, ["--device-only"])
        return 2 * n**3 / found["real_time"] * 1e-6 if found else None

    def run(self, program, arguments, together, repetitions, estimate=0):
        """Seconds from end to end of a program started `together` times at once, and what one says of its run."""
        def measure(limit):
            if estimate > self.limit:
                return {"left_out": f"about {estimate:.0f} s"}
            if estimate > limit:  # another run of this script has the time
                raise subprocess.TimeoutExpired(program, limit)
            times = min(repetitions, int(self.limit / estimate)) if estimate else repetitions
            seconds, end = [], time.monotonic() + limit
            with tempfile.TemporaryDirectory() as folder:
                if "--on-host" not in arguments:  # kernels are built once and then taken from the disk
                    sized = [a for a in arguments if not a.startswith(("--warmup", "--draws"))]
                    subprocess.run([self.program("examples", program), *sized, "--warmup=2", "--draws=1", "--depth=1",
                                    "--quiet"], cwd=folder, capture_output=True, text=True, timeout=limit, check=True)
                for _ in range(times):
                    start = time.monotonic()
                    started = [subprocess.Popen(
                        [self.program("examples", program), *arguments, f"--seed={k + 1}", f"--output=draws{k}",
                         f"--timings=timings{k}.json", "--quiet"],
                        cwd=folder, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                        for k in range(together)]
                    try:
                        for one in started:
                            _, errors = one.communicate(timeout=max(1, end - time.monotonic()))
                            if one.returncode != 0:
                                raise subprocess.CalledProcessError(one.returncode, one.args, stderr=errors)
                    finally:
                        for one in started:
                            if one.poll() is None:
                                one.kill()
                                one.wait()
                    seconds.append(time.monotonic() - start)
                return {"seconds": seconds, "run": json.loads((pathlib.Path(folder) / "timings0.json").read_text())}
        return self.get(" ".join([program, *arguments, f"x{together}"]), self.program("examples", program), measure)

    def numpyro(self, name):
        """What paper_numpyro.py left of a size, if it was run."""
        path = self.folder / f"numpyro {name}.json".replace(" ", "_")
        return json.loads(path.read_text()) if path.exists() else None

    def prediction(self, every, iterations):
        """Carbon dioxide in later years, as the program writes it."""
        def measure(limit):
            with tempfile.TemporaryDirectory() as folder:
                subprocess.run([self.program("examples", "fusecl_sample_gaussian_process"), "--process=co2",
                                f"--every={every}", "--predictions=later.csv", f"--warmup={iterations[0]}",
                                f"--draws={iterations[1]}", "--quiet"],
                               cwd=folder, capture_output=True, text=True, timeout=limit, check=True)
                with open(pathlib.Path(folder) / "later.csv", newline="") as file:
                    return {"rows": [[float(v) for v in row.values()] for row in csv.DictReader(file)]}
        return self.get(f"co2 {every} {iterations[0]} {iterations[1]}",
                        self.program("examples", "fusecl_sample_gaussian_process"), measure)


class Figures:
    """Writes each figure as SVG with a CSV beside it."""

    def __init__(self, folder, measured):
        self.folder, self.measured = folder, measured
        try:
            import matplotlib
            matplotlib.use("Agg")
            matplotlib.rcParams["svg.hashsalt"] = "fusecl"  # the same picture for the same numbers
            import matplotlib.pyplot
            self.pyplot = matplotlib.pyplot
        except ImportError:
            self.pyplot = None

    def drawn(self, name):
        """The lines that a figure has so far."""
        path, lines = self.folder / f"{name}.csv", {}
        if path.exists():
            with open(path, newline="") as file:
                for label, x, y, note in list(csv.reader(file))[1:]:
                    lines.setdefault(label, []).append((int(x), float(y), note))
        return lines

    def draw(self, name, title, xlabel, ylabel, lines):
        """`lines` maps a label to points (x, y, note); those that are "estimated" are drawn hollow."""
        lines = {label: points for label, points in lines.items() if points}
        if not lines:
            print(f"{name}: nothing measured")
            return
        with open(self.folder / f"{name}.csv", "w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["line", xlabel, ylabel, "note"])
            for label, points in lines.items():
                writer.writerows([label, x, f"{y:.6g}", note] for x, y, note in points)
        if not self.pyplot:
            return
        figure, axes = self.pyplot.subplots(figsize=(6, 4))
        for label, points in lines.items():
            line, = axes.plot([p[0] for p in points], [p[1] for p in points], label=label)
            for hollow in (False, True):
                some = [p for p in points if (p[2] == "estimated") == hollow]
                axes.plot([p[0] for p in some], [p[1] for p in some], "o", color=line.get_color(),
                          markerfacecolor="none" if hollow else line.get_color())
        axes.set(xlabel=xlabel, ylabel=ylabel, xscale="log", yscale="log", title=f"{title}\n{self.measured.device}")
        axes.title.set_fontsize(9)
        axes.grid(True, which="both", alpha=0.25)
        axes.legend(fontsize=8)
        figure.tight_layout()
        figure.savefig(self.folder / f"{name}.svg", metadata={"Date": None})
        self.pyplot.close(figure)


    def draw_prediction(self, name, title, rows):
        """Rows of year, mean and standard deviation, after what was measured."""
        with open(self.folder / f"{name}.csv", "w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([["year", "mean", "sd"], *rows])
        if not self.pyplot:
            return
        with open(ROOT / "examples/data/co2.csv", newline="") as file:
            weeks = [(row["date"], float(row["co2"])) for row in csv.DictReader(file) if row["co2"]]
        known = [(int(d[:4]) + (int(d[4:6]) - 1 + int(d[6:]) / 31) / 12, v) for d, v in weeks]
        figure, axes = self.pyplot.subplots(figsize=(7, 4))
        axes.plot(*zip(*[k for k in known if k[0] > 1992]), ".", markersize=2, color="black", label="measured")
        years, means = [r[0] for r in rows], [r[1] for r in rows]
        axes.fill_between(years, [m - 2 * s for _, m, s in rows], [m + 2 * s for _, m, s in rows], alpha=0.3,
                          label="mean and two standard deviations")
        axes.plot(years, means, linewidth=0.8)
        axes.set(xlabel="year", ylabel="ppm", title=title)
        axes.legend(fontsize=8, loc="upper left")
        figure.tight_layout()
        figure.savefig(self.folder / f"{name}.svg", metadata={"Date": None})
        self.pyplot.close(figure)


def ratio(numerator, denominator):
    """Points of one line over those of another at the same places; a note of either stays."""
    below = {x: (y, note) for x, y, note in denominator}
    return [(x, y / below[x][0], note or below[x][1]) for x, y, note in numerator if x in below]


def host_seconds(n, case, cases):
    """Eigen's seconds for one run, and "estimated" where they are those of a smaller n times the cube of the ratio."""
    if "eigen_us" in case:
        return case["eigen_us"] * 1e-6, ""
    known = [(m, other["eigen_us"]) for m, other in cases if other and "eigen_us" in other]
    return (known[-1][1] * 1e-6 * (n / known[-1][0])**3, "estimated") if known else None


def speedup(n, case, cases):
    host = host_seconds(n, case, cases)
    return (n, host[0] / (case["real_time"] * 1e-6), host[1]) if host else None


def cholesky(measured, figures, sizes):
    lines = {}
    for name, label in (("cholesky", "Cholesky decomposition"), ("cholesky_gradient", "its gradient"),
                        ("cholesky_and_gradient", "both")):
        cases = [(n, measured.bench("bench_paper", f"paper/{name}/{n}", sizes.case_seconds)) for n in sizes.cholesky]
        lines[label] = [point for point in (speedup(n, case, cases) for n, case in cases if case) if point]
    figures.draw("cholesky_speedup", "Cholesky decomposition of an n x n matrix", "n", "times as fast as Eigen", lines)


def end_to_end(measured, sizes, program, arguments, iterations, chains, one_evaluation):
    """Seconds on the device and on the host with a note where these are estimated; None where unknown."""
    warmup, draws = iterations
    common = [*arguments, f"--warmup={warmup}", f"--draws={draws}"]
    device = measured.run(program, [*common, f"--chains={chains}"], 1, sizes.repetitions)
    own = (statistics.mean(device["seconds"]), "") if device else None
    estimate = device["run"]["positions"] / chains * one_evaluation if device else 0
    host = measured.run(program, [*common, "--chains=1", "--on-host"], chains, sizes.repetitions, estimate)
    if host:
        return own, (statistics.mean(host["seconds"]), "")
    return own, (estimate, "estimated") if estimate else None


def draw_runs(figures, name, title, xlabel, times, peers):
    """Times and speed-ups from (chains, x) -> (device, host); peers are records of paper_numpyro.py by x."""
    lines, speedups = {}, {}
    for chains in sorted({c for c, _ in times}):
        text = f"{chains} chain" + ("s" if chains > 1 else "")
        of = sorted((x, both) for (c, x), both in times.items() if c == chains)
        device = [(x, *both[0]) for x, both in of if both[0]]
        host = [(x, *both[1]) for x, both in of if both[1]]
        lines[f"device, {text}"], lines[f"host (Eigen), {text}"] = device, host
        lines[f"numpyro, {text}"] = [(x, peer["seconds"][str(chains)], "") for x, peer in sorted(peers.items())
                                     if str(chains) in peer["seconds"]]
        speedups[text] = ratio(host, device)
    figures.draw(f"{name}_times", title, xlabel, "seconds from end to end", lines)
    figures.draw(f"{name}_speedup", title, xlabel, "times as fast as the host", speedups)


def logistic(measured, figures, sizes):
    def case(n, k, chains):
        return measured.bench("bench_paper", f"paper/logistic/{n}x{k}/{chains}", sizes.case_seconds)

    def runs(shapes):
        found = {}
        for x, n, k in shapes:
            alone = case(n, k, 1)
            one_evaluation = alone["eigen_us"] * 1e-6 if alone else 0
            for chains in (1, 4):
                found[chains, x] = end_to_end(measured, sizes, "fusecl_sample_logistic",
                                              [f"--rows={n}", f"--features={k}"], sizes.logistic_run, chains,
                                              one_evaluation)
        return found

    by_n = [(n, n, sizes.fixed_k) for n in sizes.logistic_n]
    by_k = [(k, sizes.fixed_n, k) for k in sizes.logistic_k]
    def peers(shapes):
        found = {x: measured.numpyro(f"logistic {n}x{k}") for x, n, k in shapes}
        return {x: peer for x, peer in found.items() if peer}

    draw_runs(figures, "logistic_by_n", f"Logistic regression, k = {sizes.fixed_k}", "n", runs(by_n), peers(by_n))
    draw_runs(figures, "logistic_by_k", f"Logistic regression, n = {sizes.fixed_n}", "k", runs(by_k), peers(by_k))
    for name, shapes in (("n", by_n), ("k", by_k)):
        found = [(x, case(n, k, 1)) for x, n, k in shapes]
        lines = {"FuseCL": [(x, c["real_time"], "") for x, c in found if c],
                 "reading X once": [(x, c["real_time"] * c["floor_x"], "") for x, c in found if c],
                 "numpyro": [(x, p["evaluation_us"], "") for x, p in peers(shapes).items()]}
        figures.draw(f"evaluations_by_{name}", "Logistic regression: log density and gradient", name, "microseconds",
                     lines)

    passes, parts, floor = {}, {}, {}
    for chains in (1, 4):
        text = f"{chains} chain" + ("s" if chains > 1 else "")
        found = [(n, case(n, k, chains)) for _, n, k in by_n]
        passes[text] = [(n, c["two_passes_x"], "") for n, c in found if c]
        parts[f"logistic, k = {sizes.fixed_k}, {text}"] = [(n, 1 / c["value_x"], "") for n, c in found if c]
        floor[text] = [(n, c["floor_x"], "") for n, c in found if c]
    figures.draw("one_pass", f"Logistic regression, k = {sizes.fixed_k}: log density and gradient", "n",
                 "two passes over X / one", passes)
    figures.draw("share_of_floor", f"Logistic regression, k = {sizes.fixed_k}: log density and gradient", "n",
                 "share of reading X once", floor)
    together = {}
    for n, k in sizes.shared:
        found = [(chains, case(n, k, chains)) for chains in (1, 4, 16)]
        if found[0][1]:
            alone = found[0][1]["real_time"]
            together[f"n = {n}, k = {k}"] = [(chains, c["real_time"] / alone, "") for chains, c in found if c]
    figures.draw("chains_together", "Logistic regression: chains that share a launch", "chains",
                 "time of an evaluation / that of one chain", together)
    return parts


def arithmetic(n, tflops):
    """Microseconds of what no evaluation of a normal density with n x n covariance and of its gradient does without:
    n^3 / 3 operations for the Cholesky factor, 2 n^3 / 3 for the inverse by it."""
    return n**3 / tflops * 1e-6


def draw_evaluations_of_the_process(figures, fused, peers, tflops):
    """`fused` and `peers` are points (n, microseconds, note) of FuseCL and numpyro."""
    lines = {"FuseCL": fused}
    if tflops:
        lines[f"factor and inverse at {tflops:.3g} TFLOP/s"] = [(n, arithmetic(n, tflops), "") for n, _, _ in fused]
    figures.draw("evaluations_of_the_process", "Gaussian process: log density and gradient", "n", "microseconds",
                 {**lines, "numpyro": peers})


def process(measured, figures, sizes):
    times = {}
    cases = [(n, measured.bench("bench_paper", f"paper/gaussian_process/{n}", sizes.case_seconds))
             for n in sizes.process]
    for n, case in cases:
        host = host_seconds(n, case, cases) if case else None
        times[1, n] = end_to_end(measured, sizes, "fusecl_sample_gaussian_process", [f"--n={n}"], sizes.process_run, 1,
                                 host[0] if host else 0)
    parts = [(n, 1 / case["value_x"], "") for n, case in cases if case]
    peers = {n: peer for n in sizes.process if (peer := measured.numpyro(f"process {n}"))}
    draw_runs(figures, "gaussian_process", "Gaussian process regression", "n", times, peers)
    draw_evaluations_of_the_process(figures, [(n, case["real_time"], "") for n, case in cases if case],
                                    [(n, peer["evaluation_us"], "") for n, peer in peers.items()],
                                    measured.product_tflops(sizes.product, sizes.case_seconds))
    return {"Gaussian process": parts}


def unfused(measured, figures, sizes):
    """bench_regressions has these cases; which ones depends on the kind of device."""
    small = sizes is not Sizes
    shapes = ["1000x5"] if small else ["1000x5", "1e5x10", "1e5x100", "1e5x1000", "1e6x10", "1e6x100", "1e7x10"]
    lines = {}
    for model in ("logistic", "poisson", "student_t"):
        lines[model] = []
        for shape in shapes:
            case = measured.bench("bench_regressions", f"regressions/{model}/{shape}", sizes.case_seconds,
                                  ["--quick"] if small else [])
            n, k = (int(float(part)) for part in shape.split("x"))
            if case:
                lines[model].append((n * k, case["by_operation_x"], f"{n} x {k}"))
        lines[model].sort()
    figures.draw("unfused", "Regressions: one statement an operation over one for all", "elements of X", "time ratio",
                 lines)


def positive(text):
    number = float(text)
    if not 0 < number < math.inf:
        raise ValueError(text)
    return number


PARTS = ["cholesky", "logistic", "process", "unfused", "co2"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/default", help="build folder")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build/paper_figures", help="folder to write to")
    parser.add_argument("--quick", action="store_true", help="small sizes: minutes on a CPU")
    parser.add_argument("--smallest", action="store_true", help="with --quick: the smallest sizes only")
    parser.add_argument("--minutes", type=float, default=360, help="measure for so long, then draw what is there")
    parser.add_argument("--piece-seconds", type=float, default=60, help="time limit of one measured piece")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, metavar="PART",
                        help=f"of {', '.join(PARTS)}; figures of the others stay as they are")
    parser.add_argument("--tflops", type=positive, help="10^12 operations in double precision a second that the device is "
                        "capable of, for the floor of the Gaussian process; else those that a product of matrices reaches")
    parser.add_argument("--again", action="store_true", help="measure what was measured before, too")
    options = parser.parse_args()
    options.out, options.build = options.out.resolve(), options.build.resolve()
    sizes = Smallest if options.smallest else Quick if options.quick else Sizes
    measured = Measured(options)
    figures = Figures(options.out, measured)

    if "cholesky" in options.only:
        cholesky(measured, figures, sizes)
    parts = {}
    if "logistic" in options.only:
        parts.update(logistic(measured, figures, sizes))
    if "process" in options.only:
        parts.update(process(measured, figures, sizes))
    if parts:
        if not {"logistic", "process"} <= set(options.only):  # the figure is of both
            parts = {**figures.drawn("value_and_gradient"), **parts}
        figures.draw("value_and_gradient", "Log density and gradient over log density alone", "n", "time ratio", parts)
    if "unfused" in options.only:
        unfused(measured, figures, sizes)
    prediction = "co2" in options.only and measured.prediction(sizes.every, sizes.prediction_run)
    if prediction:
        figures.draw_prediction("co2", "Carbon dioxide over Mauna Loa", prediction["rows"])
    if measured.failures:
        return 1
    if not figures.pyplot:
        print("no pictures, only CSVs: matplotlib is not installed (pip install matplotlib)", file=sys.stderr)
        return 77
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Missing as missing:
        sys.exit(f"paper_figures.py: {missing}")
