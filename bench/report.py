#!/usr/bin/env python3
"""Turns the JSON of the bench programs, compile_time.py and peers.py into one Markdown report, and with --plot into
a picture. Exit code 1 if --strict and a bar is missed."""

import argparse
import json
import re
import sys

# Bars: device kinds, pattern of the case's name, counter, least value, meaning. A counter NAME_x is the time of
# contender NAME over that of the fused evaluation, measured side by side: of a ceiling it is the share of the
# ceiling's bandwidth that is reached, of a peer the speed-up over it.
MEMORY_BOUND = r"elementwise/(a\+b-3c|broadcasts|chain_\d+)"
ANY_SUM = r"reduction/(sum|sum\(a\*b\)|rowwise_sum|colwise_sum)"
BARS = [
    ("GPU", r"elementwise/(a\+b-3c|exp.*|broadcasts|chain_\d+)/1e8", "copy_x", 0.95, "share of copy bandwidth"),
    ("GPU", ANY_SUM + "/.*_1e8", "read_x", 0.92, "share of read bandwidth"),
    ("CPU", MEMORY_BOUND + "/1e[67]", "eigen_x", 1.4, "times faster than Eigen"),
    ("CPU", MEMORY_BOUND + "/1e6", "eigen_openmp_x", 0.85, "times faster than Eigen over all cores"),
    ("CPU", MEMORY_BOUND + "/1e7", "eigen_openmp_x", 0.95, "times faster than Eigen over all cores"),
    ("CPU", ANY_SUM + "/.*_1e[67]", "eigen_x", 1.4, "times faster than Eigen"),
    ("CPU", ANY_SUM + "/.*_1e6", "eigen_openmp_x", 0.85, "times faster than Eigen over all cores"),
    ("CPU", ANY_SUM + "/.*_1e7", "eigen_openmp_x", 0.95, "times faster than Eigen over all cores"),
    ("CPU", r"(function/.*|elementwise/exp.*)/1e[67]", "eigen_x", 2.0, "times faster than Eigen"),
    ("CPU", r"(function/.*|elementwise/exp.*)/1e[67]", "eigen_openmp_x", 1.0, "times faster than Eigen over all cores"),
    ("GPU", r"host_cost/(a\+b-3c|sum)", "bare_enqueue_x", 0.8, "bare enqueue over fused (0.8 is 1.25x)"),
    ("GPU", r"rows/(softmax|layer_norm)/(1e6x100|1e5x256)", "floor_x", 0.85, "share of the floor"),
    ("GPU", r"rows/(softmax|layer_norm)/1e5x1000", "floor_x", 0.68, "share of the floor"),
    ("GPU", r"rows/log_sum_exp/(1e6x100|1e5x256|1e5x1000)", "floor_x", 0.6, "share of the floor"),
    ("GPU", r"rows/(softmax|layer_norm|log_sum_exp)/1e3x1e5", "floor_x", 0.5, "share of the floor"),
    ("GPU", r"rows/standardised_columns/1e6x100", "floor_x", 0.87, "share of the floor (1.15 times its bytes)"),
    ("GPU", r"regressions/.*/(1e6x100|1e5x1000|1e7x10|1e4x5000)", "floor_x", 0.7, "share of reading X once"),
    ("GPU CPU", r"regressions/.*", "by_operation_x", 1.0, "times faster than operation by operation"),
    ("CPU", r"regressions/.*", "eigen_openmp_x", 1.0, "times faster than Eigen over all cores"),
    ("CPU", r"rows/(softmax|log_sum_exp)/.*", "eigen_x", 2.0, "times faster than Eigen"),
    ("CPU", r"rows/.*", "eigen_openmp_x", 1.0, "times faster than Eigen over all cores"),
    ("GPU CPU", r"host_cost/twelve_shared_squarings_stored", "distinct_nodes_x", 0.9,
     "twelve distinct nodes over twelve shared ones"),
]
# Bars on times: pattern, largest number of seconds, meaning.
TIME_BARS = [
    (r"compile_time/header_only/one_expression_over_eigen", 10, "seconds over including Eigen"),
    (r"compile_time/split/one_expression_over_eigen", 2.5, "seconds over including Eigen"),
    (r"compile_time/.*/further_expression", 0.2, "seconds"),
    (r"compile_time/split/further_(gradient|tape_statement)", 0.3, "seconds"),
    (r"compile_time/split/term_of_100", 0.04, "seconds"),
    (r"compile_time/split/term_of_500", 0.01, "seconds; less than of 100, as types repeat"),
    (r"first_evaluation/.*", 5e-3, "seconds a kernel with a warm disk cache"),
]
# Peers measured by peers.py, at 1e8 where the name tells no size: pattern, least ratio of our bandwidth over theirs,
# or of their time over ours where nothing counts as moved.
PEER_BARS = [(r"elementwise/.*/torch_compile", 1.0), (r"reduction/.*/torch_(eager|compile)", 1.0),
             (r"gradients/.*/(torch_compile|jax)", 1.0), (r"rows/.*", 1.0), (r"regressions/.*", 1.0),
             (r"products/nn/(512|1024|2048|4096|8192|16384)/torch", 0.97),
             (r"products/nn/(1000|1536|3000|5001)/torch", 0.9), (r"products/nn/100x1e6x100/torch", 0.8),
             (r"products/(tn|nt|tt)/.*", 0.93), (r"products/float_.*", 0.8), (r"batches/product/.*", 0.8),
             (r"batches/cholesky/.*", 1.0), (r"factorizations/cholesky/(512|1000|1024|2000|2048)/torch", 1.5),
             (r"factorizations/cholesky/(4096|8192|16384)/torch", 1.15), (r"factorizations/inverse/.*", 2.0),
             (r"factorizations/system.*", 0.8)]
