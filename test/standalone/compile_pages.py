#!/usr/bin/env python3
"""Compiles the C++ of the pages of docs/ as it stands there, each block as the body of a function whose parameters are
what the page takes for granted. Pages whose blocks are copies of examples are left to tools/check_documents.py."""
import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from check_documents import PAGES_OF_EXAMPLES  # noqa: E402

# of each page, for each of its blocks: names by their types
GIVEN = {
    "building_ahead": [{"matrix&": "R A B h m", "double&": "S by_p", "Eigen::MatrixXd&": "by_A", "const var&": "c",
                        "const var_value<matrix>&": "x", "parameter<double>&": "p"}],
    "kernel_cl": [{"const Eigen::MatrixXd&": "host_a host_b"}, {}],
    "matrices": [{"const Eigen::MatrixXd&": "eigen_matrix"},
                 {"matrix&": "A B C other"},
                 {"const Eigen::MatrixXd&": "S design", "const Eigen::VectorXd&": "beta"}],
    "threads": [{},
                {"const cl::Context&": "my_context", "const cl::Device&": "my_device", "std::int64_t": "rows cols",
                 "const cl::CommandQueue&": "my_queue", "const cl::Buffer&": "my_buffer"}],
    "user_functions": [{"const matrix&": "y mu"}],
}
HEAD = """#include <Eigen/Dense>
#include <fusion/autodiff.hpp>
#include <primitives/host_matrices.hpp>
"""


def blocks_of(page):
    return re.findall(r"```cpp\n(.*?)```", page.read_text(), re.DOTALL)


def function_of(name, block, given):
    """A class of the block stays outside: one within a function has no static members."""
    classes = "".join(re.findall(r"^struct .*?^};\n", block, re.DOTALL | re.MULTILINE))
    body = block.replace(classes, "") if classes else block
    parameters = ", ".join(f"[[maybe_unused]] {kind} {each}" for kind, names in given.items() for each in names.split())
    return (f"namespace {name} {{\nusing namespace fusecl;\nusing matrix = matrix_cl<double>;\n{classes}"
            f"inline void run({parameters}) {{\n{body}}}\n}}  // namespace {name}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("flags", nargs="*")
    arguments = parser.parse_args()
    source, findings = HEAD, []
    for page in sorted((ROOT / "docs").glob("*.md")):
        blocks, given = blocks_of(page), GIVEN.get(page.stem, [])
        if page.stem in PAGES_OF_EXAMPLES:
            continue
        if len(blocks) != len(given):
            findings.append(f"{page.name} has {len(blocks)} blocks of C++, of which this test knows {len(given)}")
            continue
        for number, (block, names) in enumerate(zip(blocks, given), 1):
            source += f'#line 1 "{page.name}, block {number}"\n' + function_of(f"{page.stem}_{number}", block, names)
    command = [arguments.compiler, "-std=c++20", "-fsyntax-only", "-DFUSECL_SPLIT", *arguments.flags, "-x", "c++", "-"]
    compiled = subprocess.run(command, input=source, capture_output=True, text=True)
    if compiled.returncode != 0:
        findings.append(compiled.stderr)
    print("\n".join(findings) if findings else "all blocks compile")
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()
