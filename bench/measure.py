# SPDX-License-Identifier: MIT
"""Runs `plumb check --json` in its own process and measures it."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PLUMB = os.path.join(ROOT, "build/release/bin/plumb")
GENERATE = os.path.join(ROOT, "build/release/bench/plumb_generate")


class Run:
    """reports: one object per file, as plumb printed them. errors: what it could not read.
    mib: the peak resident memory of the process. The smallest measurable value is that of a Python
    process, some 15 MiB, because the child starts as a copy of this one."""

    def __init__(self, reports, errors, seconds, mib, exit_status):
        self.reports, self.errors = reports, errors
        self.seconds, self.mib, self.exit_status = seconds, mib, exit_status


def check(files, options=(), timeout=None, memory=None, plumb=PLUMB):
    command = [plumb, "check", "--json", *options]
    patience = None
    if timeout:
        command += ["--timeout", str(timeout)]
        # For a program that overruns its limits, which do not include reading.
        patience = len(files) * (2 * timeout + 60)
    if memory:
        command += ["--memory", str(memory)]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        start = time.monotonic()
        child = subprocess.Popen(command + list(files), stdin=subprocess.DEVNULL, stdout=out,
                                 stderr=err)
        killer = threading.Timer(patience, child.kill) if patience else None
        if killer:
            killer.start()
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.monotonic() - start
        if killer:
            killer.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        objects = [json.loads(line) for line in out.read().decode().splitlines() if line]
        reports = [o for o in objects if "verdict" in o]
        errors = [e for o in objects if "summary" in o for e in o["summary"]["errors"]]
        if child.returncode not in (0, 1, 2) and not errors:
            message = err.read().decode(errors="replace").strip()
            errors = [{"file": files[0] if len(files) == 1 else f"{len(files)} files",
                       "message": message or f"exit status {child.returncode}"}]
    return Run(reports, errors, seconds, usage.ru_maxrss / 1024, child.returncode)


def generate(kind, path, program=GENERATE, **options):
    """options: clients=5, operations=1000, seed=1, bad=True, ..."""
    command = [program, kind, "-o", path]
    for name, value in options.items():
        name = "--" + name.replace("_", "-")
        if value is True:
            command.append(name)
        elif value is not False and value is not None:
            command += [name, str(value)]
    subprocess.run(command, check=True)


def build(target, program, folder):
    """Builds the target, so that the measured program is current, and copies it to the folder, so
    that a later build does not disturb the measurement. Returns: the copy."""
    subprocess.run([os.path.join(ROOT, "run"), "build", "release", target], check=True,
                   stdout=sys.stderr)
    return shutil.copy2(program, folder)
