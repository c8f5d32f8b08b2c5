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
SUBJECT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "names_subject.cpp")

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
}


def steps(operation, compiler, *flags):
    got = subprocess.run([PLUMB, "test", SUBJECT, "--test", f"{operation} | idle()", "--json",
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
