#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""precompiled_test.py PLUMB: a test that is compiled again and again means what it means compiled once."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PLUMB = os.path.abspath(sys.argv[1])
CLASS = """#pragma once
#include <atomic>
class Counter {
 public:
  int add() { %s }
 private:
  std::atomic<int> n_{0};
};
"""
RIGHT, WRONG = "return ++n_;", "return n_ = n_ + 1;"
TEST = """%s
#include "counter.hpp"
#include <plumb/test.hpp>
int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Counter>("Counter").method("add", &Counter::add)).main(argc, argv);
}
"""


class Precompiled(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.cache = self.folder / "cache" / "plumb"
        self.edits = 0

    def run_test(self, body=RIGHT, before="", options=(), compiler=None):
        """After an edit: nothing that was made of the file before can be used."""
        self.edits += 1
        (self.folder / "counter.hpp").write_text(CLASS % body + f"// edit {self.edits}\n")
        (self.folder / "test.cpp").write_text(TEST % before)
        variables = dict(os.environ, XDG_CACHE_HOME=str(self.folder / "cache"))
        if compiler:
            variables["CXX"] = str(compiler)
        return subprocess.run([PLUMB, "test", self.folder / "test.cpp", "--test", "add | add", *options], env=variables, text=True,
                              capture_output=True, timeout=300, check=False)

    def status(self, *arguments, **named):
        return self.run_test(*arguments, **named).returncode

    def made(self):
        return sorted(self.cache.glob("*.pch/headers.hpp.gch"))

    def note(self):
        (note,) = self.cache.glob("*.headers")
        return note.read_text().splitlines()

    def test_headers_are_precompiled_at_the_second_compilation_and_verdicts_stay(self):
        self.assertEqual(self.status(), 0)
        self.assertEqual(self.made(), [])
        self.assertEqual(self.note()[2:], ["<atomic>", "<plumb/test.hpp>"])
        self.assertEqual(self.status(WRONG), 1)
        (precompiled,) = self.made()
        when = precompiled.stat().st_mtime_ns
        self.assertEqual([self.status(body) for body in (RIGHT, WRONG, RIGHT)], [0, 1, 0])
        self.assertEqual([p.stat().st_mtime_ns for p in self.made()], [when])
        self.assertEqual(self.note()[0], "usable")

    def test_the_report_is_the_same_line_for_line(self):
        def report():
            return [line for line in self.run_test(WRONG).stdout.splitlines() if "executions, " not in line]
        first = report()
        self.assertIn("counter.hpp:5", "".join(first))
        self.assertEqual([report(), report()], [first, first])
        self.assertEqual(len(self.made()), 1)

    def test_an_include_that_was_removed_is_missing(self):
        for _ in range(3):
            self.assertEqual(self.status(before="#include <optional>\nstd::optional<int> x;"), 0)
        self.assertIn("<optional>", self.note())
        got = self.run_test(before="template <class T> concept C = requires { sizeof(T); };\n"
                            "namespace std { template <class> class optional; }\n"
                            "static_assert(!C<std::optional<int>>);")
        self.assertEqual(got.returncode, 0, got.stderr)
        self.assertNotIn("<optional>", self.note())

    def test_a_macro_that_a_header_asks_for_is_seen_by_it(self):
        before = "#define NDEBUG\n#include <cassert>\nvoid f() { assert(this_is_not_compiled); }"
        for _ in range(4):
            got = self.run_test(before=before)
            self.assertEqual(got.returncode, 0, got.stderr)
        self.assertEqual(self.note()[0], "not")
        for _ in range(2):
            self.assertEqual(self.status(before="#define MINE\n#include <cassert>"), 0)
        self.assertEqual(self.note()[0], "usable")

    def test_flags_have_precompiled_headers_of_their_own(self):
        for _ in range(2):
            self.assertEqual(self.status(), 0)
        for _ in range(3):
            got = self.run_test(before="#ifndef _GLIBCXX_ASSERTIONS\n#error\n#endif",
                                options=["--flag=-D_GLIBCXX_ASSERTIONS", "--flag=-O2"])
            self.assertEqual(got.returncode, 0, got.stderr)
        self.assertEqual(len(self.made()), 2)

    def test_damaged_ones_never_make_a_build_fail(self):
        for _ in range(2):
            self.assertEqual(self.status(), 0)
        (precompiled,) = self.made()
        for damage in (b"", b"gpch", precompiled.read_bytes()[:100000]):
            precompiled.write_bytes(damage)
            got = self.run_test(WRONG)
            self.assertEqual(got.returncode, 1, got.stderr)
        precompiled.with_name("headers.hpp").unlink()
        self.assertEqual(self.status(), 0)

    def test_what_cannot_be_precompiled_is_compiled(self):
        """Nor within the limits that the compilation keeps."""
        for number, (instead, options) in enumerate((("exit 1", ()), ("sleep 600", ("--timeout", "20")))):
            compiler = self.folder / f"compiler{number}"
            compiler.write_text(f"#!/bin/sh\ncase \"$*\" in *c++-header*) {instead};; esac\n"
                                f"exec {os.environ.get('CXX', 'c++')} \"$@\"\n")
            compiler.chmod(0o700)
            for expected, body in ((0, RIGHT), (1, WRONG), (0, RIGHT)):
                got = self.run_test(body, options=options, compiler=compiler)
                self.assertEqual(got.returncode, expected, got.stdout + got.stderr)
        self.assertEqual(self.made(), [])

    def test_what_does_not_compile_is_reported_as_without_and_they_stay_in_use(self):
        self.assertEqual(self.status(), 0)
        first = self.run_test("return m_;").stderr
        self.assertEqual(self.run_test("return m_;").stderr, first)
        self.assertIn("counter.hpp:5", first)
        self.assertNotIn("headers.hpp", first.replace("counter.hpp", ""))
        self.assertEqual(self.status(WRONG), 1)
        self.assertEqual(self.note()[0], "usable")

    def test_at_most_two_are_kept(self):
        for header in ("vector", "map", "set"):
            for _ in range(2):
                self.assertEqual(self.status(before=f"#include <{header}>"), 0)
        self.assertEqual(len(self.made()), 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
