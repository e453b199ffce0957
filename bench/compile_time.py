#!/usr/bin/env python3
"""Measures what FuseCL costs a C++ compiler: seconds of one expression over including Eigen alone, header-only and
split, seconds of each further distinct expression, gradient and statement on the tape, and of each term of a long sum.
Prints a table; --out writes JSON for report.py. With --instructions, what one expression costs is counted in
instructions of the compiler instead, by valgrind, whatever else the machine does: a few minutes."""

import argparse
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile

# Every expression is a type of its own: the position picks the operations.
UNARY = ["exp", "log1p", "sqrt", "tanh", "square", "fabs", "sin", "erf"]
BINARY = ["{0} + {1}", "{0} - {1}", "elt_multiply({0}, {1})", "elt_divide({0}, {1})"]


def expression(k):
    inner = BINARY[k % 4].format(f"{UNARY[k % 8]}(a)", "b * 2.0")
    return BINARY[k // 4 % 4].format(inner, f"{UNARY[(k // 8 + k) % 8]}(c - a)")


def source(count):
    if count == 0:
        return "#include <Eigen/Core>\ndouble f(const Eigen::MatrixXd& a) { return a(0, 0); }\n"
    lines = "".join(f"  r = {expression(k)};\n" for k in range(count))
    return ("#include <fusion/fusion.hpp>\nusing namespace fusecl;\nusing matrix = matrix_cl<double>;\n"
            f"void f(matrix& r, const matrix& a, const matrix& b, const matrix& c) {{\n{lines}}}\n")


GRADIENT_HEAD = ("#include <fusion/fusion.hpp>\n#include <fusion/autodiff/value_and_gradient.hpp>\n"
                 "#include <fusion/autodiff/var.hpp>\nusing namespace fusecl;\nusing matrix = matrix_cl<double>;\n")


def gradients(count):
    lines = "".join(f"  total += value_and_gradient_into(sum({expression(k)}), wrt(a, b), r, s);\n" for k in range(count))
    return (f"{GRADIENT_HEAD}double f(matrix& r, matrix& s, const matrix& a, const matrix& b, const matrix& c) {{\n"
            f"  double total = 0;\n{lines}  return total;\n}}\n")


def tape_statements(count):
    lines = "".join(f"  const variable v{k} = {expression(k)};\n" for k in range(count))
    return (f"{GRADIENT_HEAD}using variable = var_value<matrix>;\n"
            f"void f(const variable& a, const variable& b, const variable& c) {{\n{lines}}}\n")


def terms(count):
    text = " + ".join("abc"[k % 3] for k in range(count))
    return ("#include <fusion/fusion.hpp>\nusing namespace fusecl;\nusing matrix = matrix_cl<double>;\n"
            f"void f(matrix& r, const matrix& a, const matrix& b, const matrix& c) {{\n  r = {text};\n}}\n")


def cpu_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def instructions(command):
    counted = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--branch-sim=no", "--trace-children=yes",
               "--cachegrind-out-file=/dev/null", *command]
    text = subprocess.run(counted, check=True, capture_output=True, text=True).stderr
    return sum(int(n.replace(",", "")) for n in re.findall(r"I +refs: +([0-9,]+)", text))


def print_share(name, own, eigen):
    print(f"{f'compile_time/{name}':50s} {own / 1e9:7.2f} e9, {own / eigen:.2f} of Eigen alone", flush=True)


def print_instructions(measure):
    eigen = measure(0)
    print(f"{'compile_time/eigen_alone':50s} {eigen / 1e9:7.2f} e9 instructions")
    for form, flags in (("header_only", ()), ("split", ("-DFUSECL_SPLIT",))):
        one = measure(1, *flags)
        print_share(f"{form}/one_expression_over_eigen", one - eigen, eigen)
    further = 8  # split: what they need besides was compiled elsewhere
    print_share("split/further_expression", (measure(1 + further, *flags) - one) / further, eigen)


def main():
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", default=os.environ.get("CXX", "g++"))
    parser.add_argument("--include", action="append", default=[], help="further include folders, e.g. of Eigen")
    parser.add_argument("--further", type=int, default=16, help="number of further expressions (at most 31)")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--instructions", action="store_true", help="count instructions (needs valgrind)")
    parser.add_argument("--out", help="JSON file")
    options = parser.parse_args()
    folders = [os.path.join(root, "include"), *options.include]
    folders += [f for f in ("/usr/include/eigen3",) if os.path.isdir(f)]
    base = [options.compiler, "-std=c++20", "-O2", *(x for f in folders for x in ("-I", f))]

    def compilation(folder, count, *flags, text=source):
        path = os.path.join(folder, "case.cpp")
        with open(path, "w") as file:
            file.write(text(count))
        return [*base, *flags, "-c", path, "-o", os.path.join(folder, "case.o")]

    def measure(folder, count, *flags, text=source):
        command = compilation(folder, count, *flags, text=text)
        return min(cpu_seconds(command) for _ in range(options.repetitions))

    if options.instructions:
        with tempfile.TemporaryDirectory() as folder:
            print_instructions(lambda count, *flags: instructions(compilation(folder, count, *flags)))
        return 0

    rows = []
    with tempfile.TemporaryDirectory() as folder:
        eigen = measure(folder, 0)
        rows.append(("compile_time/eigen_alone", eigen))
        for form, flags in (("header_only", ()), ("split", ("-DFUSECL_SPLIT",))):
            one = measure(folder, 1, *flags)
            many = measure(folder, 1 + options.further, *flags)
            rows.append((f"compile_time/{form}/one_expression_over_eigen", one - eigen))
            rows.append((f"compile_time/{form}/further_expression", (many - one) / options.further))
        for kind, text in (("gradient", gradients), ("tape_statement", tape_statements)):
            one, many = (measure(folder, 1 + k, "-DFUSECL_SPLIT", text=text) for k in (0, options.further))
            rows.append((f"compile_time/split/further_{kind}", (many - one) / options.further))
        one = measure(folder, 1, "-DFUSECL_SPLIT", text=terms)
        for count in (100, 500):
            many = measure(folder, count, "-DFUSECL_SPLIT", text=terms)
            rows.append((f"compile_time/split/term_of_{count}", (many - one) / count))
    for name, seconds in rows:
        print(f"{name:50s} {seconds:7.3f} s")
    if options.out:
        version = subprocess.run([options.compiler, "--version"], capture_output=True, text=True, check=True)
        result = {"context": {"compiler": version.stdout.splitlines()[0], "flags": "-std=c++20 -O2"},
                  "benchmarks": [{"name": n, "real_time": s, "time_unit": "s"} for n, s in rows]}
        with open(options.out, "w") as file:
            json.dump(result, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
