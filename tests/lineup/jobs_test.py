#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A campaign finds the same with any number of processes: verdict, counterexamples and counts.

    jobs_test.py PLUMB FOLDER... [--only NAME,...] [--share N] [--jobs N,...]

Each class of the folders is tested with one process and with several, until the first test that fails and to the end,
and the reports are compared, but for times and memory.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from differences import differences

# Long enough for the other processes to start: a short campaign needs none.
CAMPAIGN = ["--operations", "3", "--random", "20", "--size", "2x2", "--max-executions", "5000"]
MEASURED = re.compile(r"\w*seconds|peak_bytes")
MEASURED_IN_TEXT = re.compile(r' time="[^"]*"|, [\d.]+ s\)')


def classes(file):
    """How the file can be compiled: the classes and macros of its //! lines."""
    found = {}
    for name, macro in re.findall(r'^//! (?:(\w+)(?: (\w+))?: )?"', file.read_text(), re.MULTILINE):
        flags = ([f"--flag=-DOBJECT={name}"] if name else []) + ([f"--flag=-D{macro}"] if macro else [])
        found[" ".join(flags)] = flags
    return list(found.values()) or [[]]


def without_measured(fields):
    return {name: value for name, value in fields.items() if not MEASURED.fullmatch(name)}


def report_of(plumb, file, flags, options, jobs):
    """As text, without what was measured."""
    with tempfile.TemporaryDirectory() as folder:
        junit = os.path.join(folder, "junit.xml")
        ran = subprocess.run([plumb, "test", str(file), *flags, *CAMPAIGN, *options, "--jobs", jobs, "--json", "--junit", junit],
                             capture_output=True, text=True, timeout=900, check=False)
        if ran.returncode not in (0, 1, 2):
            return json.dumps({"error": f"status {ran.returncode}: {ran.stdout[:1000]}{ran.stderr[:1000]}"})
        report = json.loads(ran.stdout, object_hook=without_measured)
        report["junit"] = MEASURED_IN_TEXT.sub("", pathlib.Path(junit).read_text(encoding="utf-8")).splitlines()
        return json.dumps(report)


def compare(plumb, file, flags, jobs):
    """What differs."""
    for options in ([], ["--keep-going"]):
        one = json.loads(report_of(plumb, file, flags, options, "1"))
        if "error" in one:
            yield one["error"]
        for n in jobs:
            several = json.loads(report_of(plumb, file, flags, options, n))
            for difference in differences(one, several):
                yield f"1 and {n} processes {' '.join(options)}: {difference}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("plumb")
    parser.add_argument("folders", type=pathlib.Path, nargs="+")
    parser.add_argument("--only", default="", help="files, separated by commas")
    parser.add_argument("--share", type=int, default=1, help="every N-th class; from which on, PLUMB_SEED says")
    parser.add_argument("--jobs", default="2,5")
    args = parser.parse_args()
    only = [name for name in args.only.split(",") if name]
    cases = [(file, flags) for folder in args.folders for file in sorted(folder.rglob("*.cpp"))
             if (not only or file.stem in only) and not file.stem.endswith("_regression")
             for flags in classes(file)][int(os.environ.get("PLUMB_SEED", 0)) % args.share::args.share]
    wrong = 0
    for file, flags in cases:
        found = list(compare(args.plumb, file, flags, args.jobs.split(",")))
        wrong += 1 if found else 0
        for line in found:
            print(f"{file.parent.name}/{file.name} {' '.join(flags)}: {line}", flush=True)
    print(f"{len(cases)} classes: {wrong} differ")
    sys.exit(1 if wrong or not cases else 0)


main()
