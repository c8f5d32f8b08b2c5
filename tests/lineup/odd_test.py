#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a class, or a file, may do that nobody expects: a clear answer, soon, and nothing is lost.

    odd_test.py PLUMB
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PLUMB = ""
SUBJECT = pathlib.Path(__file__).with_name("odd_subject.cpp")
# The first test, next | next, passes; the second, next | odd, does what is odd.
SMALL = ["--operations", "2", "--random", "0"]


def run(odd, *options, file=SUBJECT):
    return subprocess.run([PLUMB, "test", str(file), *options], env=dict(os.environ, ODD=odd), capture_output=True,
                          text=True, timeout=1000, check=False)


def cpu_ticks(pid):
    """Of a process and of those that it has begun."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            words = file.read().rpartition(")")[2].split()
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return int(words[11]) + int(words[12]) + sum(map(cpu_ticks, file.read().split()))
    except FileNotFoundError:
        return 0


class Odd(unittest.TestCase):
    def report(self, odd, status, *options):
        ran = run(odd, *options, "--json")
        self.assertEqual(ran.returncode, status, f"{odd}: {ran.stdout[:2000]}{ran.stderr[:2000]}")
        return json.loads(ran.stdout)

    def finding(self, odd, kind, words, *options):
        """Found, and told; and what ran before is counted."""
        report = self.report(odd, 1, *SMALL, "--hang", "0.3", "--keep-going", *options)
        self.assertEqual(report["verdict"], "violation", odd)
        self.assertEqual({failure["kind"] for failure in report["failures"]}, {"finding"}, odd)
        self.assertEqual(report["findings"][0]["kind"], kind, odd)
        self.assertIn(words, report["findings"][0]["message"], odd)
        tests = report["scope"]["tests"]
        self.assertEqual(tests["in_order"], 3, odd)
        self.assertEqual(tests["passed"] + tests["failed"], 3, odd)
        return tests["passed"]

    def test_constructors_and_destructors(self):
        for odd, kind, words in (
                ("constructor throws", "exception", "the constructor of Subject throws std::runtime_error: no subject"),
                ("constructor throws a number", "exception", "the constructor of Subject throws int"),
                ("constructor exits", "assertion", "exit() was called"),
                ("destructor throws", "exception", "uncaught exception std::runtime_error")):
            self.assertEqual(self.finding(odd, kind, words), 0)

    def test_the_program_ends(self):
        for odd, kind, words in (
                ("exits", "assertion", "exit() was called"),
                ("aborts", "assertion", "abort() was called"),
                ("terminates", "assertion", "abort() was called"),
                ("exits quickly", "crash", "the program ended itself, with status 3"),
                ("exits at once", "crash", "the program ended itself, with status 3"),
                ("is stopped", "crash", "the process was stopped"),
                ("follows null", "crash", "segmentation fault"),
                ("recurses", "crash", "the stack overflowed")):
            self.assertEqual(self.finding(odd, kind, words), 1)

    def test_is_killed(self):
        """Perhaps by the kernel, since memory ran out: that is no finding."""
        report = self.report("is killed", 2, *SMALL, "--keep-going")
        self.assertIn("the process under test was killed (signal 9)", report["reason"])
        tests = report["scope"]["tests"]
        self.assertEqual((tests["passed"], tests["failed"], tests["undecided"]), (1, 0, 2))

    def test_a_finding_is_shown_although_the_time_is_up(self):
        report = self.report("aborts", 1, "--keep-going", "--random", "100000", "--timeout", "5")
        self.assertTrue(report["findings"])
        for finding in report["findings"]:
            self.assertTrue(finding["replayed"], finding)
            self.assertIn("abort() was called", finding["message"])

    def test_never_ends_without_accesses(self):
        """Without serial histories there is no violation."""
        report = self.report("loops", 2, *SMALL, "--hang", "0.3")
        self.assertIn("a serial run does not end: nothing happened for 0.3 s", report["reason"])
        self.assertEqual((report["scope"]["tests"]["passed"], report["scope"]["tests"]["undecided"]), (1, 1))

    def test_waits_for_ever_serially(self):
        report = self.report("waits", 0, *SMALL)
        self.assertEqual(report["scope"]["tests"]["with_stuck_histories"], 2)

    def test_goes_on_for_ever_serially(self):
        report = self.report("counts", 2, *SMALL)
        self.assertRegex(report["reason"], r"^odd\(\) took \d+ steps and did not return, the last at odd_subject.cpp:\d+")
        self.assertEqual((report["scope"]["tests"]["passed"], report["scope"]["tests"]["undecided"]), (1, 2))

    def test_counts_forever_if_interrupted(self):
        start = time.monotonic()
        report = self.report("counts forever if interrupted", 2, "--test", "odd | next")
        self.assertRegex(report["reason"], r"^odd\(\) took \d+ steps and did not return, the last at odd_subject.cpp:\d+$")
        self.assertEqual(report["stopped"], "search limit")
        self.assertLess(time.monotonic() - start, 100)

    def test_calls_are_recorded_before_their_effects_wherever_threads_are_switched(self):
        for where in ("auto", "all", "atomics"):
            self.report("counts without atomics", 0, "--test", "odd | next", "--ignore", "race", "--schedule-at", where)

    def test_allocates_until_nothing_is_left(self):
        report = self.report("allocates", 0, "--test", "odd | next")  # it throws std::bad_alloc
        self.assertEqual(report["scope"]["tests"]["passed"], 1)

    def test_throws_what_is_no_exception(self):
        self.report("throws a number", 0, *SMALL)

    def test_tells_much(self):
        ran = run("tells much", "--test", "odd | odd", "--preemptions", "2")
        self.assertEqual(ran.returncode, 1, ran.stderr)
        self.assertIn("is not linearizable", ran.stdout)
        self.assertLess(len(ran.stdout), 100_000)

    def test_many_threads(self):
        report = self.report("", 2, "--test", " | ".join(["next"] * 12))
        self.assertEqual(report["reason"], "it has too many serial executions (--max-executions allows more)")
        self.report("", 0, *SMALL, "--threads", "12")
        ran = run("", "--test", " | ".join(["next"] * 31))
        self.assertEqual((ran.returncode, ran.stdout), (64, ""))
        self.assertIn("more than 30 threads", ran.stderr)

    def test_tells_what_is_no_text(self):
        report = self.report("tells no text", 1, "--test", "odd | odd", "--preemptions", "2")
        self.assertEqual(report["failures"][0]["kind"], "not-linearizable")

    def test_two_that_are_called_alike(self):
        ran = run("twice the same")
        self.assertEqual((ran.returncode, ran.stdout), (65, ""))
        self.assertIn("two operations of Subject are called 'next()'", ran.stderr)

    def test_a_schedule_of_another_program(self):
        ran = run("", "--test", "next | next", "--replay", "0,0,1:3,0,2:5,9", "--json")
        self.assertEqual((ran.returncode, ran.stdout), (64, ""))
        self.assertIn("--replay: not a schedule of this program", ran.stderr)

    def test_what_can_not_be_written_is_said_before_anything_is_run(self):
        for option in ("--junit", "--html", "--markdown", "--regression"):
            ran = run("", option, "/no/such/folder/file", "--random", "1000000")
            self.assertEqual((ran.returncode, ran.stdout), (64, ""), option)
            self.assertEqual(ran.stderr, "plumb: /no/such/folder/file: cannot write: No such file or directory\n", option)

    def test_sequences_that_make_no_sense(self):
        for options, words in ((["--sequence", ""], "--sequence: has no operation"),
                               (["--sequence", ",".join(["next"] * 200)], "more than 1000 operations"),
                               (["--pre", "next; next"], "--pre: there is no operation 'next; next'")):
            ran = run("", *options)
            self.assertEqual((ran.returncode, ran.stdout), (64, ""), options)
            self.assertIn(words, ran.stderr)

    def test_shards_say_how_many_tests_were_theirs(self):
        ran = run("", *SMALL, "--shard", "1/4")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("of these 1 test for shard 1/4", ran.stdout)

    def test_methods_that_no_test_calls_are_named(self):
        ran = run("for a thread that is not there", "--random", "2")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("  no test calls odd\n", ran.stdout)
        report = self.report("", 0, "--random", "2")
        self.assertEqual(report["scope"]["tests"]["never_called"], [])

    def test_a_loop_that_is_taken_for_one_that_waits_is_told(self):
        report = self.report("looks often", 0, *SMALL)
        self.assertIn("was assumed to be a spin-wait", report["scope"]["notes"][0])
        self.assertIn(report["scope"]["notes"][0], run("looks often", *SMALL).stdout)
        self.assertNotIn("notes", self.report("", 0, *SMALL)["scope"])

    def test_schedules_that_were_drawn_are_called_so(self):
        ran = run("", "--test", "next | next", "--strategy", "random", "--max-executions", "50")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("1 under random schedules", ran.stdout)

    def test_violating_histories_are_counted_in_the_test_that_is_shown(self):
        ran = run("loses", "--test", "odd, next | odd", "--all-histories")
        self.assertEqual(ran.returncode, 1, ran.stderr)
        self.assertIn(" histories is a violation.", ran.stdout)

    def test_is_told_to_end(self):
        """What ran is told."""
        command = [PLUMB, "test", str(SUBJECT), "--random", "100000", "--keep-going", "--json"]
        run("", *SMALL)  # so that it is compiled
        with subprocess.Popen(command, env=dict(os.environ, ODD=""), stdout=subprocess.PIPE, text=True) as process:
            while cpu_ticks(process.pid) < 500:
                time.sleep(0.1)
            process.send_signal(signal.SIGTERM)
            report = json.loads(process.communicate(timeout=600)[0])
        self.assertEqual((process.returncode, report["verdict"], report["reason"]), (130, "undecided", "interrupted"))
        self.assertGreater(report["scope"]["tests"]["passed"], 0)

    def test_goes_on_with_another_limit_of_time(self):
        with tempfile.TemporaryDirectory() as folder:
            kept = ["--save", f"{folder}/kept", "--random", "300", "--size", "3x3"]
            self.report("", 2, *kept, "--timeout", "2", "--preemptions", "3")
            self.assertTrue(pathlib.Path(f"{folder}/kept").exists())
            report = self.report("", 0, *kept, "--preemptions", "3", "--timeout", "900")
            self.assertEqual(report["scope"]["tests"]["random"], 300)

    def test_few_steps(self):
        report = self.report("", 2, "--test", "next, next | next, next", "--max-steps", "3")
        self.assertEqual(report["reason"], "executions were cut at --max-steps")

    def test_observations_in_a_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            ran = run("", "--test", "next | next", "--observations", folder)
        self.assertEqual((ran.returncode, ran.stdout, ran.stderr), (65, "", f"plumb: {folder}: is a folder\n"))

    def test_nothing_to_call(self):
        ran = run("without operations")
        self.assertEqual((ran.returncode, ran.stdout), (64, ""))
        self.assertEqual(ran.stderr, "plumb: Subject has no operation to test\n")


class Files(unittest.TestCase):
    def bad(self, text):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "subject.cpp"
            file.write_text(text, encoding="utf-8")
            ran = run("", file=file)
            self.assertEqual((ran.returncode, ran.stdout), (65, ""), ran.stderr)
            self.assertTrue(ran.stderr.startswith(f"plumb: {file}"), ran.stderr)
            return ran.stderr

    def test_does_not_compile(self):
        error = self.bad("#include <plumb/test.hpp>\nint main() { return plumb::test(1); }\n")
        self.assertIn(":2: the program does not compile", error)

    def test_has_no_main(self):
        self.assertIn("main", self.bad("#include <plumb/test.hpp>\n"))

    def test_is_not_said_how_it_is_made(self):
        subject = '''#include <plumb/test.hpp>
struct Subject { explicit Subject(int) {} int get() const { return 1; } };
struct Reference { int get() const { return 1; } };
int main(int argc, char** argv) {
  auto subject = plumb::describe<Subject>("Subject").method("get", &Subject::get);
  auto reference = plumb::describe<Reference>("Reference").method("get", &Reference::get);
  return plumb::test(%s).main(argc, argv);
}
'''
        for test in ("subject", "reference).against(subject"):
            error = self.bad(subject % test)
            self.assertIn(": Subject has no default constructor: give .made_by(...)\n", error)

    def test_is_not_said_with_which_values(self):
        error = self.bad('''#include <plumb/test.hpp>
struct Subject { int n = 0; auto state() const { return std::tie(n); } void set(int to) { n = to; } };
int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Subject>("Subject").method("set", &Subject::set)).main(argc, argv);
}
''')
        self.assertIn(": set of Subject has arguments: say what they are, by plumb::values(...) for each\n", error)

    def test_tests_nothing(self):
        self.assertIn("without exploring anything", self.bad("int main() { return 0; }\n"))


if __name__ == "__main__":
    PLUMB = os.path.abspath(sys.argv.pop(1))
    unittest.main()
