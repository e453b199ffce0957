#!/usr/bin/env python3
"""With --misuse NAME, compiles NAME.fail.cpp, whose first error must be the message that it expects, with little
besides. With --twins, compiles the files NAME.pass.cpp of all, which must compile."""
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


def compile_twins(compiler, flags, folder):
    """Each in a namespace of its own, behind the headers of all: they all are one unit, which saves reading headers."""
    headers, bodies = [], []
    for number, path in enumerate(sorted(folder.glob("*.pass.cpp"))):
        text = path.read_text()
        headers += re.findall(r"^#include <.+>$", text, re.MULTILINE)
        body = re.sub(r"^#include <.+>$", "", text, flags=re.MULTILINE)
        bodies.append(f'namespace twin_{number} {{\n#line 1 "{path}"\n{body}\n}}\n')
    text = "\n".join(sorted(set(headers))) + "\n" + "".join(bodies)
    command = [compiler, "-std=c++20", "-fsyntax-only", "-DFUSECL_SPLIT", *flags, "-x", "c++", "-"]
    if not bodies or subprocess.run(command, input=text, text=True).returncode != 0:
        sys.exit("the twins must compile")
    print(f"{len(bodies)} twins compile")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    task = parser.add_mutually_exclusive_group(required=True)
    task.add_argument("--misuse", metavar="NAME")
    task.add_argument("--twins", action="store_true")
    parser.add_argument("--compiler", required=True)
    parser.add_argument("flags", nargs="*")
    arguments = parser.parse_args()
    folder = pathlib.Path(__file__).resolve().parent
    if arguments.twins:
        return compile_twins(arguments.compiler, arguments.flags, folder)
    failing = folder / f"{arguments.misuse}.fail.cpp"
    passing = folder / f"{arguments.misuse}.pass.cpp"

    text = failing.read_text()
    expected = re.findall(r"^// expect: (.+)$", text, re.MULTILINE)
    if not expected:
        sys.exit(f"{failing.name} has no line `// expect: REGEX`")
    if not passing.exists():
        sys.exit(f"{failing.name} has no twin {passing.name}")
    own_limit = re.search(r"^// at most (\d+) characters", text, re.MULTILINE)
    most = int(own_limit.group(1)) if own_limit else MOST_CHARACTERS

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
    print(f"{arguments.misuse}: refused with {characters} characters of diagnostics")


if __name__ == "__main__":
    main()
