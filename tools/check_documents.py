#!/usr/bin/env python3
"""Checks that the documents say what the sources do.

- docs/environment.md lists exactly the environment variables that the library reads.
- docs/architecture.md names every room of include/fusion.
- Relative links in Markdown files lead to files.
- The first C++ example of README.md is examples/quick_start/quick_start.cpp.
- The C++ of docs/write_your_own_likelihood.md is a part of the examples.
- The rows of docs/names.md are those that test/device/names_test.cpp compares.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def check_environment():
    read = set()
    for path in (ROOT / "include").rglob("*.[hi]pp"):
        read |= set(re.findall(r"\"((?:FUSECL|OCL|XDG)_[A-Z_]+|HOME)\"", path.read_text()))
    rows = re.findall(r"^\| `([A-Z_]+)", (ROOT / "docs/environment.md").read_text(), re.MULTILINE)
    for name in sorted(read - set(rows)):
        yield f"docs/environment.md has no row for {name}, which the library reads"
    for name in sorted(set(rows) - read):
        yield f"docs/environment.md has a row for {name}, which nothing in include/ reads"


def check_rooms():
    text = (ROOT / "docs/architecture.md").read_text()
    for room in sorted(path.parent.name for path in (ROOT / "include/fusion").glob("*/*.hpp")):
        if f"`{room}/`" not in text:
            yield f"docs/architecture.md does not name the room `{room}/`"


def documents():
    return [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]


def check_links():
    for path in documents():
        text = re.sub(r"```.*?```", "", path.read_text(), flags=re.DOTALL)
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
            if "://" not in target and not (path.parent / target).exists():
                yield f"{path.relative_to(ROOT)}: link to {target}, which does not exist"


def check_quick_start():
    example = ROOT / "examples/quick_start/quick_start.cpp"
    shown = re.search(r"```cpp\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    if shown is None or shown.group(1) != example.read_text():
        yield f"the first C++ example of README.md differs from {example.relative_to(ROOT)}"


def check_snippets():
    """Every C++ block of the page on likelihoods is a part of an example, whatever its indentation."""
    page = ROOT / "docs/write_your_own_likelihood.md"

    def lines_of(text):
        return "\n".join(["", *(line.strip() for line in text.strip().splitlines()), ""])

    sources = [lines_of(path.read_text()) for path in (ROOT / "examples").rglob("*.[ch]pp")]
    for block in re.findall(r"```cpp\n(.*?)```", page.read_text(), re.DOTALL):
        if not any(lines_of(block) in source for source in sources):
            yield f"{page.relative_to(ROOT)}: no example contains '{block.strip().splitlines()[0]}' and what follows it"


def check_names():
    """The first and the last column of a row are the two sides of a comparison."""
    def squeezed(text):
        return re.sub(r"\s", "", text)

    rows = [[re.sub(r"^`|`$", "", cell.strip()) for cell in row.strip("|").split(" | ")]
            for row in re.findall(r"^\| `.*\|$", (ROOT / "docs/names.md").read_text(), re.MULTILINE)]
    shown = {squeezed(f"{cells[0]},{cells[-1].rstrip(' |`')}") for cells in rows}
    test = (ROOT / "test/device/names_test.cpp").read_text()
    compared = {squeezed(line) for line in re.findall(r"^  AGREE\((.*?)\);$", test, re.MULTILINE | re.DOTALL)}
    for line in sorted(shown - compared):
        yield f"docs/names.md shows {line}, which test/device/names_test.cpp does not compare"
    for line in sorted(compared - shown):
        yield f"docs/names.md does not show {line}, which test/device/names_test.cpp compares"


def main():
    findings = [*check_environment(), *dict.fromkeys(check_rooms()), *check_links(), *check_quick_start(),
                *check_snippets(), *check_names()]
    for finding in findings:
        print(finding)
    print(f"{len(findings)} findings")
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()
