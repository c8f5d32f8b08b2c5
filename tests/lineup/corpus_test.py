#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every object of the corpus is convicted, or passes, on the tests that its file names.

    corpus_test.py PLUMB OBJECTS [--share N] [NAME...]      every N-th file; from which on, PLUMB_SEED says

A line of objects/*/NAME.cpp:

    //! ManualResetEventPre: "wait | set, reset, set", preemptions 3: stuck

says: compiled with -DOBJECT=ManualResetEventPre, this test fails with so many preemptions, by an
operation that waits forever (`violation`: by results; `nondeterministic`: serially; `finding`; `holds`; `undecided`). After the name
another macro may stand, and options after the preemptions. `alarm`, `race`, `quiet`: the test holds, and of the others
only a check of conflict serializability would have reported something (--compare), only a race detector, or neither.
"""
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

LINE = re.compile(r'^//! (?:(\w+)( \w+)?: )?"([^"]+)", preemptions (\d+)( [^:]*)?: (\w+)$')
KINDS = {"violation": "not-linearizable", "stuck": "blocked", "nondeterministic": "nondeterministic",
         "finding": "finding"}
OTHERS = {"alarm": (True, False), "race": (False, True), "quiet": (False, False)}  # a cycle, a race


def cases(file):
    for line in file.read_text().splitlines():
        if not line.startswith("//!"):
            continue
        match = LINE.match(line)
        if not match:
            sys.exit(f"{file}: not understood: {line}")
        yield (file, *match.groups())


def program_of(case):
    """The file and what it is compiled with."""
    return tuple(str(part) for part in case[:3])


def is_alarm(comparison):
    """Whether there was a cycle. If so it is explained, and is there again in the execution that it names."""
    found = comparison["conflict_serializability"]
    if found["executions"] == 0:
        return False
    first = found["first"]
    accesses = [edge[side] for edge in first["cycle"] for side in ("before", "after")]
    assert len(first["cycle"]) >= 2 and all(a["line"] > 0 and a["file"] and a["what"] for a in accesses), first
    operations = [edge["before"]["operation"] for edge in first["cycle"]]
    assert operations == [edge["after"]["operation"] for edge in first["cycle"][-1:] + first["cycle"][:-1]], first
    again = subprocess.run(first["replay"] + " --json", shell=True, capture_output=True, text=True, timeout=600, check=False)
    repeated = json.loads(again.stdout)["comparison"]["conflict_serializability"]
    assert repeated["executions"] == 1 and repeated["first"]["cycle"] == first["cycle"], again.stdout
    return True


def run(plumb, case):
    file, name, macro, test, preemptions, options, expected = case
    command = [plumb, "test", str(file), "--test", test, "--preemptions", preemptions, "--json",
               "--no-shrink"]
    if name:
        command.insert(3, f"--flag=-DOBJECT={name}")
    if macro:
        command.insert(3, f"--flag=-D{macro.strip()}")
    command += (options or "").split()
    if expected in OTHERS:
        command.append("--compare")
    begin = time.time()
    ran = subprocess.run(command, capture_output=True, text=True, timeout=600)
    seconds = time.time() - begin
    try:
        report = json.loads(ran.stdout)
    except json.JSONDecodeError:
        return False, f"status {ran.returncode}: {ran.stderr[:2000]}", seconds
    if expected in OTHERS:
        comparison = report["comparison"]
        got = (is_alarm(comparison), comparison["races"]["executions"] > 0)
        right = report["verdict"] == "holds" and got == OTHERS[expected] and comparison["executions"] > 1
        return right, f"{report['verdict']} {comparison}", seconds
    if expected in ("holds", "undecided"):
        return report["verdict"] == expected, report["verdict"], seconds
    kinds = [failure["kind"] for failure in report.get("failures", [])]
    for failure in report.get("failures", []) + report.get("findings", []):
        if "replay" in failure and subprocess.run(failure["replay"], shell=True, capture_output=True, timeout=600,
                                                  check=False).returncode != 1:
            return False, f"{kinds}, but not again: {failure['replay']}", seconds
    return KINDS[expected] in kinds, f"{report['verdict']} {kinds}", seconds


def main():
    plumb, objects, *names = sys.argv[1:]
    share = int(names[1]) if names[:1] == ["--share"] else 1
    names = names[2:] if names[:1] == ["--share"] else names
    files = sorted(f for f in pathlib.Path(objects).glob("*/*.cpp") if not names or f.stem in names)
    files = files[int(os.environ.get("PLUMB_SEED", 0)) % share::share]
    everything = [case for file in files for case in sorted(cases(file), key=program_of)]
    wrong = 0
    # Cases of one program after one another: two at once would both compile it.
    programs = [list(group) for _, group in itertools.groupby(everything, program_of)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda program: [run(plumb, case) for case in program], programs)
        for case, (right, got, seconds) in zip(everything, itertools.chain.from_iterable(results)):
            file, name, macro, test, preemptions, options, expected = case
            if not right:
                wrong += 1
                print(f"{file}: {name}: \"{test}\" with {preemptions} preemptions: expected {expected}, got {got}")
            elif seconds > 10:
                print(f"{file}: {name}: \"{test}\": {seconds:.1f} s")
    print(f"{len(files)} files, {len(everything)} tests, {wrong} wrong")
    if not everything:
        sys.exit("no tests")
    sys.exit(1 if wrong else 0)


main()
