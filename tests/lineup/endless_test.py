#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An operation that never ends where another one interrupts it is stuck (Line-Up, section 2.3), or
the test is undecided. It never passes, and the answer comes soon.

    endless_test.py PLUMB
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

PLUMB = ""
SUBJECT = pathlib.Path(__file__).with_name("endless_subject.cpp")
WAYS = re.findall(r'if \(how == "(.*?)"\)', SUBJECT.read_text(encoding="utf-8"))
SECONDS = 100  # on a busy machine


def run(way, *options):
    return subprocess.run([PLUMB, "test", str(SUBJECT), *options, "--hang", "2"], env=dict(os.environ, ENDLESS=way),
                          capture_output=True, text=True, timeout=SECONDS, check=False)


class Endless(unittest.TestCase):
    def test_there_are_many_ways(self):
        self.assertGreater(len(WAYS), 20)

    def test_the_least_test_never_passes(self):
        for way in WAYS:
            with self.subTest(way=way):
                ran = run(way, "--test", "inc | inc", "--json")
                self.assertIn(ran.returncode, (1, 2), ran.stdout + ran.stderr)
                report = json.loads(ran.stdout)
                self.assertIn(report["verdict"], ("violation", "undecided"))

    def test_a_campaign_says_which_operation(self):
        ran = run("adds", "--operations", "3", "--random", "3", "--size", "2x2")
        self.assertEqual(ran.returncode, 2, ran.stdout + ran.stderr)
        self.assertRegex(ran.stdout, r"inc\(\) took \d+ steps and did not return, the last at endless_subject.cpp:\d+")

    def test_without_interruption_it_passes(self):
        self.assertEqual(run("adds", "--test", "inc, inc | get").returncode, 0)


if __name__ == "__main__":
    PLUMB = sys.argv.pop(1)
    unittest.main()
