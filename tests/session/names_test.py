#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""names_test.py PLUMB: steps name memory as the source does, with either compiler and version of DWARF."""
import json
import os
import shutil
import subprocess
import sys
import unittest

PLUMB = os.path.abspath(sys.argv[1])
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "../..")
SUBJECT = os.path.join(HERE, "names_subject.cpp")

# What each operation does, but for its last step.
EXPECTED = {
    "members()": ["store in_base := 1", "store slots_[1] := 2", "store grid_[1][0] := 3", "store inner_.deep := 4",
                  "store aligned_ := 5", "store flag_ := 1", "store both_.second := 6", "store choice_.first := 7"],
    "locks()": ["lock mutex_", "notify_all changed_", "unlock mutex_"],
    "variables()": ["store local_static := 1", "store global := 2", "store Registry::count := 3"],
    "blocks()": ["load head_ = #1", "store head_->value := 1", "load head_->next = #2",
                 "store head_->next->value := 2", "store owned_->value := 3", "store buffer_[2] := 4",
                 "store *scalar_ := 5"],
    "unlink()": ["load head_ = #1", "load head_->next = #2", "store head_->next->value := 1", "store head_ := #2",
                 "store Node #2.value := 2", "store Node #1.value := 3", "store head_ := #1"],
    "pointers()": ["store where_ := &slots_[1]", "store where_ := null", "store root_.next := &root_"],
    "link()": ["store Node #1.value := 1", "store Node #2.next := #1", "store kept_ := #2"],
    "list()": ["store #1+16 := 1"],
}
REUSED = ["store kept_ := #1", "store Node #1.value := 1", "store other_ := #1", "load other_ = #1",
          "store other_->number := 2", "load kept_ = #1", "load other_ = #1", "store other_->number := 3"]

EXAMPLES = {
    "lost_update.cpp": ["load hits = 0", "load hits = 0", "store hits := 1", "store hits := 1", "join thread 1"],
    "lock_order.cpp": ["lock b.mutex", "lock a.mutex", "waits for a.mutex", "waits for b.mutex"],
    "stack.cpp": ["load stack.head_ = null", "compare_exchange stack.head_: null -> #1", "load stack.head_ = #1",
                  "load stack.head_ = #1", "compare_exchange stack.head_: #1 -> #2", "load stack.head_ = #2",
                  "read stack.head_->next = #1", "compare_exchange stack.head_ fails, is #2",
                  "compare_exchange stack.head_: #2 -> #1", "free Node #2"],
}


def steps(operation, compiler, *flags, heap="quarantine"):
    got = subprocess.run([PLUMB, "test", SUBJECT, "--test", f"{operation} | idle()", "--json", "--heap", heap,
                          *(f"--flag={flag}" for flag in flags)],
                         env=dict(os.environ, CXX=compiler), text=True, capture_output=True, timeout=300, check=False)
    if got.returncode != 1:
        raise AssertionError(f"{compiler} {flags}: {got.stdout}{got.stderr}")
    return json.loads(got.stdout)["findings"][0]["schedule"]["steps"]


class Names(unittest.TestCase):
    def compare(self, compiler, *flags):
        for operation, expected in EXPECTED.items():
            # What comes last is in all of them, and clang stores a pair without saying its value.
            whats = [step["what"] for step in steps(operation, compiler, *flags) if step["process"] == "A"]
            whats = [what for what in whats if "done_" not in what and "pair_" not in what and "head_.load" not in what]
            self.assertEqual(whats[:len(expected)], expected, f"{operation} {compiler} {flags}")

    def test_members_variables_and_blocks_have_their_names(self):
        self.compare(os.environ.get("CXX", "g++"))

    def test_also_in_dwarf_4(self):
        self.compare(os.environ.get("CXX", "g++"), "-gdwarf-4")

    @unittest.skipUnless(shutil.which("clang++"), "clang++ is not installed")
    def test_also_of_the_other_compiler(self):
        self.compare("clang++")

    def test_local_variables_of_the_main_thread_have_their_names(self):
        for compiler in ["g++", "clang++"]:
            if not shutil.which(compiler):
                continue
            for example, expected in EXAMPLES.items():
                got = subprocess.run([PLUMB, "test", os.path.join(ROOT, "examples/explore", example), "--json"],
                                     env=dict(os.environ, CXX=compiler), text=True, capture_output=True, timeout=300,
                                     check=False)
                found = json.loads(got.stdout)["findings"][0]["schedule"]["steps"]
                self.assertEqual([step["what"] for step in found], expected, f"{example} {compiler}")

    def test_a_block_that_is_used_again_has_its_new_type(self):
        found = steps("reuse()", os.environ.get("CXX", "g++"), heap="lifo")
        whats = [step["what"] for step in found if step["process"] == "A"]
        self.assertEqual(whats[:len(REUSED)], REUSED)

    def test_freed_memory_is_named_as_what_it_was(self):
        got = subprocess.run([PLUMB, "test", os.path.join(ROOT, "examples/explore/stack.cpp"), "--heap", "lifo",
                              "--ignore", "race", "--json"], text=True, capture_output=True, timeout=300, check=False)
        found = json.loads(got.stdout)["findings"][0]["schedule"]["steps"]
        self.assertEqual(found[-1]["what"], "read Node #2.next")

    def test_without_debug_information_there_are_numbers(self):
        found = steps("blocks()", os.environ.get("CXX", "g++"), "-g0")
        self.assertRegex(found[0]["what"], r"^load #1\+\d+ = #2$")
        self.assertNotIn("name", found[0])

    def test_the_report_has_the_name_beside_the_address(self):
        found = steps("blocks()", os.environ.get("CXX", "g++"))
        self.assertEqual([step["name"] for step in found[:2]], ["head_", "head_->value"])
        for step in found[:2]:
            self.assertRegex(step["address"], r"^#\d+(\+\d+)?$")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
