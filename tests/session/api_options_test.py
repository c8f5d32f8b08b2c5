#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""api_options_test.py PLUMB: options that the code of a test gives arrive as they are, or are errors."""
import json
import os
import subprocess
import sys
import unittest

PLUMB = os.path.abspath(sys.argv[1])
SUBJECT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "api_subject.cpp")


def run(mode, *options):
    return subprocess.run([PLUMB, "test", SUBJECT, *options], env=dict(os.environ, MODE=mode), text=True,
                          capture_output=True, timeout=300, check=False)


class Typed(unittest.TestCase):
    def report(self, mode, *options):
        got = run(mode, *options, "--json")
        self.assertEqual(got.returncode, 0, got.stdout + got.stderr)
        return json.loads(got.stdout)

    def test_a_test_with_quotes_is_that_test(self):
        for mode in ("matrix", "run matrix"):
            got = run(mode)
            self.assertEqual(got.returncode, 0, got.stdout + got.stderr)
            self.assertRegex(got.stdout, r"^HOLDS .*\(1 test, ")

    def test_the_command_line_counts_more(self):
        got = run("matrix", "--test", 'put("a \\"b\\" \\\\") | get(), get()')
        self.assertEqual(got.returncode, 0, got.stdout + got.stderr)
        self.assertRegex(got.stdout, r"^HOLDS .*\(1 test, ")

    def test_all_kinds_of_values(self):
        scope = self.report("typed")["scope"]
        self.assertEqual(scope["tests"]["seed"], 7)
        self.assertEqual(scope["tests"]["preemptions"], 1)
        self.assertEqual(self.report("typed", "--seed", "9")["scope"]["tests"]["seed"], 9)
        self.assertLess(scope["executions"], self.report("typed", "--operations", "3")["scope"]["executions"])

    def test_text_of_a_user(self):
        scope = self.report("text")["scope"]
        self.assertLess(scope["executions"], self.report("text", "--operations", "3")["scope"]["executions"])


class Wrong(unittest.TestCase):
    def refused(self, mode, *options):
        got = run(mode, *options)
        self.assertEqual(got.returncode, 64, got.stdout + got.stderr)
        return got.stdout + got.stderr

    def test_an_open_quote(self):
        for mode in ("quote", "run quote"):
            self.assertIn("a quote is not closed: --test 'put(", self.refused(mode))
        self.assertIn("a quote is not closed: --ignore 'race", self.refused("explore quote"))
        self.assertIn("a quote is not closed: --test 'x", self.refused("", "--flag=-DOPTIONS=\"--test 'x\""))

    def test_an_unknown_option(self):
        for mode in ("unknown", "run unknown"):
            self.assertIn("unknown option '--thread'", self.refused(mode))
        self.assertIn("unknown option '--thread'", self.refused("", "--flag=-DOPTIONS=\"--thread 3\""))

    def test_a_wrong_value(self):
        for mode in ("range", "run range"):
            self.assertIn("--threads: '99' is not an integer from 2 to 30", self.refused(mode))
        self.assertIn("--threads: 'many' is not an integer from 2 to 30", self.refused("kind"))
        self.assertIn("--threads needs a value", self.refused("flag"))


class Output(unittest.TestCase):
    def test_ascii_and_output(self):
        got = run("matrix", "--ascii", "--output", "/dev/stdout")
        self.assertEqual(got.returncode, 0, got.stdout + got.stderr)
        self.assertTrue(got.stdout.startswith("HOLDS ") and got.stdout.isascii(), got.stdout)
        got = run("matrix", "--output", "/no/such/folder")
        self.assertEqual((got.returncode, got.stdout), (64, ""))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
