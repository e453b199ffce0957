#!/usr/bin/env python3
"""Runs the Student-t regression example: its estimates against an independent fit, its messages, its exit codes.

usage: student_t_regression_test.py PROGRAM DATA_FOLDER
"""
import pathlib
import re
import sys
import tempfile
import unittest

import example_program
from example_program import read_estimates

PROGRAM, DATA = sys.argv[1], pathlib.Path(sys.argv[2])


def run(*arguments):
    return example_program.run(PROGRAM, *arguments)


class RealData(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "estimates.csv"
            cls.done = run("--check", "--estimates", path)
            cls.estimates = read_estimates(path) if path.exists() else {}

    def test_succeeds(self):
        self.assertEqual(self.done.returncode, 0, self.done.stderr)
        self.assertEqual(self.done.stderr, "")

    def test_estimates_and_errors_equal_the_independent_fit(self):
        self.assertEqual(len(self.estimates), 7)
        example_program.assert_estimates_equal(self, self.estimates, DATA / "diabetes_hdl_reference.csv")

    def test_the_gradient_agrees_with_differences(self):
        checked = re.search(r"^gradient +7 derivatives compared .* error (\S+)$", self.done.stdout, re.MULTILINE)
        self.assertLess(float(checked.group(1)), 1e-6)

    def test_the_gradient_costs_at_most_two_more_launches_and_no_wait_but_its_copies(self):
        example_program.assert_gradient_is_cheap(self, self.done.stdout)

    def test_the_page_on_likelihoods_shows_these_kernels(self):
        example_program.assert_page_shows_kernels(self, self.done.stdout, section=1)

    def test_the_kernels_are_shown(self):
        self.assertIn("digamma", self.done.stdout)
        self.assertRegex(self.done.stdout, r"// y1 = colwise_sum\(")


class OtherData(unittest.TestCase):
    def fits(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "table.csv"
            path.write_text(text)
            return run("--data", path)

    def test_outliers_do_not_pull_the_line(self):
        points = [(x, 3 + 2 * x + (x * 7 % 5 - 2) / 10) for x in range(40)]
        points[3], points[30] = (3, 500), (30, -900)
        done = self.fits("40,1,height\n" + "".join(f"{x},{y}\n" for x, y in points))
        self.assertEqual(done.returncode, 0, done.stderr)
        slope = float(re.search(r"^feature 1 +(\S+)", done.stdout, re.MULTILINE).group(1))
        self.assertAlmostEqual(slope, 2 * 11.690452, delta=0.05)  # of the standardised feature

    def test_a_first_line_without_the_outcome_is_an_error(self):
        done = self.fits("2,1,bad,good\n1,0\n2,1\n")
        self.assertEqual(done.returncode, 1)
        self.assertIn("line 1: expected 'rows,features,name of the outcome', found 4 fields", done.stderr)

    def test_text_where_a_number_belongs_is_an_error(self):
        done = self.fits("2,1,height\n1,0\n2,tall\n")
        self.assertEqual(done.returncode, 1)
        self.assertIn("line 3, column 2: 'tall' is not a number", done.stderr)

    def test_a_constant_outcome_is_an_error(self):
        done = self.fits("3,1,height\n1,5\n2,5\n3,5\n")
        self.assertEqual(done.returncode, 1)
        self.assertIn("the outcome is the same in all rows", done.stderr)


class Arguments(unittest.TestCase):
    def test_help_lists_the_options(self):
        done = run("--help")
        self.assertEqual(done.returncode, 0)
        for option in ("--data", "--device", "--estimates", "--check"):
            self.assertIn(option, done.stdout)

    def test_an_unknown_option_is_an_error(self):
        done = run("--no-such-option")
        self.assertEqual(done.returncode, 1)
        self.assertIn("--no-such-option", done.stderr)

    def test_an_unknown_device_is_an_error_that_lists_the_devices(self):
        done = run("--device", "no such device")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no such device", done.stderr)
        self.assertIn("0: ", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
