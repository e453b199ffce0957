#!/usr/bin/env python3
"""Compiles every public header on its own: it must include what it needs.

Without bodies (FUSECL_SPLIT), because including them could hide what a header itself lacks, followed by its own
body, which has to include what it needs besides. And with the bodies of all that it includes, which have to come after
what they need whichever header is the first: those that users are told to include, or, with --every, all.

GCC takes the headers of others precompiled, which takes half the time and shows what is lacking of the library's own;
without bodies and with --every it takes none.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile


def compile_text(compiler, flags, text):
    command = [compiler, "-std=c++20", "-fsyntax-only", *flags, "-x", "c++", "-"]
    return subprocess.run(command, input=text, text=True, capture_output=True)


def precompile(compiler, flags, include, folder):
    """The headers of others that the library includes, precompiled; the options that take them.

    Not OpenCL's, which the library configures by macros before it includes them.
    """
    names = set()
    for path in [*include.rglob("*.hpp"), *include.rglob("*.ipp")]:
        names.update(re.findall(r"^#include (<(?!fusion/|primitives/|CL/)[^>]+>)", path.read_text(), re.MULTILINE))
    header = pathlib.Path(folder) / "foreign.hpp"
    header.write_text("".join(f"#include {name}\n" for name in sorted(names)))
    command = [compiler, "-std=c++20", *flags, "-x", "c++-header", str(header), "-o", f"{header}.gch"]
    made = subprocess.run(command, text=True, capture_output=True)
    return ["-include", str(header)] if made.returncode == 0 else []


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--include", type=pathlib.Path, required=True, help="the include folder")
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--precompile", action="store_true", help="the compiler is GCC")
    parser.add_argument("--every", action="store_true", help="every header with bodies and all it needs, which takes long")
    parser.add_argument("flags", nargs="*")
    arguments = parser.parse_args()
    headers = sorted(path.relative_to(arguments.include) for path in arguments.include.rglob("*.hpp"))
    if not headers:
        sys.exit(f"no header below {arguments.include}")
    failed = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        alone, whole = ["-DFUSECL_SPLIT"], []
        if arguments.precompile:
            form = whole if arguments.every else alone
            form += precompile(arguments.compiler, arguments.flags + form, arguments.include, folder)
        runs = []
        for header in headers:
            # Twice, so that a missing include guard shows too.
            twice = f"#include <{header}>\n#include <{header}>\n"
            body = header.with_suffix(".ipp")
            own_body = f"#include <{body}>\n" if (arguments.include / body).exists() else ""
            runs.append((header, "without bodies but its own", alone, twice + own_body))
            if arguments.every or len(header.parts) == 2:
                runs.append((header, "with bodies", whole, twice))
        for body in sorted(arguments.include.rglob("*.ipp")):
            if not body.with_suffix(".hpp").exists():  # those of a header have come with it
                own_body = f"#include <{body.relative_to(arguments.include)}>\n"
                runs.append((body.relative_to(arguments.include), "without other bodies", alone, own_body))
        results = pool.map(lambda r: compile_text(arguments.compiler, arguments.flags + r[2], r[3]), runs)
        for (header, form, _, _), result in zip(runs, results):
            if result.returncode != 0:
                failed += 1
                print(f"{header} does not compile alone {form}:\n{result.stderr}")
    print(f"{len(runs) - failed} of {len(runs)} compile")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
