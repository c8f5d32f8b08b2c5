# SPDX-License-Identifier: MIT
"""The definition of a violation, and of a proof of one, for small histories, by trying everything.

It judges what the program prints, and shares nothing with it: neither the objects nor the search.
The rule (docs/report.md): replace every operation that is not shown by a pending one that was called
before everything else; of an operation whose `needed` is "call", forget the outcome. What is left
is a violation, and no longer is if any shown operation, or any shown outcome, is forgotten as well.

An object is a pair: the initial state, and step(state, method, args) -> [(result, next state)]; if
that is empty, the operation blocks.
"""
INFINITY = 10**9
UNKNOWN = object()


class Operation:
    """`judged`: it is pending forever, so there has to be a reason to block; not if it crashed."""

    def __init__(self, process, method, args, call):
        self.process, self.method, self.args, self.call = process, method, args, call
        self.result, self.ret = UNKNOWN, INFINITY
        self.judged = self.crashed = False

    def __repr__(self):
        result = "pending" if self.ret == INFINITY else self.result
        return "%s: %s(%s) = %s" % (self.process, self.method, ", ".join(map(str, self.args)), result)


def same(a, b):
    return a == b and isinstance(a, bool) == isinstance(b, bool)


class Search:
    """All that can have taken effect of the operations of which "nothing", the "call" or the "outcome" is known."""

    def __init__(self, thing, ops, needed):
        self.initial, self.step = thing
        self.ops = ops
        self.calls, returns, self.results, self.judged = [], [], [], []
        for op in ops:
            outcome = needed[op] == "outcome"
            self.calls.append(-1 if needed[op] == "nothing" else op.call)
            returns.append(op.ret if outcome else INFINITY)
            self.results.append(op.result if outcome else UNKNOWN)
            self.judged.append(outcome and op.judged)
        n = range(len(ops))
        self.must = sum(1 << i for i in n if returns[i] != INFINITY)
        self.removed = sum(1 << i for i in n if self.judged[i])
        self.before = [sum(1 << j for j in n if returns[j] < self.calls[i]) for i in n]

    def next_of(self, taken, state):
        for i, op in enumerate(self.ops):
            if (taken | self.removed) >> i & 1 or self.before[i] & ~taken:
                continue
            for result, to in self.step(state, op.method, op.args):
                if self.results[i] is UNKNOWN or same(result, self.results[i]):
                    yield taken | 1 << i, to

    def reachable(self, start=None):
        """Yields pairs: the set of operations that took effect, and the state after them."""
        seen, waiting = set(), [start or (0, self.initial)]
        while waiting:
            here = waiting.pop()
            if here not in seen:
                seen.add(here)
                yield here
                waiting.extend(self.next_of(*here))

    def is_violation(self):
        ends = set()
        for taken, state in self.reachable():
            if taken & self.must == self.must:
                if not self.removed:
                    return False
                ends.add(state)
        return not ends or any(
            judged and all(self.step(end, op.method, op.args) for end in ends)
            for op, judged in zip(self.ops, self.judged))


def is_violation(thing, ops, needed=None):
    """Whether what is needed of the operations ("nothing", "call" or "outcome") has no order."""
    return Search(thing, ops, needed or {op: "outcome" for op in ops}).is_violation()


def faults_of_proof(thing, ops, needed):
    """What is wrong with a proof, in words. What is `needed` of an operation is known of each."""
    wrong = []
    for op in ops:  # of a pending one there is nothing but the call, unless it is judged
        if needed[op] == "call" and op.ret == INFINITY and not op.judged:
            wrong.append("the outcome of %s is said to be forgotten" % op)
    if not is_violation(thing, ops, needed):
        return wrong + ["what is shown can be explained"]
    for op in ops:
        weaker = {"outcome": ("call", "nothing"), "call": ("nothing",), "nothing": ()}[needed[op]]
        if op.ret == INFINITY and weaker == ("call", "nothing") and not op.judged:
            weaker = ("nothing",)
        for less in weaker:
            if is_violation(thing, ops, {**needed, op: less}):
                wrong.append("of %s %s suffices" % (op, less))
    return wrong


def unproved_claims(evidence):
    return ["not " + claim for claim in ("minimal", "self_contained", "confirmed_by") if not evidence[claim]]


# ---- Histories as JSON.

def operations_of(events):
    """The operations of events of the native format, by their calls."""
    ops, running = [], {}
    stuck = any(event.get("type") == "stuck" for event in events)
    for at, event in enumerate(events):
        if event.get("type") == "call":
            running[event["process"]] = Operation(event["process"], event["op"], event["args"], at)
            ops.append(running[event["process"]])
        elif event.get("type") == "return":
            op = running.pop(event["process"])
            op.ret, op.result = at, event["result"]
    for process, op in running.items():
        op.crashed = {"type": "crash", "process": process} in events
        op.judged = stuck and not op.crashed
    return ops


