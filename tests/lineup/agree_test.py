#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random classes, simulated and as real code: the same verdicts, and as many serial histories.

    agree_test.py PLUMB STEP_LISTS [COUNT [FIRST]]

STEP_LISTS says what the definitions make of all interleavings of the classes of seeds FIRST, FIRST + 1, ...
(by default those that PLUMB_SEED chooses);
`plumb test agree_subject.cpp` must say the same under each strategy.
"""
import json
import os
import pathlib
import subprocess
import sys
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor

SUBJECT = pathlib.Path(__file__).with_name("agree_subject.cpp")
# Without reduction, loops that wait have many schedules: what is not decided so is left to the others.
STRATEGIES = {"dfs": ["--strategy", "dfs", "--preemptions", "-1", "--max-executions", "20000"], "dpor": ["--strategy", "dpor"], "usual": []}


def canonical(test):
    """Tests that differ only in who is thread A are one in reports."""
    parts = test.split("; ")
    return tuple(" | ".join(sorted(part.split(" | "))) for part in parts)


def expected(step_lists, first, count):
    out = subprocess.run([step_lists, str(first), str(count)], capture_output=True, text=True, check=True).stdout
    classes = defaultdict(dict)
    for line in out.splitlines():
        seed, test, *numbers = line.split("\t")
        classes[int(seed)].setdefault(canonical(test), (test, *map(int, numbers)))
    return classes


def report_of(plumb, seed, options):
    command = [plumb, "test", str(SUBJECT), *options, "--json"]
    ran = subprocess.run(command, env=dict(os.environ, AGREE_SEED=str(seed)), capture_output=True, text=True,
                         timeout=300, check=False)
    try:
        return json.loads(ran.stdout)
    except json.JSONDecodeError:
        return {"verdict": f"status {ran.returncode}: {ran.stdout[:500]} {ran.stderr[:500]}"}


def compare(plumb, seed, tests):
    """What is wrong, and how many tests of each kind there were."""
    wrong = []
    kinds = defaultdict(int)
    for _, _, unexplained, blocked, _ in tests.values():
        kinds["violation" if unexplained else "blocked" if blocked else "holds"] += 1
    for name, strategy in STRATEGIES.items():
        options = [word for test, *_ in tests.values() for word in ("--test", test)]
        report = report_of(plumb, seed, [*options, *strategy, "--keep-going", "--no-shrink"])
        again = f"AGREE_SEED={seed} plumb test {SUBJECT} {' '.join(strategy)}"
        undecided = report.get("scope", {}).get("tests", {}).get("undecided", 0)
        kinds["undecided by dfs"] += undecided
        if report["verdict"] not in ("holds", "violation", "undecided") or (undecided and name != "dfs"):
            wrong.append(f"{again}: {report['verdict']} {report.get('reason', '')}")
            continue
        failures = {canonical(f["found"]): f["kind"] for f in report.get("failures", [])}
        for key, (test, _, unexplained, blocked, _) in tests.items():
            right = ["not-linearizable"] * unexplained + ["blocked"] * blocked or ["holds"]
            got = failures.get(key, "holds")
            if got not in right and not (undecided and got == "holds"):
                wrong.append(f"{again} --test '{test}': {got}, but should be {' or '.join(right)}")
        scope = report["scope"]
        serial = sum(t[1] for t in tests.values())
        if scope["tests"]["serial_histories"] != serial:
            wrong.append(f"{again}: {scope['tests']['serial_histories']} serial histories, but should be {serial}")
        passed = scope["tests"]["passed"]
        if scope["tests"]["under_all_schedules"] != passed:
            wrong.append(f"{again}: {passed} passed, {scope['tests']['under_all_schedules']} under all schedules")
        # Step for step the same: then there are as many histories.
        if name == "dfs" and not failures and not undecided and all(t[4] >= 0 for t in tests.values()):
            histories = sum(t[4] for t in tests.values())
            kinds["exact"] += len(tests)
            if scope["histories"] != histories:
                wrong.append(f"{again}: {scope['histories']} histories, but should be {histories}")
    return wrong, kinds


def main():
    plumb, step_lists, *rest = sys.argv[1:]
    count, first = (int(rest[0]) if rest else 20), (int(rest[1]) if len(rest) > 1 else int(os.environ.get("PLUMB_SEED", 0)) * 1000 + 1)
    classes = expected(step_lists, first, count)
    report_of(plumb, first, ["--test", "f, f"])  # compiled once
    total, all_wrong = defaultdict(int), 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for wrong, kinds in pool.map(lambda item: compare(plumb, *item), classes.items()):
            all_wrong += len(wrong)
            for line in wrong:
                print(line, flush=True)
            for kind, number in kinds.items():
                total[kind] += number
    print(f"{len(classes)} classes from seed {first}, "
          f"{', '.join(f'{n} {k}' for k, n in sorted(total.items()))}; {all_wrong} wrong")
    sys.exit(1 if all_wrong or not classes else 0)


main()
