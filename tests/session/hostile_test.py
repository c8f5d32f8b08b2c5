#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""hostile_test.py PLUMB: whatever the program under test does, no finding is lost and nothing unproven is green."""
import json
import os
import pathlib
import pty
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PLUMB = ""
SUBJECT = pathlib.Path(__file__).with_name("hostile_subject.cpp")


def test(*options, mode="", stdout=subprocess.PIPE):
    """Standard output is a pipe, which holds what is printed back until it is flushed."""
    return subprocess.run([PLUMB, "test", str(SUBJECT), *options], env=dict(os.environ, MODE=mode), text=True,
                          stdout=stdout, stderr=subprocess.PIPE, timeout=300, check=False)


def runs_with(word):
    """Whether a process has that word in its command."""
    for file in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if word.encode() in file.read_bytes().split(b"\0"):
                return True
        except (FileNotFoundError, ProcessLookupError):
            pass
    return False


def wait_until(condition, seconds=100):
    for _ in range(seconds * 20):
        if condition():
            return True
        time.sleep(0.05)
    return False


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
                self.refused(run, 70, "/dev/full: cannot write: No space left on device")
        with open("/dev/full", "w", encoding="ascii") as full:
            self.refused(test("--replay", "-", stdout=full), 70, "standard output: cannot write: No space")
            self.refused(test(stdout=full), 1, "standard output: cannot write: No space")


class Signals(unittest.TestCase):
    def ended_by(self, signal, *options, mode="many"):
        command = [PLUMB, "test", str(SUBJECT), "--json", "--strategy", "dfs", "--preemptions", "-1",
                   "--max-executions", "1000000000", *options]
        with tempfile.TemporaryDirectory() as folder:
            begun = pathlib.Path(folder) / "begun"
            process = subprocess.Popen(command, env=dict(os.environ, MODE=mode, ONCE=str(begun)), text=True,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.assertTrue(wait_until(begun.exists))
            time.sleep(1)
            process.send_signal(signal)
            out, err = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 130, out + err)
        return json.loads(out)

    def test_any_of_them_gives_a_partial_result(self):
        for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(signal=one):
                report = self.ended_by(one)
                self.assertEqual((report["verdict"], report["stopped"]), ("undecided", "interrupted"))
                self.assertGreater(report["scope"]["executions"], 0)

    def test_what_was_found_is_shown(self):
        report = self.ended_by(signal.SIGTERM, "--keep-going", "--hang", "1000", mode="found, then many")
        self.assertEqual(report["verdict"], "violation")
        self.assertTrue(report["findings"][0]["replayed"])

    def test_what_was_forked_dies_too(self):
        seconds = str(10_000_000 + os.getpid())
        run = subprocess.run([PLUMB, "test", str(SUBJECT)], env=dict(os.environ, MODE="forks", SECONDS_LEFT=seconds),
                             timeout=300, capture_output=True, check=False)
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertFalse(runs_with(seconds))

    def test_what_was_forked_dies_with_a_plumb_that_is_killed(self):
        seconds = str(20_000_000 + os.getpid())
        with tempfile.TemporaryDirectory() as folder:
            variables = dict(os.environ, MODE="forks, then many", SECONDS_LEFT=seconds, ONCE=f"{folder}/once")
            command = [PLUMB, "test", str(SUBJECT), "--strategy", "dfs", "--preemptions", "-1"]
            with subprocess.Popen(command, env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
                self.assertTrue(wait_until(lambda: runs_with(seconds)))
                process.kill()
            self.assertTrue(wait_until(lambda: not runs_with(seconds)))


class Surroundings(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()

    def run_with(self, *options, **variables):
        unset = {name: value for name, value in os.environ.items() if name not in ("HOME", "XDG_CACHE_HOME")}
        return subprocess.run([PLUMB, "test", str(SUBJECT), "--quiet", *options], env={**unset, **variables},
                              text=True, capture_output=True, timeout=300, check=False)

    def test_no_home(self):
        for variables in ({}, {"HOME": "/nonexistent"}, {"HOME": "/proc"}):
            run = self.run_with(TMPDIR=str(self.folder), **variables)
            self.assertEqual(run.returncode, 1, run.stderr)
            self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_cache_that_others_could_have_written_to(self):
        other, cache = self.folder / "other", self.folder / "cache"
        other.mkdir()
        cache.mkdir()
        (cache / "plumb").symlink_to(other)
        self.assertEqual(self.run_with(XDG_CACHE_HOME=str(cache)).returncode, 1)
        self.assertEqual(list(other.iterdir()), [])
        (cache / "plumb").unlink()
        (cache / "plumb").mkdir()
        (cache / "plumb").chmod(0o777)
        self.assertEqual(self.run_with(XDG_CACHE_HOME=str(cache)).returncode, 1)
        self.assertEqual(list((cache / "plumb").iterdir()), [])
        (cache / "plumb").chmod(0o755)
        self.assertEqual(self.run_with(XDG_CACHE_HOME=str(cache)).returncode, 1)
        self.assertEqual((cache / "plumb").stat().st_mode & 0o777, 0o700)

    def test_its_size(self):
        cache = self.folder / "plumb"
        cache.mkdir(0o700)
        for age in range(6):
            file = cache / f"old-{age}"
            with open(file, "wb") as sparse:
                sparse.truncate(90_000_000)
            os.utime(file, (1_000_000 + age, 1_000_000 + age))
        self.assertEqual(self.run_with(XDG_CACHE_HOME=str(self.folder)).returncode, 1)
        left = sorted(file.name for file in cache.iterdir() if file.name.startswith("old-"))
        self.assertEqual(left, ["old-1", "old-2", "old-3", "old-4", "old-5"])

    def test_limits_of_files(self):
        resource.setrlimit(resource.RLIMIT_FSIZE, (10_000_000, resource.RLIM_INFINITY))
        try:
            run = self.run_with()
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        self.assertEqual(run.returncode, 70)
        self.assertIn("ulimit -f allows only smaller files", run.stderr)
        self.assertNotIn("bug in plumb", run.stderr)

    def test_the_compiler_obeys_limits(self):
        for options, why in ((("--timeout", "0.05"), "time limit"), (("--memory", "30"), "memory limit")):
            with self.subTest(options=options):
                run = self.run_with(*options, "--json", XDG_CACHE_HOME=str(self.folder))
                self.assertEqual(run.returncode, 2, run.stderr)
                report = json.loads(run.stdout)
                self.assertEqual((report["verdict"], report["stopped"]), ("undecided", why))
                self.assertIn("by the compiler", report["reason"])
                self.assertFalse(list((self.folder / "plumb").glob("work-*")))

    def test_jobs(self):
        self.assertEqual(self.run_with("--jobs", "1025").returncode, 64)


class Nothing(unittest.TestCase):
    def test_a_shard_without_tests(self):
        subject = SUBJECT.parent.parent / "lineup/odd_subject.cpp"
        command = [PLUMB, "test", str(subject), "--operations", "1", "--random", "0", "--shard", "50/50"]
        run = subprocess.run(command, text=True, capture_output=True, timeout=300, check=False)
        accepted = subprocess.run(command + ["--allow-empty"], capture_output=True, timeout=300, check=False)
        self.assertEqual((run.returncode, accepted.returncode), (2, 0), run.stderr)
        self.assertTrue(run.stdout.startswith("UNDECIDED"), run.stdout)
        self.assertIn("nothing was checked: this shard has no test", run.stdout)


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
