#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""suppressions_test.py PLUMB: --suppressions FILE says which data races are no findings."""
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
BODY = os.path.join(HERE, "suppressions_subject.cpp")
CLASS = os.path.join(HERE, "class_findings_subject.cpp")
COMPILERS = [name for name in ("g++", "clang++") if shutil.which(name)]
HIT, MISS = "race:Stats::hit", "race:Stats::miss"


class Suppressions(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_in(self, words, mode="", compiler=COMPILERS[0]):
        got = subprocess.run(words, cwd=self.folder, env=dict(os.environ, CXX=compiler, MODE=mode), text=True,
                             capture_output=True, timeout=300, check=False)
        return got.returncode, got.stdout + got.stderr

    def plumb_test(self, lines, *options, mode="", source=BODY, compiler=COMPILERS[0]):
        with open(os.path.join(self.folder, "known.supp"), "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        return self.run_in([PLUMB, "test", source, "--suppressions", "known.supp", *options], mode, compiler)

    def report(self, lines, *options, **more):
        status, text = self.plumb_test(lines, "--json", *options, **more)
        report = json.loads(text)
        report["status"] = status
        return report

    def test_a_race_that_matches_is_no_finding(self):
        for compiler in COMPILERS:
            report = self.report([HIT, MISS], compiler=compiler)
            self.assertEqual((report["status"], report["verdict"], report["findings"]), (0, "holds", []))
            self.assertEqual([(one["line"], one["pattern"], one["races"] > 0) for one in report["suppressions"]],
                             [(1, HIT, True), (2, MISS, True)])

    def test_a_race_that_does_not_match_is_a_finding(self):
        report = self.report([HIT])
        self.assertEqual((report["status"], report["findings"][0]["kind"]), (1, "race"))
        self.assertEqual(report["findings"][0]["here"]["stack"][0]["function"], "Stats::miss()")

    def test_what_matches(self):
        for patterns in (["race:Stats::*"], ["race:hit", "race:miss"], ["race:^Stats::hit()$", "race:^Stats::m*()$"],
                         ["race:suppressions_subject.cpp"], ["race:session/suppressions_"],
                         ["race:subject.cpp:11", "race:subject.cpp:12"], ["  race: *  ", "", "# all of them"]):
            with self.subTest(patterns=patterns):
                status, text = self.plumb_test(patterns)
                self.assertEqual(status, 0, text)
        for patterns in (["race:^hit", "race:^miss"], ["race:Stats::hit$"], ["race:subject.cpp:1"],
                         ["race:operator()"], ["race:both"]):
            with self.subTest(patterns=patterns):
                status, text = self.plumb_test(patterns)
                self.assertEqual(status, 1, text)

    def test_callers_do_not_count(self):
        # The lambda calls both functions; another one may call them too.
        status, text = self.plumb_test(["race:suppressions_subject.cpp:29", "race:suppressions_subject.cpp:30"])
        self.assertEqual(status, 1, text)

    def test_accesses_stay_scheduling_points(self):
        report = self.report([HIT, MISS], mode="lost")
        self.assertEqual((report["status"], report["findings"][0]["kind"]), (1, "assertion"))
        again = report["findings"][0]["schedule"]["replay"]
        status, text = self.run_in(["sh", "-c", again], mode="lost")
        self.assertEqual(status, 1, text)
        self.assertIn("stats.hits == 2", text)

    def test_another_race_of_the_same_access_is_found(self):
        for options in ([], ["--keep-going"], ["--strategy", "random", "--max-executions", "100"]):
            report = self.report(["race:Stats::known"], *options, mode="hidden")
            functions = [{one[side]["stack"][0]["function"] for side in ("here", "there")}
                         for one in report["findings"]]
            self.assertIn({"Stats::unknown()", "Stats::other()"}, functions)
            self.assertNotIn("Stats::known()", set().union(*functions))

    def test_all_ways_to_search_agree(self):
        for options in (["--keep-going"], ["--jobs", "2"], ["--schedule-at", "all"], ["--schedule-at", "atomics"],
                        ["--strategy", "pct", "--max-executions", "50"], ["--strategy", "dpor"]):
            with self.subTest(options=options):
                status, text = self.plumb_test([HIT, MISS], *options)
                self.assertEqual(status, 0, text)
                self.assertIn("suppressed by " + HIT + " (known.supp:1)", text)

    def test_a_line_that_matches_nothing_is_named(self):
        _, text = self.plumb_test(["race:Stats::*", "race:nowhere"])
        self.assertIn("  Warning: race:nowhere (known.supp:2) matched no data race\n", text)
        # Until the first finding, it is not known.
        _, text = self.plumb_test([HIT, "race:nowhere"])
        self.assertNotIn("Warning", text)

    def test_a_report_says_how_to_continue(self):
        _, text = self.run_in([PLUMB, "test", BODY])
        line = re.search(r"  Continue: --ignore race, or --suppressions FILE with the line (.*)\n", text)[1]
        self.assertEqual(line, HIT)
        _, text = self.run_in([PLUMB, "test", CLASS])
        self.assertIn("with the line race:Counter::inc\n", text)

    def test_classes_are_judged_without_the_race(self):
        for compiler in COMPILERS:
            status, text = self.plumb_test(["race:Flag::*"], mode="flag", source=CLASS, compiler=compiler)
            self.assertEqual(status, 0, text)
            self.assertIn("suppressed by race:Flag::* (known.supp:1)", text)
            report = self.report(["race:Counter::*"], mode="counter", source=CLASS, compiler=compiler)
            self.assertEqual((report["status"], report["failures"][0]["kind"]), (1, "not-linearizable"))
            self.assertNotIn("races", report["failures"][0])

    def test_the_report_of_a_class_does_not_depend_on_the_number_of_processes(self):
        for mode, line in (("flag", "race:Flag::set"), ("counter", "race:Counter::*"), ("counter", "race:Counter::get")):
            texts = [re.sub(r"[0-9.]+ s\)", "", self.plumb_test([line], "--jobs", jobs, mode=mode, source=CLASS)[1])
                     for jobs in "13"]
            self.assertEqual(*texts)

    def test_a_report_is_replayed_with_its_suppressions(self):
        _, text = self.plumb_test([HIT], "--json")
        with open(os.path.join(self.folder, "report.json"), "w", encoding="utf-8") as file:
            file.write(text)
        status, text = self.run_in([PLUMB, "replay", "report.json", "--trust"])
        self.assertEqual(status, 1, text)
        self.assertIn("Stats::miss()", text)
        os.rename(os.path.join(self.folder, "known.supp"), os.path.join(self.folder, "gone.supp"))
        self.assertEqual(self.run_in([PLUMB, "replay", "report.json", "--trust"])[0], 66)

    def test_a_saved_search_belongs_to_its_suppressions(self):
        status, text = self.plumb_test([HIT, MISS], "--save", "save", "--strategy", "random", "--max-executions", "20",
                                 "--timeout", "0.000001")
        self.assertEqual(status, 2, text)
        status, text = self.plumb_test([HIT], "--save", "save", "--strategy", "random", "--max-executions", "20")
        self.assertEqual(status, 65, text)

    def test_wrong_files_are_refused(self):
        for lines, number, words in ((["race:x", "thread:foo"], 2, "'thread:foo' suppresses no data race"),
                                     (["race:"], 1, "'race:' suppresses no data race"),
                                     (["# ok", "", "Stats::hit"], 3, "'Stats::hit' suppresses no data race")):
            status, text = self.plumb_test(lines)
            self.assertEqual(status, 65, text)
            self.assertIn(f"known.supp:{number}: {words} (a line is race:PATTERN", text)
        status, text = self.run_in([PLUMB, "test", BODY, "--suppressions", "missing.supp"])
        self.assertEqual(status, 66, text)
        self.assertIn("missing.supp", text)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
