#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""target_test.py PLUMB CMAKE: plumb test --target takes sources and flags from compile_commands.json."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

PLUMB, CMAKE = os.path.abspath(sys.argv[1]), sys.argv[2]
CACHE = tempfile.TemporaryDirectory()
HEADER = """#pragma once
#include <atomic>
class Counter {
 public:
  int add();
 private:
  std::atomic<int> n_{0};
};
"""
# Not without what the build says.
SOURCE = """#include <counter.hpp>
#if BY != 1 || !defined WITH_QUOTES || __cplusplus >= 202002L || defined NDEBUG || !defined FORCED
#error
#endif
int Counter::add() { const int n = n_; n_ = n + BY; return n; }
"""
TEST = """#include <counter.hpp>
#include <plumb/test.hpp>
static_assert(BY == 1);
int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Counter>("Counter").method("add", &Counter::add)).main(argc, argv);
}
"""
LISTS = """cmake_minimum_required(VERSION 3.16)
project(counters CXX)
add_library(counters STATIC src/counter.cpp)
target_include_directories(counters PUBLIC include)
target_compile_definitions(counters PUBLIC BY=1 "WITH_QUOTES=\\"a b\\"" NDEBUG)
target_compile_options(counters PRIVATE -fno-exceptions -O3 -include ${CMAKE_SOURCE_DIR}/include/forced.hpp)
set_target_properties(counters PROPERTIES CXX_STANDARD 17)
add_executable(tool tool.cpp)
"""


class Target(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name, text in (("include/counter.hpp", HEADER), ("include/forced.hpp", "#define FORCED\n"),
                           ("src/counter.cpp", SOURCE), ("counter_test.cpp", TEST), ("CMakeLists.txt", LISTS),
                           ("tool.cpp", "int main() {}\n")):
            (self.folder / name).parent.mkdir(exist_ok=True)
            (self.folder / name).write_text(text)

    def database(self, to="build/compile_commands.json", **changes):
        """As CMake writes it, with relative paths in addition."""
        build = str(self.folder / "build")
        os.makedirs(build, exist_ok=True)
        entry = {"directory": build, "file": "../src/counter.cpp",
                 "arguments": ["/usr/bin/c++", "-DBY=1", "-D", 'WITH_QUOTES="a b"', "-DNDEBUG", "-I", "../include", "-O3",
                               "-std=gnu++17", "-fsanitize=address", "-fplugin=none", "-include", "../include/forced.hpp",
                               "-o", "CMakeFiles/counters.dir/src/counter.cpp.o", "-c", "../src/counter.cpp"]}
        tool = {"directory": build, "file": str(self.folder / "tool.cpp"),
                "command": "c++ -o CMakeFiles/tool.dir/tool.cpp.o -c ../tool.cpp"}
        (self.folder / to).write_text(json.dumps([{**entry, **changes}, tool]))

    def run_plumb(self, *words, command="test"):
        return subprocess.run([PLUMB, command, *words], cwd=self.folder, text=True, capture_output=True, timeout=300,
                              env=dict(os.environ, XDG_CACHE_HOME=CACHE.name), check=False)

    def of_target(self, *words):
        return self.run_plumb("counter_test.cpp", *words, "--test", "add | add")

    def finds_it(self, got):
        self.assertEqual(got.returncode, 1, got.stdout + got.stderr)
        self.assertIn("Counter is not linearizable", got.stdout)
        self.assertIn("counter.cpp:5  load", got.stdout)  # it is instrumented

    def test_a_target_is_compiled_for_the_test_and_linked(self):
        self.database()
        self.finds_it(self.of_target("--target", "counters"))

    def test_a_source_of_the_database_is_one_as_well(self):
        self.database()
        self.finds_it(self.of_target("--target", "src/counter.cpp"))

    @unittest.skipUnless(shutil.which(CMAKE), "no cmake")
    def test_a_real_project(self):
        subprocess.run([CMAKE, "-B", "build", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", "-G", "Ninja"],
                       cwd=self.folder, check=True, capture_output=True, timeout=300)
        self.finds_it(self.of_target("--target", "counters"))

    def test_the_test_itself_may_be_in_the_database(self):
        self.database(to="compile_commands.json", file=str(self.folder / "counter_test.cpp"))
        got = self.of_target("--target", "counters")
        self.assertIn("the program does not link", got.stderr)  # it was compiled, once
        self.assertIn("undefined reference to `Counter::add()'", got.stderr)

    def test_report_and_replay_command_have_it(self):
        self.database(to="commands.json")
        words = ["--target", "counters", "--compile-commands", "commands.json"]
        got = self.of_target(*words)
        self.finds_it(got)
        again = got.stdout.partition("  Replay: ")[2].splitlines()[0]
        self.assertIn("--target=counters --compile-commands=commands.json", again)
        replayed = subprocess.run(["sh", "-c", again], cwd=self.folder, text=True, capture_output=True, timeout=300,
                                  env=dict(os.environ, XDG_CACHE_HOME=CACHE.name), check=False)
        self.finds_it(replayed)
        report = self.of_target(*words, "--json").stdout
        program = json.loads(report)["program"]
        self.assertEqual((program["target"], program["compile_commands"]), ("counters", "commands.json"))
        (self.folder / "report.json").write_text(report)
        self.finds_it(self.run_plumb("report.json", "--trust", command="replay"))

    def test_flags_that_change_compile_it_again(self):
        self.database()
        self.finds_it(self.of_target("--target", "counters"))
        self.database(arguments=["c++", "-DBY=2", "-o", "CMakeFiles/counters.dir/x.o"])
        self.assertEqual(self.of_target("--target", "counters").returncode, 65)

    def test_errors_say_what_to_do(self):
        got = self.of_target("--target", "counters")
        self.assertEqual(got.returncode, 66)
        self.assertIn("cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON", got.stderr)
        self.database()
        got = self.of_target("--target", "countrs")
        self.assertEqual(got.returncode, 64)
        self.assertIn("there is no target or source 'countrs' (its targets are counters, tool)", got.stderr)
        got = self.of_target("--compile-commands", "build/compile_commands.json")
        self.assertEqual((got.returncode, "give a --target" in got.stderr), (64, True))
        got = self.run_plumb("/bin/true", "--target", "counters")
        self.assertEqual(got.returncode, 64)
        self.database(to="commands.json", directory=7)
        for text in ("[1]", "{}", "", (self.folder / "commands.json").read_text()):
            (self.folder / "commands.json").write_text(text)
            got = self.of_target("--target", "counters", "--compile-commands", "commands.json")
            self.assertEqual((got.returncode, "commands.json" in got.stderr), (65, True), got.stderr)
        got = self.of_target("--target", "counters", "--compile-commands", "absent.json")
        self.assertEqual(got.returncode, 66)
        self.database(file="../src/counter.c")
        got = self.of_target("--target", "counters")
        self.assertEqual((got.returncode, "counter.c is not C++" in got.stderr), (65, True), got.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
