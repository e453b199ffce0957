#!/usr/bin/env python3
"""Runs bench/paper_figures.py at the smallest sizes: every figure has its numbers, a second run measures nothing.

usage: paper_figures_test.py BUILD_FOLDER
"""
import argparse
import contextlib
import csv
import io
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv[1])
SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "bench/paper_figures.py"
NO_MATPLOTLIB = 77
sys.path.insert(0, str(SCRIPT.parent))
import paper_figures  # noqa: E402: found by the line above

LINES = {
    "cholesky_speedup": {"Cholesky decomposition", "its gradient", "both"},
    "logistic_by_n_times": {"device, 1 chain", "host (Eigen), 1 chain", "device, 4 chains", "host (Eigen), 4 chains"},
    "logistic_by_n_speedup": {"1 chain", "4 chains"},
    "logistic_by_k_times": {"device, 1 chain", "host (Eigen), 1 chain", "device, 4 chains", "host (Eigen), 4 chains"},
    "logistic_by_k_speedup": {"1 chain", "4 chains"},
    "gaussian_process_times": {"device, 1 chain", "host (Eigen), 1 chain"},
    "gaussian_process_speedup": {"1 chain"},
    "one_pass": {"1 chain", "4 chains"},
    "share_of_floor": {"1 chain", "4 chains"},
    "evaluations_by_n": {"FuseCL", "reading X once"},
    "evaluations_by_k": {"FuseCL", "reading X once"},
    "chains_together": {"n = 1000, k = 10"},
    "value_and_gradient": {"Gaussian process", "logistic, k = 10, 1 chain", "logistic, k = 10, 4 chains"},
    "unfused": {"logistic", "poisson", "student_t"},
}


def run(folder, *arguments):
    return subprocess.run([sys.executable, SCRIPT, "--build", BUILD, "--out", folder, "--quick", "--smallest",
                           *arguments], capture_output=True, text=True, timeout=800)


class SmallestSizes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        cls.done = run(cls.path)
        cls.drawn = cls.done.returncode != NO_MATPLOTLIB

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_succeeds(self):
        self.assertIn(self.done.returncode, (0, NO_MATPLOTLIB), self.done.stdout + self.done.stderr)
        self.assertNotIn("failed", self.done.stdout)

    def test_every_figure_has_its_numbers(self):
        for name, lines in LINES.items():
            with self.subTest(name), open(self.path / f"{name}.csv", newline="") as file:
                rows = list(csv.reader(file))[1:]
                self.assertEqual({row[0] for row in rows}, lines)
                self.assertTrue(all(float(row[2]) > 0 for row in rows))

    def test_points_of_regressions_say_their_shape(self):
        with open(self.path / "unfused.csv", newline="") as file:
            self.assertEqual({row["note"] for row in csv.DictReader(file)}, {"1000 x 5"})

    def floor_of_the_process(self, folder):
        """The name of the line and its points."""
        with open(folder / "evaluations_of_the_process.csv", newline="") as file:
            rows = list(csv.reader(file))[1:]
        floor = [row for row in rows if row[0] != "FuseCL"]
        self.assertEqual([row[1] for row in floor], ["64", "128"])
        self.assertEqual(len(rows), 4)
        return floor[0][0], [float(row[2]) for row in floor]

    def test_the_process_has_its_floor_at_the_rate_of_a_product(self):
        name, points = self.floor_of_the_process(self.path)
        rate = float(re.fullmatch(r"factor and inverse at (\S+) TFLOP/s", name)[1])
        for n, point in zip((64, 128), points):
            self.assertAlmostEqual(point * rate * 1e6 / n**3, 1, delta=0.01)

    def test_the_process_has_its_floor_at_the_rate_that_is_told(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(self.path / "measured", pathlib.Path(folder) / "measured")
            done = run(folder, "--only", "process", "--tflops", "0.5")
            self.assertIn(done.returncode, (0, NO_MATPLOTLIB), done.stderr)
            name, points = self.floor_of_the_process(pathlib.Path(folder))
            self.assertEqual(name, "factor and inverse at 0.5 TFLOP/s")
            # n^3 / 3 + 2 n^3 / 3 operations
            self.assertEqual(points, [0.524288, 4.1943])
            self.assertEqual(run(folder, "--tflops", "0").returncode, 2)

    def test_later_carbon_dioxide_is_plausible(self):
        with open(self.path / "co2.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 240)
        self.assertTrue(all(300 < float(row["mean"]) < 500 and float(row["sd"]) > 0 for row in rows))

    def test_every_figure_is_drawn(self):
        if not self.drawn:
            self.skipTest("matplotlib is not installed")
        for name in [*LINES, "co2"]:
            self.assertIn("<svg", (self.path / f"{name}.svg").read_text())

    def test_a_second_run_measures_nothing_and_draws_the_same(self):
        before = {path.name: path.read_bytes() for path in self.path.glob("*.*")}
        again = run(self.path)
        self.assertEqual(again.returncode, self.done.returncode)
        self.assertNotIn("...", again.stdout)
        self.assertEqual({path.name: path.read_bytes() for path in self.path.glob("*.*")}, before)

    def test_a_run_of_one_part_keeps_the_lines_of_others(self):
        for part in ("logistic", "process"):
            with self.subTest(part), tempfile.TemporaryDirectory() as folder:
                copy = pathlib.Path(folder) / "figures"
                shutil.copytree(self.path, copy)
                done = run(copy, "--only", part)
                self.assertIn(done.returncode, (0, NO_MATPLOTLIB), done.stderr)
                name = "value_and_gradient.csv"
                self.assertEqual((copy / name).read_text(), (self.path / name).read_text())

    def test_without_time_it_draws_what_there_is(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run(folder, "--minutes", "0")
            self.assertIn(done.returncode, (0, NO_MATPLOTLIB), done.stderr)
            self.assertIn("nothing measured", done.stdout)

    def test_programs_that_are_missing_are_said(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, SCRIPT, "--build", folder, "--out", folder, "--quick", "--smallest"],
                                  capture_output=True, text=True, timeout=100)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, r"\Apaper_figures.py: .*/bench/bench_paper is missing: .*\n\Z")
            self.assertEqual(done.stdout, "")


class HostRuns(unittest.TestCase):
    """Of a program that does nothing but write its timings."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        program = self.folder / "examples/quick"
        program.parent.mkdir()
        program.write_text("#!/bin/sh\necho '{}' > timings0.json\n")
        program.chmod(0o755)

    def run_for(self, minutes, estimate):
        """What is known of a run that is expected to take so many seconds, by a script that has so many minutes."""
        measured = paper_figures.Measured(argparse.Namespace(out=self.folder, build=self.folder, again=False,
                                                             piece_seconds=60, tflops=None, minutes=minutes))
        with contextlib.redirect_stdout(io.StringIO()):
            return measured.run("quick", ["--on-host"], 1, 3, estimate)

    def left_out(self):
        return [json.loads(path.read_text()).get("left_out") for path in (self.folder / "measured").iterdir()]

    def test_one_too_long_for_the_time_that_is_left_is_measured_by_the_next_script(self):
        self.assertIsNone(self.run_for(0.5, 40))
        self.assertEqual(self.left_out(), [])
        self.assertEqual(len(self.run_for(5, 40)["seconds"]), 1)

    def test_one_too_long_for_a_piece_is_left_out_for_good(self):
        self.assertIsNone(self.run_for(5, 100))
        self.assertEqual(self.left_out(), ["about 100 s"])

    def test_it_is_repeated_as_often_as_a_piece_has_time(self):
        self.assertEqual(len(self.run_for(0.8, 25)["seconds"]), 2)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
