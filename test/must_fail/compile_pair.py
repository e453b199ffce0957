#!/usr/bin/env python3
"""Compiles NAME.fail.cpp, which must fail with the message it expects, and NAME.pass.cpp, which must compile."""
import argparse
import pathlib
import re
import subprocess
import sys


def compile_snippet(compiler, flags, path):
    command = [compiler, "-std=c++20", "-fsyntax-only", "-DFUSECL_SPLIT", *flags, str(path)]
    return subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name")
    parser.add_argument("--compiler", required=True)
    parser.add_argument("flags", nargs="*")
    arguments = parser.parse_args()
    folder = pathlib.Path(__file__).parent
    failing = folder / f"{arguments.name}.fail.cpp"
    passing = folder / f"{arguments.name}.pass.cpp"

    expected = re.findall(r"^// expect: (.+)$", failing.read_text(), re.MULTILINE)
    if not expected:
        sys.exit(f"{failing.name} has no line `// expect: REGEX`")
    if not passing.exists():
        sys.exit(f"{failing.name} has no twin {passing.name}")

    twin = compile_snippet(arguments.compiler, arguments.flags, passing)
    if twin.returncode != 0:
        sys.exit(f"{passing.name} must compile:\n{twin.stderr}")
    misuse = compile_snippet(arguments.compiler, arguments.flags, failing)
    if misuse.returncode == 0:
        sys.exit(f"{failing.name} compiles, but must not")
    for regex in expected:
        if not re.search(regex, misuse.stderr):
            sys.exit(f"{failing.name}: no message matches `{regex}`:\n{misuse.stderr}")
    print(f"{arguments.name}: refused with {len(misuse.stderr.splitlines())} lines of diagnostics")


if __name__ == "__main__":
    main()
