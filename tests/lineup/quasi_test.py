#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""quasi_test.py PLUMB OBJECTS: relaxed classes under `plumb test`: what is asked, and what is told."""
import json
import os
import signal
import subprocess
import sys
import time
import unittest

PLUMB = OBJECTS = ""
HERE = os.path.dirname(os.path.abspath(__file__))
FOUR_OUT = "pre enq(1), enq(2), enq(3), enq(4); deq | deq; post deq, deq"


def command(file, kind, *options):
    return [PLUMB, "test", file, f"--flag=-DOBJECT={kind}", *options]


def command_of_queue(kind, *options):
    return command(os.path.join(OBJECTS, "queues/quasi_queue.cpp"), kind, "--spec", "queue", *options)


def run(file, kind, *options):
    return subprocess.run(command(file, kind, *options), text=True, capture_output=True, timeout=300, check=False)


def run_queue(kind, *options):
    return subprocess.run(command_of_queue(kind, *options), text=True, capture_output=True, timeout=300, check=False)


def run_against_itself(kind, *options):
    return run(os.path.join(HERE, "quasi_subject.cpp"), kind, *options)


class Asked(unittest.TestCase):
    def test_questions_that_make_no_sense_are_wrong_usage_and_say_what_is_possible(self):
        for options, message, possible in (
                (["--quasi", "deq=-1"], "out of range", "from 0 to 1,000,000"),
                (["--quasi", "deq=99999999999"], "out of range", "from 0 to 1,000,000"),
                (["--quasi", "deq=x"], "'deq=x'", "OPERATION=FACTOR"),
                (["--quasi", "deq"], "'deq'", "OPERATION=FACTOR"),
                (["--quasi", "peek=1"], "no operation 'peek'", "one of: deq or enq"),
                (["--quasi", "enq=1"], "--relaxation strict of enq", "slot, all or def4"),
                (["--quasi", "deq=1", "--relaxation", "mild"], "'mild' is not one of", "strict, distance, lateness"),
                (["--quasi", "deq=1", "--quasi", "deq=2"], "twice", "one factor"),
                (["--quasi", "deq=1", "--count-permutations"], "strict has none", "slot, all and def4"),
                (["--relaxation", "slot"], "need --quasi", "METHOD=FACTOR"),
                (["--random-values", "0"], "'0'", "1 to 192")):
            with self.subTest(options=options):
                got = run_queue("QuasiQueue", *options)
                self.assertEqual(got.returncode, 64, got.stdout + got.stderr)
                self.assertIn(message, got.stderr)
                self.assertIn(possible, got.stderr)

    def test_without_a_specification_it_is_said_how_to_give_one(self):
        got = run(os.path.join(OBJECTS, "queues/quasi_queue.cpp"), "QuasiQueue", "--quasi", "deq=1")
        self.assertEqual(got.returncode, 64, got.stdout)
        for how in ("--spec", ".against", "plumb::Replayed"):
            self.assertIn(how, got.stderr)

    def test_a_relaxation_that_the_object_can_not_have(self):
        got = run_against_itself("QuasiQueue", "--quasi", "deq=1", "--test", FOUR_OUT.replace(", enq(4)", ""))
        self.assertEqual(got.returncode, 64, got.stdout)
        self.assertIn("--relaxation strict of a QuasiQueue<0>", got.stderr)
        self.assertIn("of any object: slot, all or def4", got.stderr)


