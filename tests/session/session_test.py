#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""session_test.py PLUMB: what is around an exploration."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PLUMB = ""
FOLDER = ""
COMPILER = os.environ.get("CXX", "g++")
ALL = ["--strategy", "dfs", "--preemptions", "-1"]


def environment(mode):
    return dict(os.environ, CXX=COMPILER, MODE=mode, PATH=os.path.dirname(PLUMB) + ":" + os.environ["PATH"])


def shell(command, mode=""):
    variables = environment(mode)
    del variables["CXX"]  # the command says it
    return subprocess.run(["sh", "-c", command], cwd=FOLDER, env=variables, text=True, capture_output=True,
                          timeout=500, check=False)


def test(*options, mode="", file="a subject.cpp"):
    return subprocess.run([PLUMB, "test", file, *options], cwd=FOLDER, env=environment(mode), text=True,
                          capture_output=True, timeout=500, check=False)


def begin(*options, mode="many"):
    return subprocess.Popen([PLUMB, "test", "a subject.cpp", *options], cwd=FOLDER, env=environment(mode), text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return [int(word) for word in file.read().split()]


def wait_until(condition, seconds=300):
    for _ in range(seconds * 50):
        if condition():
            return True
        time.sleep(0.02)
    return False


def cpu_ticks(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
        words = file.read().rpartition(")")[2].split()
    return int(words[11]) + int(words[12])


def controller(process):
    """The program that plumb test has started; it watches those that run schedules."""
    found = children(process.pid)
    return found[0] if found else 0


def under_test(process):
    return children(controller(process)) if controller(process) else []


def busy_child(process, number=0):
    """The process under test, which has worked for a while."""
    def works():
        found = under_test(process)
        return len(found) > number and cpu_ticks(found[number]) > 5
    assert wait_until(works), process.communicate(timeout=1)
    return under_test(process)[number]


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


class FromOutside(unittest.TestCase):
    KILLED = "the process under test was killed (signal 9), perhaps because the system ran out of memory"

    def undecided(self, process, why, cause="the cause is external"):
        out, err = process.communicate(timeout=500)
        self.assertEqual(process.returncode, 2, out + err)
        self.assertTrue(out.startswith("UNDECIDED  a subject.cpp: no violation found: " + why), out)
        self.assertIn(cause, out)

    def test_killed(self):
        process = begin(*ALL)
        os.kill(busy_child(process), signal.SIGKILL)
        self.undecided(process, self.KILLED, "")

    def test_worker_killed(self):
        process = begin(*ALL, "--jobs", "2")
        os.kill(busy_child(process, 1), signal.SIGKILL)
        self.undecided(process, self.KILLED, "")

    def test_stopped(self):
        process = begin(*ALL, "--hang", "0.4")
        os.kill(busy_child(process), signal.SIGSTOP)
        self.undecided(process, "the process was stopped")

    def test_worker_stopped(self):
        process = begin(*ALL, "--jobs", "2", "--hang", "0.4")
        os.kill(busy_child(process, 1), signal.SIGSTOP)
        self.undecided(process, "the process was stopped")

    def test_stopped_and_continued(self):
        process = begin(*ALL, "--hang", "2", "--max-executions", "200000")
        child = busy_child(process)
        all_of_them = (process.pid, controller(process), child)
        for pid in all_of_them:  # as Ctrl-Z does
            os.kill(pid, signal.SIGSTOP)
        time.sleep(3)
        for pid in reversed(all_of_them):
            os.kill(pid, signal.SIGCONT)
        out, err = process.communicate(timeout=500)
        self.assertIn("--max-executions reached", out + err)

    def test_interrupted(self):
        process = begin(*ALL)
        child = busy_child(process)
        for pid in (child, process.pid):  # as Ctrl-C does
            os.kill(pid, signal.SIGINT)
        out, _ = process.communicate(timeout=500)
        self.assertEqual(process.returncode, 130)
        self.assertIn("no violation found: interrupted", out)

    def test_parent_killed(self):
        process = begin("--hang", "60", mode="hang")  # between two executions it would notice by itself
        child = busy_child(process)
        process.kill()
        process.communicate(timeout=500)
        self.assertTrue(wait_until(lambda: not is_alive(child)))

    def test_a_kill_is_no_finding_even_if_it_happens_again(self):
        """As by the kernel, if the program takes too much memory."""
        for options in ([], [*ALL, "--jobs", "2"], ["--replay", self.lost_update()]):
            with self.subTest(options=options):
                run = test(*options, mode="kill")
                self.assertEqual(run.returncode, 2, run.stdout + run.stderr)
                self.assertIn(self.KILLED, run.stdout)

    def lost_update(self):
        """A schedule after which both threads have seen the same."""
        return json.loads(test("--json").stdout)["findings"][0]["schedule"]["text"]

    def test_of_the_program_itself(self):
        for mode, why in (("stop", "the process was stopped"), ("hang", "the execution hung")):
            for options in ([], [*ALL, "--jobs", "2"]):
                with self.subTest(mode=mode, options=options):
                    run = test(*options, "--hang", "0.4", mode=mode)
                    self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
                    self.assertIn(why, run.stdout)
                    self.assertNotIn("did not show it again", run.stdout)


class Divided(unittest.TestCase):
    def test_nothing_is_lost(self):
        for jobs in ("1", "2", "4"):
            run = test(*ALL, "--heap", "quarantine", "--jobs", jobs, "--json", mode="some")
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual(json.loads(run.stdout)["scope"]["executions"], 34650)  # 12! / (4! 4! 4!)

    STRATEGIES = (ALL, ["--strategy", "dfs", "--preemptions", "2"], ["--strategy", "random", "--max-executions", "3000"],
                  ["--strategy", "pct", "--max-executions", "3000"], ["--strategy", "pos", "--max-executions", "3000"],
                  ["--strategy", "dpor"])

    def test_whatever_the_strategy_nothing_is_lost(self):
        for strategy in self.STRATEGIES:
            runs = [test(*strategy, "--heap", "quarantine", "--jobs", jobs, "--json", mode="some") for jobs in ("1", "2", "4")]
            self.assertEqual([run.returncode for run in runs], [0, 0, 0], runs[0].stderr)
            executions = [json.loads(run.stdout)["scope"]["executions"] for run in runs]
            self.assertEqual(len(set(executions)), 1, f"{strategy}: {executions}")

    def test_the_first_finding_is_that_of_one_process(self):
        for strategy in (*self.STRATEGIES, []):
            found = set()
            for jobs in ("1", "2", "4", "2", "4"):
                run = test(*strategy, "--heap", "quarantine", "--jobs", jobs, "--json", mode="scattered")
                self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
                found.add(json.dumps(json.loads(run.stdout)["findings"][0]))
            self.assertEqual(len(found), 1, f"{strategy}: {found}")

    def test_the_limit_counts_even_if_the_search_ends_soon_after_it(self):
        for jobs in ("1", "2", "4"):
            for limit, status in (("34649", 2), ("34650", 0)):
                with self.subTest(jobs=jobs, limit=limit):
                    run = test(*ALL, "--heap", "quarantine", "--jobs", jobs, "--max-executions", limit, mode="some")
                    self.assertEqual(run.returncode, status, run.stdout + run.stderr)


class Memory(unittest.TestCase):
    """--memory is about all processes together: 200 MiB in the one that watches and in each that runs schedules."""

    def run_with(self, memory, jobs, mode="hungry"):
        return test(*ALL, "--heap", "quarantine", "--jobs", jobs, "--memory", memory, mode=mode)

    def test_enough(self):
        run = self.run_with("550", "1")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def test_too_little(self):
        for memory, jobs in (("300", "1"), ("550", "2")):
            run = self.run_with(memory, jobs, "hungry, for long")  # so that both workers are there at once
            self.assertEqual(run.returncode, 2, run.stdout + run.stderr)
            self.assertRegex(run.stdout, "^UNDECIDED  a subject.cpp: .*memory limit")


class Kept(unittest.TestCase):
    def setUp(self):
        self.file = os.path.join(FOLDER, "kept")
        self.addCleanup(lambda: os.path.exists(self.file) and os.unlink(self.file))
        self.options = [*ALL, "--save", self.file]

    def test_two_at_once(self):
        process = begin(*self.options)
        busy_child(process)
        run = test(*self.options, mode="many")
        self.assertEqual((run.returncode, run.stdout), (65, ""))
        self.assertRegex(run.stderr, r"^plumb: .*kept: another run is saving its search to this file \(.*\)\n$")
        process.kill()
        process.communicate(timeout=500)

    def saved_again(self):
        before = os.stat(self.file).st_mtime_ns
        assert wait_until(lambda: os.stat(self.file).st_mtime_ns != before)

    def test_goes_on(self):
        process = begin(*self.options)
        busy_child(process)
        self.saved_again()
        process.kill()
        process.communicate(timeout=500)
        run = test(*self.options, "--json", "--max-executions", "2", mode="many")
        self.assertGreater(json.loads(run.stdout)["scope"]["executions"], 2)
        self.assertEqual(run.returncode, 2)

    def test_goes_on_with_more(self):
        run = test(*self.options, "--max-executions", "50", mode="many")
        self.assertEqual(run.returncode, 2)
        run = test(*self.options, "--max-executions", "70", "--json", mode="many")
        self.assertEqual(json.loads(run.stdout)["scope"]["executions"], 70)

    def test_ended_from_outside(self):
        process = begin(*self.options)
        os.kill(busy_child(process), signal.SIGKILL)
        process.communicate(timeout=500)
        run = test(*self.options, "--json", "--max-executions", "2", mode="many")
        self.assertGreater(json.loads(run.stdout)["scope"]["executions"], 2)

    def test_ended_by_a_limit(self):
        run = test(*self.options, "--timeout", "1", "--json", mode="many")
        executions = json.loads(run.stdout)["scope"]["executions"]
        run = test(*self.options, "--max-executions", "2", "--json", mode="many")
        # Of the last one we do not know whether it was over.
        self.assertIn(json.loads(run.stdout)["scope"]["executions"] - executions, (0, 1))

    def test_nothing_is_left(self):
        for _ in range(2):
            run = test("--preemptions", "0", "--max-steps", "20", "--save", self.file, mode="long")
            self.assertIn("executions were cut at --max-steps", run.stdout)

    def test_of_something_else(self):
        test(*self.options, "--max-executions", "50", mode="many")
        shutil.copy(os.path.join(FOLDER, "a subject.cpp"), os.path.join(FOLDER, "other.cpp"))
        for options, file in ((["--spurious"], "a subject.cpp"), (["--seed", "2"], "a subject.cpp"), ([], "other.cpp")):
            run = test(*self.options, *options, file=file, mode="many")
            self.assertEqual((run.returncode, run.stdout), (65, ""))
            self.assertIn("belongs to another program, or to other arguments or options", run.stderr)
        for name, status, why in (("other.cpp", 65, "this is not a saved search"),
                                  ("a subject.cpp", 64, "would replace a file that is read")):
            run = test("--save", name)
            self.assertEqual((run.returncode, run.stdout), (status, ""))
            self.assertIn(why, run.stderr)
            with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
                self.assertIn("explore_main", file.read())  # it is not written to

    def test_unusable(self):
        run = test("--json", "--save", "/nowhere/kept")
        self.assertEqual((run.returncode, run.stdout), (64, ""))
        self.assertEqual(run.stderr.count("\n"), 1)
        self.assertIn("/nowhere/kept: cannot write: No such file or directory", run.stderr)


class Programs(unittest.TestCase):
    def test_nothing_explored(self):
        run = test("--json", mode="nothing")
        self.assertEqual((run.returncode, run.stdout), (65, ""))
        self.assertRegex(run.stderr, r"^plumb: a subject.cpp: .*without exploring anything \(.*plumb::explore_main")

    def test_nested(self):
        run = test("--json", mode="nested")
        finding = json.loads(run.stdout)["findings"][0]
        self.assertEqual((run.returncode, finding["kind"]), (1, "misuse"))
        self.assertIn("plumb::explore is called while it explores", finding["message"])

    def test_children_are_ignored(self):
        run = test("--hang", "1", mode="no children")
        self.assertRegex(run.stdout, r"^VIOLATION  a subject.cpp: an assertion fails \(3 executions")

    def test_not_a_program_of_ours(self):
        for file, status, why in (("/bin/true", 65, "not linked to Plumb's runtime"),
                                  ("/etc/passwd", 65, "neither a C++ source nor a program"),
                                  ("/nowhere", 66, "there is no such file")):
            run = test(file=file)
            self.assertEqual((run.returncode, run.stdout), (status, ""))
            self.assertIn(why, run.stderr)

    def test_names_of_sources(self):
        for ending in ("C", "c++", "cxx", "cc"):
            name = os.path.join(FOLDER, "wrong." + ending)
            with open(name, "w", encoding="utf-8") as file:
                file.write("int main() { return nothing; }\n")
            run = test(file=name)
            self.assertEqual(run.returncode, 65)
            self.assertTrue(run.stderr.startswith(f"plumb: {name}:1: the program does not compile"), run.stderr)

    def test_link_error(self):
        name = os.path.join(FOLDER, "missing.cpp")
        with open(name, "w", encoding="utf-8") as file:
            file.write("int missing(); int main() { return missing(); }\n")
        run = test(file=name)
        self.assertEqual(run.returncode, 65)
        self.assertIn("missing()", run.stderr)
        self.assertNotIn(os.environ.get("XDG_CACHE_HOME", "/.cache/"), run.stderr)


class Commands(unittest.TestCase):
    def again(self, text):
        return text.partition("  Replay: ")[2].splitlines()[0]

    def test_pasted(self):
        run = test("--flag=-DTEXT=\"a b\"")
        command = self.again(run.stdout)
        self.assertTrue(command.startswith(f"CXX={COMPILER} {PLUMB} test "), command)
        self.assertIn("'a subject.cpp' '--flag=-DTEXT=\"a b\"' --replay", command)
        run = shell(command)
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn("hits == 2", run.stdout)

    def test_report(self):
        run = test("--flag=-DTEXT=\"a b\"", "--json")
        with open(os.path.join(FOLDER, "report.json"), "w", encoding="utf-8") as file:
            file.write(run.stdout)
        run = shell(f"CXX={COMPILER} plumb replay report.json --trust")
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn("hits == 2", run.stdout)

    def test_of_a_call(self):
        run = test("it's wrong", mode="two calls")
        command = self.again(run.stdout)
        self.assertTrue(command.startswith("PLUMB_CALL=2 PLUMB_REPLAY='--replay "), run.stdout)
        self.assertTrue(command.endswith(r" test 'a subject.cpp' 'it'\''s wrong'"), command)
        run = shell(command, mode="two calls")
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn("(1 execution, ", run.stdout)
        options = dict(word[2:].split(" ") for word in re.findall("--[a-z]+ [^ ']+", command))
        report = {"findings": [{"schedule": {"options": options}}],
                  "program": {"file": "a subject.cpp", "flags": [], "link": [], "arguments": ["it's wrong"], "call": 2}}
        with open(os.path.join(FOLDER, "report.json"), "w", encoding="utf-8") as file:
            json.dump(report, file)
        run = shell(f"CXX={COMPILER} plumb replay report.json --trust", mode="two calls")
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn("(1 execution, ", run.stdout)


class Options(unittest.TestCase):
    def wrong(self, *options):
        run = test(*options)
        self.assertEqual((run.returncode, run.stdout), (64, ""), options)
        self.assertEqual(run.stderr.count("\n"), 1, run.stderr)
        self.assertTrue(run.stderr.startswith("plumb: "), run.stderr)
        return run.stderr

    def test_numbers(self):
        for name in ("--preemptions", "--max-executions", "--max-steps", "--jobs", "--seed"):
            for value in ("1.5", "-7", "nan", "1e300", "", "x", "1 2", "99999999999999999999999"):
                self.assertIn(f"{name}: '{value}' is not ", self.wrong(name, value))
        for name in ("--timeout", "--hang"):
            for value in ("0", "-1", "nan", "inf", "1e300", "", "x"):
                self.assertIn(f"{name}: '{value}' is not a number above 0", self.wrong(name, value))
        self.assertIn("--jobs: '0' is not an integer from 1 to 1024", self.wrong("--jobs", "0"))
        self.assertIn("--memory: '0' is not an integer from 1 to ", self.wrong("--memory", "0"))

    def test_together(self):
        self.wrong("--debug")
        self.wrong(*ALL, "--jobs", "2", "--save", "kept")
        self.wrong("--replay", "0", "--save", "kept")
        self.wrong("--nothing")
        self.wrong("--heap")

    def test_schedules(self):
        for schedule in ("", "x", "0,,1", "0:", "99", "v", "0 1"):
            self.assertIn(f"--replay: '{schedule}' is not a schedule", self.wrong("--replay", schedule))
        self.assertIn("not a schedule of this program", self.wrong("--replay", "7"))
        self.assertIn("not a schedule of this program", self.wrong("--replay", "0:500"))

    def test_files_that_are_standard_output(self):
        for option, begins in (("--junit", "<?xml "), ("--markdown", "### "), ("--html", "<!doctype html>")):
            with self.subTest(option=option):
                run = test("--quiet", option, "-")
                self.assertEqual(run.returncode, 1, run.stderr)
                report, _, file = run.stdout.partition("\n")
                self.assertTrue(report.startswith("VIOLATION  a subject.cpp"), report)
                self.assertTrue(file.startswith(begins), file[:200])
        run = test("--output", "the report", "--junit", "-")
        self.assertTrue(run.stdout.startswith("<?xml "), run.stdout[:200])
        self.assertFalse(os.path.exists(os.path.join(FOLDER, "-")))

    def test_quiet(self):
        run = test("--quiet")
        self.assertEqual(run.returncode, 1)
        self.assertRegex(run.stdout, r"^VIOLATION  a subject.cpp: an assertion fails \(.*\)\n$")


def main():
    global PLUMB, FOLDER
    PLUMB = os.path.abspath(sys.argv.pop(1))
    with tempfile.TemporaryDirectory(prefix="plumb session ") as folder:
        FOLDER = folder
        here = os.path.dirname(os.path.abspath(__file__))
        shutil.copy(os.path.join(here, "subject.cpp"), os.path.join(folder, "a subject.cpp"))
        unittest.main()


if __name__ == "__main__":
    main()
