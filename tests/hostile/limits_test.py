# SPDX-License-Identifier: MIT
"""Limits hold before there is anything to work on: pipes without a writer, files without an end, texts
without a bottom; and a signal is obeyed at any time."""
import json
import os
import resource
import signal
import subprocess
import time

from plumb_runs import HOLDS, MODEL, ROOT, Runs, VIOLATION, contents, main

MOST_MEMORY = 400 << 20
DEEP = 500_000
LARGE = ["verify", MODEL, "--set", "N=9", "--set", "SIZE=9"]  # hours


def stacks(soft, hard):
    return lambda: resource.setrlimit(resource.RLIMIT_STACK, (soft << 10, hard << 10 if hard else resource.RLIM_INFINITY))


def small():
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))


class Limits(Runs):
    def seconds(self, status, *words, **more):
        start = time.monotonic()
        ran = self.run_plumb(*words, **more)
        self.assertEqual(ran[0], status, (words, ran))
        return time.monotonic() - start

    def holds(self, timeout, words, **more):
        """The limit holds within a tenth or 0.2 s, but for what starting takes; a busy machine may need
        more than one try."""
        for _ in range(5):
            start = self.seconds(0, "--version")
            took = self.seconds(2, *words, "--timeout", str(timeout), **more)
            self.assertGreater(took, 0.9 * timeout, words)
            if took - start < timeout + max(0.1 * timeout, 0.2):
                return
        self.fail(f"{words}: {took} s instead of {timeout} s")

    def test_a_pipe_without_a_writer(self):
        fifo = self.path("fifo.plumb")
        os.mkfifo(fifo)
        for words in (["check", fifo], ["check", "--recheck", fifo], ["check", "--follow", fifo], ["verify", fifo],
                      ["verify", fifo, "--checkpoint", "kept"], ["check", HOLDS, "--spec", fifo], ["check", fifo, "--engine", "jit"]):
            self.holds(0.5, words)

    def test_a_pipe_with_a_writer_that_says_nothing(self):
        for words in (["check", "-"], ["check", "--recheck", "-"], ["verify", "-"], ["check", "-", "--engine", "jit"],
                      ["check", "-", "--follow"]):
            read, write = os.pipe()
            try:
                self.holds(0.5, words, stdin=read)
            finally:
                os.close(read)
                os.close(write)

    def test_a_search(self):
        for timeout in (0.2, 1, 3):
            self.holds(timeout, LARGE)

    def interrupted(self, signals, words, **more):
        process = self.begin(*words, **more)
        time.sleep(0.4)
        start = time.monotonic()
        process.send_signal(signals)
        out, err = process.communicate(timeout=60)
        self.assertLess(time.monotonic() - start, 10, words)
        return process.returncode, out, err

    def test_signals_while_a_pipe_is_read(self):
        fifo = self.path("fifo.plumb")
        os.mkfifo(fifo)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            for words in (["check", fifo], ["verify", fifo], ["check", "--recheck", fifo]):
                self.assertEqual(self.interrupted(number, words)[0], 130, words)

    def test_a_hangup_is_an_interrupt(self):
        status, out, _ = self.interrupted(signal.SIGHUP, [*LARGE, "--json", "--html", "page.html", "--junit",
                                                          "junit.xml", "--checkpoint", "kept"])
        self.assertEqual(status, 130)
        self.assertEqual(json.loads(out)["stopped"], "interrupted")
        self.assertTrue(contents(self.path("page.html")).endswith(b"</html>\n"))
        self.assertTrue(contents(self.path("junit.xml")).rstrip().endswith(b"</testsuites>"))
        self.assertTrue(os.path.exists(self.path("kept")))
        log = self.write("log.jsonl", '{"history":1,"object":"queue"}\n')
        status, out, _ = self.interrupted(signal.SIGHUP, ["check", "--follow", log, "--json", "--junit", "junit.xml"])
        self.assertEqual((status, json.loads(out)["stopped"]), (130, "interrupted"))

    def test_nohup_keeps_its_meaning(self):
        process = self.begin(*LARGE, "--timeout", "2", preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        time.sleep(0.4)
        process.send_signal(signal.SIGHUP)
        process.communicate()
        self.assertEqual(process.returncode, 2)

    def test_files_without_an_end(self):
        for words in (["verify", "/dev/zero"], ["check", HOLDS, "--spec", "zero.plumb"], ["report", "/dev/zero", "--html", "p"],
                      ["replay", "/dev/zero"], ["check", "--recheck", "/dev/zero"], ["check", "/dev/zero"]):
            if "zero.plumb" in words and not os.path.lexists(self.path("zero.plumb")):
                os.symlink("/dev/zero", self.path("zero.plumb"))
            status, _, err = self.run_plumb(*words, preexec_fn=small)
            self.assertEqual(status, 65, (words, err))
            self.assertNotIn(b"internal", err)
        with open("/dev/zero", "rb") as zero:
            self.assertEqual(self.status("verify", "-", stdin=zero, preexec_fn=small), 65)
        used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10
        self.assertLess(used, 1 << 30)

    def test_folders_are_no_files(self):
        os.mkdir(self.path("folder.plumb"))
        os.mkdir(self.path("folder.cpp"))
        for words in (["check", "."], ["check", "--follow", "."], ["verify", "."], ["verify", "folder.plumb"],
                      ["report", ".", "--html", "page"], ["replay", "."], ["check", "--recheck", "."],
                      ["convert", ".", "out"], ["test", "."], ["test", "folder.cpp"],
                      ["check", HOLDS, "--spec", "folder.plumb"], ["check", HOLDS, "--spec", "folder.cpp"]):
            status, out, err = self.run_plumb(*words)
            self.assertEqual((status, out), (66, b""), (words, err))
            self.assertFalse(os.path.exists(self.path("out")))

    def test_texts_without_a_bottom(self):
        schema = b'"schema":2,"tool":"plumb","verdict":"holds"'
        for text in (b"[" * DEEP, b"[" * DEEP + b"]" * DEEP, b'{"a":' * DEEP, b'{"a":' * DEEP + b"1" + b"}" * DEEP,
                     b"{" + schema + b',"evidence":' + b"[" * DEEP + b"]" * DEEP + b"}",
                     b"{" + schema + b',"evidence":{},"scope":{"a":' + b"[" * DEEP + b"]" * DEEP + b"}}",
                     b'{"findings":' + b"[" * DEEP + b"]" * DEEP + b"}"):
            file = self.write("deep.json", text)
            for words in (["report", file, "--html", "page"], ["replay", file], ["check", "--recheck", file],
                          ["check", file], ["convert", file, "out"]):
                status, out, err = self.run_plumb(*words)
                self.assertEqual((status, out), (65, b""), (words, text[:60], err))
                self.assertEqual(err.count(b"\n"), 1, words)
        header = b'{"history":1,"object":"register"}\n'
        for value in (b"[" * DEEP + b"]" * DEEP, b'{"a":' * DEEP + b"1" + b"}" * DEEP):
            call = b'{"type":"call","process":0,"op":"write","args":[' + value + b"]}\n"
            self.assertIn(self.status("check", self.write("deep.jsonl", header + call)), (0, 65))
            edn = b"{:type :invoke, :process 0, :f :write, :value " + b"[" * DEEP + b"]" * DEEP + b"}\n"
            self.assertIn(self.status("check", self.write("deep.edn", edn), "--spec", "register"), (0, 65))
            model = b"object O { shared x : 0..1 = 0\n op f() { x = " + b"(" * DEEP + b"1" + b")" * DEEP + b" } }\n"
            self.assertEqual(self.status("verify", self.write("deep.plumb", model)), 65)

    def test_tiny_stacks(self):
        for words, status in ((["check", VIOLATION], 1), (["verify", MODEL], 0), (["check", HOLDS], 0),
                              (["test", os.path.join(ROOT, "examples/explore/lost_update.cpp")], 1)):
            usual, out, _ = self.run_plumb(*words)
            if usual == status:  # there may be no runtime
                for soft, hard in ((64, 0), (64, 512), (512, 512)):
                    self.assertEqual(self.status(*words, preexec_fn=stacks(soft, hard)), status, (words, soft, hard))
            status, out, err = self.run_plumb(*words, preexec_fn=stacks(64, 64))
            self.assertEqual((status, out), (70, b""))
            self.assertIn(b"the system allows stacks of only 64 KiB (raise ulimit -s to 8192)", err)

    def test_threads_have_a_limit(self):
        for command in (["check", HOLDS], ["verify", MODEL]):
            for jobs in ("1025", "0", "1000000", "-1"):
                status, _, err = self.run_plumb(*command, f"--jobs={jobs}")
                self.assertEqual(status, 64)
                self.assertIn(b"an integer from 1 to 1024", err)
            self.assertEqual(self.status(*command, "--jobs", "1024"), 0)


main()
