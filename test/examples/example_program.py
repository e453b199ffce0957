"""What the tests of the examples share: running a program, comparing its estimates with an independent fit."""
import csv
import pathlib
import re
import subprocess

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/write_your_own_likelihood.md"
SIX_DIGITS = 5e-7  # relative; both fits are converged far beyond it


def run(program, *arguments):
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=300)


def read_estimates(path):
    with open(path, newline="") as file:
        return {row["coefficient"]: (float(row["estimate"]), float(row["standard_error"]))
                for row in csv.DictReader(file)}


def assert_estimates_equal(test, found, reference):
    """Names, estimates and standard errors of `found` are those of the file `reference`."""
    expected = read_estimates(reference)
    test.assertEqual(list(found), list(expected))
    for name, pair in expected.items():
        for value, wanted in zip(found[name], pair):
            test.assertLessEqual(abs(value / wanted - 1), SIX_DIGITS, f"{name}: {value}, expected {wanted}")


def assert_gradient_is_cheap(test, output):
    """Value and gradient cost at most two launches more than the value, and one wait brings both."""
    launches, waits = map(int, re.search(r"for the log density: (\d+); host waits: (\d+)", output).groups())
    both = re.search(r"for it and its gradient: (\d+); host waits: (\d+)", output)
    launches_both, waits_both = map(int, both.groups())
    test.assertEqual(waits, 1)
    test.assertLessEqual(launches_both, launches + 2)
    test.assertEqual(waits_both, 1)


def assert_page_shows_kernels(test, output, section):
    """The page's kernels before (section 0) or from (1) the Student-t regression are those of `output`."""
    if "double8" not in output:
        test.skipTest("the page shows kernels of a CPU with vectors of eight numbers")
    part = PAGE.read_text().split("\n## Student-t regression\n")[section]
    shown = "".join(re.findall(r"```c\n(.*?)```", part, re.DOTALL)).splitlines()
    generated = {line.strip() for line in output.splitlines()}
    test.assertGreater(len(shown), 5)
    for line in shown:
        if line.strip() != "...":
            test.assertIn(line.strip(), generated)
