#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A seed says everything: the classes of the corpus, tested twice, and built by different compilers.

    deterministic_test.py PLUMB OBJECTS [--only NAME,...] [--share N] [--builds 'g++,clang++,g++ -O0']

Two runs of the first build give the same report, byte by byte, but for times and memory. Another build, with threads
switched at atomics and locks only, gives the same tests, verdicts, histories and counts. But for the number of
executions: how often a loop that waits is run until it is known to be one depends on what it leaves in registers.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from differences import differences

CAMPAIGN = ["--schedule-at", "atomics", "--operations", "2", "--random", "10", "--size", "2x2", "--seed", "7",
            "--preemptions", "2", "--keep-going"]
MEASURED = re.compile(r"\w*seconds|peak_bytes")


def classes(file):
    """How the file can be compiled: the classes and macros of its //! lines."""
    found = {}
    for name, macro in re.findall(r'^//! (?:(\w+)(?: (\w+))?: )?"', file.read_text(), re.MULTILINE):
        flags = ([f"--flag=-DOBJECT={name}"] if name else []) + ([f"--flag=-D{macro}"] if macro else [])
        found[" ".join(flags)] = flags
    return list(found.values())


def without_measured(fields):
    return {name: value for name, value in fields.items() if not MEASURED.fullmatch(name)}


def report_of(plumb, file, flags, build):
    """As text, without what was measured."""
    compiler, *options = build.split()
    command = [plumb, "test", str(file), *flags, *(f"--flag={option}" for option in options), *CAMPAIGN, "--json"]
    ran = subprocess.run(command, env=dict(os.environ, CXX=compiler), capture_output=True, text=True, timeout=900,
                         check=False)
    if ran.returncode not in (0, 1, 2):
        return json.dumps({"error": f"status {ran.returncode}: {ran.stdout[:1000]}{ran.stderr[:1000]}"})
    return json.dumps(json.loads(ran.stdout, object_hook=without_measured))


def without(fields, *names):
    return {name: value for name, value in fields.items() if name not in names}


def of_any_build(text):
    """What does not speak of the program's code: addresses, lines, the command that replays it."""
    report = json.loads(text)
    if "error" in report:
        return report
    return {
        "verdict": report["verdict"],
        "reason": report.get("reason"),
        "scope": without(report["scope"], "executions"),
        "findings": [finding["kind"] for finding in report["findings"]],
        "failures": [{key: [without(step, "file", "line", "function") for step in value] if key == "steps" else value
                      for key, value in without(failure, "replay", "options").items()}
                     for failure in report.get("failures", [])],
    }


def compare(plumb, file, flags, builds):
    """What differs."""
    name = f"{file.parent.name}/{file.name} {' '.join(flags)}"
    first = report_of(plumb, file, flags, builds[0])
    again = report_of(plumb, file, flags, builds[0])
    if first != again:
        return [f"{name}: two runs: {d}" for d in differences(json.loads(first), json.loads(again))]
    of_first = of_any_build(first)
    if "error" in of_first:
        return [f"{name}: {of_first['error']}"]
    return [f"{name}: {builds[0]} and {build}: {d}" for build in builds[1:]
            for d in differences(of_first, of_any_build(report_of(plumb, file, flags, build)))]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("plumb")
    parser.add_argument("objects", type=pathlib.Path)
    parser.add_argument("--only", default="", help="files, separated by commas")
    parser.add_argument("--share", type=int, default=1, help="every N-th class; from which on, PLUMB_SEED says")
    parser.add_argument("--builds", default="g++,clang++")
    args = parser.parse_args()
    only = [name for name in args.only.split(",") if name]
    cases = [(file, flags) for file in sorted(args.objects.glob("*/*.cpp")) if not only or file.stem in only
             for flags in classes(file)][int(os.environ.get("PLUMB_SEED", 0)) % args.share::args.share]
    wrong = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for lines in pool.map(lambda case: compare(args.plumb, *case, args.builds.split(",")), cases):
            wrong += 1 if lines else 0
            for line in lines:
                print(line, flush=True)
    print(f"{len(cases)} classes, {args.builds}: {wrong} differ")
    sys.exit(1 if wrong or not cases else 0)


main()
