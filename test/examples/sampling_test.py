#!/usr/bin/env python3
"""Runs the programs that sample: posterior means against numpyro's, files, messages, exit codes, Ctrl-C.

usage: sampling_test.py SAMPLE_LOGISTIC SAMPLE_HIERARCHICAL DATA_FOLDER CLASS...
"""
import csv
import fcntl
import math
import os
import pathlib
import re
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

LOGISTIC, HIERARCHICAL, DATA = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])


def read_draws(path):
    """Names and columns of a file of draws, and its comments."""
    lines = pathlib.Path(path).read_text().splitlines()
    rows = list(csv.reader(line for line in lines if not line.startswith("#")))
    columns = list(zip(*([float(x) for x in row] for row in rows[1:]))) or [()] * len(rows[0])
    return dict(zip(rows[0], columns)), [line for line in lines if line.startswith("#")]


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_program(self, program, *arguments):
        output = [] if "--output" in arguments else ["--output", str(self.folder / "draws")]
        return subprocess.run([program, *output, *map(str, arguments)],
                              capture_output=True, text=True, timeout=1500)

    def draws(self, chain):
        return read_draws(self.folder / f"draws_{chain}.csv")

    def fails(self, done, *expected):
        self.assertEqual(done.returncode, 1, done.stdout)
        for part in expected:
            self.assertIn(part, done.stderr)

    def assert_means_agree(self, table, reference):
        """Means in the printed table, within five joint standard errors of those of an independent sampler."""
        rows = {line.split()[0]: line.split()[1:] for line in table.splitlines() if re.match(r"^[a-z_]+[.\d]* +-?\d", line)}
        with open(DATA / reference, newline="") as file:
            expected = list(csv.DictReader(file))
        self.assertGreater(len(expected), 30)
        self.assertIn(expected[-1]["name"], rows)
        for row in expected:
            mean, mcse, sd = (float(x) for x in rows[row["name"]][:3])
            error = math.hypot(mcse, float(row["mcse"]))
            self.assertLess(abs(mean - float(row["mean"])), 5 * error + 1e-4 * abs(mean), row["name"])
            self.assertLess(abs(math.log(sd / float(row["sd"]))), 0.25, row["name"])


class Logistic(Case):
    def test_posterior_of_breast_cancer_is_that_of_numpyro(self):
        done = self.run_program(LOGISTIC, "--data", "breast_cancer", "--warmup", 500, "--draws", 400, "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")
        self.assert_means_agree(done.stdout, "breast_cancer_posterior.csv")
        self.assertIn("model     P(benign) = inv_logit(", done.stdout)
        self.assertIn("prior     alpha and every beta ~ normal(0, 2.5)\n", done.stdout)
        self.assertRegex(done.stdout, r"(?m)^beta.2 .*  mean texture$")
        together = float(re.search(r"of ([\d.]+) chains each", done.stdout).group(1))
        self.assertGreater(together, 2)
        columns, comments = self.draws(4)
        self.assertEqual(len(columns["beta.30"]), 400)
        self.assertIn("# Adaptation terminated", comments)
        self.assertEqual(list(columns)[:7], ["lp__", "accept_stat__", "stepsize__", "treedepth__", "n_leapfrog__",
                                             "divergent__", "energy__"])

    def test_a_chain_draws_the_same_numbers_alone_and_among_others(self):
        data = ["-n", 200, "-k", 3, "--warmup", 100, "--draws", 60, "--columns", 4, "--seed", 9]
        self.assertEqual(self.run_program(LOGISTIC, *data, "--chains", 4).returncode, 0)
        together, _ = self.draws(1)
        self.assertEqual(self.run_program(LOGISTIC, *data, "--chains", 1).returncode, 0)
        alone, _ = self.draws(1)
        self.assertEqual(together, alone)
        # the model that made the data
        for name, truth in [("alpha", 1), ("beta.1", 3), ("beta.2", -2), ("beta.3", 0)]:
            sd = statistics.stdev(alone[name])
            self.assertLess(abs(statistics.mean(alone[name]) - truth), 5 * sd, name)

    def test_progress_goes_to_stderr_and_thinning_keeps_some(self):
        done = self.run_program(LOGISTIC, "-n", 50, "-k", 2, "--chains", 1, "--warmup", 20, "--draws", 10, "--thin", 3)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("chain 1: 30 of 30 iterations", done.stderr)
        self.assertNotIn("iterations", done.stdout)
        self.assertEqual(len(self.draws(1)[0]["alpha"]), 4)

    def on_terminal(self, rows, columns, *arguments):
        """What a run prints on a terminal of that size, stderr alone."""
        ours, theirs = os.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        done = subprocess.Popen([LOGISTIC, "--output", str(self.folder / "draws"), "-n", "50", "-k", "2", "--prior-scale",
                                 "1", *arguments], stdout=subprocess.DEVNULL, stderr=theirs)
        os.close(theirs)
        shown = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # Linux says so at the end
                break
            if not part:
                break
            shown += part
        os.close(ours)
        self.assertEqual(done.wait(), 0)
        return shown.decode()

    def test_bars_fit_the_terminal(self):
        for columns, bar in ((120, 40), (80, 38), (60, 18), (20, 0)):
            shown = self.on_terminal(24, columns, "--chains", "2", "--warmup", "200", "--draws", "200")
            lines = re.findall(r"\r(.*?)\x1b\[K", shown)
            self.assertTrue(lines[-1].startswith("chain  2 ["[:columns - 1]), lines[-1])
            self.assertLess(max(map(len, lines)), columns)
            self.assertEqual(lines[-1].count("#"), bar, lines[-1])

    def test_without_a_row_for_each_chain_there_are_no_bars(self):
        shown = self.on_terminal(3, 80, "--chains", "3", "--warmup", "20", "--draws", "20")
        self.assertIn("chain 3: 40 of 40 iterations", shown)
        self.assertNotIn("\x1b", shown)

    def test_kernels_are_printed_where_wanted(self):
        done = self.run_program(LOGISTIC, "-n", 50, "-k", 2, "--chains", 1, "--warmup", 20, "--draws", 5, "--kernels")
        self.assertIn("kernel __attribute__", done.stdout)
        self.assertIn("log1p_exp", done.stdout)


