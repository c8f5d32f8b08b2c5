# SPDX-License-Identifier: MIT
"""kill -9 at any point of a command that writes files: each is the old one or all of the new one, and
nothing else looks like a result. killed_test.py PLUMB ROOT [POINTS]"""
import json
import os
import random
import sys
import time
import xml.etree.ElementTree

from plumb_runs import MODEL, ROOT, Runs, WRONG_MODEL, contents, events, main

POINTS = int(sys.argv[3]) if len(sys.argv) > 3 else 60
WRONG_CLASS = os.path.join(ROOT, "examples/objects/ticket_queue.cpp")
RIGHT_CLASS = os.path.join(ROOT, "objects/queues/michael_scott_queue.cpp")
SEARCHED = """
#include <atomic>
#include <plumb/explore.hpp>
int main(int argc, char** argv) {
  return plumb::explore_main(argc, argv, [] {
    std::atomic<int> n{0};
    const auto adds = [&n] { for (int i = 0; i < 5; ++i) ++n; };
    plumb::parallel(adds, adds, adds);
  });
}
"""
OLD = b"an older result\n"


def whole_page(text):
    return text.startswith(b"<!doctype html>") and text.endswith(b"</html>\n")


def whole_xml(text):
    return xml.etree.ElementTree.fromstring(text).tag in ("testsuites", "observationset")


def whole_lines(text):
    return text.endswith(b"\n") and all(map(json.loads, text.splitlines()))


def whole_source(text):
    return text.endswith(b'ticket_queue.cpp"\n')


WHOLE = {".cpp": whole_source, ".html": whole_page, ".xml": whole_xml, ".json": whole_lines, ".jsonl": whole_lines}


class Killed(Runs):
    def setUp(self):
        super().setUp()
        steps = [(number % 3, "enq", [number], None) for number in range(3000)]
        self.write("wrong.jsonl", events(*steps, (0, "deq", [], 1)))
        self.write("right.jsonl", events(*steps, (0, "deq", [], 0)))
        with open(self.path("report.json"), "wb") as file:
            file.write(self.run_plumb("check", "wrong.jsonl", "--json")[1])
        self.commands = [
            (["check", "wrong.jsonl", "--html", "a.html", "--junit", "a.xml", "--core", "a.jsonl", "--json", "-o", "a.json"],
             ["a.html", "a.xml", "a.jsonl", "a.json"]),
            (["check", "right.jsonl", "--witness", "b.jsonl", "--junit", "b.xml"], ["b.jsonl", "b.xml"]),
            (["verify", WRONG_MODEL, "--html", "c.html", "--history", "c.jsonl", "--junit", "c.xml"],
             ["c.html", "c.jsonl", "c.xml"]),
            (["verify", MODEL, "--set", "N=3", "--set", "SIZE=3", "--checkpoint", "kept", "--checkpoint-every", "0.01",
              "--html", "d.html"], ["d.html"]),
            (["convert", "wrong.jsonl", "e.jsonl"], ["e.jsonl"]),
            (["report", "report.json", "--html", "f.html"], ["f.html"]),
        ]
        self.write("searched.cpp", SEARCHED)
        self.search = ["test", "searched.cpp", "--strategy", "dfs", "--preemptions", "-1", "--save", "search"]
        self.has_runtime = b"libplumb_runtime.so is missing" not in self.run_plumb("test", WRONG_CLASS)[2]
        if self.has_runtime:
            self.commands += [
                (["test", WRONG_CLASS, "--html", "g.html", "--junit", "g.xml", "--regression", "g.cpp", "--json",
                  "-o", "g.json"], ["g.html", "g.xml", "g.cpp", "g.json"]),
                (["test", RIGHT_CLASS, "--test", "enq(1), deq() | enq(2), deq()", "--observations", "new.xml", "--json",
                  "-o", "h.json"], ["h.json"]),
                ([*self.search, "--html", "i.html"], ["i.html"]),
            ]
        self.inputs = {name: contents(self.path(name)) for name in ("wrong.jsonl", "right.jsonl", "report.json")}

    def expect_whole(self, files, has_old):
        for name in files:
            if not has_old and not os.path.exists(self.path(name)):
                continue
            text = contents(self.path(name))
            if text != OLD:
                self.assertTrue(WHOLE[os.path.splitext(name)[1]](text), name)
        for name, text in self.inputs.items():
            self.assertEqual(contents(self.path(name)), text, name)
        if os.path.exists(self.path("new.xml")):  # is read, if it is there
            self.assertTrue(whole_xml(contents(self.path("new.xml"))))
        known = {name for _, names in self.commands for name in names} | set(self.inputs) | {"kept", "new.xml", "search",
                                                                                             "searched.cpp"}
        for name in set(os.listdir(self.folder)) - known:
            self.assertRegex(name, r"^\.plumb-\d+-\d+\.part$")  # hidden, and of no known format

    def test_at_any_point(self):
        draw = random.Random(seed := int(os.environ.get("PLUMB_SEED", 1)))
        print(f"PLUMB_SEED={seed}, {POINTS} points", flush=True)
        usual = {}
        for number, (command, files) in enumerate(self.commands):
            start = time.monotonic()
            self.assertIn(self.status(*command), (0, 1))
            usual[number] = time.monotonic() - start
            for name in files:
                self.assertTrue(WHOLE[os.path.splitext(name)[1]](contents(self.path(name))), name)
        killed = old = new = 0
        while killed < POINTS:
            number = killed % len(self.commands)
            command, files = self.commands[number]
            has_old = draw.random() < 0.7
            for name in files:
                if has_old:
                    self.write(name, OLD)
                elif os.path.exists(self.path(name)):
                    os.unlink(self.path(name))
            process = self.begin(*command)
            # Most of what can be torn is at the end.
            part = draw.uniform(0, 1) if draw.random() < 0.5 else draw.uniform(0.7, 1.1)
            time.sleep(part * usual[number])
            process.kill()
            process.communicate()
            killed += 1
            self.expect_whole(files, has_old)
            states = [os.path.exists(self.path(name)) and contents(self.path(name)) != OLD for name in files]
            new += any(states)
            old += not all(states)
        print(f"{old} times an old file, {new} times a new one", flush=True)
        self.assertGreater(old, 0)
        # What was kept of the search resumes, and is removed at the end.
        self.assertEqual(self.status(*self.commands[3][0]), 0)
        self.assertFalse(os.path.exists(self.path("kept")))
        if self.has_runtime:
            alone = self.run_plumb(*self.search[:-2], "--json")
            resumed = self.run_plumb(*self.search, "--json")
            self.assertEqual(*({name: report[name] for name in ("verdict", "findings")} | {
                "executions": report["scope"]["executions"]} for report in (json.loads(run[1]) for run in (alone, resumed))))
            self.assertFalse(os.path.exists(self.path("search")))


sys.argv[1:] = sys.argv[1:3]
main()
