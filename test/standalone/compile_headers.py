#!/usr/bin/env python3
"""Compiles every public header on its own: it must include what it needs.

Both without bodies (FUSECL_SPLIT), because including them could hide what a header itself lacks, and with them,
which have to come after what they need whichever header is the first.
"""
import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys


def compile_alone(compiler, flags, header, form):
    command = [compiler, "-std=c++20", "-fsyntax-only", *form, *flags, "-x", "c++", "-"]
    # Twice, so that a missing include guard shows too.
    text = f"#include <{header}>\n#include <{header}>\n"
    return subprocess.run(command, input=text, text=True, capture_output=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--include", type=pathlib.Path, required=True, help="the include folder")
    parser.add_argument("--compiler", required=True)
    parser.add_argument("flags", nargs="*")
    arguments = parser.parse_args()
    headers = sorted(str(path.relative_to(arguments.include)) for path in arguments.include.rglob("*.hpp"))
    if not headers:
        sys.exit(f"no header below {arguments.include}")
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        forms = {"without bodies": ["-DFUSECL_SPLIT"], "with bodies": []}
        runs = [(header, form) for header in headers for form in forms]
        results = pool.map(lambda r: compile_alone(arguments.compiler, arguments.flags, r[0], forms[r[1]]), runs)
        for (header, form), result in zip(runs, results):
            if result.returncode != 0:
                failed += 1
                print(f"{header} does not compile alone {form}:\n{result.stderr}")
    print(f"{len(runs) - failed} of {len(runs)} compile: {len(headers)} headers alone, {' and '.join(forms)}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
