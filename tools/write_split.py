#!/usr/bin/env python3
"""Writes include/<project>/split.cpp: the umbrella header followed by every body, once.

The list is written out rather than found by CMake, so that the installed file compiles too. --check only says
whether the files are up to date.
"""
import pathlib
import re
import sys

PROJECTS = ("fusion", "primitives")


def rank(header):
    return 2 if header.startswith(PROJECTS) else 0 if re.fullmatch("[a-z_0-9]+", header) else 1


def split_text(include, project):
    bodies = sorted(path.relative_to(include).as_posix() for path in (include / project).rglob("*.ipp"))
    others = sorted({found for body in bodies
                     for found in re.findall(r"^#include <([^>]+(?<!\.ipp))>",
                                             (include / body).read_text(), re.MULTILINE)})
    # in the order of .clang-format: standard headers, other projects, this one
    groups = [[other for other in others if rank(other) == wanted] for wanted in range(3)]
    lines = [f"// Compiles every body of {project} once. FuseCL::split builds it; without CMake, compile it with",
             "// -DFUSECL_SPLIT and link it to a program that was compiled with -DFUSECL_SPLIT.",
             "// Written by tools/write_split.py.",
             "",
             "#ifndef FUSECL_SPLIT",
             '#error "split.cpp is compiled with -DFUSECL_SPLIT, and so is all that links to it"',
             "#endif",
             "",
             f"#include <{project}/{project}.hpp>",
             "",
             "// What the bodies include.",
             *(line for group in groups if group for line in (*(f"#include <{other}>" for other in group), "")),
             "// Bodies, after all headers. They belong to the part of a program that they are linked into: parts share",
             "// what is marked FUSECL_SHARED, and nothing by which code knows itself.",
             "#ifdef __GNUC__",
             "#pragma GCC visibility push(hidden)",
             "#pragma GCC diagnostic ignored \"-Wattributes\"  // a type that a header declares and a body completes",
             "#endif",
             *(f"#include <{body}>" for body in bodies),
             "#ifdef __GNUC__",
             "#pragma GCC visibility pop",
             "#endif"]
    return "\n".join(lines) + "\n"


def main():
    include = pathlib.Path(__file__).resolve().parent.parent / "include"
    stale = 0
    for project in PROJECTS:
        if project != "fusion" and not any((include / project).rglob("*.ipp")):
            continue
        path = include / project / "split.cpp"
        text = split_text(include, project)
        if path.is_file() and path.read_text() == text:
            continue
        stale += 1
        if "--check" in sys.argv[1:]:
            print(f"{path} is out of date: run tools/write_split.py")
        else:
            path.write_text(text)
            print(f"wrote {path}")
    sys.exit(1 if stale and "--check" in sys.argv[1:] else 0)


if __name__ == "__main__":
    main()
