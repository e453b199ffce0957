#!/usr/bin/env python3
"""Runs the program that samples Gaussian processes: files, predictions, messages, exit codes, the page that shows it.

usage: sample_gaussian_process_test.py PROGRAM SAMPLE_LOGISTIC DATA_FOLDER
"""
import csv
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM, LOGISTIC, DATA = (pathlib.Path(a).resolve() for a in sys.argv[1:4])
README = pathlib.Path(__file__).resolve().parents[2] / "README.md"
PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/paper_examples.md"


def run(*arguments, program=PROGRAM, **environment):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=300, cwd=folder,
                              env={**os.environ, **environment})
        files = {path.name: path.read_text() for path in pathlib.Path(folder).iterdir()}
    return done, files


SHORT = ("--chains=2", "--warmup=60", "--draws=40", "--quiet")


class CarbonDioxide(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.done, cls.files = run("--process=co2", "--every=5", "--predictions=later.csv", "--months=120",
                                  "--timings=timings.json", *SHORT)

    def test_succeeds(self):
        self.assertEqual(self.done.returncode, 0, self.done.stderr)
        self.assertIn("105 months", self.done.stdout)

    def test_predictions_are_those_of_another_sampler(self):
        # Over few draws: means within half a standard deviation of the prediction, these within a fifth.
        found = list(csv.DictReader(self.files["later.csv"].splitlines()))
        self.assertEqual(len(found), 120)
        with open(DATA / "co2_prediction_reference.csv", newline="") as file:
            for wanted in csv.DictReader(file):
                own = found[int(wanted["months_ahead"]) - 1]
                sd = float(wanted["sd"])
                self.assertAlmostEqual(float(own["mean"]), float(wanted["mean"]), delta=0.5 * sd)
                self.assertAlmostEqual(float(own["sd"]), sd, delta=0.2 * sd)

    def test_timings_tell_the_run(self):
        timings = json.loads(self.files["timings.json"])
        self.assertEqual((timings["chains"], timings["warmup"], timings["draws"]), (2, 60, 40))
        self.assertGreaterEqual(timings["positions"], timings["evaluations"])
        self.assertGreaterEqual(timings["positions"], timings["leapfrogs"])
        self.assertGreater(timings["sampling_seconds"], 0)

    def test_each_chain_has_a_file(self):
        self.assertTrue({"draws_1.csv", "draws_2.csv"} <= set(self.files))
        self.assertIn("trend_scale,trend_length", self.files["draws_1.csv"])


class Regression(unittest.TestCase):
    def test_the_host_samples_the_same_posterior(self):
        means = []
        for where in ((), ("--on-host",)):
            done, _ = run("--n=80", "--chains=2", "--warmup=150", "--draws=200", "--quiet", *where)
            self.assertEqual(done.returncode, 0, done.stderr)
            means.append(float(re.search(r"^sigma +(\S+)", done.stdout, re.MULTILINE).group(1)))
        self.assertAlmostEqual(means[0], means[1], delta=0.01)

    def test_predictions_follow_the_function(self):
        _, files = run("--n=100", "--predictions=f.csv", *SHORT)
        rows = [{k: float(v) for k, v in row.items()} for row in csv.DictReader(files["f.csv"].splitlines())]
        self.assertEqual(len(rows), 241)
        inside = [row["sd"] for row in rows if abs(row["x"]) < 8]
        outside = [rows[0]["sd"], rows[-1]["sd"]]
        self.assertTrue(all(11.5 < abs(row["x"]) < 12 for row in (rows[0], rows[-1])))
        self.assertLess(sorted(inside)[len(inside) // 2], 0.5 * min(outside))


    def test_predictions_lie_about_the_data(self):
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
            file.write("5,1,y\n100,1\n101,2\n102,1.5\n105,0.5\n110,1\n")
            file.flush()
            done, files = run("--data", file.name, "--predictions=f.csv", "--chains=1", "--warmup=20", "--draws=1000",
                              "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        places = [float(row["x"]) for row in csv.DictReader(files["f.csv"].splitlines())]
        self.assertEqual((places[0], places[-1]), (99, 111))
        self.assertIn("predictions of 500 draws of each chain, one in 2, at 241 places written to f.csv", done.stdout)

    def test_priors_and_meanings_are_said(self):
        done, _ = run("--n=20", "--on-host", *SHORT)
        self.assertIn("prior     rho ~ inv_gamma(8.91924, 34.5805)\n", done.stdout)
        self.assertRegex(done.stdout, r"(?m)^sigma .*  standard deviation of the noise, in units of y$")


class Page(unittest.TestCase):
    def test_shows_the_kernels(self):
        small = ("--chains=1", "--warmup=2", "--draws=1", "--depth=1", "--quiet", "--kernels")
        done, _ = run("--n=40", *small, FUSECL_SCHEDULE="gpu")
        if done.stderr:
            self.skipTest("the form for GPUs does not run here: " + done.stderr)
        kernels = done.stdout
        kernels += run("-n1000", "-k10", *small, program=LOGISTIC, FUSECL_SCHEDULE="gpu")[0].stdout
        generated = {line.strip() for line in kernels.splitlines()}
        for page, least in ((PAGE, 10), (README, 5)):
            shown = "".join(re.findall(r"```c\n(.*?)```", page.read_text(), re.DOTALL)).splitlines()
            self.assertGreater(len(shown), least)
            for line in shown:
                if line.strip() != "...":
                    self.assertIn(re.sub(" *//.*", "", line).strip(), generated)


class Errors(unittest.TestCase):
    def fails(self, *arguments):
        done, _ = run(*arguments, *SHORT)
        self.assertEqual(done.returncode, 1)
        return done.stderr

    def test_malformed_data_is_named_with_its_line(self):
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
            file.write("date,co2\n19580329,316.1\n19580405,high\n")
            file.flush()
            errors = self.fails("--process=co2", "--data", file.name)
            self.assertIn(f"{file.name}, line 3, column 2: 'high' is not a number", errors)
            self.assertIn("line 1: expected 'rows,features,name of the outcome'", self.fails("--data", file.name))

    def test_carbon_dioxide_may_have_spaces_and_quotes(self):
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
            file.write('"date","co2"\n19580329, 316.1\n19580405 ,\n"19580412","317.5"\n19580503,317.2\n')
            file.flush()
            done, _ = run("--process=co2", "--data", file.name, "--on-host", *SHORT)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("3 months", done.stdout)

    def test_a_code_for_missing_values_is_no_concentration(self):
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
            file.write("date,co2\n19580329,316.1\n19580405,-99.99\n")
            file.flush()
            self.assertIn("line 3, column 2: a concentration is positive",
                          self.fails("--process=co2", "--data", file.name))

    def test_draws_are_not_written_over(self):
        for option in ("--predictions", "--timings"):
            self.assertIn(f"{option} ./z_1.csv is the file of chain 1's draws",
                          self.fails("--n=20", "--output=z", option, "./z_1.csv"))

    def test_a_line_without_an_end_is_refused(self):
        for process in ("regression", "co2"):
            self.assertIn("/dev/zero, line 1: longer than 64 MiB",
                          self.fails(f"--process={process}", "--data=/dev/zero"))

    def test_a_full_disk_is_said(self):
        self.assertIn("cannot write /dev/full: No space left on device", self.fails("--n=20", "--predictions=/dev/full"))
        self.assertIn("cannot write /dev/full: No space left on device", self.fails("--n=20", "--timings=/dev/full"))

    def test_files_that_cannot_be_written_are_found_before_the_first_draw(self):
        for option in ("--predictions", "--timings"):
            done, _ = run("--n=20", option, "/no/such/folder/f", *SHORT)
            self.assertEqual(done.returncode, 1)
            self.assertIn("cannot write /no/such/folder/f: No such file or directory", done.stderr)
            self.assertNotIn("R-hat", done.stdout)

    def test_a_run_that_fails_leaves_no_empty_predictions(self):
        done, files = run("--n=20", "--predictions=p.csv", "--output=/no/such/folder/f", *SHORT)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(files, {})

    def test_an_interrupted_run_says_that_it_predicts_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.Popen([PROGRAM, "--n=20", "--predictions=p.csv", "--draws=1000000", "--quiet"], cwd=folder,
                                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            last = pathlib.Path(folder) / "draws_4.csv"
            deadline = time.monotonic() + 120
            while time.monotonic() < deadline and not (last.exists() and "# init" in last.read_text()):
                time.sleep(0.1)
            time.sleep(0.5)
            done.send_signal(signal.SIGINT)
            errors = done.communicate(timeout=120)[1]
            self.assertEqual(done.returncode, 130, errors)
            self.assertIn("no predictions are written", errors)
            self.assertFalse((pathlib.Path(folder) / "p.csv").exists())

    def test_predictions_are_not_lost_with_timings(self):
        done, files = run("--n=20", "--predictions=p.csv", "--timings=/dev/full", *SHORT)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(files["p.csv"].count("\n"), 242)

    def test_an_unknown_process_is_an_error(self):
        done, _ = run("--process=weather")
        self.assertEqual(done.returncode, 1)
        self.assertIn("regression", done.stderr)

    def test_options_without_effect_are_refused(self):
        for arguments, refused, why in (
                (("--process=co2", "--n=100"), "--n", "--process is co2"),
                (("--process=co2", "--data-seed=2"), "--data-seed", "--process is co2"),
                (("--every=5",), "--every", "--process is regression"),
                (("--months=5",), "--months", "--process is regression"),
                (("--process=co2", "--months=5"), "--months", "--predictions is not given"),
                (("--data=f.csv", "--n=100"), "--n", "--data is given"),
                (("--on-host", "--kernels"), "--kernels", "--on-host is given"),
                (("--columns=2",), "--columns", "not expected")):
            with self.subTest(arguments):
                errors = self.fails(*arguments)
                self.assertIn(refused, errors)
                self.assertIn(why, errors)

    def test_help_lists_the_options(self):
        done, _ = run("--help")
        self.assertEqual(done.returncode, 0)
        for option in ("--process", "--n", "--every", "--predictions", "--on-host", "--timings", "--chains"):
            self.assertIn(option, done.stdout)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
