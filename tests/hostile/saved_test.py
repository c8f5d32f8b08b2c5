# SPDX-License-Identifier: MIT
"""A file of --checkpoint or --save that is damaged anywhere, or cut off, is refused; so is one of
another version. What is not damaged resumes to the same end."""
import json
import os
import random
import time

from plumb_runs import MODEL, ROOT, Runs, contents, main

FLIPS, CUTS = 12, 6
SEARCH = ["verify", MODEL, "--set", "N=6", "--set", "SIZE=5", "--native", "never", "--jobs", "1"]
SEARCHED = """
#include <atomic>
#include <thread>
#include <plumb/explore.hpp>
int main(int argc, char** argv) {
  return plumb::explore_main(argc, argv, [] {
    std::atomic<int> n{0};
    const auto adds = [&n] { for (int i = 0; i < 8; ++i) ++n; };
    std::thread one(adds), other(adds);
    adds();
    one.join();
    other.join();
  });
}
"""
TEST = ["test", os.path.join(ROOT, "objects/queues/michael_scott_queue.cpp"), "--random", "100000", "--size", "3x3"]


class Saved(Runs):
    def damaged(self, whole):
        """(what was done, the file) for each damage."""
        draw = random.Random(int(os.environ.get("PLUMB_SEED", 1)))
        print(f"a file of {len(whole)} bytes")
        places = [*range(0, 64, 4), *range(len(whole) - 36, len(whole), 4)]
        for place in places + [draw.randrange(len(whole)) for _ in range(FLIPS)]:
            damaged = bytearray(whole)
            damaged[place] ^= 1 << draw.randrange(8)
            yield f"byte {place}", bytes(damaged)
        for size in [0, 1, len(whole) - 1, len(whole) // 2] + [draw.randrange(len(whole)) for _ in range(CUTS)]:
            yield f"cut to {size}", whole[:size]
        if whole.count(b"\n") > 1:
            yield "cut at a line", whole[:whole.index(b"\n") + 1]
        yield "longer", whole + whole[-1:]
        yield "twice", whole + whole

    def refused(self, command, name, whole):
        for what, text in self.damaged(whole):
            kept = self.write(name, text)
            status, out, err = self.run_plumb(*command, "--timeout", "60")
            self.assertEqual((status, out), (65, b""), (what, err))
            self.assertIn(os.fsencode(name), err)
            self.assertEqual(contents(kept), text, what)  # the user may want to look at it

    def test_checkpoints(self):
        command = [*SEARCH, "--checkpoint", "kept"]
        self.assertEqual(self.status(*command, "--timeout", "1"), 2)
        whole = contents(self.path("kept"))
        self.refused(command, "kept", whole)
        self.write("kept", whole)
        self.assertEqual(self.status(*command, "--timeout", "1"), 2)

    def test_tests_of_an_object(self):
        command = [*TEST, "--save", "kept"]
        if b"libplumb_runtime.so is missing" in self.run_plumb(*TEST, "--random", "0", "--operations", "1")[2]:
            self.skipTest("no runtime")
        self.assertEqual(self.status(*command, "--timeout", "3"), 2)
        whole = contents(self.path("kept"))
        self.assertEqual(whole.count(b"\n"), 2)
        self.refused(command, "kept", whole)
        for old in (b'{"identity":7,"pass":[1,0.5],"fail":[0,0.0]}\n', whole.replace(b'"saved_tests":3', b'"saved_tests":4')):
            self.write("kept", old)
            self.assertEqual(self.status(*command), 65)
        self.write("kept", whole)
        self.assertEqual(self.status(*command, "--timeout", "1"), 2)
        self.assertNotEqual(contents(self.path("kept")), whole)

    def test_searches(self):
        self.write("searched.cpp", SEARCHED)
        command = ["test", "searched.cpp", "--strategy", "dfs", "--preemptions", "-1", "--save", "kept"]
        if b"libplumb_runtime.so is missing" in self.run_plumb("test", "searched.cpp", "--max-executions", "1")[2]:
            self.skipTest("no runtime")
        self.assertEqual(self.status(*command, "--max-executions", "5000"), 2)
        whole = contents(self.path("kept"))
        self.refused(command, "kept", whole)
        for old in (b"PBoard2\0" + bytes(100), whole.replace(b'"saved_search":2', b'"saved_search":3')):
            self.write("kept", old)
            self.assertEqual(self.status(*command), 65)
        self.write("kept", whole)
        again = self.run_plumb(*command, "--max-executions", "6000", "--json")[1]
        self.assertEqual(json.loads(again)["scope"]["executions"], 6000)
        self.assertNotEqual(contents(self.path("kept")), whole)

    def test_two_runs_never_share_a_file(self):
        command = [*TEST, "--save", "kept"]
        if b"libplumb_runtime.so is missing" in self.run_plumb(*TEST, "--random", "0", "--operations", "1")[2]:
            self.skipTest("no runtime")
        first = self.begin(*command, "--timeout", "5")
        try:
            while not os.path.exists(self.path("kept")):
                time.sleep(0.05)
            for _ in range(5):  # also after it was replaced
                status, _, err = self.run_plumb(*command)
                self.assertEqual(status, 65)
                self.assertIn(b"another run is saving its tests to this file", err)
                time.sleep(0.6)
        finally:
            first.communicate()
        self.assertEqual(first.returncode, 2)


main()
