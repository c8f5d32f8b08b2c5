#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of a class end with calls that show what is lost.

    observe_test.py PLUMB
"""
import json
import os
import subprocess
import sys
import unittest

PLUMB = ""
SUBJECT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "observe_subject.cpp")
TWO = ("--operations", "2", "--random", "0", "--preemptions", "2")


def plumb(*options):
    return subprocess.run([PLUMB, "test", SUBJECT, *options], capture_output=True, text=True, timeout=300, check=False)


def report(*options):
    ran = plumb("--json", *options)
    if ran.returncode not in (0, 1):
        raise AssertionError(ran.stdout + ran.stderr)
    return json.loads(ran.stdout)


class Observe(unittest.TestCase):
    def test_a_lost_value_is_seen_with_two_operations(self):
        found = report(*TWO)
        self.assertEqual(found["verdict"], "violation")
        self.assertEqual(found["failures"][0]["test"], "push(1) | push(1); post pop(), pop()")
        self.assertEqual(found["scope"]["tests"]["observed_by"], ["pop()"])
        without = report(*TWO, "--observe", "none")
        self.assertEqual(without["verdict"], "holds")
        self.assertEqual(without["scope"]["tests"]["observed_by"], [])

    def test_the_calls_can_be_given(self):
        for options in (["--observe", "pop, pop"], ["--flag=-DBY_HAND"]):
            found = report(*TWO, *options)
            self.assertEqual(found["failures"][0]["test"], "push(1) | push(1); post pop(), pop()", options)
        self.assertEqual(report(*TWO, "--flag=-DBY_HAND", "--observe", "none")["verdict"], "holds")

    def test_calls_that_there_are_not_are_an_error(self):
        ran = plumb("--observe", "poop")
        self.assertEqual((ran.returncode, ran.stdout), (64, ""), ran.stderr)
        self.assertIn("--observe: there is no operation 'poop'", ran.stderr)

    def test_calls_of_the_user_at_the_end_stand_for_them(self):
        self.assertEqual(report(*TWO, "--post", "pop")["scope"]["tests"]["observed_by"], [])

    def test_the_main_thread_makes_no_call_that_is_for_another_and_asks_where_it_is(self):
        found = report("--flag=-DOWNED", "--random", "50", "--preemptions", "1")
        self.assertEqual(found["verdict"], "holds", json.dumps(found)[:2000])
        self.assertEqual(found["scope"]["tests"]["observed_by"], ["pop()"])

    def test_the_number_of_processes_does_not_matter(self):
        ran = [report("--operations", "3", "--random", "40", "--keep-going", "--jobs", jobs) for jobs in "13"]
        tests = [[failure["test"] for failure in one["failures"]] for one in ran]
        self.assertEqual(tests[0], tests[1])
        self.assertEqual(ran[0]["scope"]["executions"], ran[1]["scope"]["executions"])


if __name__ == "__main__":
    PLUMB = sys.argv.pop(1)
    unittest.main()
