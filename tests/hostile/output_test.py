# SPDX-License-Identifier: MIT
"""Files that are written never destroy what is read, nor an older result before there is a new one."""
import glob
import os
import shutil
import stat
import subprocess
import sys

from plumb_runs import HOLDS, MODEL, ROOT, Runs, VIOLATION, WRONG_MODEL, contents, main

SMALL_MODEL = os.path.join(ROOT, "models/peterson.plumb")
NO_TMPFILE = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
static int refuse(const char* name, const char* path, int flags, int mode) {
  if ((flags & O_TMPFILE) == O_TMPFILE) { errno = EOPNOTSUPP; return -1; }
  int (*next)(const char*, int, ...) = (int (*)(const char*, int, ...))dlsym(RTLD_NEXT, name);
  return next(path, flags, mode);
}
int open(const char* path, int flags, ...) {
  va_list a; va_start(a, flags); int mode = va_arg(a, int); va_end(a);
  return refuse("open", path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  va_list a; va_start(a, flags); int mode = va_arg(a, int); va_end(a);
  return refuse("open64", path, flags, mode);
}
"""


class Inputs(Runs):
    def setUp(self):
        super().setUp()
        self.history = self.path("in.jsonl")
        shutil.copy(VIOLATION, self.history)
        shutil.copy(WRONG_MODEL, self.path("in.plumb"))
        os.symlink("in.jsonl", self.path("link"))
        os.link(self.history, self.path("hard"))
        os.mkdir(self.path("folder"))
        os.symlink("../in.jsonl", self.path("folder/up"))
        with open(self.path("report.json"), "wb") as file:
            file.write(self.run_plumb("check", "in.jsonl", "--json")[1])

    def refused(self, *words, **more):
        files = ["in.jsonl", "in.plumb", "report.json"]
        before = [(contents(self.path(file)), os.stat(self.path(file)).st_mtime_ns) for file in files]
        status, out, err = self.run_plumb(*words, **more)
        self.assertEqual((status, out), (64, b""), (words, err))
        after = [(contents(self.path(file)), os.stat(self.path(file)).st_mtime_ns) for file in files]
        self.assertEqual(before, after, words)
        return err

    def test_check_never_writes_what_it_reads(self):
        for option in ("--html", "--junit", "--markdown", "-o", "--output", "--witness", "--core"):
            for name in ("in.jsonl", "./in.jsonl", "folder/../in.jsonl", "link", "hard", "folder/up", self.history):
                err = self.refused("check", "in.jsonl", option, name)
                self.assertIn(b"would replace a file that is read", err)
            self.refused("check", "link", option, "hard")
            with open(self.history, "rb") as standard_input:
                self.refused("check", "-", option, "in.jsonl", stdin=standard_input)
            self.refused("check", "in.jsonl", "--spec", "in.plumb", option, "in.plumb")

    def test_nor_do_the_other_commands(self):
        for option in ("--html", "--junit", "--markdown", "-o", "--history", "--dot", "--checkpoint"):
            self.refused("verify", "in.plumb", option, "in.plumb")
        self.write("named.plumb", contents(MODEL))
        self.write("names.plumb", b'object O { op f() { return 0 } }\nspec "named.plumb"\n')
        for option in ("--html", "--junit", "-o", "--checkpoint"):
            self.assertEqual(self.status("verify", "names.plumb", option, "named.plumb"), 64)
            self.assertEqual(contents(self.path("named.plumb")), contents(MODEL))
        self.refused("convert", "in.jsonl", "in.jsonl")
        self.refused("convert", "in.jsonl", "link", "--to", "edn")
        with open(self.history, "rb") as standard_input:
            self.refused("convert", "-", "hard", stdin=standard_input)
        self.refused("report", "report.json", "--html", "report.json")
        source = self.write("test.cpp", "int main() {}\n")
        for option in ("--html", "--junit", "--markdown", "-o", "--regression", "--save", "--observations"):
            self.assertEqual(self.status("test", source, option, "test.cpp"), 64, option)
            self.assertEqual(contents(source), b"int main() {}\n")

    def test_nothing_is_written_twice(self):
        err = self.refused("check", "in.jsonl", "--html", "page", "--junit", "./page")
        self.assertIn(b"--html and --junit write the same file", err)
        self.refused("verify", "in.plumb", "--checkpoint", "page", "--html", "page")
        self.assertFalse(os.path.exists(self.path("page")))
        self.assertEqual(self.status("check", "in.jsonl", "--html", "/dev/null", "--junit", "/dev/null"), 1)


class Results(Runs):
    def setUp(self):
        super().setUp()
        with open(self.path("report.json"), "wb") as file:
            file.write(self.run_plumb("check", VIOLATION, "--json")[1])

    def writers(self, name):
        """Commands that write this file, and how they end."""
        for option in ("--html", "--junit", "--markdown", "-o"):
            yield ["check", VIOLATION, option, name], 1
            yield ["verify", WRONG_MODEL, option, name], 1
        yield ["check", HOLDS, "--witness", name], 0
        yield ["check", VIOLATION, "--core", name], 1
        yield ["verify", WRONG_MODEL, "--history", name], 1
        yield ["verify", SMALL_MODEL, "--dot", name], 0
        yield ["convert", VIOLATION, name], 0
        yield ["report", "report.json", "--html", name], 0

    def test_a_run_that_ends_early_leaves_the_old_file(self):
        old = self.write("old", "an older result\n")
        for command, _ in self.writers("old"):
            for wrong in (["--no-such-option"], ["one", "too", "many", "--no"]):
                self.assertEqual(self.status(*command, *wrong), 64)
            missing = ["nowhere.jsonl" if word in (VIOLATION, HOLDS, SMALL_MODEL, WRONG_MODEL, "report.json") else word
                       for word in command]
            if "--junit" not in missing and "--markdown" not in missing:  # an error is a case
                self.assertEqual(self.status(*missing), 66, missing)
            self.assertEqual(contents(old), b"an older result\n", command)
        self.assertEqual(self.status("convert", os.path.join(os.path.dirname(HOLDS), "two_objects.jsonl"), "old",
                                     "--to", "violin"), 65)
        self.assertEqual(contents(old), b"an older result\n")

    def test_links_modes_and_places(self):
        for command, status in self.writers("link"):
            real = self.write("real", "old\n")
            os.chmod(real, 0o640)
            for name in ("link", "dangling"):
                if os.path.lexists(self.path(name)):
                    os.unlink(self.path(name))
            os.symlink("real", self.path("link"))
            os.symlink("made", self.path("dangling"))
            self.assertEqual(self.status(*command), status, command)
            self.assertTrue(os.path.islink(self.path("link")))
            self.assertNotEqual(contents(real), b"old\n", command)
            self.assertEqual(stat.S_IMODE(os.stat(real).st_mode), 0o640)
            self.assertEqual(self.status(*[word.replace("link", "dangling") for word in command]), status)
            self.assertTrue(os.path.islink(self.path("dangling")))
            os.unlink(self.path("made"))
            self.assertEqual(self.leftovers(), [])

    def test_a_new_file_has_the_usual_mode(self):
        for command, _ in self.writers("fresh"):
            self.run_plumb(*command, umask=0o027)
            self.assertEqual(stat.S_IMODE(os.stat(self.path("fresh")).st_mode), 0o640, command)
            os.unlink(self.path("fresh"))

    def test_what_cannot_be_written_is_70_or_64(self):
        for command, _ in self.writers("/dev/full"):
            status, _, err = self.run_plumb(*command)
            self.assertEqual(status, 70, command)
            self.assertEqual(err.count(b"/dev/full: cannot write: No space left on device"), 1, (command, err))
        for command, _ in self.writers("/sys/plumb.out"):  # nobody may make a file there
            status, out, err = self.run_plumb(*command)
            self.assertEqual(status, 70, command)
            self.assertIn(b"/sys/plumb.out: cannot write: ", err)
            self.assertIn(b"folder writable", err)
        for place in ("no/such/folder", ".", "report.json/x"):
            for command, _ in self.writers(place):
                self.assertEqual(self.status(*command), 64, command)

    def test_a_read_only_file_stays(self):
        if os.geteuid() == 0:
            return  # nothing is read-only for root
        old = self.write("old", "old\n")
        os.chmod(old, 0o444)
        for command, _ in self.writers("old"):
            self.assertEqual(self.status(*command), 70, command)
            self.assertEqual(contents(old), b"old\n")

    def test_descriptors_and_pipes_are_written_directly(self):
        for command, status in self.writers("/dev/stdout"):
            ran = self.run_plumb(*command)
            self.assertEqual(ran[0], status, command)
            self.assertTrue(ran[1], command)
            log = self.write("log", "earlier\n")
            with open(log, "ab") as file:  # >> log
                self.assertEqual(self.status(*command, stdout=file), status)
            self.assertTrue(contents(log).startswith(b"earlier\n"), command)
            self.assertGreater(len(contents(log)), len(b"earlier\n"))
        os.mkfifo(self.path("pipe"))
        for command, status in self.writers("pipe"):
            with self.begin(*command) as process, open(self.path("pipe"), "rb") as pipe:
                self.assertTrue(pipe.read(), command)
                process.communicate()
            self.assertEqual(process.returncode, status)

    def test_summaries_of_several_commands_share_a_file(self):
        running = [self.begin("check", VIOLATION, "--markdown", "all.md") for _ in range(8)]
        for process in running:
            process.communicate()
        blocks = contents(self.path("all.md")).decode().split("### VIOLATION")
        self.assertEqual((blocks[0], len(blocks)), ("", 9))
        self.assertEqual(len({block.replace(" s)", "").rstrip()[-40:] for block in blocks[1:]}), 1)

    def test_file_systems_without_nameless_files(self):
        compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
        if compiler is None or glob.glob(os.path.join(os.path.dirname(sys.argv[1]), "../*asan*")):
            return
        source, shim = self.write("shim.c", NO_TMPFILE), self.path("shim.so")
        subprocess.run([compiler, "-shared", "-fPIC", "-o", shim, source, "-ldl"], check=True)
        for command, status in self.writers("named"):
            self.write("named", "old\n")
            self.assertEqual(self.status(*command, variables={"LD_PRELOAD": shim}), status, command)
            self.assertNotEqual(contents(self.path("named")), b"old\n")
            self.assertEqual(self.leftovers(), [])
            self.assertEqual(self.status(*command, "--no", variables={"LD_PRELOAD": shim}), 64)


main()
