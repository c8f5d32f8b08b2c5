#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""findings_test.py PLUMB: findings are called by their names, with either compiler."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PLUMB = os.path.abspath(sys.argv[1])
HERE = os.path.dirname(os.path.abspath(__file__))
BODIES = os.path.join(HERE, "findings_subject.cpp")
CLASSES = os.path.join(HERE, "class_findings_subject.cpp")
COMPILERS = [name for name in ("g++", "clang++") if shutil.which(name)]

# Where threads wait forever; t1 stands for "thread 1".
WAITS = {
    "two": "t1 holds a and waits for b; t2 holds b and waits for a",
    "three": "t1 holds a and waits for b; t2 holds b and waits for c; t3 holds c and waits for a",
    "itself": "t0 waits for a, which it holds itself",
    "itself and another": "t1 waits for a, which it holds itself; t2 waits for a",
    "recursive": "t1 holds again and waits for a; t2 holds a and waits for again",
    "upgrade": "t1 holds table shared and waits to hold it alone; t2 holds table shared and waits to hold it alone",
    "reader": "t1 holds table shared and waits for a; t2 holds a and waits for table",
    "notification": "t1 waits for changed, and no thread is left to notify it",
    "semaphore": "t0 waits for items, and no thread is left to wake it",
    "join": "t0 holds a and waits for the end of thread 1; t1 waits for a",
    "forgotten": "t0 waits for a, which thread 1 held when it ended",
    "once": "t1 initialises once and waits for a; t2 holds a and waits for once",
}
CRASHES = {
    "null": "crash in Queue::pop() (SIGSEGV)",
    "c library": "crash in Queue::length() (SIGSEGV)",
    "call": "crash in call_nothing() (SIGSEGV)",
    "freed": "use after free in use(int const*)",
    "hangs": "the execution hung",
}


def test(source, mode, *options, compiler=COMPILERS[0]):
    got = subprocess.run([PLUMB, "test", source, *options], env=dict(os.environ, CXX=compiler, MODE=mode), text=True,
                         capture_output=True, timeout=300, check=False)
    return got.returncode, got.stdout + got.stderr


def first_line(text):
    """Without the verdict, the file and the counts."""
    return re.sub(r"^\w+ +\S+: (.*) \([^()]*\)$", r"\1", text.splitlines()[0])


class Explorations(unittest.TestCase):
    def test_a_deadlock_says_who_holds_what_and_who_waits_for_what(self):
        for compiler in COMPILERS:
            for mode, words in WAITS.items():
                with self.subTest(mode=mode, compiler=compiler):
                    status, text = test(BODIES, mode, compiler=compiler)
                    self.assertEqual(status, 1, text)
                    self.assertEqual(first_line(text), "deadlock")
                    if compiler == "clang++":  # whose debug information does not have this variable
                        words = words.replace("changed", "v1")
                    self.assertEqual(text.splitlines()[2], "  " + re.sub(r"\bt(\d)\b", r"thread \1", words))

    def test_a_cycle_comes_before_the_threads_that_wait_for_it(self):
        # Of all schedules: the one in which all three wait is not the first.
        _, text = test(BODIES, "and one more", "--keep-going", "--json")
        found = [finding["message"] for finding in json.loads(text)["findings"]]
        self.assertTrue(any("thread 1 holds a and waits for b; thread 2 holds b and waits for a" in message
                            for message in found), found)

    def test_what_spins_is_a_livelock(self):
        status, text = test(BODIES, "spins")
        self.assertEqual(status, 1, text)
        self.assertEqual(first_line(text), "livelock")

    def test_a_crash_is_named_with_its_function(self):
        for compiler in COMPILERS:
            for mode, words in CRASHES.items():
                with self.subTest(mode=mode, compiler=compiler):
                    status, text = test(BODIES, mode, "--hang", "1", compiler=compiler)
                    self.assertEqual(status, 1, text)
                    self.assertEqual(first_line(text), words)

    def test_a_function_without_a_name_is_named_by_its_place(self):
        _, text = test(BODIES, "lambda")
        self.assertRegex(first_line(text), r"^crash at findings_subject\.cpp:\d+ \(SIGSEGV\)$")

    def test_programs_read_the_same(self):
        _, text = test(BODIES, "upgrade", "--json")
        waits = json.loads(text)["findings"][0]["waits"]
        self.assertEqual([(w["thread"], w["for"], w["what"], w["held_by"], w["held_shared"]) for w in waits],
                         [(1, "lock", "table", [1, 2], True), (2, "lock", "table", [1, 2], True)])
        _, text = test(BODIES, "null", "--json")
        self.assertEqual(json.loads(text)["findings"][0]["signal"], "SIGSEGV")


