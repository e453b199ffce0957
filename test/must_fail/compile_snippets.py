#!/usr/bin/env python3
"""NAME.pass.cpp must compile; of NAME.fail.cpp the first error must be the message that it expects, with little
besides. With --twins, compiles the first of all; with --misuses, the second of all, or of the names given.

Many snippets are one unit, each in a namespace of its own behind the headers of all, which saves reading the headers.
A misuse that does not show there what it should is compiled alone, and that decides.
"""
import argparse
import pathlib
import re
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
MOST_CHARACTERS = 4000  # of everything that the compiler says, unless the file says `// at most N characters`


def compile_text(compiler, flags, text):
    command = [compiler, "-std=c++20", "-fsyntax-only", "-DFUSECL_SPLIT", *flags, "-x", "c++", "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True)


def one_unit(paths):
    headers, bodies = set(), []
    for number, path in enumerate(paths):
        text = path.read_text()
        headers.update(re.findall(r"^#include <.+>$", text, re.MULTILINE))
        body = re.sub(r"^#include <.+>$", "", text, flags=re.MULTILINE)
        bodies.append(f'namespace snippet_{number} {{\n#line 1 "{path}"\n{body}\n}}\n')
    return "\n".join(sorted(headers)) + "\n" + "".join(bodies)


# Lines that tell how the compiler came to what it says next.
CONTEXT = re.compile(r"In file included from |\s+from |.*: (?:In|At) .*:$|.*: +(?:recursively )?required |.*: +in .* expansion ")


def said_of_each(output, paths):
    """What the compiler says of each snippet: every error with the lines that lead to it and the notes that follow."""
    parts = [[]]  # each with at most one error
    in_context = False
    for line in output.splitlines():
        is_context = CONTEXT.match(line) is not None
        if (is_context or ": error: " in line) and not in_context:
            parts.append([])
        in_context = is_context
        parts[-1].append(line)
    said = {path: "" for path in paths}
    of_the_last = None
    for part in parts:
        text = "\n".join(part) + "\n"
        if ": error: " in text:
            named = [path for path in paths if str(path) in text]
            of_the_last = named[0] if named else None
        if of_the_last:
            said[of_the_last] += text
    return said


def fault_of(path, said):
    """What is wrong with what the compiler says of a misuse; nothing where it is right."""
    text = path.read_text()
    expected = re.findall(r"^// expect: (.+)$", text, re.MULTILINE)
    if not expected:
        return "has no line `// expect: REGEX`"
    error = re.search(r"\berror: (.*)$", said, re.MULTILINE)
    if not error:
        return "compiles, but must not"
    for regex in expected:
        if not re.search(regex, error.group(1)):
            return f"the first error does not match `{regex}`:\n{said}"
    own_limit = re.search(r"^// at most (\d+) characters", text, re.MULTILINE)
    most = int(own_limit.group(1)) if own_limit else MOST_CHARACTERS
    characters = len(said.replace(f"{FOLDER.parent.parent}/", ""))  # however long the path to the sources is
    return f"{characters} characters of diagnostics, at most {most}:\n{said}" if characters > most else ""


def check_misuses(compiler, flags, paths):
    said = said_of_each(compile_text(compiler, flags, one_unit(paths)).stderr, paths)
    alone = [path for path in paths if fault_of(path, said[path])]
    faults = {path: fault_of(path, compile_text(compiler, flags, path.read_text()).stderr) for path in alone}
    for path in paths:
        if not path.with_name(path.name.replace(".fail.", ".pass.")).exists():
            faults[path] = "has no twin"
    for path, fault in faults.items():
        if fault:
            print(f"{path.name}: {fault}")
    refused = len(paths) - sum(1 for fault in faults.values() if fault)
    print(f"{refused} of {len(paths)} misuses are refused as they should be, {len(alone)} compiled alone")
    return refused == len(paths)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    task = parser.add_mutually_exclusive_group(required=True)
    task.add_argument("--twins", action="store_true")
    task.add_argument("--misuses", nargs="*", metavar="NAME")
    parser.add_argument("--compiler", required=True)
    parser.add_argument("flags", nargs="*")
    arguments = parser.parse_args()
    if arguments.twins:
        paths = sorted(FOLDER.glob("*.pass.cpp"))
        result = compile_text(arguments.compiler, arguments.flags, one_unit(paths))
        print(result.stderr, f"{len(paths)} twins", sep="")
        right = bool(paths) and result.returncode == 0
    else:
        names = arguments.misuses or ["*"]
        paths = sorted(path for name in names for path in FOLDER.glob(f"{name}.fail.cpp"))
        right = bool(paths) and check_misuses(arguments.compiler, arguments.flags, paths)
    sys.exit(0 if right else 1)


if __name__ == "__main__":
    main()
