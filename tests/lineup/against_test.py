#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""against_test.py PLUMB: objects against a class that says what is right."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

PLUMB = ""
HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "../../examples/objects")
SUBJECT = os.path.join(HERE, "against_subject.cpp")
SMALL = ["--operations", "3", "--threads", "2", "--random", "0"]


def run(*options, case="", file=SUBJECT):
    return subprocess.run([PLUMB, "test", file, "--flag=-I" + EXAMPLES, *options], env=dict(os.environ, CASE=case),
                          text=True, capture_output=True, timeout=300, check=False)


def shell(command, case=""):
    return subprocess.run(["sh", "-c", command], env=dict(os.environ, CASE=case), text=True, capture_output=True,
                          timeout=300, check=False)


def again(text):
    return text.partition("  Replay: ")[2].splitlines()[0]


class Against(unittest.TestCase):
    def holds(self, case, *options):
        got = run(*SMALL, *options, case=case)
        self.assertEqual(got.returncode, 0, got.stdout + got.stderr)
        self.assertIn(": every observed history is explained by SimpleQueue", got.stdout)

    def fails(self, case, *options):
        got = run(*SMALL, *options, case=case)
        self.assertEqual(got.returncode, 1, got.stdout + got.stderr)
        return got.stdout

    def test_a_right_class_holds(self):
        self.holds("right")

    def test_a_wrong_class_is_shown_shrunk_and_replayed(self):
        text = self.fails("ticket")
        self.assertIn("TicketQueue is not linearizable (", text)
        self.assertIn("Test: push(1), try_pop() | push(1)\n  with 1 preemption\n", text)
        self.assertIn("No serial order of SimpleQueue gives these results.", text)
        got = shell(again(text), case="ticket")
        self.assertEqual(got.returncode, 1, got.stderr)
        self.assertIn("No serial order of SimpleQueue gives these results.", got.stdout)

    def test_json_names_the_specification(self):
        for case, verdict in (("ticket", "violation"), ("right", "holds")):
            report = json.loads(run(*SMALL, "--json", case=case).stdout)
            self.assertEqual((report["specification"], report["verdict"]), ("SimpleQueue", verdict))

    def test_what_differs_serially_needs_no_preemption(self):
        example = os.path.join(EXAMPLES, "small_stack.cpp")
        # The second: only where a thread comes between two operations of the other.
        between = "push(1), push(1), try_pop() | push(1), try_pop()"
        for options in ([], ["--preemptions", "0", "--no-shrink", "--test", between]):
            got = run(*options, file=example)
            self.assertEqual(got.returncode, 1, got.stdout + got.stderr)
            self.assertIn("SmallStack does not do what SimpleStack does, even serially", got.stdout)
            self.assertIn("\n  serially\n", got.stdout)
            repeated = shell(again(got.stdout))
            self.assertIn(" --serial --replay ", again(got.stdout))
            self.assertEqual(repeated.returncode, 1, repeated.stderr)
            self.assertIn("even serially", repeated.stdout)
        with tempfile.NamedTemporaryFile("w", suffix=".json") as report:
            report.write(run("--json", file=example).stdout)
            report.flush()
            repeated = subprocess.run([PLUMB, "replay", report.name, "--trust"], text=True, capture_output=True,
                                      timeout=300, check=False)
            self.assertEqual(repeated.returncode, 1, repeated.stderr)
            self.assertIn("even serially", repeated.stdout)

    def test_a_reference_that_lacks_something_is_refused(self):
        for case, lacks in (("no method", "no method 'front'"),
                            ("no values", "no push(2): both need the same plumb::values(...)")):
            got = run(case=case)
            self.assertEqual((got.returncode, got.stdout), (65, ""), case)
            self.assertEqual(got.stderr.count("\n"), 1, got.stderr)
            self.assertIn("LockedQueue is tested against SimpleQueue, which has " + lacks, got.stderr)
        self.holds("no method", "--without", "front")
        got = run("--without", "front", "--test", "push(1) | front", case="no method")
        self.assertEqual(got.returncode, 65, got.stdout)

    def test_where_the_reference_blocks_the_object_may(self):
        self.holds("blocks")
        self.holds("waits")
        text = self.fails("sleepy")
        self.assertIn("SleepyQueue does not do what SimpleQueue does, even serially", text)
        self.assertIn("never returns, but it blocks in no serial order of SimpleQueue", text)

    def test_exceptions_are_results(self):
        self.holds("throws")
        text = self.fails("throws not")
        self.assertIn("throws std::out_of_range", text)

    def test_choices_of_the_reference_are_allowed_if_that_is_said(self):
        for case in ("any int", "any size"):
            self.holds(case, "--allow-nondeterminism", "pop")
            text = self.fails(case)
            self.assertIn("SimpleQueue, against which LockedQueue is tested, is not deterministic, even serially", text)
            self.assertIn("In SimpleQueue, after ", text)
            self.assertNotIn("impossible", text)

    def test_operations_that_may_fail(self):
        self.holds("may fail")
        self.assertIn("No serial order of SimpleQueue", self.fails("at once"))

    def test_counts_that_may_be_weak(self):
        self.holds("weak count")
        self.assertIn("No serial order of SimpleQueue", self.fails("count"))

    def test_effects_that_may_come_later(self):
        self.holds("asynchronous", "--preemptions", "1")
        self.assertIn("No serial order of SimpleQueue", self.fails("later", "--preemptions", "1"))

    def test_a_mistake_in_the_reference_is_said_to_be_there(self):
        text = self.fails("asserts")
        self.assertIn("SimpleQueue, against which LockedQueue is tested: an assertion fails", text)
        self.assertIn("!items.empty()", text)
        self.assertNotIn("Replay:", text)

    def test_observations_are_those_of_the_reference(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "seen.xml")
            options = ["--test", "push(1), try_pop | push(2)", "--observations", file]
            for _ in range(2):  # written, then read
                got = run(*options, case="right")
                self.assertEqual(got.returncode, 0, got.stdout + got.stderr)
                got = run(*options, case="ticket")
                self.assertEqual(got.returncode, 1, got.stdout + got.stderr)

    def test_another_specification_may_be_asked_for(self):
        got = run(*SMALL, "--spec", "stack", "--json", case="right")
        self.assertEqual((got.returncode, json.loads(got.stdout)["specification"]), (1, "stack"), got.stderr)
        got = run(*SMALL, "--serial", "--spec", "stack", case="right")
        self.assertEqual(got.returncode, 1, got.stdout)
        self.holds("right", "--serial")

    def test_results_that_do_not_fit_the_specification_are_wrong_usage(self):
        for case, spec, message, remedy in (
                ("push returns a boolean", "queue",
                 "push of LockedQueue returns a boolean, but enq of queue returns nothing", "drops the result"),
                ("push returns a boolean", "stack",
                 "push of LockedQueue returns a boolean, but push of stack returns nothing", "drops the result"),
                ("pop returns nothing", "queue",
                 "pop of LockedQueue returns nothing, but deq of queue returns the oldest element or empty",
                 "returns it")):
            with self.subTest(case=case, spec=spec):
                got = run(*SMALL, "--spec", spec, case=case)
                self.assertEqual(got.returncode, 64, got.stdout + got.stderr)
                self.assertIn(message, got.stderr)
                self.assertIn("describe a lambda that " + remedy, got.stderr)
        self.assertEqual(run(*SMALL, "--spec", "queue", case="results fit").returncode, 0)
        # What is left out need not fit, and without a specification nothing need.
        got = run(*SMALL, "--spec", "queue", "--without", "push", case="push returns a boolean")
        self.assertEqual(got.returncode, 0, got.stdout + got.stderr)
        self.assertEqual(run(*SMALL, case="push returns a boolean").returncode, 0)

    def test_in_code_the_report_shows_what_to_paste(self):
        got = run(" ".join(SMALL), case="in code")
        self.assertEqual(got.returncode, 1, got.stdout + got.stderr)
        line = got.stdout.partition("  As a test: plumb::test(...).options(\"")[2].splitlines()[0]
        self.assertTrue(line.startswith("--test 'push(1), try_pop() | push(1)' --preemptions 1 --first 2,"), got.stdout)
        got = run(line[:-2], case="in code")
        self.assertEqual(got.returncode, 1, got.stdout + got.stderr)
        self.assertIn("(1 test, ", got.stdout)


    def test_in_googletest(self):
        got = run("--link=-lgtest_main", "--link=-lgtest", file=os.path.join(HERE, "against_gtest.cpp"))
        self.assertEqual(got.returncode, 1, got.stdout + got.stderr)
        self.assertIn("No serial order of SimpleQueue gives these results.", got.stdout)
        self.assertIn("  As a test: plumb::test(...).options(\"--test 'push(1), try_pop() | push(1)' "
                      "--preemptions 1 --first 2,1:4,2", got.stdout)
        self.assertIn("VIOLATION  TicketQueue.Pasted: TicketQueue is not linearizable (1 test, ", got.stdout)
        self.assertIn("[       OK ] SimpleQueue.AgainstItself", got.stdout)
        self.assertIn(" 2 FAILED TESTS", got.stdout)


def main():
    global PLUMB
    PLUMB = os.path.abspath(sys.argv.pop(1))
    unittest.main()


if __name__ == "__main__":
    main()
