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

INFINITY = 10**9
UNKNOWN = object()
VALUES = (0, 1, 2)


# ---- Sequential objects: state, method, arguments -> [(result, next state)]; none: it blocks.

def register(state, method, args):
    if method == "read":
        return [(state, state)]
    if method == "write":
        return [(None, args[0])]
    return [(True, args[1])] if state == args[0] else [(False, state)]


def cells(state, method, args):  # a tuple of pairs (key, value)
    here = dict(state)
    if method in ("read", "get"):
        return [(here.get(args[0], 0 if method == "read" else None), state)]
    if method == "delete":
        return [(here.pop(args[0], None) is not None, tuple(sorted(here.items())))]
    if method == "contains":
        return [(args[0] in here, state)]
    if method == "size":
        return [(len(here), state)]
    here[args[0]] = args[1]
    return [(None, tuple(sorted(here.items())))]


def elements(state, method, args):  # of a set
    if method == "size":
        return [(len(state), state)]
    inside = args[0] in state
    if method == "contains":
        return [(inside, state)]
    if method == "insert":
        return [(not inside, state | {args[0]})]
    return [(inside, state - {args[0]})]


def collection(order, blocking=()):
    def step(state, method, args):
        if args:
            return [(None, state + (args[0],))]
        if method == "size":
            return [(len(state), state)]
        if not state:
            return [] if method in blocking else [(None, state)]
        out = []
        for at in order(state):
            rest = state if method == "peek" else state[:at] + state[at + 1:]
            out.append((state[at], rest))
        return out
    return step


def counter(state, method, args):
    if method == "get":
        return [(state, state)]
    if method == "fetch_inc":
        return [(state, state + 1)]
    return [(None, args[0] if method == "set" else state + {"inc": 1, "dec": -1}[method])]


def permits(state, method, args):  # of a mutex (at most one) or a semaphore
    if method in ("unlock", "release"):
        return [(None, state + 1)] if method == "release" or state == 0 else []
    if method == "available":
        return [(state, state)]
    if method.startswith("try"):
        return [(True, state - 1)] if state else [(False, state)]
    return [(None, state - 1)] if state else []


def first(state):
    return (0,)


def last(state):
    return (len(state) - 1,)


KEY, VALUE = VALUES[:2], VALUES
OBJECTS = {  # name: (initial state, step, {method: domains of its arguments})
    "register": (0, register, {"read": (), "write": (VALUE,), "cas": (VALUE, VALUE)}),
    "array": ((), cells, {"read": (KEY,), "write": (KEY, VALUE)}),
    "map": ((), cells, {"get": (KEY,), "put": (KEY, VALUE), "delete": (KEY,), "contains": (KEY,),
                        "size": ()}),
    "set": (frozenset(), elements, {"insert": (KEY,), "remove": (KEY,), "contains": (KEY,),
                                    "size": ()}),
    "queue": ((), collection(first), {"enq": (VALUE,), "deq": (), "peek": (), "size": ()}),
    "stack": ((), collection(last), {"push": (VALUE,), "pop": (), "peek": (), "size": ()}),
    "pqueue": ((), collection(lambda s: (s.index(max(s)),)),
               {"insert": (VALUE,), "poll": (), "peek": ()}),
    "bag": ((), collection(lambda s: range(len(s))), {"add": (VALUE,), "remove": (), "size": ()}),
    "counter": (0, counter, {"get": (), "set": (VALUE,), "inc": (), "dec": (), "fetch_inc": ()}),
    "mutex": (1, permits, {"lock": (), "unlock": (), "try_lock": ()}),
    "semaphore": (1, permits, {"acquire": (), "release": (), "try_acquire": (), "available": ()}),
    "blocking-queue": ((), collection(first, ("deq",)), {"enq": (VALUE,), "deq": (), "try_deq": ()}),
    "blocking-stack": ((), collection(last, ("pop",)), {"push": (VALUE,), "pop": (), "try_pop": ()}),
}


# ---- Random histories.

class Operation:
    def __init__(self, process, method, args, call):
        self.process, self.method, self.args, self.call = process, method, args, call
        self.result, self.ret, self.crashed, self.done = UNKNOWN, INFINITY, False, False


def simulate(rng, name):
    """A run of the object, and whether it ended stuck; half of them are spoilt."""
    state, step, methods = OBJECTS[name]
    methods = {m: methods[m] for m in rng.sample(sorted(methods), rng.randint(1, len(methods)))}
    ops, running, now = [], {}, 0
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
        elif running[process].done:
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
                op.done = True
    for op in ops:
        if op.ret == INFINITY:
            op.result = UNKNOWN
    if rng.random() < 0.6:
        spoil(rng, name, ops)
    return ops, stuck and any(op.ret == INFINITY and not op.crashed for op in ops)


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


