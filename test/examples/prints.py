#!/usr/bin/env python3
"""Runs a program that has to succeed and to print what a regular expression matches.

usage: prints.py REGEX PROGRAM ARGUMENT...
"""
import re
import subprocess
import sys


def main():
    wanted, *command = sys.argv[1:]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    sys.stdout.write(done.stdout)
    if done.returncode != 0:
        sys.exit(f"exit code {done.returncode}")
    if not re.search(wanted, done.stdout, re.DOTALL):
        sys.exit(f"prints nothing that matches {wanted!r}")


if __name__ == "__main__":
    main()
