#!/usr/bin/env python3
"""Compiles header-only units of one statement: each has the supports that its operations name, and no other.

What a unit names without need, every user compiles (docs/decisions/0018-what-an-operation-brings.md).
"""
import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

UNITS = {
    "r = elt_multiply(exp(a) + b * 2.0, exp(b - a));": set(),
    "double s = sum(elt_multiply(exp(a), b)); (void)s;": {"reductions"},
}


def supports_of(compiler, flags, statement):
    text = ("#include <fusion/fusion.hpp>\nusing matrix = fusecl::matrix_cl<double>;\n"
            f"void f(matrix& r, const matrix& a, const matrix& b) {{ (void)r; {statement} }}\n")
    with tempfile.TemporaryDirectory() as folder:
        unit = os.path.join(folder, "unit.o")
        subprocess.run([compiler, "-std=c++20", *flags, "-x", "c++", "-", "-c", "-o", unit], input=text, text=True,
                       check=True)
        symbols = subprocess.run(["nm", "-C", "--defined-only", unit], text=True, capture_output=True, check=True).stdout
    return set(re.findall(r"fusecl::ir::supports::(\w+)", symbols))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("flags", nargs="*")
    arguments = parser.parse_args()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(lambda s: supports_of(arguments.compiler, arguments.flags, s), UNITS))
    wrong = [f"{statement}\n  brings {sorted(brought)} instead of {sorted(UNITS[statement])}"
             for statement, brought in zip(UNITS, found) if brought != UNITS[statement]]
    print("\n".join(wrong) or f"{len(UNITS)} units bring what they use")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
