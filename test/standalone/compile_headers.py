#!/usr/bin/env python3
"""Compiles every public header on its own: it must include what it needs.

Bodies are left out (FUSECL_SPLIT), because including them could hide what a header itself lacks.
"""
import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys


def compile_alone(compiler, flags, header):
    command = [compiler, "-std=c++20", "-fsyntax-only", "-DFUSECL_SPLIT",
               *flags, "-x", "c++", "-"]
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
        results = pool.map(lambda h: compile_alone(arguments.compiler, arguments.flags, h), headers)
        for header, result in zip(headers, results):
            if result.returncode != 0:
                failed += 1
                print(f"{header} does not compile alone:\n{result.stderr}")
    print(f"{len(headers) - failed} of {len(headers)} headers compile alone")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
