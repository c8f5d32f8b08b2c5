#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `plumb verify` shows of a violation is a proof by itself, and nothing of it can be left out.

Random models, and wrong ones of models/, are verified; their JSON reports, and the histories of
their runs, are judged by brute_force.py, with objects that are written there and in
random_objects.py: the specifications in the models play no part in it.

  proofs_test.py PLUMB MODELS VIOLATIONS [SEED]
"""
import collections
import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "support"))
from brute_force import (INFINITY, collection, elements, embed, faults_of_proof, first, is_violation,
                         last, operations_of, permits, register, shown_in, unproved_claims)
import random_objects


def saturating(state, method, args):  # a counter up to 4, whose pop of 0 does nothing
    return [(None, min(state + 1, 4))] if method == "push" else [(state, max(state - 1, 0))]


def two_at_most(state, method, args):  # a queue that refuses a third element
    if method == "enq":
        return [(True, state + (args[0],))] if len(state) < 2 else [(False, state)]
    return [(state[0], state[1:])] if state else [(0, state)]


def key_set(state, method, args):
    return elements(state, {"add": "insert"}.get(method, method), args)


def mailbox(state, method, args):
    if method == "check":
        return [(state > 0, state)]
    if method == "deliver":
        return [(None, state + 1)]
    return [(None, state - 1)] if state else []


def plain_lock(state, method, args):  # unlock never waits
    return [(None, 1)] if method == "unlock" else permits(state, method, args)


# Models, what they should be, and operations that have to be shown: methods with results; None: any.
MODELS = {
    "register_upward": ((0, register), [("write", [1], None)]),
    "register_bits": ((0, register), []),
    "register_regular": ((0, register), []),
    "register_tromp_line1": ((0, register), []),
    "register_tromp_line3": ((0, register), []),
    "register_tromp_line6": ((0, register), []),
    "counter_lost": ((0, saturating), []),
    "queue_array_racy": (((), collection(first, ("deq",))), []),
    "queue_michael_scott_store": (((), collection(first, empty=0)), []),
    "queue_shann": (((), two_at_most), [("deq", [], 0)]),
    "set_lazy_unchecked": ((frozenset(), key_set), []),
    "stack_elimination_twice": (((), collection(last, empty=0)), []),
    "lock_forgotten": ((1, plain_lock), []),
    "lock_mcs_late": ((1, plain_lock), []),
    "peterson_early": ((1, plain_lock), []),
    "mailbox_flag": ((0, mailbox), []),
}
TWO_WINNERS = """object O {
  shared x : bit = 0
  op tas() { local t = x  x = 1  return t }
}
spec {
  state t = 0
  op tas() { local was = t  t = 1  return was }
}
clients { 3 x tas() at most 1 }
"""


class Verifier:
    def __init__(self, plumb, folder):
        self.plumb, self.history = plumb, os.path.join(folder, "history.jsonl")

    def report(self, path):
        run = subprocess.run([self.plumb, "verify", path, "--json", "--history", self.history],
                             capture_output=True, text=True)
        if run.returncode not in (0, 1):
            sys.exit("%s\n%s%s" % (open(path).read(), run.stderr, run.stdout[:500]))
        return json.loads(run.stdout)

    def faults(self, thing, report):
        """Of a violation that is no fault: what is wrong with it, and what is shown."""
        whole = operations_of([json.loads(line) for line in open(self.history)])
        evidence = report["evidence"]
        shown, needed = shown_in(evidence)
        wrong = unproved_claims(evidence)
        if not is_violation(thing, whole):
            return wrong + ["the run is right: %s" % whole], shown, whole
        found = embed(shown, whole)
        if found is None:
            return wrong + ["what is shown is no part of the run: %s" % whole], shown, whole
        of_whole = dict.fromkeys(whole, "nothing")
        of_whole.update(zip(found, (needed[op] for op in shown)))
        return wrong + faults_of_proof(thing, whole, of_whole), shown, whole


def named_models(verifier, folder):
    """How many faults the models with known mistakes have."""
    bad = 0
    for name, (thing, expected) in MODELS.items():
        wrong, shown, _ = verifier.faults(thing, verifier.report(os.path.join(folder, name + ".plumb")))
        for method, args, result in expected:
            if not any((op.method, op.args) == (method, args) and
                       (result is None or op.result == result) for op in shown):
                wrong.append("%s(%s) is not shown" % (method, args))
        if wrong:
            bad += 1
            print(name, *wrong, *shown, sep="\n  ")
    return bad


def two_winners(verifier, folder):
    path = os.path.join(folder, "two_winners.plumb")
    with open(path, "w") as file:
        file.write(TWO_WINNERS)
    wrong, shown, _ = verifier.faults((0, random_objects.test_and_set), verifier.report(path))
    if [op.result for op in shown] != [0, 0]:
        wrong.append("both callers should be shown, not %s" % shown)
    if wrong:
        print("two winners", *wrong, sep="\n  ")
    return bool(wrong)


def main(plumb, models, violations, seed):
    found, drawn = collections.Counter(), 0
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        verifier = Verifier(plumb, folder)
        bad = named_models(verifier, models) + two_winners(verifier, folder)
        path = os.path.join(folder, "model.plumb")
        while sum(found.values()) < violations:
            rng = random.Random("%s %d" % (seed, drawn))
            drawn += 1
            name, text, thing = random_objects.random_model(rng)
            with open(path, "w") as file:
                file.write(text)
            report = verifier.report(path)
            if report["verdict"] != "violation":
                continue
            if report["evidence"]["confirmed_by"] == "replay":  # a fault has no wrong result
                counts["faults of the model"] += 1
                continue
            wrong, shown, whole = verifier.faults(thing, report)
            found[name] += 1
            counts["do without some operation"] += len(shown) < len(whole)
            counts["do without some outcome"] += any(
                o["needed"] == "call" for o in report["evidence"]["operations"])
            counts["show a pending operation"] += any(op.ret == INFINITY for op in shown)
            counts["are stuck"] += any(op.judged for op in shown)
            if wrong:
                bad += 1
                if bad <= 5:
                    print("seed %s, model %d" % (seed, drawn - 1), text, *wrong, "shown:", *shown, "whole:", *whole,
                          sep="\n")
    print("%d models, %d violations (%s): %d faults" % (
        drawn, sum(found.values()), ", ".join("%d %s" % (n, what) for what, n in sorted(counts.items())), bad))
    print(", ".join("%s %d" % one for one in sorted(found.items())))
    seen = [counts[what] for what in ("do without some operation", "show a pending operation", "are stuck")]
    if violations >= 200 and (min(seen) == 0 or len(found) < len(random_objects.KINDS) + 1):
        sys.exit("some kind of violation was never seen")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4] if len(sys.argv) > 4 else
         os.environ.get("PLUMB_SEED", "1"))
