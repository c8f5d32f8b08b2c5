#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `plumb test --spec` shows of a violation is a proof by itself, and nothing of it can be left out.

Random tests of random classes (proofs_subject.cpp) are run; their JSON reports are judged by
brute_force.py, which shares nothing with the program.

  proofs_test.py PLUMB VIOLATIONS [SEED]
"""
import collections
import itertools
import json
import os
import pathlib
import random
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SUBJECT = HERE / "proofs_subject.cpp"
sys.path.append(str(HERE.parent / "support"))
from brute_force import INFINITY, OBJECTS, Operation, faults_of_proof, shown_in, unproved_claims

V, K = (1, 2), (0, 1)
CLASSES = {  # by specification: the methods with the domains of their arguments, in the subject's order
    "counter": {"inc": (), "get": (), "fetch_inc": ()},
    "register": {"read": (), "write": (V,), "cas": (K, V)},
    "queue": {"enq": (V,), "deq": (), "size": ()},
    "stack": {"push": (V,), "pop": ()},
    "set": {"insert": (K,), "remove": (K,), "contains": (K,), "size": ()},
    "map": {"get": (K,), "put": (K, V), "delete": (K,), "size": ()},
    "mutex": {"lock": (), "unlock": (), "try_lock": ()},
    "semaphore": {"acquire": (), "release": (), "try_acquire": (), "available": ()},
    "blocking-queue": {"enq": (V,), "deq": ()},
}


def random_test(rng, name):
    methods = CLASSES[name]
    chosen = rng.sample(sorted(methods), rng.randint(1, len(methods)))

    def call():
        method = rng.choice(chosen)
        return "%s(%s)" % (method, ", ".join(str(rng.choice(domain)) for domain in methods[method]))

    shape = rng.choice([(1, 1), (2, 1), (2, 2), (3, 1), (1, 1, 1), (2, 1, 1), (2, 2, 1)])
    return " | ".join(", ".join(call() for _ in range(n)) for n in shape)


def columns_of(test):
    """By thread: its calls, as pairs of a method and arguments."""
    return {chr(ord("A") + i): [(method, [int(v) for v in args.split(", ") if v])
                                for method, args in re.findall(r"(\w+)\(([^)]*)\)", column)]
            for i, column in enumerate(test.split(" | "))}


def others_in(why):
    """How many operations are not shown, by the sentence that says so."""
    for sentence in why:
        found = re.search(r"whatever the other (?:(\d+) operations|operation) did", sentence)
        if found:
            return int(found.group(1) or 1)
    return 0


def called_before(column, shown, stuck):
    """How many calls of a thread there may have been, so that these are shown; [] if it can be none."""
    last = -1
    for op in shown:
        while last + 1 < len(column) and column[last + 1] != (op.method, op.args):
            last += 1
        last += 1
    if last >= len(column):
        return []
    if shown and shown[-1].ret == INFINITY:  # of several that look alike, it may be any
        return [n + 1 for n in range(last, len(column)) if column[n] == column[last]]
    return list(range(max(last + 1, 1), len(column) + 1)) if stuck else [len(column)]


def whole_histories(test, shown, others, stuck):
    """What is not shown, as far as it can be concluded from the test: in each way a list of calls."""
    columns = columns_of(test)
    choices = [called_before(column, [op for op in shown if op.process == thread], stuck)
               for thread, column in columns.items()]
    for lengths in itertools.product(*choices):
        if sum(lengths) != len(shown) + others:
            continue
        calls = [call for column, n in zip(columns.values(), lengths) for call in column[:n]]
        for op in shown:
            calls.remove((op.method, op.args))
        yield [Operation("hidden", method, args, 0) for method, args in calls]


def faults(name, report):
    failure, evidence = report["failures"][0], report["evidence"]
    shown, needed = shown_in(evidence)
    wrong = unproved_claims(evidence)
    ways = list(whole_histories(failure["test"], shown, others_in(failure["why"]),
                                failure["kind"] == "blocked"))
    if not ways:
        return ["what is shown is no part of the test"], shown, 0, 0
    of_each = [faults_of_proof(OBJECTS[name], shown + hidden, {**dict.fromkeys(hidden, "nothing"), **needed})
               for hidden in ways]
    return wrong + min(of_each, key=len), shown, len(ways[0]), len(ways) > 1


def run(plumb, name, variant, test, *options):
    ran = subprocess.run(
        [plumb, "test", str(SUBJECT), "--spec", name, "--test", test, "--json", *options],
        env=dict(os.environ, PROOFS_OBJECT=name, PROOFS_VARIANT=variant), capture_output=True, text=True)
    if ran.returncode not in (0, 1):
        sys.exit("%s %s, %s: status %d\n%s%s" % (name, variant, test, ran.returncode, ran.stdout[:1000], ran.stderr))
    return json.loads(ran.stdout)


def hides_a_competitor(plumb):
    """One element that nobody takes, and two that wait: either may have a reason, if not the other."""
    report = run(plumb, "blocking-queue", "30", "enq(1) | deq() | deq()", "--no-shrink")
    wrong, shown, _, _ = faults("blocking-queue", report)
    if sorted(op.method for op in shown) != ["deq", "deq", "enq"]:
        wrong.append("all three operations should be shown, not %s" % shown)
    if wrong:
        print("competitors", *wrong, sep="\n  ")
    return bool(wrong)


def main(plumb, violations, seed):
    found, counts, drawn = collections.Counter(), collections.Counter(), 0
    bad = int(hides_a_competitor(plumb))
    while sum(found.values()) < violations:
        rng = random.Random("%s %d" % (seed, drawn))
        drawn += 1
        name = rng.choice(sorted(CLASSES))
        variant = "".join(str(rng.randrange(3)) for _ in CLASSES[name])
        test = random_test(rng, name)
        shrink = [] if rng.random() < 0.3 else ["--no-shrink"]
        report = run(plumb, name, variant, test, *shrink)
        if report["verdict"] != "violation" or report["failures"][0]["kind"] == "finding":
            counts["findings"] += report["verdict"] == "violation"
            continue
        wrong, shown, hidden, ambiguous = faults(name, report)
        found[name] += 1
        counts["do without some operation"] += hidden > 0
        counts["do without some outcome"] += any(o["needed"] == "call" for o in report["evidence"]["operations"])
        counts["are stuck"] += any(op.judged for op in shown)
        counts["leave open what was called"] += ambiguous
        if wrong:
            bad += 1
            if bad <= 5:
                print("%s %s: %s" % (name, variant, report["failures"][0]["test"]), *wrong, *shown,
                      *report["failures"][0]["why"], sep="\n  ")
    print("%d tests, %d violations (%s): %d faults" % (
        drawn, sum(found.values()), ", ".join("%d %s" % (n, what) for what, n in sorted(counts.items())), bad))
    print(", ".join("%s %d" % one for one in sorted(found.items())))
    seen = [counts[what] for what in ("do without some operation", "are stuck")]
    if violations >= 100 and (min(seen) == 0 or len(found) < len(CLASSES)):
        sys.exit("some kind of violation was never seen")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else os.environ.get("PLUMB_SEED", "1"))