class Told(unittest.TestCase):
    def test_counts_are_those_of_all_histories(self):
        options = ["--quasi", "deq=1", "--relaxation", "slot", "--test", FOUR_OUT, "--all-histories", "--no-shrink",
                   "--json"]
        for kind, verdict in (("QuasiQueue", "holds"), ("QuasiQueueB2", "violation")):
            report = json.loads(run_queue(kind, *options, "--count-permutations").stdout)
            scope = report["scope"]
            self.assertEqual(report["verdict"], verdict)
            self.assertEqual(scope["violating_histories"] > 0, verdict == "violation")
            self.assertLess(scope["violating_histories"], scope["histories"])
            # One or two orders of the deqs that may overlap, and five permutations of four.
            self.assertGreater(scope["sequentializations"], scope["histories"])
            self.assertLessEqual(scope["sequentializations"], 2 * scope["histories"])
            # (Of a value that comes twice some are the same.)
            (self.assertEqual if verdict == "holds" else self.assertLess)(scope["permutations"],
                                                                          5 * scope["sequentializations"])
            again = json.loads(run_queue(kind, *options, "--count-permutations", "--no-dedup").stdout)
            self.assertEqual(again["verdict"], verdict)
            self.assertGreater(again["scope"]["histories"], scope["histories"])
            self.assertEqual(again["scope"]["permutations"], 5 * again["scope"]["sequentializations"])
            plain = json.loads(run_queue(kind, *options).stdout)["scope"]
            self.assertEqual((plain["histories"], plain["violating_histories"], plain["permutations"]),
                             (scope["histories"], scope["violating_histories"], 0))

    def test_what_is_left_inside_is_explained(self):
        """Round-Up, section V-D: out of thin air."""
        leaves = ["--quasi", "deq=1", "--relaxation", "slot", "--test", "pre enq(1), enq(2); deq | enq(3)"]
        got = run_queue("QuasiQueue", *leaves)
        self.assertEqual(got.returncode, 1, got.stderr)
        self.assertIn("Values are left inside.", got.stdout)
        report = json.loads(run_queue("QuasiQueue", *leaves, "--json").stdout)
        self.assertIn("Values are left inside.", report["failures"][0]["why"][-1])
        self.assertEqual(run_queue("QuasiQueue", *leaves, "--relaxation", "strict").returncode, 0)
        got = run_queue("QuasiQueue", *leaves[:-1], leaves[-1] + "; post deq, deq")
        self.assertEqual(got.returncode, 0, got.stdout)
        # Nothing is left inside by a value that comes twice.
        got = run_queue("QuasiQueueB2", *leaves[:-1], "pre enq(1), enq(2); deq | deq", "--no-shrink")
        self.assertEqual(got.returncode, 1, got.stderr)
        self.assertNotIn("Values are left inside.", got.stdout)

    def test_sentences_speak_of_what_is_shown(self):
        got = run_queue("QuasiQueueB1", "--quasi", "deq=1", "--relaxation", "slot", "--test", FOUR_OUT, "--json")
        evidence = json.loads(got.stdout)["evidence"]
        shown = [(one["op"], one["args"], one["result"]) for one in evidence["operations"]]
        self.assertEqual(evidence["quasi"]["needed"], 2)
        self.assertTrue(evidence["quasi"]["distances"], got.stdout)
        for distance in evidence["quasi"]["distances"]:
            one = distance["operation"]
            self.assertIn((one["op"], one["args"], one["result"]), shown)

    def test_what_takes_out_all_that_it_puts_in_is_shrunk_to_what_does(self):
        got = run_queue("QuasiQueueB1", "--quasi", "deq=1", "--relaxation", "slot", "--test", FOUR_OUT)
        test = got.stdout.partition("  Test: ")[2].partition("\n")[0]
        self.assertEqual(test.count("deq"), test.count("enq"), got.stdout)
        self.assertNotIn("Values are left inside.", got.stdout)


class Judged(unittest.TestCase):
    """13 removals in any order: more permutations than anybody waits for, of a single history."""
    LONG = ("--quasi", "deq=20", "--relaxation", "slot", "--count-permutations", "--no-dedup", "--no-shrink", "--json",
            "--test", f"pre {', '.join(['enq(1)'] * 13)}; deq | deq; post {', '.join(['deq'] * 11)}")

    def test_within_the_time(self):
        got = run_queue("QuasiQueue", *self.LONG, "--timeout", "2")
        self.assertEqual(got.returncode, 2, got.stdout + got.stderr)
        self.assertEqual(json.loads(got.stdout)["stopped"], "time limit")

    def test_until_it_is_interrupted(self):
        with subprocess.Popen(command_of_queue("QuasiQueue", *self.LONG), stdout=subprocess.PIPE, text=True) as process:
            while process.poll() is None and cpu_ticks(process.pid) < 100:
                time.sleep(0.05)
            process.send_signal(signal.SIGINT)
            report = json.loads(process.communicate(timeout=300)[0])
        self.assertEqual((process.returncode, report["stopped"]), (130, "interrupted"))


def cpu_ticks(pid):
    """Of the child of `plumb test`, which judges the histories; 0 as long as there is none."""
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        children = file.read().split()
    try:
        with open(f"/proc/{children[0]}/stat", encoding="ascii", errors="replace") as file:
            words = file.read().rpartition(")")[2].split()
    except (IndexError, OSError):
        return 0
    return int(words[11]) + int(words[12])


class AgainstItself(unittest.TestCase):
    """Round-Up, section IV: a class with factor 0 says what is right."""
    OPTIONS = ("--quasi", "deq=1", "--relaxation", "slot", "--operations", "3", "--random", "0")

    def test_the_right_class_holds(self):
        got = run_against_itself("QuasiQueue", *self.OPTIONS)
        self.assertEqual(got.returncode, 0, got.stdout + got.stderr)
        self.assertIn("every observed history is explained by QuasiQueue<0>, relaxed by deq=1, slot", got.stdout)

    def test_without_a_factor_it_is_out_of_order(self):
        got = run_against_itself("QuasiQueue", "--quasi", "deq=0", *self.OPTIONS[2:])
        self.assertEqual(got.returncode, 1, got.stdout + got.stderr)

    def test_a_wrong_one_does_not(self):
        got = run_against_itself("QuasiQueueB2", *self.OPTIONS)
        self.assertEqual(got.returncode, 1, got.stdout + got.stderr)
        self.assertIn("not quasi linearizable by deq=1, slot", got.stdout)


if __name__ == "__main__":
    PLUMB, OBJECTS = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
