# SPDX-License-Identifier: MIT
"""plumb check --follow of a file that is rotated, deleted or shortened: it says so, and ends with what
was covered."""
import json
import os
import time

from plumb_runs import Runs, events, main

ROUNDS = 20


class Follow(Runs):
    def follow(self, change, pause=0.3):
        """What is reported of a file that changes so while it is followed; it had 2 * ROUNDS + 1 lines."""
        log = self.write("log.jsonl", events(*[(0, "enq", [number], None) for number in range(ROUNDS)]))
        process = self.begin("check", "--follow", log, "--json")
        time.sleep(pause)
        change(log)
        out, err = process.communicate(timeout=60)
        return process.returncode, json.loads(out), err.decode()

    def lost(self, change, words, lines=2 * ROUNDS + 1):
        status, report, err = self.follow(change)
        self.assertEqual((status, report["verdict"], report["stopped"]), (2, "undecided", "input lost"))
        self.assertIn(words, report["reason"])
        self.assertIn(words, err)
        self.assertEqual(err.count("\n"), 1)
        self.assertIn(f"linearizable up to line {lines}", report["scope"]["notes"])

    def test_rotated(self):
        def rotate(log):
            self.write("new.jsonl", '{"history":1,"object":"queue"}\n')
            os.rename(log, log + ".1")
            os.rename(self.path("new.jsonl"), log)
        self.lost(rotate, "was ")

    def test_replaced(self):
        def replace(log):
            os.rename(self.write("new.jsonl", '{"history":1,"object":"queue"}\n'), log)
        self.lost(replace, "was replaced by another file")

    def test_deleted(self):
        self.lost(os.unlink, "was deleted or renamed")

    def test_shortened(self):
        self.lost(lambda log: os.truncate(log, 40), "has become shorter")

    def test_what_was_written_before_is_read(self):
        def write_and_delete(log):
            with open(log, "a", encoding="utf-8") as file:
                for number in range(100_000):
                    file.write("".join(events((0, "enq", [number + ROUNDS], None)).splitlines(True)[1:]))
                file.flush()
                os.unlink(log)
        self.lost(write_and_delete, "was deleted or renamed", 2 * ROUNDS + 200_001)

    def test_a_violation_is_one_all_the_same(self):
        def violate(log):
            with open(log, "a", encoding="utf-8") as file:
                file.write("".join(events((0, "deq", [], 5)).splitlines(True)[1:]))
            os.unlink(log)
        status, report, _ = self.follow(violate)
        self.assertEqual((status, report["verdict"]), (1, "violation"))

    def test_a_line_that_is_not_complete_does_not_count(self):
        def tear(log):
            with open(log, "a", encoding="utf-8") as file:
                file.write('{"type":"call","process":0,"op":"en')
            time.sleep(0.1)
            os.unlink(log)
        self.lost(tear, "was deleted or renamed")

    def test_a_link_that_points_elsewhere(self):
        self.write("first.jsonl", events((0, "enq", [1], None)))
        self.write("second.jsonl", events((0, "enq", [1], None)))
        os.symlink("first.jsonl", self.path("current"))
        process = self.begin("check", "--follow", "current")
        time.sleep(0.3)
        os.symlink("second.jsonl", self.path("next"))
        os.rename(self.path("next"), self.path("current"))
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 2, out)
        self.assertIn(b"was replaced by another file", err)


main()
