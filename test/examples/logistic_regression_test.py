#!/usr/bin/env python3
"""Runs the logistic regression example: its estimates against an independent fit, its messages, its exit codes.

usage: logistic_regression_test.py PROGRAM DATA_FOLDER
"""
import pathlib
import re
import subprocess
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
            cls.done = run("--quick", "--check", "--estimates", path)
            cls.estimates = read_estimates(path) if path.exists() else {}

    def test_succeeds(self):
        self.assertEqual(self.done.returncode, 0, self.done.stderr)
        self.assertEqual(self.done.stderr, "")

    def test_estimates_and_errors_equal_the_independent_fit(self):
        self.assertEqual(len(self.estimates), 31)
        example_program.assert_estimates_equal(self, self.estimates, DATA / "breast_cancer_reference.csv")

    def test_table_shows_the_written_estimates(self):
        shown = re.search(r"^worst texture +(\S+) +(\S+) ", self.done.stdout, re.MULTILINE)
        for text, value in zip(shown.groups(), self.estimates["worst texture"]):
            self.assertLess(abs(float(text) - value), 1e-7)

    def test_the_gradient_agrees_with_differences(self):
        checked = re.search(r"^gradient +31 derivatives compared .* error (\S+)$", self.done.stdout, re.MULTILINE)
        self.assertLess(float(checked.group(1)), 1e-6)

    def test_the_gradient_costs_at_most_two_more_launches_and_no_wait_but_its_copy(self):
        example_program.assert_gradient_is_cheap(self, self.done.stdout)

    def test_the_page_on_likelihoods_shows_these_kernels(self):
        example_program.assert_page_shows_kernels(self, self.done.stdout, section=0)

    def test_kernels_and_timings_are_shown(self):
        self.assertIn("inv_logit(rowwise_sum(", self.done.stdout)
        self.assertIn("kernel ", self.done.stdout)
        for way in ("fused", "operation by operation", "Eigen"):
            self.assertRegex(self.done.stdout, rf"569  {way}.* ms")


class BadInput(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name) / "table.csv"

    def rejects(self, text, *expected):
        """The program fails on a file with this text, and says so with the file and `expected`."""
        self.path.write_bytes(text.encode())
        done = run("--quick", "--data", self.path)
        self.assertEqual(done.returncode, 1, done.stdout)
        for part in (str(self.path), *expected):
            self.assertIn(part, done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1)

    def test_a_missing_file(self):
        done = run("--data", self.path)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"cannot open {self.path}: No such file", done.stderr)

    def test_a_standard_output_that_is_full(self):
        for argument in ("--help", "--quick"):
            with open("/dev/full", "w") as full:
                done = subprocess.run([PROGRAM, argument], stdout=full, stderr=subprocess.PIPE, text=True, timeout=300)
            self.assertEqual(done.returncode, 1, argument)
            self.assertIn("cannot write to the standard output", done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1)

    def test_a_folder(self):
        done = run("--data", self.folder.name)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"cannot read {self.folder.name}", done.stderr)

    def test_an_empty_file(self):
        self.rejects("", "is empty")

    def test_a_first_line_without_sizes(self):
        self.rejects("1.5,2,0\n", "line 1: expected 'rows,features,")
        self.rejects("many,2,bad,good\n", "line 1, column 1: 'many' is not a number")
        self.rejects("2.5,2,bad,good\n", "line 1, column 1: expected a count of at least 2, found '2.5'")
        self.rejects("2,0,bad,good\n", "line 1, column 2: expected a count of at least 1, found '0'")

    def test_text_where_a_number_belongs(self):
        self.rejects("2,2,bad,good\n1,2,0\n3,x7,1\n", "line 3, column 2: 'x7' is not a number")
        self.rejects("2,2,bad,good\n1,2,0\n\n3,4e,1\n", "line 4, column 2: '4e' is not a number")
        self.rejects("2,2,bad,good\r\n1,nan,0\r\n3,4,1\r\n", "line 2, column 2: 'nan' is not a number")

    def test_a_missing_number(self):
        self.rejects("2,2,bad,good\n1,,0\n3,4,1\n", "line 2, column 2: a number is missing")

    def test_a_row_of_another_width(self):
        self.rejects("2,2,bad,good\n1,2\n3,4,1\n", "line 2, column 3: expected 3 columns, found 2")
        self.rejects("2,2,bad,good\n1,2,0\n3,4,1,5\n", "line 3, column 4: expected 3 columns, found 4")

    def test_a_class_that_is_neither_0_nor_1(self):
        self.rejects("2,2,bad,good\n1,2,0\n3,4,2\n", "line 3, column 3: expected the class, 0 or 1, found '2'")

    def test_another_number_of_rows(self):
        self.rejects("3,1,bad,good\n1,0\n2,1\n", "line 3: the file ends after 2 rows, the first line announces 3")
        self.rejects("2,1,bad,good\n1,0\n2,1\n3,1\n", "line 4: the first line announces 2 rows")

    def test_an_announced_size_beyond_memory(self):
        self.rejects("1000000000,1000000000,bad,good\n1,0\n", "line 2, column 3: expected 1000000001 columns")

    def test_a_bad_escape(self):
        self.rejects('2,1,bad,good\n1\\q,0\n2,1\n', "line 2: ")

    def test_a_constant_column(self):
        self.rejects("2,2,bad,good\n1,5,0\n2,5,1\n", "column 2: all rows hold the same value")

    def test_another_number_of_names(self):
        self.path.with_suffix(".names").write_text("first\nsecond\nthird\n")
        self.path.write_text("2,2,bad,good\n1,2,0\n3,4,1\n")
        done = run("--quick", "--data", self.path)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"{self.path.with_suffix('.names')}, line 3: expected the names of 2 features, found 3",
                      done.stderr)

    def test_names_of_one_feature(self):
        self.path.with_suffix(".names").write_text("first\nsecond\n")
        self.path.write_text("2,1,bad,good\n1,0\n3,1\n")
        self.assertIn("expected the name of 1 feature, found 2", run("--quick", "--data", self.path).stderr)


