# SPDX-License-Identifier: MIT
"""Runs the program in a folder of its own. Arguments of a test: PLUMB ROOT."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

PLUMB, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
VIOLATION = os.path.join(ROOT, "tests/golden/queue_fifo.jsonl")
HOLDS = os.path.join(ROOT, "tests/golden/holds.jsonl")
MODEL = os.path.join(ROOT, "models/counter.plumb")
WRONG_MODEL = os.path.join(ROOT, "models/counter_lost.plumb")
ENVIRONMENT = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), "LC_ALL": "C.UTF-8"}
LONGEST = 300


def events(*steps, header=None):
    """A history in the native format: (process, op, args, result) one after the other."""
    lines = [header or {"history": 1, "object": "queue"}]
    for process, op, args, result in steps:
        lines.append({"type": "call", "process": process, "op": op, "args": args})
        lines.append({"type": "return", "process": process, "result": result})
    return "".join(json.dumps(line) + "\n" for line in lines)


def contents(path):
    with open(path, "rb") as file:
        return file.read()


class Runs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="plumb-hostile-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        path = os.path.join(os.fsencode(self.folder), os.fsencode(name))
        with open(path, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape"))
        return os.fsdecode(path)

    def begin(self, *words, variables=None, **more):
        more = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
        return subprocess.Popen([PLUMB, *words], cwd=self.folder, env={**ENVIRONMENT, **(variables or {})},
                                **more)

    def run_plumb(self, *words, **more):
        """The exit status and both outputs, as bytes."""
        with self.begin(*words, **more) as process:
            out, err = process.communicate(timeout=LONGEST)
        return process.returncode, out or b"", err or b""

    def status(self, *words, **more):
        return self.run_plumb(*words, **more)[0]

    def leftovers(self):
        return [name for name in os.listdir(self.folder) if name.startswith(".plumb-")]


def main():
    unittest.main(argv=sys.argv[:1])