def write(path, name, ops, stuck):
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
    if stuck:
        lines.append({"type": "stuck"})
    with open(path, "w") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
    return by_line


# ---- The definition, and the rule.

def is_violation(name, ops, stuck, needed):
    """Whether what is needed of the operations ("nothing", "call" or "outcome") has no order."""
    initial, step, _ = OBJECTS[name]
    calls, returns, results, judged = [], [], [], []
    for op in ops:
        outcome = needed[op] == "outcome"
        calls.append(-1 if needed[op] == "nothing" else op.call)
        returns.append(op.ret if outcome else INFINITY)
        results.append(op.result if outcome else UNKNOWN)
        judged.append(outcome and stuck and op.ret == INFINITY and not op.crashed)
    n = len(ops)
    must = sum(1 << i for i in range(n) if returns[i] != INFINITY)
    removed = sum(1 << i for i in range(n) if judged[i])
    before = [sum(1 << j for j in range(n) if returns[j] < calls[i]) for i in range(n)]
    ends, seen, waiting = set(), set(), [(0, initial)]
    while waiting:
        taken, state = waiting.pop()
        if (taken, state) in seen:
            continue
        seen.add((taken, state))
        if taken & must == must:
            if not removed:
                return False
            ends.add(state)
        for i in range(n):
            if (taken | removed) >> i & 1 or before[i] & ~taken:
                continue
            for result, to in step(state, ops[i].method, ops[i].args):
                if results[i] is UNKNOWN or (result == results[i] and
                                             isinstance(result, bool) == isinstance(results[i], bool)):
                    waiting.append((taken | 1 << i, to))
    return not ends or any(judged[i] and all(step(end, ops[i].method, ops[i].args) for end in ends)
                           for i in range(n))


def faults(name, ops, stuck, by_line, report):
    """What is wrong with the report, in words."""
    everything = {op: "outcome" for op in ops}
    expected = "violation" if is_violation(name, ops, stuck, everything) else "holds"
    if report["verdict"] != expected:
        return ["the verdict is %s, but it is %s" % (report["verdict"], expected)]
    if expected == "holds":
        return []
    evidence, wrong = report["evidence"], []
    needed = {op: "nothing" for op in ops}
    for shown in evidence["operations"]:
        needed[by_line[shown["call_line"]]] = shown["needed"]
    for op in ops:  # of a pending one there is nothing but the call, unless it is judged
        if needed[op] == "call" and op.ret == INFINITY and not (stuck and not op.crashed):
            wrong.append("the outcome of %s is said to be forgotten" % op.method)
    if evidence["left_state"] is not None:
        wrong.append("it is cut on the left")
    for claim in ("minimal", "self_contained", "confirmed_by"):
        if not evidence[claim]:
            wrong.append("not " + claim)
    if not is_violation(name, ops, stuck, needed):
        return wrong + ["what is shown can be explained"]
    for op in ops:
        weaker = {"outcome": ("call", "nothing"), "call": ("nothing",), "nothing": ()}[needed[op]]
        if op.ret == INFINITY and weaker == ("call", "nothing") and not (stuck and not op.crashed):
            weaker = ("nothing",)
        for less in weaker:
            if is_violation(name, ops, stuck, {**needed, op: less}):
                wrong.append("of %s(%s) %s suffices" % (op.method, op.args, less))
    culprit = evidence["operations"][evidence["culprit"]]
    if needed[by_line[culprit["call_line"]]] != "outcome":
        wrong.append("the culprit's outcome is not needed")
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
                ops, stuck = simulate(rng, name)
                path = os.path.join(folder, "%d.jsonl" % i)
                batch.append((name, ops, stuck, write(path, name, ops, stuck), path))
            run = subprocess.run([plumb, "check", "--json", "--jobs", "1"] + [b[4] for b in batch],
                                 capture_output=True, text=True)
            reports = {r["file"]: r for r in map(json.loads, run.stdout.splitlines()) if "file" in r}
            bad += not_verified(plumb, folder, run.stdout)
            for name, ops, stuck, by_line, path in batch:
                if path not in reports:
                    sys.exit("no report: %s\n%s" % (run.stderr[:500], open(path).read()))
                report = reports[path]
                wrong = faults(name, ops, stuck, by_line, report)
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
