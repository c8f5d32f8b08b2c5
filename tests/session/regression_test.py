#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""regression_test.py PLUMB: a failure that is written as a test fails until it is mended."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PLUMB = ""
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "../..")
EXAMPLES = os.path.join(ROOT, "examples/objects")
COMPILER = os.environ.get("CXX", "g++")

MENDED = """#pragma once
#include <deque>
#include <mutex>
#include <optional>
class TicketQueue {
 public:
  void push(int value) {
    const std::lock_guard guard(mutex_);
    items_.push_back(value);
  }
  std::optional<int> try_pop() {
    const std::lock_guard guard(mutex_);
    if (items_.empty()) return std::nullopt;
    const int value = items_.front();
    items_.pop_front();
    return value;
  }
 private:
  std::mutex mutex_;
  std::deque<int> items_;
};
"""


class Regression(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="plumb regression ")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        os.mkdir(os.path.join(self.folder, "tests"))

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def run_in(self, command, case=""):
        return subprocess.run(command, cwd=self.folder, env=dict(os.environ, CXX=COMPILER, CASE=case), text=True,
                              capture_output=True, timeout=300, check=False)

    def plumb(self, *words, case=""):
        return self.run_in([PLUMB, "test", *words], case)

    def take(self, *files):
        for file in files:
            shutil.copy(file, self.folder)

    def test_of_a_class_and_its_mended_twin(self):
        self.take(os.path.join(EXAMPLES, "ticket_queue.hpp"), os.path.join(EXAMPLES, "ticket_queue.cpp"))
        got = self.plumb("ticket_queue.cpp", "--regression", "tests/early empty.cpp")
        self.assertEqual(got.returncode, 1, got.stderr)
        self.assertTrue(got.stdout.endswith("\n  As a test: tests/early empty.cpp\n"), got.stdout)
        with open(self.path("tests", "early empty.cpp"), encoding="utf-8") as file:
            self.assertIn('#include "../ticket_queue.cpp"\n', file.read())

        # The schedule of the report fits: one execution shows it.
        got = self.plumb("tests/early empty.cpp")
        self.assertEqual(got.returncode, 1, got.stdout + got.stderr)
        self.assertIn("TicketQueue is not linearizable (1 test, ", got.stdout)
        serial = 3  # orders of push, pop | push
        self.assertIn(f", {serial + 1} executions, ", got.stdout)

        # Without Plumb's command, as any program.
        include = os.path.join(ROOT, "include")
        runtime = os.path.join(os.path.dirname(PLUMB), "../src/runtime")
        got = self.run_in([COMPILER, "-std=c++20", "-g", "-fsanitize=thread", "-I" + include, "-c", "-o", "it.o",
                           "tests/early empty.cpp"])
        self.assertEqual(got.returncode, 0, got.stderr)
        got = self.run_in([COMPILER, "-o", "it", "it.o", "-pthread", "-Wl,-z,now", "-L" + runtime,
                           "-Wl,-rpath," + runtime, "-lplumb_runtime"])
        self.assertEqual(got.returncode, 0, got.stderr)
        got = self.run_in(["./it"])
        self.assertEqual(got.returncode, 1, got.stdout + got.stderr)
        self.assertIn("TicketQueue is not linearizable (1 test, ", got.stdout)
        # A command line still counts.
        got = self.run_in(["./it", "--test", "push(1) | push(1)", "--json"])
        self.assertEqual(got.returncode, 0, got.stdout + got.stderr)
        self.assertIn('"verdict":"holds"', got.stdout)

        with open(self.path("ticket_queue.hpp"), "w", encoding="utf-8") as file:
            file.write(MENDED)
        got = self.plumb("tests/early empty.cpp")
        self.assertEqual(got.returncode, 0, got.stdout + got.stderr)
        self.assertIn("  1 test as given\n  1 passed, 1 under every schedule\n", got.stdout)

    def test_of_findings(self):
        self.take(os.path.join(HERE, "regression_subject.cpp"))
        for case, what, called in (("race", "a write and a ", "data race"), ("free", "free", "free in ")):
            with self.subTest(case=case):
                file = case + ".cpp"
                got = self.plumb("regression_subject.cpp", "--regression", file, case=case)
                self.assertEqual(got.returncode, 1, got.stdout + got.stderr)
                again = got.stdout.partition("  Replay: ")[2].splitlines()[0]
                repeated = self.run_in(["sh", "-c", again], case)
                self.assertEqual(repeated.returncode, 1, again + repeated.stdout + repeated.stderr)
                self.assertIn(what, repeated.stdout)
                got = self.plumb(file, case=case)
                self.assertEqual(got.returncode, 1, got.stdout + got.stderr)
                self.assertIn(what, got.stdout)
                self.assertRegex(got.stdout.splitlines()[0], called + r".* \(1 test, ")
                got = self.plumb(file, "--flag=-DFIXED", case=case)
                self.assertEqual(got.returncode, 0, got.stdout + got.stderr)

    def test_a_race_that_is_known_is_found_in_the_next_test_too(self):
        self.take(os.path.join(HERE, "regression_subject.cpp"))
        tests = ["--test", "set() | set()", "--test", "set() | set(), set()", "--keep-going", "--no-shrink"]
        got = self.plumb("regression_subject.cpp", *tests, case="race")
        self.assertIn("\n  2 failed\n", got.stdout)

    def test_of_what_differs_serially(self):
        self.take(os.path.join(EXAMPLES, "small_stack.cpp"))
        got = self.plumb("small_stack.cpp", "--regression", "three.cpp")
        self.assertEqual(got.returncode, 1, got.stdout + got.stderr)
        got = self.plumb("three.cpp")
        self.assertEqual(got.returncode, 1, got.stdout + got.stderr)
        self.assertIn("SmallStack does not do what SimpleStack does, even serially (1 test, ", got.stdout)
        with open(self.path("small_stack.cpp"), "r+", encoding="utf-8") as file:
            text = file.read().replace("size() > 2", "size() >= 2")
            file.seek(0)
            file.write(text)
        got = self.plumb("three.cpp")
        self.assertEqual(got.returncode, 0, got.stdout + got.stderr)

    def test_a_schedule_that_does_not_fit_is_no_error(self):
        queue = os.path.join(EXAMPLES, "ticket_queue.cpp")
        for schedule in ("7", "1:500", "v3,2"):
            for test, status in (("push(1) | push(1)", 0), ("push(1), try_pop() | push(1)", 1)):
                got = self.plumb(queue, "--test", test, "--preemptions", "1", "--first", schedule)
                self.assertEqual(got.returncode, status, got.stdout + got.stderr)

    def test_nothing_is_written_where_nothing_fails(self):
        queue = os.path.join(EXAMPLES, "ticket_queue.cpp")
        got = self.plumb(queue, "--test", "push(1) | push(1)", "--regression", "none.cpp")
        self.assertEqual(got.returncode, 0, got.stdout + got.stderr)
        self.assertFalse(os.path.exists(self.path("none.cpp")))

    def test_what_can_not_be_written_is_said(self):
        queue = os.path.join(EXAMPLES, "ticket_queue.cpp")
        for options, why in ((["--regression", "/nowhere/it.cpp"], "/nowhere/it.cpp: cannot write: No such file or directory"),
                             (["--regression", queue], "would replace a file that is read"),
                             (["--regression", "it.cpp", "--observations", "x"], "cannot be combined with --observations"),
                             (["--first", "1"], "--first needs exactly one --test"),
                             (["--first", "x", "--test", "push(1) | push(1)"], "--first: 'x' is not a schedule"),
                             (["--serial"], "--serial needs a specification")):
            got = self.plumb(queue, *options)
            self.assertEqual((got.returncode, got.stdout), (64, ""), options)
            self.assertIn(why, got.stderr)

    def test_the_example_is_what_is_written(self):
        file = self.path("ticket_queue_regression.cpp")
        self.take(os.path.join(EXAMPLES, "ticket_queue.hpp"), os.path.join(EXAMPLES, "ticket_queue.cpp"))
        self.plumb("ticket_queue.cpp", "--regression", file)
        with open(file, encoding="utf-8") as written, \
                open(os.path.join(EXAMPLES, "ticket_queue_regression.cpp"), encoding="utf-8") as example:
            self.assertEqual(re.sub("^// SPDX.*\n", "", example.read()), written.read())


def main():
    global PLUMB
    PLUMB = os.path.abspath(sys.argv.pop(1))
    unittest.main()


if __name__ == "__main__":
    main()
