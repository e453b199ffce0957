#!/usr/bin/env python3
"""Compiles NAME.fail.cpp, whose first error must be the message that it expects, with little besides, and
NAME.pass.cpp, which must compile."""
import argparse
import pathlib
import re
import subprocess
import sys

MOST_CHARACTERS = 4000  # of everything that the compiler says, unless the file says `// at most N characters`


def compile_snippet(compiler, flags, path):
    command = [compiler, "-std=c++20", "-fsyntax-only", "-DFUSECL_SPLIT", *flags, str(path)]
    return subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)


def first_error(output):
    found = re.search(r"\berror: (.*)$", output, re.MULTILINE)
    return found.group(1) if found else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name")
    parser.add_argument("--compiler", required=True)
    parser.add_argument("flags", nargs="*")
    arguments = parser.parse_args()
    folder = pathlib.Path(__file__).resolve().parent
    failing = folder / f"{arguments.name}.fail.cpp"
    passing = folder / f"{arguments.name}.pass.cpp"

    text = failing.read_text()
    expected = re.findall(r"^// expect: (.+)$", text, re.MULTILINE)
    if not expected:
        sys.exit(f"{failing.name} has no line `// expect: REGEX`")
    if not passing.exists():
        sys.exit(f"{failing.name} has no twin {passing.name}")
    own_limit = re.search(r"^// at most (\d+) characters", text, re.MULTILINE)
    most = int(own_limit.group(1)) if own_limit else MOST_CHARACTERS

    twin = compile_snippet(arguments.compiler, arguments.flags, passing)
    if twin.returncode != 0:
        sys.exit(f"{passing.name} must compile:\n{twin.stderr}")
    misuse = compile_snippet(arguments.compiler, arguments.flags, failing)
    if misuse.returncode == 0:
        sys.exit(f"{failing.name} compiles, but must not")
    for regex in expected:
        if not re.search(regex, first_error(misuse.stderr)):
            sys.exit(f"{failing.name}: the first error does not match `{regex}`:\n{misuse.stderr}")
    # however long the path to the sources is
    characters = len(misuse.stderr.replace(f"{folder.parent.parent}/", ""))
    if characters > most:
        sys.exit(f"{failing.name}: {characters} characters of diagnostics, at most {most}:\n{misuse.stderr}")
    print(f"{arguments.name}: refused with {characters} characters of diagnostics")


if __name__ == "__main__":
    main()
