#!/usr/bin/env python3
"""Runs the commands of docs/installing.md that need no CMake, as they stand there, and the program that they make: in a
folder that has `include` and, as prog.cpp, the program given. Other are only the compiler, where Eigen is, and that nothing
is optimized."""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
EIGEN = "-I /usr/include/eigen3"


def commands_of(page, form):
    """The block of commands that follows the line about this form of the build."""
    section = re.search(r"^### Without CMake\n(.*?)^### ", page, re.DOTALL | re.MULTILINE).group(1)
    return re.search(rf"^{form}:.*?^```sh\n(.*?)^```", section, re.DOTALL | re.MULTILINE).group(1)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("form", choices=["Header-only", "Split"])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("flags", nargs="*", help="in place of those for Eigen")
    arguments = parser.parse_args()
    commands = commands_of((ROOT / "docs/installing.md").read_text(), arguments.form)
    if EIGEN not in commands or ("FUSECL_SPLIT" in commands) != (arguments.form == "Split"):
        sys.exit(f"not the commands of this form:\n{commands}")
    commands = re.sub(r"\bg\+\+ ", f"{arguments.compiler} ", commands.replace(EIGEN, " ".join([*arguments.flags, "-O0"])))
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(ROOT / "include", f"{folder}/include")
        os.symlink(arguments.program.resolve(), f"{folder}/prog.cpp")
        subprocess.run(["sh", "-e", "-c", commands + "./prog\n"], cwd=folder, check=True)


if __name__ == "__main__":
    main()