class Arguments(unittest.TestCase):
    def test_help_lists_the_options(self):
        done = run("--help")
        self.assertEqual(done.returncode, 0)
        for option in ("--data", "--device", "--prior-scale", "--rows", "--estimates", "--quick", "--check"):
            self.assertIn(option, done.stdout)

    def test_the_demo_lists_the_same_options_without_a_build(self):
        demo = pathlib.Path(__file__).resolve().parents[2] / "tools/demo.sh"
        done = subprocess.run([demo, "--help"], capture_output=True, text=True, timeout=10)
        self.assertEqual(done.returncode, 0, done.stderr)
        options = [set(re.findall(r"^  (?:-h,)?(--[\w-]+)", text, re.MULTILINE)) for text in (done.stdout, run("--help").stdout)]
        self.assertEqual(options[0], options[1] - {"--help"})

    def test_wrong_arguments_are_errors(self):
        for arguments in (["--no-such-option"], ["--prior-scale", "0"], ["--prior-scale", "nan"], ["--rows", "none"]):
            done = run(*arguments)
            self.assertEqual(done.returncode, 1)
            self.assertIn(arguments[0], done.stderr)

    def test_an_unknown_device_is_an_error_that_lists_the_devices(self):
        done = run("--quick", "--device", "no such device")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no such device", done.stderr)
        self.assertIn("0: ", done.stderr)

    def test_a_device_may_be_named(self):
        used = re.search(r"^device +(.*)$", run("--quick").stdout, re.MULTILINE).group(1)
        done = run("--quick", "--device", used.upper())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(used, done.stdout)

    def test_a_file_of_estimates_that_cannot_be_written_is_an_error(self):
        done = run("--quick", "--estimates", "/no/such/folder/estimates.csv")
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot write /no/such/folder/estimates.csv", done.stderr)

    def test_features_without_names_are_numbered_and_the_rest_of_a_small_table_works(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "small.csv"
            path.write_text('4,1,"no, never",yes\n1, 0\n2,1\n"3",0\n4,1\n')
            done = run("--quick", "--data", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"(?m)^feature 1 ")

    def test_estimates_of_features_with_commas_in_their_names_are_read_again(self):
        with tempfile.TemporaryDirectory() as folder:
            path, estimates = pathlib.Path(folder) / "small.csv", pathlib.Path(folder) / "estimates.csv"
            path.write_text("4,1,no,yes\n1,0\n2,1\n3,0\n4,1\n")
            name = 'radius, in "mm"'
            path.with_suffix(".names").write_text(name + "\n")
            done = run("--quick", "--data", path, "--estimates", estimates)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(list(example_program.read_estimates(estimates)), ["intercept", name])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