class Classes(unittest.TestCase):
    def test_a_deadlock_is_called_so(self):
        for compiler in COMPILERS:
            status, text = test(CLASSES, "locks", compiler=compiler)
            self.assertEqual(status, 1, text)
            self.assertEqual(first_line(text),
                             "TwoLocks deadlocks: an operation blocks, although no serial order blocks it")
            self.assertIn("  Deadlock: A holds mutex_a_ and waits for mutex_b_; B holds mutex_b_ and waits for "
                          "mutex_a_.\n", text)

    def test_a_deadlock_has_the_same_name_for_programs(self):
        with tempfile.TemporaryDirectory() as folder:
            junit = os.path.join(folder, "out.xml")
            _, text = test(CLASSES, "locks", "--json", "--junit", junit)
            with open(junit, encoding="utf-8") as file:
                self.assertIn("TwoLocks deadlocks", file.read())
        failure = json.loads(text)["failures"][0]
        self.assertEqual([(w["process"], w["what"], w["held_by"]) for w in failure["waits"]],
                         [("A", "mutex_b_", [2]), ("B", "mutex_a_", [1])])
        self.assertTrue(failure["why"][-1].startswith("Deadlock: A holds"), failure["why"])

    def test_a_lost_wake_up_is_no_deadlock(self):
        _, text = test(CLASSES, "event")
        self.assertEqual(first_line(text),
                         "Event is not linearizable: an operation blocks, although no serial order blocks it")
        self.assertIn("  B waits for changed_, and no thread is left to notify it.\n", text)

    def test_a_crash_is_named_with_its_function(self):
        for compiler in COMPILERS:
            status, text = test(CLASSES, "slot", compiler=compiler)
            self.assertEqual(status, 1, text)
            self.assertEqual(first_line(text), "Slot: crash in Slot::peek() (SIGSEGV)")

    def test_a_race_is_named_beside_the_history(self):
        status, text = test(CLASSES, "fetch")
        self.assertEqual(status, 1, text)
        self.assertEqual(first_line(text), "Counter is not linearizable, and has a data race")
        race = text.partition("  Data race in this test:\n")[2]
        self.assertIn("Counter::fetch_inc()", race.partition("  Replay: ")[0])
        command = race.partition("  Replay: ")[2].splitlines()[0]
        again = subprocess.run(["sh", "-c", command], env=dict(os.environ, MODE="fetch"), text=True, check=False,
                               capture_output=True)
        self.assertEqual(again.returncode, 1, again.stdout + again.stderr)
        self.assertIn("data race", again.stdout)
        status, text = test(CLASSES, "fetch", "--ignore", "race")
        self.assertEqual((status, first_line(text)), (1, "Counter is not linearizable"))

    def test_a_race_says_what_linearizability_says_meanwhile(self):
        status, text = test(CLASSES, "counter", "--observe", "none")
        self.assertEqual(status, 1, text)
        self.assertEqual(first_line(text), "Counter: data race; apart from it: not linearizable")
        self.assertRegex(text, r"\n  Apart from the race: not linearizable: inc\(\), get\(\) \| inc\(\) \(\d+ executions\)\n")
        command = text.partition("  Show it: ")[2].splitlines()[0]
        again = subprocess.run(["sh", "-c", command], env=dict(os.environ, MODE="counter"), text=True, check=False,
                               capture_output=True)
        self.assertEqual(again.returncode, 1, again.stdout + again.stderr)
        self.assertEqual(first_line(again.stdout), "Counter is not linearizable")

    def test_a_race_alone_says_that_nothing_else_was_seen(self):
        status, text = test(CLASSES, "flag", "--json")
        self.assertEqual(status, 1, text)
        report = json.loads(text)
        self.assertEqual(report["findings"][0]["kind"], "race")
        without = report["failures"][0]["without_races"]
        self.assertEqual(without["verdict"], "holds")
        self.assertRegex(without["text"], r"^every history observed in the first \d+ tests has a serial witness$")
        self.assertGreater(without["executions"], 100)

    def test_given_tests_are_judged_and_no_others(self):
        status, text = test(CLASSES, "counter", "--test", "inc | inc")
        self.assertEqual(status, 1, text)
        self.assertEqual(first_line(text), "Counter: data race")
        self.assertRegex(text, r"\n  Apart from the race: every observed history of this test has a serial witness ")

    def test_the_report_does_not_depend_on_the_number_of_processes(self):
        for mode in ("counter", "flag", "fetch", "locks"):
            texts = [re.sub(r"[0-9.]+ s\)| --jobs \d", "", test(CLASSES, mode, "--jobs", jobs)[1]) for jobs in "13"]
            self.assertEqual(*texts)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
