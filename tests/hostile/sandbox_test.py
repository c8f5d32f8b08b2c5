# SPDX-License-Identifier: MIT
"""The script of docs/security.md: plumb test works in it, and what it runs can harm nothing else."""
import os
import re
import subprocess

from plumb_runs import PLUMB, ROOT, Runs, contents, main

HARM = r"""
#include <plumb/test.hpp>
#include <atomic>
#include <cstdio>
int main(int argc, char** argv) {
  for (const char* file : {OUTSIDE, "/etc/plumb-was-here", "/work-was-here", "here"})
    if (std::FILE* out = std::fopen(file, "w")) std::fclose(out);
  return plumb::explore_main(argc, argv, [] { std::atomic<int> n = 0; n = n + 1; });
}
"""


class Sandbox(Runs):
    def test_the_script(self):
        text = contents(os.path.join(ROOT, "docs/security.md")).decode()
        script = re.search(r"^```sh\n(#!/bin/sh\n.*?)^```", text, re.M | re.S).group(1)
        # A Plumb that lies in a folder that the script hides would not be found.
        hidden = re.search(r"for hidden in (.*?);", script).group(1).split()
        kept = [folder for folder in hidden if not os.path.realpath(PLUMB).startswith(folder + "/")]
        self.assertGreaterEqual(len(kept), len(hidden) - 1)
        script = script.replace(" ".join(hidden), " ".join(kept))
        os.mkdir(self.path("work"))
        sandbox = self.write("sandbox", script)
        os.chmod(sandbox, 0o755)
        run = lambda *words: subprocess.run([sandbox, *words], cwd=self.path("work"), capture_output=True, check=False)
        if run("true").returncode != 0:
            self.skipTest("no user namespaces here")
        outside = self.path("outside")
        self.write("work/test.cpp", f'#define OUTSIDE "{outside}"\n{HARM}')
        ran = run(PLUMB, "test", "test.cpp", "--html", "page.html")
        if b"libplumb_runtime.so is missing" in ran.stderr:
            self.skipTest("no runtime")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertTrue(ran.stdout.startswith(b"HOLDS"), ran.stdout)
        self.assertTrue(contents(self.path("work/page.html")).endswith(b"</html>\n"))
        self.assertTrue(os.path.exists(self.path("work/here")))
        self.assertFalse(os.path.exists(outside))
        self.assertFalse(os.path.exists("/etc/plumb-was-here"))
        self.assertIn(b"Network is unreachable", run("bash", "-c", "echo > /dev/tcp/192.0.2.1/80").stderr)
        self.assertEqual(run("sh", "-c", "echo /proc/[0-9]*").stdout, b"/proc/1\n")  # itself


main()
