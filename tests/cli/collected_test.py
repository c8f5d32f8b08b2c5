#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""collected_test.py PLUMB ROOT: what CI servers read (JUnit, Markdown, JSON), of every command."""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

try:
    import jsonschema
except ImportError:
    jsonschema = None

PLUMB, ROOT = os.path.abspath(sys.argv[1]), sys.argv[2]
# Beside a sanitizer the explorer's runtime cannot be built.
EXPLORES = os.path.exists(os.path.join(os.path.dirname(PLUMB), "../src/runtime/libplumb_runtime.so"))
GOLDEN = os.path.join(ROOT, "tests/golden/")
FIFO, HOLDS = GOLDEN + "queue_fifo.jsonl", GOLDEN + "holds.jsonl"
QUEUE = os.path.join(ROOT, "examples/objects/ticket_queue.cpp")
LOST = os.path.join(ROOT, "examples/explore/lost_update.cpp")
COUNTER, COUNTER_LOST = os.path.join(ROOT, "models/counter.plumb"), os.path.join(ROOT, "models/counter_lost.plumb")

# What XML 1.0 forbids, what ends a block of any format, and what only looks dangerous.
HOSTILE = ["]]>", "</details>", "<script>alert(1)</script>", "a|b", "``` ````", "&amp;", "\x01\x1b[31m",
           "two\nlines\r\t", "\ud800", "\ufffe", "\u202eright to left", "\\", "<!--", '"\'', "# *_~[x](y)"]


def fences_and_text(markdown):
    """The blocks of code, and the lines around them, as CommonMark divides them."""
    blocks, text, fence = [], [], ""
    for line in markdown.split("\n"):
        opening = re.match(r"^ {0,3}(`{3,})[^`]*$", line)
        if fence:
            closing = re.match(r"^ {0,3}(`{3,})[ \t]*$", line)
            if closing and len(closing.group(1)) >= len(fence):
                fence = ""
            else:
                blocks[-1] += line + "\n"
        elif opening:
            fence = opening.group(1)
            blocks.append("")
        else:
            text.append(line)
    assert not fence, "a block is never closed"
    return blocks, text


def commands_in(markdown):
    return re.findall(r"^Replay:\n\n```sh\n(.*)\n```$", markdown, re.M)


