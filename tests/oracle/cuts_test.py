#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Where `plumb check` cuts a long history on the left, the state that it names is forced.

Random long histories go through the program. If a report has a `left_state`, brute_force.py
tries all orders of what came before the cut. Each of them must lead to that state, or from it
to where the order leads by operations that are open at the cut, and `open` must say that there are
such. What is shown is a proof, as in proofs_test.py, for an object that begins in that state.

  cuts_test.py PLUMB CUTS [SEED]
"""
import collections
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile

from proofs_test import METHODS, VALUES, spoil, write
from brute_force import (INFINITY, OBJECTS, UNKNOWN, Operation, Search, faults_of_proof, same,
                         unproved_claims)

MOST = 9  # operations behind a cut, of which all subsets are tried


def simulate(rng, name):
    """A long run of the object; of the last operations one is spoilt."""
    state, step = OBJECTS[name]
    methods, ops, running, done = METHODS[name], [], {}, set()
    wanted, processes = rng.randint(15, 60), rng.randint(2, 3)
    for now in range(1, 3000):
        process = rng.randrange(processes)
        op = running.get(process)
        if op is None:
            if len(ops) < wanted:
                method = rng.choice(sorted(methods))
                running[process] = Operation(process, method, [rng.choice(d) for d in methods[method]], now)
                ops.append(running[process])
        elif op in done:
            op.ret = now
            del running[process]
        else:
            steps = step(state, op.method, op.args)
            if steps:
                op.result, state = rng.choice(steps)
                done.add(op)
    for op in ops:
        if op.ret == INFINITY:
            op.result = UNKNOWN
    spoil(rng, name, ops[-8:])
    return ops


# ---- States as text, and operations that never change one.

def texts(name, state):
    """How the program may print a state."""
    if name == "mutex":
        return "false" if state else "true"
    if name in ("array", "map"):
        return "{%s}" % ",".join("%d:%d" % pair for pair in state if name == "map" or pair[1] != 0)
    if name == "set":
        return "[%s]" % ",".join(map(str, sorted(state)))
    return "[%s]" % ",".join(map(str, state)) if isinstance(state, tuple) else str(state)


def some_states(name):
    initial = OBJECTS[name][0]
    if isinstance(initial, frozenset):
        return [frozenset(keys) for n in range(3) for keys in itertools.combinations((0, 1), n)]
    if name in ("array", "map"):
        return [tuple(zip(keys, values)) for n in range(3) for keys in itertools.combinations((0, 1), n)
                for values in itertools.product(VALUES, repeat=n)]
    if isinstance(initial, tuple):
        return [values for n in range(4) for values in itertools.product(VALUES, repeat=n)]
    return range(-99, 99) if name == "counter" else range(2) if name == "mutex" else range(99)


def never_changes(name, op):
    step = OBJECTS[name][1]
    return all(to == state for state in some_states(name) for result, to in step(state, op.method, op.args)
               if op.result is UNKNOWN or same(result, op.result))


# ---- The cut.

def cuts(name, ops, at, text):
    """Ways in which a state of that text is forced: the state, and what is still to take effect."""
    step = OBJECTS[name][1]
    past = [op for op in ops if op.call < at]
    over = sum(1 << i for i, op in enumerate(past) if op.ret < at)
    # The result of what is open is known if it returns later.
    search = Search(OBJECTS[name], past, dict.fromkeys(past, "outcome"))
    search.must = over
    counting = sum(1 << i for i, op in enumerate(past) if not never_changes(name, op))
    ends = {(taken, state) for taken, state in search.reachable() if taken & over == over}
    need = {(taken & counting, state) for taken, state in ends}
    for start in sorted(ends, key=lambda end: bin(end[0]).count("1")):
        if texts(name, start[1]) != text:
            continue
        if {(taken & counting, state) for taken, state in search.reachable(start)} >= need:
            left = [op for i, op in enumerate(past) if op.ret >= at and not start[0] >> i & 1]
            yield (start[1], step), left + [op for op in ops if op.call >= at]


def faults(name, ops, by_line, report):
    evidence = report["evidence"]
    left = evidence["left_state"]
    shown = {by_line[o["call_line"]]: o["needed"] for o in evidence["operations"]}
    ends = sorted([op.call for op in ops] + [op.ret for op in ops if op.ret != INFINITY])
    at = ends[left["line"] - 2]  # the first line has the name of the object
    wrong, best = unproved_claims(evidence), None
    for thing, window in cuts(name, ops, at, left["state"]):
        if len(window) > MOST:
            return None
        here = ["what is shown is over at the cut"] if set(shown) - set(window) else faults_of_proof(
            thing, window, {**dict.fromkeys(window, "nothing"), **shown})
        if left["open"] != any(op.call < at and not never_changes(name, op) for op in window):
            here.append("`open` is wrong")
        best = here if best is None else min(best, here, key=len)
    return wrong + (["the state is not forced"] if best is None else best)


def main(plumb, wanted, seed):
    found, drawn, large, bad = collections.Counter(), 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        while sum(found.values()) < wanted:
            batch = []
            for i in range(200):
                rng = random.Random("%s %d" % (seed, drawn))
                drawn += 1
                name = rng.choice(sorted(OBJECTS))
                path = os.path.join(folder, "%d.jsonl" % i)
                ops = simulate(rng, name)
                batch.append((path, name, ops, write(path, name, ops)))
            run = subprocess.run([plumb, "check", "--json", "--jobs", "1", "--no-partition"] + [b[0] for b in batch],
                                 capture_output=True, text=True)
            reports = {r["file"]: r for r in map(json.loads, run.stdout.splitlines()) if "file" in r}
            for path, name, ops, by_line in batch:
                if path not in reports:
                    sys.exit("no report: %s\n%s" % (run.stderr[:500], open(path).read()))
                report = reports[path]
                if report["verdict"] != "violation" or not report["evidence"]["left_state"]:
                    continue
                wrong = faults(name, ops, by_line, report)
                if wrong is None:
                    large += 1
                    continue
                found[name] += 1
                if wrong:
                    bad += 1
                    if bad <= 5:
                        print("seed %s:" % seed, *wrong, open(path).read(), report["evidence"]["left_state"],
                              *report["evidence"]["operations"], sep="\n")
    print("%d histories, %d cuts (%d more were too large to try all orders): %d faults" %
          (drawn, sum(found.values()), large, bad))
    print(", ".join("%s %d" % one for one in sorted(found.items())))
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else os.environ.get("PLUMB_SEED", "1"))
