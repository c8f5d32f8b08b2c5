#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Code without instrumentation is never convicted wrongly, nor passed unseen: object files, shared libraries and
inline assembly have the verdicts that the same code has with hooks.

    unseen_test.py PLUMB
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PLUMB = ""
HERE = pathlib.Path(__file__).parent / "unseen"
RIGHT = ("atomic", "cas", "spin", "clock", "vector", "system")
WRONG = ("plain", "memory", "flag")
FEW = ("--operations", "3", "--random", "3", "--size", "2x2")


def compiled(folder, name, *flags):
    out = pathlib.Path(folder) / f"counter_{name}.o"
    subprocess.run([os.environ.get("CXX", "g++"), "-O2", "-g", *flags, "-c", HERE / f"counter_{name}.cpp", "-o", out],
                   check=True)
    return out


def run(subject, *options):
    ran = subprocess.run([PLUMB, "test", HERE / subject, "--json", *options], capture_output=True, text=True,
                         timeout=300, check=False)
    if ran.returncode not in (0, 1, 2):
        raise AssertionError(ran.stdout + ran.stderr)
    return json.loads(ran.stdout)


class Unseen(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def verdict_of(self, name, *options):
        return run("counter_subject.cpp", f"--link={compiled(self.folder, name)}", *options)

    def test_a_correct_object_file_holds_under_every_schedule(self):
        for name in RIGHT:
            with self.subTest(name=name):
                report = self.verdict_of(name, *FEW)
                self.assertEqual(report["verdict"], "holds", json.dumps(report)[:2000])
                tests = report["scope"]["tests"]
                self.assertEqual(tests["under_all_schedules"], tests["passed"])
                self.assertNotIn("unseen", report["scope"])

    def test_a_wrong_object_file_is_a_violation(self):
        for name in WRONG:
            with self.subTest(name=name):
                report = self.verdict_of(name, *FEW)
                self.assertEqual(report["verdict"], "violation", json.dumps(report)[:2000])

    def test_it_is_shown_with_lines_of_its_source_and_replayed(self):
        ran = subprocess.run(
            [PLUMB, "test", HERE / "counter_subject.cpp", f"--link={compiled(self.folder, 'plain')}"],
            capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(ran.returncode, 1, ran.stdout + ran.stderr)
        self.assertRegex(ran.stdout, r"counter_plain\.cpp:\d+ +read")
        self.assertRegex(ran.stdout, r"counter_plain\.cpp:\d+ +write")
        command = re.search(r"Replay: (.*)", ran.stdout).group(1)
        again = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(again.returncode, 1, again.stdout + again.stderr)

    def test_a_stripped_shared_library_is_seen_as_well(self):
        for name, verdict in (("plain", "violation"), ("atomic", "holds")):
            with self.subTest(name=name):
                library = pathlib.Path(self.folder) / f"libcounter_{name}.so"
                subprocess.run([os.environ.get("CXX", "g++"), "-O2", "-s", "-shared", "-fPIC",
                                HERE / f"counter_{name}.cpp", "-o", library], check=True)
                report = run("counter_subject.cpp", f"--link={library}", f"--link=-Wl,-rpath,{self.folder}", *FEW)
                self.assertEqual(report["verdict"], verdict)

    def test_inline_assembly_in_instrumented_code(self):
        for flags, verdict in ((["LOCKED"], "holds"), (["RING"], "holds"), (["RING", "WRONG"], "violation")):
            with self.subTest(flags=flags):
                report = run("assembly_subject.cpp", *(f"--flag=-D{flag}" for flag in flags), *FEW)
                self.assertEqual(report["verdict"], verdict, json.dumps(report)[:2000])

    def test_a_container_of_the_library_is_seen_where_a_lock_is_forgotten(self):
        for kind in (1, 2, 3):
            with self.subTest(kind=kind):
                right = run("container_subject.cpp", f"--flag=-DKIND={kind}", "--operations", "3", "--random", "20")
                self.assertEqual(right["verdict"], "holds", json.dumps(right)[:2000])
                self.assertNotIn("unseen", right["scope"])
                wrong = ["container_subject.cpp", f"--flag=-DKIND={kind}", "--flag=-DWRONG"]
                for options in ([], ["--ignore", "race"]):
                    report = run(*wrong, *options)
                    self.assertEqual(report["verdict"], "violation", json.dumps(report)[:2000])
                    self.assertNotIn("unseen", report["scope"])

    def test_the_number_of_processes_does_not_matter(self):
        for name in ("cas", "plain"):
            with self.subTest(name=name):
                verdicts = {self.verdict_of(name, *FEW, "--jobs", str(jobs))["verdict"] for jobs in (1, 2)}
                self.assertEqual(len(verdicts), 1)

    def test_an_operation_without_a_point_is_undecided(self):
        report = self.verdict_of("blind", "--test", "inc | get")
        self.assertEqual(report["verdict"], "undecided", json.dumps(report)[:2000])
        self.assertRegex(report["reason"], r"get\(\) passes no scheduling point: Counter::get\(\) of the program")
        self.assertEqual(report["scope"]["unseen"], [{"file": "the program", "functions": ["Counter::get()"]}])

    def test_with_points_at_atomics_what_races_is_seen_nevertheless(self):
        report = self.verdict_of("plain", *FEW, "--call-points", "--schedule-at", "atomics", "--ignore", "race")
        self.assertNotEqual(report["verdict"], "holds", json.dumps(report)[:2000])


if __name__ == "__main__":
    PLUMB = sys.argv.pop(1)
    unittest.main()
