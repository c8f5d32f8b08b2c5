# SPDX-License-Identifier: MIT
"""Where the system lets only so many threads run at once, or none, a verdict is the same, or an error says why
there is none."""
import os
import subprocess

from plumb_runs import ENVIRONMENT, HOLDS, LONGEST, MODEL, PLUMB, ROOT, Runs, VIOLATION, contents, main

MOST = "MOST_THREADS"
FAILS = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int running;

struct Work {
  void* (*f)(void*);
  void* argument;
};

static void* run(void* given) {
  struct Work work = *(struct Work*)given;
  free(given);
  void* result = work.f(work.argument);
  atomic_fetch_sub(&running, 1);
  return result;
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*f)(void*), void* argument) {
  int (*real)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*) = dlsym(RTLD_NEXT, "pthread_create");
  if (atomic_fetch_add(&running, 1) >= atoi(getenv("MOST_THREADS"))) {
    atomic_fetch_sub(&running, 1);
    return EAGAIN;
  }
  struct Work* work = malloc(sizeof *work);
  work->f = f;
  work->argument = argument;
  return real(thread, attributes, run, work);
}
"""


class Threads(Runs):
    def setUp(self):
        super().setUp()
        self.library = self.path("few_threads.so")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", self.library, self.write("few_threads.c", FAILS), "-ldl"],
                       check=True)

    def with_threads(self, most, *words):
        return self.run_plumb(*words, variables={"LD_PRELOAD": self.library, MOST: str(most)})

    def commands(self):
        """Commands that start threads, and how they end."""
        keys = "".join('{"type":"call","process":%d,"op":"put","args":[%d,1]}\n'
                       '{"type":"return","process":%d,"result":null}\n' % (i, i, i) for i in range(50))
        self.write("map.jsonl", '{"history":1,"object":"map"}\n' + keys)
        subprocess.run(["gzip", "-k", self.path("map.jsonl")], check=True)
        yield ["check", HOLDS], 0
        yield ["check", VIOLATION], 1
        yield ["check", "map.jsonl", "--jobs", "8"], 0
        yield ["check", "map.jsonl.gz", "--jobs", "8"], 0
        yield ["verify", MODEL, "--jobs", "8", "--set", "N=4"], 0
        yield ["verify", MODEL, "--native", "now"], 0

    def test_fewer_threads_do_the_same(self):
        for words, status in self.commands():
            self.assertEqual(self.with_threads(1000, *words)[0], status, words)
            for most in range(1, 5):
                self.assertEqual(self.with_threads(most, *words)[0], status, (words, most))

    def test_the_program_under_test(self):
        """The runtime starts its threads itself, so the system has to refuse them: to a user of our own."""
        if os.geteuid() != 0:
            self.skipTest("needs root")
        os.chmod(self.folder, 0o755)
        cache = self.path("cache")
        os.mkdir(cache)
        os.chown(cache, 61234, 61234)
        file = self.write("lost.cpp", contents(os.path.join(ROOT, "examples/explore/lost_update.cpp")))

        def with_processes(most, *words):
            command = ["setpriv", "--reuid=61234", "--regid=61234", "--clear-groups", "prlimit", f"--nproc={most}", PLUMB]
            return subprocess.run(command + list(words), capture_output=True, env={**ENVIRONMENT, "XDG_CACHE_HOME": cache},
                                  cwd="/", timeout=LONGEST, check=False)

        if with_processes(40, "test", file).returncode != 1:  # which compiles it
            self.skipTest("needs a plumb that others can run")
        refused = 0
        for most in (1, 2, 3, 4, 5, 6, 40):
            run = with_processes(most, "test", file, "--quiet")
            self.assertIn(run.returncode, (1, 70), (most, run))
            self.assertEqual(run.returncode == 1, run.stderr == b"", (most, run))
            self.assertNotIn(b"bug in plumb", run.stderr)
            if run.returncode == 70:
                self.assertRegex(run.stderr, b"the system (refuses another thread|allows no more threads|starts no more processes)")
                refused += 1
        self.assertGreater(refused, 0)
        self.assertEqual(run.returncode, 1)

    def test_without_any_there_is_an_error(self):
        for words, status in self.commands():
            found, out, err = self.with_threads(0, *words)
            if found == status:
                continue  # it needed none
            self.assertEqual((found, out), (70, b""), (words, err))
            self.assertIn(b"the system allows no more threads (raise ulimit -u", err)


main()