UNITS = {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}


class Run:
    """The cases of one device: name -> record."""

    def __init__(self, context):
        self.context = context
        self.cases = {}

    @property
    def kind(self):
        return self.context.get("device_kind", "")


def read(paths):
    """Runs by device, in the order of the files; what has no device is under the empty name."""
    runs = {}
    for path in paths:
        try:
            with open(path) as file:
                text = json.load(file)
        except (OSError, ValueError) as error:
            print(f"{path}: left out: {error}", file=sys.stderr)
            continue
        run = runs.setdefault(text["context"].get("device", ""), Run(text["context"]))
        run.context = {**text["context"], **run.context}
        for case in text["benchmarks"]:
            name = case["name"].split("/iterations:")[0]
            run.cases[name] = case
            case["seconds"] = case.get("real_time", 0) * UNITS[case.get("time_unit", "ns")]
    return runs


def number(value):
    return f"{value:.0f}" if value >= 1000 else f"{value:.3g}"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows])


def judged(runs):
    """(name, what, value, bar, met) of every bar that applies to a case."""
    verdicts = []
    peers = runs.get("", Run({})).cases
    for run in runs.values():
        for name, case in run.cases.items():
            if case.get("error_occurred"):
                verdicts.append((name, case["error_message"], "-", "-", False))
                continue
            for kinds, pattern, counter, least, what in BARS:
                if run.kind and run.kind in kinds and re.fullmatch(pattern, name) and counter in case:
                    verdicts.append((name, f"{counter}: {what}", case[counter], f">= {least:g}", case[counter] >= least))
            for pattern, most, what in TIME_BARS:
                if re.fullmatch(pattern, name):
                    value = case["seconds"] / case.get("programs", 1)
                    verdicts.append((name, what, value, f"<= {most:g}", value <= most))
        for peer, measured in peers.items() if run.kind == "GPU" else ():
            ours = re.sub(r"^peer/(reduction/.*?/\w+)/\w+$|^peer/((?:rows|regressions|products|factorizations|batches)/.*)/\w+$|^peer/(.*)/\w+$",
                          lambda m: f"{m[1]}_1e8" if m[1] else m[2] or f"{m[3]}/1e8", peer)
            for pattern, least in PEER_BARS:
                own, library = run.cases.get(ours, {}), peer.rsplit("/", 1)[1]
                if not re.fullmatch("peer/" + pattern, peer):
                    continue
                if "GB/s" in own and "GB/s" in measured:
                    ratio, what = own["GB/s"] / measured["GB/s"], f"bandwidth over {library}"
                elif own.get("seconds") and "GB/s" not in measured:
                    ratio, what = measured["seconds"] / own["seconds"], f"time of {library} over it"
                else:
                    continue
                verdicts.append((ours, what, ratio, f">= {least:g}", ratio >= least))
    return verdicts


