#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One large test is divided among processes, and the report is that of one process.

    divided_test.py PLUMB
"""
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

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from differences import differences

PLUMB = ""
SUBJECT = pathlib.Path(__file__).with_name("divided_subject.cpp")
TEST = ["--test", "add | add | add | late"]
BOUNDED = [*TEST, "--preemptions", "3"]  # it happens with 3
REDUCED = [*TEST, "--strategy", "dpor"]
SEVERAL = ("2", "3", "5")
MEASURED = re.compile(r"\w*seconds|peak_bytes")


def command(*options):
    return [PLUMB, "test", str(SUBJECT), *options]


def environment(mode, steps=8):
    return dict(os.environ, MODE=mode, STEPS=str(steps))


def run(*options, mode="", steps=8):
    return subprocess.run(command(*options), env=environment(mode, steps), capture_output=True, text=True, timeout=500, check=False)


def without_measured(fields):
    return {name: value for name, value in fields.items() if not MEASURED.fullmatch(name)}


def report(*options, **how):
    """Without what was measured, and the status."""
    ran = run(*options, "--json", **how)
    try:
        return dict(json.loads(ran.stdout, object_hook=without_measured), status=ran.returncode)
    except json.JSONDecodeError as error:
        raise AssertionError(ran.stdout + ran.stderr) from error


def children(pid):
    found = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as file:
                found += [int(word) for word in file.read().split()]
    except FileNotFoundError:
        pass
    return found


def under_test(process):
    """The processes that run schedules: the program that plumb test has started watches them."""
    return [child for controller in children(process.pid) for child in children(controller)]


def begin_divided(*options, mode=""):
    """Runs, and several processes work on the test."""
    process = subprocess.Popen(command(*options), env=environment(mode), text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    end = time.monotonic() + 300
    while len(under_test(process)) < 2:
        if process.poll() is not None or time.monotonic() > end:
            raise AssertionError("it is not divided: " + "".join(process.communicate(timeout=10)))
        time.sleep(0.005)
    return process


class SameReport(unittest.TestCase):
    def compare(self, *options, verdict, **how):
        one = report(*options, "--jobs", "1", **how)
        self.assertEqual(one["verdict"], verdict, one)
        for jobs in SEVERAL:
            with self.subTest(options=options, jobs=jobs, **how):
                found = list(differences(one, report(*options, "--jobs", jobs, **how)))
                self.assertEqual(found, [])
        return one

    def test_nothing_is_found(self):
        self.assertEqual(self.compare(*BOUNDED, verdict="holds")["scope"]["executions"], 293544)

    def test_partial_order_reduction(self):
        self.compare(*REDUCED, steps=3, verdict="holds")
        self.compare(*REDUCED, "--max-executions", "60000", verdict="undecided")

    def test_the_usual_plan(self):
        self.compare(*TEST, verdict="holds")

    def test_random_schedules(self):
        for strategy in ("random", "pct", "pos"):
            self.compare(*TEST, "--strategy", strategy, "--max-executions", "60000", verdict="holds")

    def test_a_late_violation(self):
        self.compare(*BOUNDED, "--no-shrink", mode="wrong", verdict="violation")

    def test_the_first_violation(self):
        for mode in ("throws", "asserts", "crashes", "races"):
            self.compare(*BOUNDED, "--no-shrink", mode=mode, verdict="violation")
        self.compare(*BOUNDED, mode="wrong", verdict="violation")

    def test_the_first_violation_by_partial_order_reduction(self):
        for mode in ("wrong", "asserts", "crashes"):
            self.compare(*REDUCED, "--no-shrink", mode=mode, steps=3, verdict="violation")

    def test_all_violations(self):
        self.compare(*BOUNDED, "--all-histories", "--no-shrink", mode="wrong", verdict="violation")
        self.compare(*BOUNDED, "--keep-going", "--no-shrink", mode="races", verdict="violation")

    def test_a_hang_is_found_after_what_comes_before_it(self):
        self.compare(*BOUNDED, "--no-shrink", "--hang", "3", mode="hangs", verdict="violation")

    def test_an_operation_that_does_not_return(self):
        self.compare(*BOUNDED, "--no-shrink", mode="is endless", verdict="undecided")

    def test_the_limit_of_executions(self):
        for limit in ("100000", "200000"):
            self.compare(*BOUNDED, "--max-executions", limit, verdict="undecided")


    def test_the_last_tests_of_a_campaign(self):
        small = [word for n in range(1, 4) for word in ("--test", " | ".join(["add"] * n))]
        self.compare(*BOUNDED, *small, "--keep-going", "--no-shrink", mode="wrong", verdict="violation")
        self.compare("--operations", "3", "--random", "3", "--size", "1x4", "--preemptions", "3", verdict="holds")


class Cut(unittest.TestCase):
    def test_the_time(self):
        for mode in ("", "wrong"):
            ran = run(*BOUNDED, "--timeout", "1.5", "--jobs", "3", "--no-shrink", mode=mode)
            self.assertIn(ran.returncode, (0, 2) if mode == "" else (1, 2), ran.stdout + ran.stderr)

    def test_an_interrupt(self):
        process = begin_divided(*BOUNDED, "--jobs", "3")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 130, out + err)
        self.assertEqual(under_test(process), [])

    def test_a_worker_is_killed(self):
        process = begin_divided(*BOUNDED, "--jobs", "3")
        os.kill(under_test(process)[-1], signal.SIGKILL)
        out, err = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 2, out + err)
        self.assertIn("was killed (signal 9)", out)

    def test_the_code_kills_itself(self):
        ran = run(*BOUNDED, "--jobs", "3", "--no-shrink", mode="is killed")
        self.assertEqual(ran.returncode, 2, ran.stdout + ran.stderr)
        self.assertIn("was killed (signal 9)", ran.stdout)

    def test_a_saved_run_is_resumed(self):
        with tempfile.TemporaryDirectory() as folder:
            save = ["--save", os.path.join(folder, "kept")]
            process = begin_divided(*BOUNDED, *save, "--jobs", "3")
            process.kill()
            process.communicate(timeout=300)
            again = report(*BOUNDED, *save, "--jobs", "2")
            self.assertEqual(list(differences(report(*BOUNDED, "--jobs", "1"), again)), [])


if __name__ == "__main__":
    PLUMB = sys.argv.pop(1)
    unittest.main()
