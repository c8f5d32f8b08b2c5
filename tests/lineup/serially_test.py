#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""serially_test.py PLUMB OBJECTS SCHEMA: what `plumb test` says that a real class is serially."""
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

try:
    import jsonschema
except ImportError:
    jsonschema = None

PLUMB = OBJECTS = SCHEMA = ""
SUBJECT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "serially_subject.cpp")
SMALL = ["--operations", "2", "--random", "0", "--preemptions", "1", "--ignore", "race"]

# Class: file, what it is.
KNOWN = {
    "FixedIQueue": ("queues/iqueue", "a FIFO queue"),
    "MichaelScottQueue": ("queues/michael_scott_queue", "a FIFO queue"),
    "FixedVyukovQueue": ("queues/vyukov_queue", "a FIFO queue of capacity 2"),
    "FixedSpscQueue": ("queues/spsc_queue", "a FIFO queue of capacity 4, except that deq() waits where it refuses"),
    "HerlihyWingQueue": ("queues/herlihy_wing_queue", "a blocking FIFO queue"),
    "FixedFreezingSegment": ("queues/freezing_segment", "a FIFO queue of capacity 4, not counting freeze()"),
    "TreiberStack": ("stacks/treiber_stack", "a stack"),
    "FixedArrayStack": ("stacks/array_stack", "a stack of capacity 16"),
    "LazySet": ("sets/lazy_set", "a set"),
    "FixedForgetfulMap": ("maps/forgetful_map", "a map, not counting load_and_delete()"),
    "FixedLinkedDeque": ("deques/linked_deque", "a double-ended queue"),
    "FixedChaseLevDeque": ("deques/chase_lev_deque", "a work-stealing deque of capacity 2"),
    "KValuedRegister": ("registers/k_valued_register", "a register"),
    "FixedSkipQueue": ("priority_queues/skip_queue", "a priority queue, the smallest first"),
    "ConcurrentQueue": ("dotnet/concurrent_queue", "a FIFO queue, not counting to_array()"),
}
# ... but
DIFFERENT = {
    "Counter": ("counters/counter", "a counter", "dec() waits    a counter returns"),
}
# Of these nothing is known.
OTHERS = {"Snzi": "counters/snzi", "ConcurrentBag": "dotnet/concurrent_bag", "Lazy": "dotnet/lazy",
          "SemaphoreSlim": "dotnet/semaphore_slim", "FixedMailbox": "counters/mailbox"}


def run(file, *options, case=""):
    return subprocess.run([PLUMB, "test", file, *options], env=dict(os.environ, CASE=case), text=True,
                          capture_output=True, timeout=300, check=False)


def run_object(name, file, *options):
    return run(os.path.join(OBJECTS, file + ".cpp"), "--flag=-DOBJECT=" + name, *SMALL, *options)


class Serially(unittest.TestCase):
    def test_known_objects_are_named(self):
        for name, (file, words) in KNOWN.items():
            got = run_object(name, file)
            text = " ".join(got.stdout.split())
            self.assertEqual(got.returncode, 0, got.stdout + got.stderr)
            self.assertRegex(text, r"Serially this is " + re.escape(words) + r" \([0-9,]+ sequences agree with `", name)

    def test_what_differs_is_named_with_the_difference(self):
        for name, (file, words, difference) in DIFFERENT.items():
            got = run_object(name, file)
            self.assertEqual(got.returncode, 0, got.stdout + got.stderr)
            self.assertIn(f"  Serially this is like {words}, but\n    {difference}\n", got.stdout)

    def test_of_others_nothing_is_said(self):
        for name, file in OTHERS.items():
            got = run_object(name, file)
            self.assertEqual(got.returncode, 0, got.stdout + got.stderr)
            self.assertNotIn("Serially", got.stdout, name)
            self.assertNotIn("serially", json.loads(run_object(name, file, "--json").stdout)["scope"], name)

    def test_what_is_offered_shows_the_difference(self):
        for case, difference in (("stale", "enq(1), deq() = 1, deq() = 1    a queue returns null"),
                                 ("cached", "deq() = null, enq(1), deq() = null    a queue returns 1")):
            got = run(SUBJECT, *SMALL, case=case)
            self.assertEqual(got.returncode, 0, got.stdout + got.stderr)
            self.assertIn("  Serially this is like a queue, but\n    " + difference + "\n"
                          "  With --spec queue, a queue is the specification.\n", got.stdout)
            got = run(SUBJECT, "--operations", "3", "--spec", "queue", case=case)
            self.assertEqual(got.returncode, 1, got.stdout + got.stderr)
            self.assertNotIn("Serially", got.stdout)

    def test_the_verdict_and_the_counts_are_the_same_without_it(self):
        for case in ("", "stale"):
            with_it, without = (json.loads(run(SUBJECT, *SMALL, "--json", *options, case=case).stdout)
                                for options in ((), ("--allow-nondeterminism", "size")))
            self.assertIn("serially", with_it["scope"])
            self.assertNotIn("serially", without["scope"])
            for field in ("executions", "histories", "points_added"):
                self.assertEqual(with_it["scope"][field], without["scope"][field], field)
            self.assertEqual(with_it["verdict"], without["verdict"])

    def test_where_it_is_not_the_specification_nothing_is_said(self):
        # Tests of two operations do not notice that it is not deterministic.
        for case, options in (("random", ("--observe", "none")), ("", ("--spec", "queue")), ("", ("--allow-nondeterminism", "deq"))):
            got = run(SUBJECT, *SMALL, *options, case=case)
            self.assertEqual(got.returncode, 0, got.stdout + got.stderr)
            self.assertNotIn("Serially", got.stdout, case)

    def test_what_is_left_out_is_not_called(self):
        report = json.loads(run(SUBJECT, *SMALL, "--without", "size", "--json").stdout)
        self.assertEqual(report["scope"]["serially"]["methods"], {"enq": "enq", "deq": "deq"})

    def test_it_is_the_same_in_every_run(self):
        first, second = (run(SUBJECT, *SMALL, "--json", "--jobs", jobs, case="cached").stdout for jobs in "13")
        self.assertEqual(json.loads(first)["scope"]["serially"], json.loads(second)["scope"]["serially"])

    def test_the_report_is_one_of_the_schema(self):
        if jsonschema is None:
            self.skipTest("python3-jsonschema is not installed")
        validator = jsonschema.Draft202012Validator(json.loads(pathlib.Path(SCHEMA).read_text(encoding="utf-8")))
        for case, initial in (("", False), ("stale", False), ("vyukov", True)):
            got = run_object("FixedVyukovQueue", "queues/vyukov_queue", "--json") if initial else run(
                SUBJECT, *SMALL, "--json", case=case)
            report = json.loads(got.stdout)
            self.assertEqual([error.message for error in validator.iter_errors(report)], [])
            serially = report["scope"]["serially"]
            self.assertEqual("initial" in serially, initial)
            self.assertEqual(serially["difference"] is not None, case == "stale")
            for field in [*serially]:
                broken = {**report, "scope": {**report["scope"], "serially": {**serially, field: [1]}}}
                if field != "initial":
                    self.assertFalse(validator.is_valid(broken), field)


def main():
    global PLUMB, OBJECTS, SCHEMA
    PLUMB, OBJECTS, SCHEMA = (os.path.abspath(sys.argv.pop(1)) for _ in range(3))
    unittest.main()


if __name__ == "__main__":
    main()