class Collected(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_plumb(self, *arguments, text=None, variables=None):
        environment = dict(os.environ, LC_ALL="C.UTF-8", PATH=os.path.dirname(PLUMB) + ":" + os.environ["PATH"],
                           **(variables or {}))
        environment.pop("CXX", None)
        return subprocess.run([PLUMB, *arguments], input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              encoding="utf-8", cwd=self.folder, env=environment, check=False)

    def collect(self, *arguments, text=None):
        """Exit status, the suite and the Markdown."""
        for name in ("junit.xml", "summary.md"):
            if os.path.exists(self.path(name)):
                os.remove(self.path(name))
        ran = self.run_plumb(*arguments, "--junit", "junit.xml", "--markdown", "summary.md", text=text)
        self.assertTrue(os.path.exists(self.path("junit.xml")), ran.stderr)
        suite, = xml.parse(self.path("junit.xml")).getroot()
        cases = suite.findall("testcase")
        self.assertEqual(int(suite.get("tests")), len(cases))
        self.assertEqual(int(suite.get("failures")), len(suite.findall("testcase/failure")))
        self.assertEqual(int(suite.get("errors")), len(suite.findall("testcase/error")))
        self.assertFalse(suite.findall("testcase/skipped"), "servers show it as green")
        # Red in JUnit, red in the exit status.
        red = int(suite.get("failures")) + int(suite.get("errors")) > 0
        self.assertEqual(ran.returncode != 0, red)
        with open(self.path("summary.md"), encoding="utf-8", newline="") as file:
            return ran.returncode, suite, file.read()

    def again(self, markdown, status):
        """The commands in the summary do what was done."""
        commands = commands_in(markdown)
        self.assertTrue(commands, markdown)
        for command in commands:
            environment = dict(os.environ, PATH=os.path.dirname(PLUMB) + ":" + os.environ["PATH"])
            ran = subprocess.run(command, shell=True, cwd=self.folder, env=environment, check=False,
                                 stdout=subprocess.DEVNULL)
            self.assertEqual(ran.returncode, status, command)

    # ---- check

    def test_check_of_several_files_is_a_case_each(self):
        status, suite, markdown = self.collect("check", FIFO, HOLDS, "nowhere.jsonl")
        self.assertEqual(status, 1)
        violated, held, missing = suite
        self.assertEqual(violated.get("name"), FIFO)
        failure = violated.find("failure")
        self.assertIn("not linearizable (queue, ", failure.get("message"))
        self.assertIn("◀ impossible", failure.text)
        self.assertEqual(len(held), 0)
        self.assertIn("No such file", missing.find("error").get("message"))
        blocks, text = fences_and_text(markdown)
        self.assertEqual([line.split("|")[1].strip() for line in text if line.startswith("|")],
                         ["verdict", "---", "VIOLATION", "HOLDS", "ERROR"])
        self.assertTrue(any("◀ impossible" in block for block in blocks))
        self.assertEqual(sum(line.startswith("### ") for line in text), 2)
        self.again(markdown, 1)

    def test_what_is_undecided_is_an_error(self):
        status, suite, markdown = self.collect("check", FIFO, "--engine", "clmt")  # of registers
        self.assertEqual(status, 2)
        self.assertEqual(suite.find("testcase/error").get("type"), "undecided")
        self.assertIn("### UNDECIDED: ", markdown)
        self.again(markdown, 2)

    def test_markdown_is_added_to_the_end(self):
        for _ in range(2):
            self.run_plumb("check", FIFO, "--markdown", "both.md")
        with open(self.path("both.md"), encoding="utf-8") as file:
            self.assertEqual(file.read().count("### VIOLATION"), 2)

    def test_files_that_can_not_be_written_are_told_before_the_work(self):
        for option in ("--junit", "--markdown"):
            ran = self.run_plumb("check", FIFO, option, "no/such/folder")
            self.assertEqual((ran.returncode, ran.stdout), (64, ""))

    def test_hostile_values_and_names_stay_text(self):
        for number, value in enumerate(HOSTILE):
            name = value.replace("/", "").replace("\ud800", "x") + ".jsonl" if value.strip() else "x.jsonl"
            name = name.replace("\x00", "")
            with self.subTest(value=value):
                events = [{"history": 1, "object": "register"},
                          {"type": "call", "process": value, "op": "write", "args": [value]},
                          {"type": "return", "process": value, "result": None},
                          {"type": "call", "process": number, "op": "read", "args": []},
                          {"type": "return", "process": number, "result": value + "?"}]
                with open(self.path(name), "w", encoding="utf-8") as file:
                    file.write("".join(json.dumps(event) + "\n" for event in events))
                ran = self.run_plumb("check", name)
                if ran.returncode == 65:  # no Unicode: refused, with a word
                    self.assertEqual(value, "\ud800", ran.stderr)
                    continue
                status, suite, markdown = self.collect("check", name, HOLDS)
                self.assertEqual(status, 1)
                self.assertEqual(len(suite), 2)
                self.assertTrue(suite.find("testcase/failure").text)
                self.assertNotRegex(markdown, "[\x00-\x08\x0b-\x1f\x7f-\x9f]")
                _, text = fences_and_text(markdown)
                for line in text:
                    self.assertNotRegex(line, r"(?<!\\)<", "HTML")
                    if line.startswith("|"):
                        self.assertEqual(len(re.findall(r"(?<!\\)\|", line)), 3, line)

    # ---- verify

    def test_verify_is_a_case_a_row(self):
        status, suite, markdown = self.collect("verify", COUNTER_LOST)
        self.assertEqual(status, 1)
        self.assertIn("Replayed step by step", suite.find("testcase/failure").text)
        self.again(markdown, 1)
        with open(COUNTER, encoding="utf-8") as file:
            constant = re.search(r"const (\w+)", file.read()).group(1)
        status, suite, markdown = self.collect("verify", COUNTER, "--set", constant + "=1..2")
        self.assertEqual(status, 0)
        self.assertEqual([case.get("name").split(" ", 1)[1] for case in suite],
                         [f"--set {constant}=1", f"--set {constant}=2"])
        self.assertEqual(markdown.count("| HOLDS |"), 2)

    # ---- test

    @unittest.skipUnless(EXPLORES, "no runtime")
    def test_tests_of_an_object_are_cases(self):
        status, suite, markdown = self.collect("test", QUEUE)
        self.assertEqual(status, 1)
        failures = suite.findall("testcase/failure")
        self.assertEqual(len(failures), 1)
        self.assertIn("TicketQueue is not linearizable", failures[0].get("message"))
        self.assertIn("Nearest:", failures[0].text)
        self.assertEqual({case.get("classname") for case in suite}, {"TicketQueue"})
        self.again(markdown, 1)

    @unittest.skipUnless(EXPLORES, "no runtime")
    def test_tests_that_are_decided_are_cases(self):
        # What was begun when another test failed is decided only if the others are finished as well.
        few = ("--operations", "2", "--random", "0", "--keep-going")
        status, suite, _ = self.collect("test", QUEUE, *few)
        self.assertEqual(status, 0)
        self.assertGreater(len(suite), 3)

    @unittest.skipUnless(EXPLORES, "no runtime")
    def test_an_exploration_is_a_case(self):
        status, suite, markdown = self.collect("test", LOST)
        self.assertEqual(status, 1)
        self.assertEqual(len(suite), 1)
        self.assertTrue(suite.find("testcase/failure").text)
        self.again(markdown, 1)
        status, suite, markdown = self.collect("test", LOST, "--max-executions", "1", "--ignore", "race")
        self.assertEqual(status, 2)
        self.assertEqual(suite.find("testcase/error").get("type"), "undecided")

    # ---- all of them

    def all_commands(self):
        yield ["check", FIFO]
        yield ["check", HOLDS]
        yield ["check", FIFO, HOLDS]
        yield ["check", FIFO, "--quasi", "deq=2"]
        yield ["check", FIFO, "--engine", "clmt"]
        yield ["verify", COUNTER]
        yield ["verify", COUNTER_LOST]
        yield ["verify", COUNTER_LOST, "--property", "lock-free"]
        yield ["verify", COUNTER, "--simulate"]
        if EXPLORES:
            yield ["test", QUEUE]
            yield ["test", QUEUE, "--compare", "--test", "push(1) | try_pop"]
            yield ["test", QUEUE, "--spec", "queue", "--without", "try_pop"]
            yield ["test", LOST]
            yield ["test", LOST, "--max-executions", "1", "--ignore", "race"]

    @unittest.skipUnless(jsonschema, "python3-jsonschema is not installed")
    def test_json_is_as_the_schema_says(self):
        with open(os.path.join(ROOT, "docs/report.schema.json"), encoding="utf-8") as file:
            validator = jsonschema.Draft202012Validator(json.load(file))
        for command in self.all_commands():
            with self.subTest(command=command):
                ran = self.run_plumb(*command, "--json")
                self.assertIn(ran.returncode, (0, 1, 2), ran.stderr)
                for report in map(json.loads, ran.stdout.splitlines()):  # one object per line
                    self.assertEqual([error.message for error in validator.iter_errors(report)], [])
                    self.assertFalse(validator.is_valid({**report, "verdict": "perhaps", "summary": 1}))

    def test_colours_are_asked_for_or_not_there(self):
        for command in self.all_commands():
            if "--simulate" in command or len(command) > 2:
                continue
            with self.subTest(command=command):
                self.assertNotIn("\x1b", self.run_plumb(*command).stdout)
                painted = self.run_plumb(*command, "--color", "always", variables={"NO_COLOR": "1"}).stdout
                self.assertRegex(painted, "^\x1b\\[3[123];1m(HOLDS|VIOLATION|UNDECIDED)\x1b\\[0m ")
                plain = re.sub("\x1b\\[[0-9;]*m", "", painted)
                self.assertNotIn("\x1b", plain)
                # The verdict, the culprit, and no more.
                self.assertLessEqual(painted.count("\x1b"), 4)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