class Interrupted(Case):
    def test_what_was_drawn_is_written_and_summarised(self):
        process = subprocess.Popen([LOGISTIC, "-n", "200", "-k", "3", "--warmup", "50", "--draws", "100000000", "--thin",
                                    "100", "--output", str(self.folder / "draws"), "--chains", "2"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        path = self.folder / "draws_1.csv"
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and not (path.exists() and path.read_text().count("\n") > 60):
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, errors)
        kept = [len(self.draws(chain)[0]["alpha"]) for chain in (1, 2)]
        self.assertIn(f"interrupted: the draws made so far are written (of 1000000 a chain: {kept[0]}, {kept[1]})", errors)
        self.assertIn("R-hat", out)
        for chain in (1, 2):
            columns, comments = self.draws(chain)
            self.assertGreater(len(columns["alpha"]), 0)
            self.assertEqual(len(columns["alpha"]), len(columns["lp__"]))
            self.assertTrue(any("Elapsed Time" in line for line in comments))


    def test_before_the_first_draw_it_is_said_that_there_are_none(self):
        process = subprocess.Popen([LOGISTIC, "-n", "200", "-k", "3", "--warmup", "100000000", "--quiet", "--output",
                                    str(self.folder / "draws")], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and not (self.folder / "draws_4.csv").exists():
            time.sleep(0.1)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 130, errors)
        self.assertIn("interrupted before the first draw that is kept: the files hold none", errors)


class Failures(Case):
    def test_a_folder_that_cannot_be_written(self):
        done = subprocess.run([LOGISTIC, "--output", "/no/such/folder/x"], capture_output=True, text=True, timeout=60)
        self.fails(done, "cannot write /no/such/folder/x_1.csv: No such file or directory")
        self.assertEqual(len(done.stderr.splitlines()), 1)

    def test_options_without_effect_are_refused(self):
        for option in ("--rows", "--features", "--data-seed"):
            self.fails(self.run_program(LOGISTIC, "--data=breast_cancer", option, 5), option, "--data is given")
        for option in ("--columns=2", "--device=x", "--kernels"):
            self.fails(self.run_program(LOGISTIC, "--on-host", option), option.split("=")[0], "--on-host is given")

    def test_data_are_not_written_over(self):
        data = self.folder / "draws_1.csv"
        text = "4,1,bad,good\n1,0\n2,1\n3,0\n4,1\n"
        data.write_text(text)
        self.fails(self.run_program(LOGISTIC, "--data", data), "the draws of chain 1 would be written over the data")
        self.fails(self.run_program(LOGISTIC, "--data", data, "--output", "x", "--timings", data),
                   "--timings", "is the data")
        self.assertEqual(data.read_text(), text)

    def test_a_full_disk(self):
        (self.folder / "draws_1.csv").symlink_to("/dev/full")
        done = self.run_program(LOGISTIC, "-n", 50, "-k", 2)
        self.fails(done, "draws_1.csv: No space left on device")

    def test_data_that_cannot_be_read(self):
        path = self.folder / "data.csv"
        for program, text, message in [
                (LOGISTIC, "2,2,bad,good\n1,2,0\n3,x7,1\n", "line 3, column 2: 'x7' is not a number"),
                (LOGISTIC, "3,1,bad,good\n1e200,0\n-1e200,1\n3e200,0\n", "column 1: its numbers are too far apart"),
                (LOGISTIC, "3,1,bad,good\n1e-200,0\n2e-200,1\n3e-200,0\n", "column 1: its numbers are too far apart"),
                (HIERARCHICAL, "2,2,visits\n1,1,0\n3,1.5,1\n", "line 3, column 2: expected a group, counted from 1, found 1.5\n"),
                (HIERARCHICAL, "2,2,visits\n\n1,1,-1\n3,2,1\n", "line 3, column 3: expected a count, found -1\n"),
                (HIERARCHICAL, "2,1,visits\n1,1\n2,0\n", "expected at least one feature beside the group")]:
            path.write_text(text)
            self.fails(self.run_program(program, "--data", path), str(path), message)
        self.fails(self.run_program(LOGISTIC, "--data", self.folder / "none"), "cannot open", "No such file")

    def test_a_byte_order_mark_is_passed_over(self):
        path = self.folder / "data.csv"
        path.write_bytes(b"\xef\xbb\xbf3,1,bad,good\r\n1,0\r\n2,7\r\n3,1\r\n")
        self.fails(self.run_program(LOGISTIC, "--data", path), "line 3, column 2: expected the class, 0 or 1, found '7'")

    def test_a_posterior_that_is_improper(self):
        """Separable classes and a flat prior: nothing hangs, and the summary says that something is wrong."""
        path = self.folder / "data.csv"
        path.write_text("4,1,bad,good\n1,0\n2,0\n3,1\n4,1\n")
        done = self.run_program(LOGISTIC, "--data", path, "--prior-scale", 0, "--warmup", 30, "--draws", 20, "--depth", 6)
        self.assertIn(done.returncode, (0, 1))
        self.assertTrue("R-hat above 1.01" in done.stdout or "improper" in done.stderr, done.stdout + done.stderr)

    def test_wrong_arguments(self):
        for arguments in (["--chains", "0"], ["--delta", "1"], ["--depth", "30"], ["--thin", "none"], ["--no-such"],
                          ["--seed", "-1"], ["--seed", "18446744073709551616"], ["--data-seed", "-1"], ["--prior-scale", "nan"],
                          ["--prior-scale", "-1"], ["--prior-scale", "inf"]):
            self.fails(self.run_program(LOGISTIC, *arguments), arguments[0])

    def test_a_file_has_a_name(self):
        for option in ("--output", "--timings", "--data"):
            done = subprocess.run([LOGISTIC, option, ""], capture_output=True, text=True, timeout=60, cwd=self.folder)
            self.fails(done, f"{option}: may not be empty")
            self.assertEqual(list(self.folder.iterdir()), [])

    def test_numbers_that_would_become_others(self):
        for option in ("--seed", "--data-seed"):
            for given in ("-1", "18446744073709551616", "1e3", "7x"):
                done = self.run_program(LOGISTIC, "--on-host", f"{option}={given}")
                self.assertEqual(done.returncode, 1)
                self.assertIn(f"{option}: '{given}' is not a whole number", done.stderr)
        self.fails(self.run_program(LOGISTIC, "--on-host", "--prior-scale=1e-200"), "--prior-scale must be 0 or")

    def test_help_lists_the_options(self):
        for program in (LOGISTIC, HIERARCHICAL):
            done = self.run_program(program, "--help")
            self.assertEqual(done.returncode, 0)
            for option in ("--chains", "--warmup", "--draws", "--seed", "--delta", "--depth", "--output", "--thin",
                           "--columns", "--device", "--data", "--kernels", "--quiet"):
                self.assertIn(option, done.stdout)


class Hierarchical(Case):
    def test_a_short_run(self):
        """Of some rows only; RandHealthInsurance takes all."""
        lines = (DATA / "randhie.csv").read_text().splitlines()
        path = self.folder / "some.csv"
        path.write_text("\n".join(["300,9,doctor visits", *lines[1:15001:50]]) + "\n")
        path.with_suffix(".names").write_text((DATA / "randhie.names").read_text())
        done = self.run_program(HIERARCHICAL, "--data", path, "--warmup", 200, "--draws", 100, "--chains", 2, "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        columns, _ = self.draws(2)
        self.assertEqual(len(columns["tau"]), 100)
        self.assertGreater(min(columns["tau"]), 0)
        self.assertIn("beta.8", columns)

    def test_one_group_is_one(self):
        path = self.folder / "one.csv"
        path.write_text("5,2,visits\n1,1,0\n2,1,3\n3,1,1\n4,1,5\n5,1,2\n")
        done = self.run_program(HIERARCHICAL, "--data", path, "--warmup", 50, "--draws", 20, "--chains", 1, "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1 group,", done.stdout)
        self.assertIn("alpha.1", self.draws(1)[0])


class RandHealthInsurance(Case):
    def test_posterior_is_that_of_numpyro(self):
        done = self.run_program(HIERARCHICAL, "--warmup", 400, "--draws", 250, "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_means_agree(done.stdout, "randhie_posterior.csv")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[4:]])
