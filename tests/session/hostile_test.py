#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""hostile_test.py PLUMB: whatever the program under test does, no finding is lost and nothing unproven is green."""
import json
import os
import pathlib
import pty
import shutil
import subprocess
import sys
import tempfile
import unittest

PLUMB = ""
SUBJECT = pathlib.Path(__file__).with_name("hostile_subject.cpp")


def test(*options, mode="", stdout=subprocess.PIPE):
    """Standard output is a pipe, which holds what is printed back until it is flushed."""
    return subprocess.run([PLUMB, "test", str(SUBJECT), *options], env=dict(os.environ, MODE=mode), text=True,
                          stdout=stdout, stderr=subprocess.PIPE, timeout=300, check=False)


class AtTheEnd(unittest.TestCase):
    def test_exit_handlers_and_destructors_change_nothing(self):
        for mode in ("", "handler leaves", "destructor leaves"):
            with self.subTest(mode=mode):
                run = test(mode=mode)
                self.assertEqual(run.returncode, 1, run.stderr)
                self.assertIn("hits == 2", run.stdout)
                self.assertEqual(json.loads(test("--json", mode=mode).stdout)["verdict"], "violation")

    def test_a_status_without_the_closing_record_is_not_believed(self):
        for mode in ("constructor leaves", "main leaves", "main execs", "explore, handler leaves"):
            with self.subTest(mode=mode):
                run = test(mode=mode)
                self.assertEqual((run.returncode, run.stdout), (65, ""))
                self.assertRegex(run.stderr, "hostile_subject.cpp: the program ended itself, with status [01],")
        self.assertEqual(test(mode="explore").returncode, 1)

    def test_the_process_under_test_leaves(self):
        for mode in ("leaves", "execs"):
            with self.subTest(mode=mode):
                run = test(mode=mode)
                self.assertEqual(run.returncode, 1, run.stderr)
                self.assertIn("the program ended itself, with status 0", run.stdout)


class Elsewhere(unittest.TestCase):
    """What goes wrong outside of the code under test is no bug in plumb."""

    def refused(self, run, status, why):
        self.assertEqual(run.returncode, status, run.stderr)
        self.assertRegex(run.stderr, why)
        self.assertNotIn("bug in plumb", run.stderr)

    def test_a_global_constructor_throws(self):
        self.refused(test(mode="constructor throws"), 65, r"signal 6 \(Aborted\) ended the program outside of the code")

    def test_files_that_cannot_be_written(self):
        for options in (("-o", "/dev/full"), ("--html", "/dev/full"), ("--junit", "/dev/full")):
            with self.subTest(options=options):
                run = test(*options, "--replay", "-")  # which finds nothing
                self.refused(run, 70, "/dev/full: cannot be written: No space left on device")
        with open("/dev/full", "w", encoding="ascii") as full:
            self.refused(test("--replay", "-", stdout=full), 70, "standard output: cannot be written: No space")
            self.refused(test(stdout=full), 1, "standard output: cannot be written: No space")


class Replays(unittest.TestCase):
    """A report may come from anybody."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        shutil.copy(SUBJECT, self.folder / "subject.cpp")
        run = subprocess.run([PLUMB, "test", "subject.cpp", "--json"], cwd=self.folder, text=True, capture_output=True,
                             timeout=300, check=False)
        self.report = json.loads(run.stdout)

    def replay(self, report, *options, cwd=None):
        (self.folder / "report.json").write_text(json.dumps(report), encoding="utf-8")
        return subprocess.run([PLUMB, "replay", str(self.folder / "report.json"), *options], text=True, timeout=300,
                              cwd=cwd or self.folder, stdin=subprocess.DEVNULL, capture_output=True, check=False)

    def changed(self, **program):
        return {**self.report, "program": {**self.report["program"], **program}}

    def test_it_is_shown_and_run_with_trust_only(self):
        run = self.replay(self.report)
        self.assertEqual((run.returncode, run.stdout), (64, ""))
        self.assertIn("runs subject.cpp with --replay=", run.stderr)
        self.assertIn("nothing was built: there is no terminal to ask on", run.stderr)
        run = self.replay(self.report, "--trust")
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn("hits == 2", run.stdout)

    def test_a_terminal_is_asked(self):
        for answer, status in (("y", 1), ("n", 64)):
            with self.subTest(answer=answer):
                (self.folder / "report.json").write_text(json.dumps(self.report), encoding="utf-8")
                ours, its = pty.openpty()
                with subprocess.Popen([PLUMB, "replay", "report.json"], cwd=self.folder, stdin=its, stderr=its,
                                      stdout=subprocess.PIPE) as process:
                    os.write(ours, answer.encode() + b"\n")
                    out, _ = process.communicate(timeout=300)
                    self.assertEqual(process.returncode, status, out)
                os.close(ours)
                os.close(its)

    def test_only_harmless_words(self):
        touched = self.folder / "touched"
        for change in ({"flags": [f"-wrapper=touch,{touched}"]}, {"flags": ["-fplugin=./x.so"]}, {"flags": ["@words"]},
                       {"flags": ["-I"]}, {"flags": ["-include", "x"]}, {"flags": ["-std=c++20 -B."]},
                       {"link": ["-Wl,-rpath,."]}, {"link": ["x.so"]}, {"link": ["-l:../x.so"]}, {"flags": "-I."},
                       {"call": 0, "arguments": []}):
            with self.subTest(change=change):
                self.assertEqual(self.replay(self.changed(**change), "--trust").returncode, 65)
        options = self.report["findings"][0]["schedule"]["options"]
        for name in ("output", "html", "save", "regression", "junit", "observation", "debug"):
            with self.subTest(name=name):
                options[name] = str(touched)
                self.assertEqual(self.replay(self.report, "--trust").returncode, 65)
                del options[name]
        self.assertFalse(touched.exists())

    def test_the_command_is_not_read(self):
        self.report["findings"][0]["schedule"]["replay"] = f"touch {self.folder}/touched"
        self.assertEqual(self.replay(self.report, "--trust").returncode, 1)
        del self.report["program"]
        run = self.replay(self.report, "--trust")
        self.assertEqual(run.returncode, 65)
        self.assertIn("an older plumb wrote it", run.stderr)
        self.assertFalse((self.folder / "touched").exists())

    def test_other_folders(self):
        (self.folder / "link.cpp").symlink_to(SUBJECT)
        for change in ({"file": str(SUBJECT)}, {"file": "link.cpp"}, {"file": "../subject.cpp"}, {"flags": ["-I/tmp"]},
                       {"link": ["-L.."]}):
            with self.subTest(change=change):
                run = self.replay(self.changed(**change))
                self.assertEqual(run.returncode, 64)
                self.assertIn("is neither in the folder of the report nor in this one", run.stderr)
        run = self.replay(self.changed(file=str(self.folder / "subject.cpp")), cwd="/")
        self.assertIn("there is no terminal to ask on", run.stderr)

    def test_a_name_is_no_option(self):
        for name in ("-subject.cpp", "@subject.cpp"):
            with self.subTest(name=name):
                (self.folder / "subject.cpp").rename(self.folder / name)
                self.assertEqual(self.replay(self.changed(file=name), "--trust").returncode, 1)
                (self.folder / name).rename(self.folder / "subject.cpp")


def main():
    global PLUMB
    PLUMB = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)


if __name__ == "__main__":
    main()