def markdown(runs):
    parts = ["# Benchmarks", ""]
    for device, run in runs.items():
        keys = ("device", "device_kind", "compute_units", "platform", "driver", "fusecl", "openmp_threads", "compiler",
                "torch", "jax", "date", "num_cpus")
        parts += [f"## {device or 'Without a device'}", ""]
        parts += ["- " + "; ".join(f"{k}: {run.context[k]}" for k in keys if k in run.context), ""]
        contenders = []
        for case in run.cases.values():
            contenders += [k[:-2] for k in case if k.endswith("_x") and k[:-2] not in contenders]
        by_room = {}
        for name, case in run.cases.items():
            by_room.setdefault(name.split("/")[0], []).append((name, case))
        for room, cases in by_room.items():
            present = [c for c in contenders if any(c + "_x" in case for _, case in cases)]
            rows = []
            for name, case in cases:
                row = [name, number(case["seconds"] * 1e6), number(case["GB/s"]) if "GB/s" in case else ""]
                rows.append(row + [f"{case[c + '_x']:.2f}" if c + "_x" in case else "" for c in present])
            parts += [table(["case", "us", "GB/s", *(c + " / fused" for c in present)], rows), ""]
    verdicts = judged(runs)
    if verdicts:
        missed = sum(not v[4] for v in verdicts)
        parts += ["## Bars", "", f"{len(verdicts) - missed} of {len(verdicts)} met.", ""]
        rows = [(n, w, v if isinstance(v, str) else number(v), bar, "yes" if met else "**no**")
                for n, w, v, bar, met in verdicts]
        parts += [table(["case", "what", "measured", "bar", "met"], rows), ""]
    return "\n".join(parts), verdicts


def plot(runs, path):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    devices = [(d, r) for d, r in runs.items() if d and any("GB/s" in c for c in r.cases.values())]
    if not devices:
        return
    figure, axes = plt.subplots(len(devices), 2, figsize=(13, 4.8 * len(devices)), squeeze=False)
    for (device, run), (left, right) in zip(devices, axes):
        lines = {}
        for name, case in run.cases.items():
            match = re.fullmatch(r"elementwise/(.*)/(\de\d|\d+)", name)
            if match and "GB/s" in case:
                lines.setdefault(match[1], []).append((float(match[2]), case["GB/s"], case.get("copy_x")))
        for label, points in lines.items():
            points.sort()
            left.plot([p[0] for p in points], [p[1] for p in points], marker="o", label=label)
        if "a+b-3c" in lines:
            points = lines["a+b-3c"]
            left.plot([p[0] for p in points], [p[1] / p[2] for p in points if p[2]], "k--", label="copy ceiling")
        left.set(xscale="log", yscale="log", xlabel="elements", ylabel="GB/s", title=f"{device}\nelement-wise")
        left.legend(fontsize=7)
        sums = [(n, c["GB/s"], c["GB/s"] / c["read_x"]) for n, c in run.cases.items() if n.startswith("reduction/") and "read_x" in c]
        right.barh([n.removeprefix("reduction/") for n, _, _ in sums], [b for _, b, _ in sums], label="fused")
        right.plot([r for _, _, r in sums], range(len(sums)), "k|", markersize=8, label="read ceiling")
        right.invert_yaxis()
        right.tick_params(axis="y", labelsize=6)
        right.set(xlabel="GB/s", title="reductions")
        right.legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("json", nargs="+")
    parser.add_argument("--out", help="Markdown file; standard output without it")
    parser.add_argument("--plot", help="picture (needs matplotlib)")
    parser.add_argument("--strict", action="store_true")
    parser.add_argument("--missed", action="store_true", help="print the bars that are missed")
    options = parser.parse_args()
    runs = read(options.json)
    text, verdicts = markdown(runs)
    if options.out:
        with open(options.out, "w") as file:
            file.write(text)
    else:
        print(text)
    if options.missed:
        for name, what, value, bar, met in verdicts:
            if not met:
                print(f"missed: {name}: {what}: {value if isinstance(value, str) else number(value)} (bar {bar})")
        print(f"bars met: {sum(v[4] for v in verdicts)} of {len(verdicts)}")
    if options.plot:
        try:
            plot(runs, options.plot)
        except ImportError:
            print("no plot: matplotlib is not installed (pip install matplotlib)", file=sys.stderr)
    return 1 if options.strict and not all(v[4] for v in verdicts) else 0


if __name__ == "__main__":
    sys.exit(main())
