#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `plumb check` shows of a violation is a proof by itself, and nothing of it can be left out.

Random histories go through the program, and its JSON reports are judged by a brute force that
shares nothing with it: neither the objects nor the definition. The rule (docs/report.md): replace
every operation that is not shown by a pending one that was called before everything else; of an
operation whose `needed` is "call", forget the outcome. What is left is a violation, and no longer
is if any shown operation, or any shown outcome, is forgotten as well.

  proofs_test.py PLUMB VIOLATIONS [SEED]
"""
import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "support"))
from brute_force import (INFINITY, OBJECTS, UNKNOWN, Operation, faults_of_proof, is_violation,
                         same, shown_in, unproved_claims)

VALUES = (0, 1, 2)
KEY, VALUE = VALUES[:2], VALUES
METHODS = {  # of the objects, and the domains of their arguments
    "register": {"read": (), "write": (VALUE,), "cas": (VALUE, VALUE)},
    "array": {"read": (KEY,), "write": (KEY, VALUE)},
    "map": {"get": (KEY,), "put": (KEY, VALUE), "delete": (KEY,), "contains": (KEY,), "size": ()},
    "set": {"insert": (KEY,), "remove": (KEY,), "contains": (KEY,), "size": ()},
    "queue": {"enq": (VALUE,), "deq": (), "peek": (), "size": ()},
    "stack": {"push": (VALUE,), "pop": (), "peek": (), "size": ()},
    "pqueue": {"insert": (VALUE,), "poll": (), "peek": ()},
    "bag": {"add": (VALUE,), "remove": (), "size": ()},
    "counter": {"get": (), "set": (VALUE,), "inc": (), "dec": (), "fetch_inc": ()},
    "mutex": {"lock": (), "unlock": (), "try_lock": ()},
    "semaphore": {"acquire": (), "release": (), "try_acquire": (), "available": ()},
    "blocking-queue": {"enq": (VALUE,), "deq": (), "try_deq": ()},
    "blocking-stack": {"push": (VALUE,), "pop": (), "try_pop": ()},
    "bounded-queue": {"enq": (VALUE,), "deq": (), "peek": ()},
    "bounded-stack": {"push": (VALUE,), "pop": (), "size": ()},
    "deque": {"push_front": (VALUE,), "push_back": (VALUE,), "pop_front": (), "pop_back": (),
              "peek_front": (), "peek_back": ()},
    "work-stealing-deque": {"push": (VALUE,), "pop": (), "steal": ()},
    "bounded-work-stealing-deque": {"push": (VALUE,), "pop": (), "steal": ()},
    "rwlock": {"lock": (), "unlock": (), "try_lock": (), "lock_shared": (), "unlock_shared": (),
               "try_lock_shared": ()},
    "latch": {"count_down": (), "wait": (), "try_wait": (), "count": ()},
    "barrier": {"arrive": (), "wait": (VALUE,), "try_wait": (VALUE,), "phase": ()},
}


# ---- Random histories.

def simulate(rng, name):
    """A run of the object; half of them are spoilt."""
    state, step = OBJECTS[name]
    methods = METHODS[name]
    methods = {m: methods[m] for m in rng.sample(sorted(methods), rng.randint(1, len(methods)))}
    ops, running, done, now = [], {}, set(), 0
    distinct = rng.random() < 0.4
    stuck = rng.random() < 0.2
    processes, wanted = rng.randint(2, 4), rng.randint(2, 7)
    fresh = 10
    for _ in range(60):
        process = rng.randrange(processes)
        if process not in running:
            if len(ops) == wanted:
                continue
            method = rng.choice(sorted(methods))
            args = [rng.choice(domain) for domain in methods[method]]
            if distinct and args and method not in ("cas", "set") and rng.random() < 0.9:
                fresh += 1
                if methods[method][-1] is VALUE:
                    args[-1] = fresh
            now += 1
            running[process] = Operation(process, method, args, now)
            ops.append(running[process])
        elif running[process] is None:
            continue
        elif running[process] in done:
            now += 1
            running[process].ret = now
            del running[process]
        elif rng.random() < 0.04:
            running[process].crashed = True
            running[process] = None
        else:
            op = running[process]
            steps = step(state, op.method, op.args)
            if steps:
                op.result, state = rng.choice(steps)
                done.add(op)
    for op in ops:
        if op.ret == INFINITY:
            op.result = UNKNOWN
    if rng.random() < 0.6:
        spoil(rng, name, ops)
    for op in ops:
        op.judged = stuck and op.ret == INFINITY and not op.crashed
    return ops


def spoil(rng, name, ops):
    returned = [op for op in ops if op.ret != INFINITY]
    if not returned:
        return
    op = rng.choice(returned)
    same = [o.result for o in returned if o.method == op.method]
    if isinstance(op.result, bool):
        op.result = not op.result
    elif op.result is not None or op.method in ("deq", "pop", "poll", "remove", "peek", "get"):
        choices = same + [0, 1, 2, 11, 12]
        if op.method in ("deq", "pop", "poll") and not name.startswith("blocking"):
            choices.append(None)  # of a blocking one this would say that it was not recorded
        op.result = rng.choice(choices)
    else:  # squeeze it into a shorter interval
        later = [o.call for o in ops if op.call < o.call < op.ret]
        if later:
            op.ret = later[0] - 0.5


def write(path, name, ops):
    """Returns: the operations by the lines of their calls."""
    events = sorted([(op.call, 0, op) for op in ops] +
                    [(op.ret, 1, op) for op in ops if op.ret != INFINITY], key=lambda e: e[:2])
    lines, by_line = [{"history": 1, "object": name}], {}
    for _, is_return, op in events:
        if is_return:
            lines.append({"type": "return", "process": op.process, "result": op.result})
        else:
            lines.append({"type": "call", "process": op.process, "op": op.method, "args": op.args})
            by_line[len(lines)] = op
    lines += [{"type": "crash", "process": op.process} for op in ops if op.crashed]
    if any(op.judged for op in ops):
        lines.append({"type": "stuck"})
    with open(path, "w") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
    return by_line


# ---- The rule.

def could_have_returned(name, ops, culprit, value):
    """Whether an order of all that was called before it returned explains another result."""
    changed = []
    for op in ops:
        if op.call > culprit.ret or op.judged:  # what never returns did not take effect
            continue
        copy = Operation(op.process, op.method, op.args, op.call)
        copy.result = value if op is culprit else op.result
        copy.ret = op.ret if op.ret <= culprit.ret else INFINITY
        changed.append(copy)
    return not is_violation(OBJECTS[name], changed)


def wrong_results(name, ops, culprit, evidence):
    """Of what the culprit could have returned, if the report says that it considers all operations."""
    if not any(" could only have returned " in why and not why.startswith("Considering")
               for why in evidence["why"]):
        return []
    said = evidence["possible_results"]
    values = said + [op.result for op in ops if op.result is not UNKNOWN] + [0, 1, 2, True, False]
    return ["that %s could have returned %s is %s" % (culprit, value, not possible)
            for value in values
            for possible in [could_have_returned(name, ops, culprit, value)]
            if possible != any(same(value, s) for s in said)]


def faults(name, ops, by_line, report):
    """What is wrong with the report, in words."""
    expected = "violation" if is_violation(OBJECTS[name], ops) else "holds"
    if report["verdict"] != expected:
        return ["the verdict is %s, but it is %s" % (report["verdict"], expected)]
    if expected == "holds":
        return []
    evidence = report["evidence"]
    needed = {op: "nothing" for op in ops}
    for shown in evidence["operations"]:
        needed[by_line[shown["call_line"]]] = shown["needed"]
    wrong = unproved_claims(evidence) + faults_of_proof(OBJECTS[name], ops, needed)
    if not is_violation(OBJECTS[name], shown_in(evidence)[0]):
        wrong.append("its `history` is no violation by itself")
    if evidence["left_state"] is not None:
        wrong.append("it is cut on the left")
    culprit = by_line[evidence["operations"][evidence["culprit"]]["call_line"]]
    if needed[culprit] != "outcome":
        wrong.append("the culprit's outcome is not needed")
    for shown in evidence["operations"] + evidence["focus"]:
        op = by_line[shown["call_line"]]
        if (shown["op"], shown["args"], shown.get("result", UNKNOWN), shown["pending"], shown["open"]) != (
                op.method, op.args, op.result, op.ret == INFINITY, op.ret == INFINITY or op.ret > culprit.ret):
            wrong.append("%s is not what happened, which is %s" % (shown, op))
    wrong += wrong_results(name, ops, culprit, evidence)
    if evidence["focus"] and not any(by_line[o["call_line"]] is culprit for o in evidence["focus"]):
        wrong.append("the first sentence does not mention the culprit")
    return wrong


def not_verified(plumb, folder, reports):
    """Of violations: how many --recheck does not verify. A core by itself is a violation, too."""
    violations = [r for r in reports.splitlines() if '"verdict":"violation"' in r]
    path = os.path.join(folder, "reports.json")
    with open(path, "w") as file:
        file.writelines(line + "\n" for line in violations)
    run = subprocess.run([plumb, "check", "--recheck", path], capture_output=True, text=True)
    wrong = [line for line in run.stdout.splitlines() if not line.startswith("VERIFIED")]
    if run.returncode != 0 or len(run.stdout.splitlines()) != len(violations):
        wrong.append("exit status %d: %s" % (run.returncode, run.stderr[:300]))
    core = os.path.join(folder, "core.jsonl")
    first = json.loads(violations[0])["file"]
    for arguments in ([first, "--core", core], [core]):
        again = subprocess.run([plumb, "check", "--quiet"] + arguments, capture_output=True, text=True)
        if again.returncode != 1:
            wrong.append("%s: exit status %d, %s" % (arguments, again.returncode, again.stderr))
    for line in wrong[:3]:
        print(line)
    return len(wrong)


def main(plumb, violations, seed):
    found, drawn, bad, hidden, called = 0, 0, 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        while found < violations:
            batch = []
            for i in range(400):
                rng = random.Random("%s %d" % (seed, drawn))
                drawn += 1
                name = rng.choice(sorted(OBJECTS))
                ops = simulate(rng, name)
                path = os.path.join(folder, "%d.jsonl" % i)
                batch.append((name, ops, write(path, name, ops), path))
            run = subprocess.run([plumb, "check", "--json", "--jobs", "1"] + [b[3] for b in batch],
                                 capture_output=True, text=True)
            reports = {r["file"]: r for r in map(json.loads, run.stdout.splitlines()) if "file" in r}
            bad += not_verified(plumb, folder, run.stdout)
            for name, ops, by_line, path in batch:
                if path not in reports:
                    sys.exit("no report: %s\n%s" % (run.stderr[:500], open(path).read()))
                report = reports[path]
                wrong = faults(name, ops, by_line, report)
                if report["verdict"] == "violation":
                    found += 1
                    shown = report["evidence"]["operations"]
                    hidden += len(shown) < len(ops)
                    called += any(o["needed"] == "call" for o in shown)
                if wrong:
                    bad += 1
                    if bad <= 5:
                        print("\n".join(wrong), open(path).read(),
                              json.dumps(report["evidence"].get("operations")), sep="\n")
    print("%d histories, %d violations (%d do without some operation, %d without some outcome): "
          "%d faults" % (drawn, found, hidden, called, bad))
    if hidden * 10 < found or called * 100 < found:
        sys.exit("too few of them hide anything")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else
         os.environ.get("PLUMB_SEED", "1"))