def shown_in(evidence):
    """The operations that a report shows, and what is needed of each."""
    ops = operations_of(evidence["history"])
    assert len(ops) == len(evidence["operations"])
    for op, said in zip(ops, evidence["operations"]):
        assert (op.process, op.method, op.args) == (said["process"], said["op"], said["args"])
        assert (op.ret == INFINITY) == said["pending"]
        assert said["pending"] or same(op.result, said["result"])
    return ops, {op: said["needed"] for op, said in zip(ops, evidence["operations"])}


def embed(shown, whole):
    """Which operations of the whole history are the shown ones: in the same order; None: none."""
    def ends(pairs):
        return sorted((end, i, is_return) for i, op in enumerate(pairs)
                      for end, is_return in ((op.call, False), (op.ret, True)) if end != INFINITY)

    order = [end[1:] for end in ends(shown)]

    def place(chosen, first):
        if len(chosen) == len(shown):
            return chosen if [end[1:] for end in ends(chosen)] == order else None
        op = shown[len(chosen)]
        for at in range(first, len(whole)):
            o = whole[at]
            if (o.process, o.method, o.args, o.judged) == (op.process, op.method, op.args, op.judged) and \
                    same(o.result, op.result):
                found = place(chosen + [o], at + 1)
                if found:
                    return found
        return None

    return place([], 0)


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


def collection(order, blocking=(), empty=None, ordered=True):
    def step(state, method, args):
        if args:
            return [(None, state + (args[0],) if ordered else tuple(sorted(state + (args[0],))))]
        if method == "size":
            return [(len(state), state)]
        if not state:
            return [] if method in blocking else [(empty, state)]
        out = []
        for at in order(state):
            rest = state if method == "peek" else state[:at] + state[at + 1:]
            out.append((state[at], rest))
        return out
    return step


def bounded(inside, capacity):
    def step(state, method, args):
        if not args:
            return inside(state, method, args)
        return [(False, state)] if len(state) == capacity else [(True, state + (args[0],))]
    return step


def two_ends(state, method, args):  # methods of a deque, and of one for stealing
    if method == "push_front":
        return [(None, (args[0],) + state)]
    if args:
        return [(None, state + (args[0],))]
    at_front = method.endswith("front") or method == "steal"
    step = collection(first if at_front else last)
    return step(state, "peek" if method.startswith("peek") else "pop", args)


def rwlock(state, method, args):
    writer, readers = state
    if method.startswith("unlock"):
        if method == "unlock":
            return [(None, (False, readers))] if writer else []
        return [(None, (writer, readers - 1))] if readers else []
    free = not writer and (method.endswith("shared") or not readers)
    taken = (writer, readers + 1) if method.endswith("shared") else (True, readers)
    if method.startswith("try"):
        return [(True, taken)] if free else [(False, state)]
    return [(None, taken)] if free else []


def latch(state, method, args):
    if method == "count_down":
        return [(None, max(state - 1, 0))]
    if method == "wait":
        return [] if state else [(None, state)]
    return [(state == 0 if method == "try_wait" else state, state)]


def barrier(state, method, args):
    arrived, phase = state
    if method == "arrive":
        return [(phase, (0, phase + 1) if arrived == 1 else (arrived + 1, phase))]
    if method == "wait":
        return [(None, state)] if args[0] < phase else []
    return [(args[0] < phase if args else phase, state)]


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


def greatest(state):
    return (state.index(max(state)),)


def any_of(state):
    return range(len(state))


OBJECTS = {  # as they begin
    "register": (0, register),
    "array": ((), cells),
    "map": ((), cells),
    "set": (frozenset(), elements),
    "queue": ((), collection(first)),
    "stack": ((), collection(last)),
    "pqueue": ((), collection(greatest, ordered=False)),
    "bag": ((), collection(any_of, ordered=False)),
    "counter": (0, counter),
    "mutex": (1, permits),
    "semaphore": (1, permits),
    "blocking-queue": ((), collection(first, ("deq",))),
    "blocking-stack": ((), collection(last, ("pop",))),
    "bounded-queue": ((), bounded(collection(first), 2)),
    "bounded-stack": ((), bounded(collection(last), 2)),
    "bounded-work-stealing-deque": ((), bounded(two_ends, 2)),
    "deque": ((), two_ends),
    "work-stealing-deque": ((), two_ends),
    "rwlock": ((False, 0), rwlock),
    "latch": (1, latch),
    "barrier": ((0, 0), barrier),
}
