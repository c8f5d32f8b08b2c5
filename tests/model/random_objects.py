# SPDX-License-Identifier: MIT
"""Random small models, most of them wrong, and what they implement, once more in Python.

Of each object every operation is drawn from several implementations, correct and wrong ones. The
last kind are random lines of code: what they do alone is the specification.
"""
from brute_force import cells, collection, counter, first, permits, register

MOST = 8  # operations of one run


# ---- What the objects are, where brute_force.py has no such object.

def bounded_cells(state, method, args):  # a map whose get returns 0 for no value
    out = cells(state, method, args)
    return [(0 if result is None and method == "get" else result, to) for result, to in out]


def test_and_set(state, method, args):
    return [(None, 0)] if method == "reset" else [(state, 1)]


QUEUE_SPEC = """
  state items : 0..2[8] = 0, count = 0
  op enq(v) { items[count] = v  count = count + 1 }
  op deq() {
    EMPTY
    local oldest = items[0]
    for i = 1 to 7 { items[i - 1] = items[i] }
    count = count - 1
    return oldest
  }
"""

# name: (initial state, step, shared variables, specification,
#        {operation with its parameters: implementations}, programs of clients)
KINDS = {
    "register": (0, register, "A : 0..2 = 0, B : 0..2 = 0", """
  state r = 0
  op read() { return r }
  op write(v) { r = v }
  op cas(o, n) { if r == o { r = n  return true } return false }
""", {
        "read()": ["return A", "return B", "local a = A  local b = B  return min(a, b)",
                   "local a = A  local b = B  return max(a, b)"],
        "write(v : 0..2)": ["A = v  B = v", "B = v  A = v", "if A != v { A = v  B = v }",
                            "atomic { A = v  B = v }"],
        "cas(o : 0..1, n : 1..2)": [
            "if A == o { A = n  B = n  return true }  return false",
            "if CAS(A, o, n) { B = n  return true }  return false",
            "atomic { if A == o { A = n  B = n  return true } }  return false"],
    }, ["any", "write(any) | read()", "{ write(any) ; read() }", "{ read() ; read() }"]),
    "counter": (0, counter, "x : 0..9 = 0, y : 0..9 = 0", """
  state n = 0
  op inc() { n = n + 1 }
  op get() { return n }
  op fetch_inc() { n = n + 1  return n - 1 }
""", {
        "inc()": ["FAA(x, 1)", "local t = x  x = t + 1", "local t = x  CAS(x, t, t + 1)"],
        "get()": ["return x", "local a = x  local b = x  return b - a + a",
                  "local a = x  if a > 1 { return a - 1 }  return a", "local a = x  y = a  return y"],
        "fetch_inc()": ["return FAA(x, 1)", "local t = x  x = t + 1  return t",
                        "FAA(x, 1)  local t = x  return t - 1"],
    }, ["any", "inc() | get()", "fetch_inc()", "{ inc() ; get() }", "{ get() ; get() }"]),
    "queue": ((), collection(first, empty=0), "back : 0..8 = 0, front : 0..8 = 0, item : 0..2[9]",
              QUEUE_SPEC.replace("EMPTY", "if count == 0 { return 0 }"), {
        "enq(v : 1..2)": ["local i = back  back = i + 1  item[i] = v", "local i = FAA(back, 1)  item[i] = v",
                          "local i = back  item[i] = v  back = i + 1",
                          "atomic { item[back] = v  back = back + 1 }"],
        "deq()": ["local n = back  for i = 0 to n - 1 { local x = SWAP(item[i], 0)  if x != 0 { return x } }  return 0",
                  "local n = back  for i = n - 1 downto 0 { local x = SWAP(item[i], 0)  if x != 0 { return x } }  return 0",
                  "local f = front  if back == f { return 0 }  front = f + 1  return item[f]",
                  "local f = front  if back == f { return 0 }  if CAS(front, f, f + 1) { return item[f] }  return 0"],
    }, ["any", "enq(any) | deq()", "enq(any)", "deq()", "{ enq(any) ; deq() }"]),
    "blocking queue": ((), collection(first, ("deq",)),
                       "back : 0..8 = 0, front : 0..8 = 0, full : bit = 0, item : 0..2[9]",
                       QUEUE_SPEC.replace("EMPTY", "await count > 0"), {
        "enq(v : 1..2)": ["local i = back  back = i + 1  item[i] = v  full = 1",
                          "local i = FAA(back, 1)  item[i] = v  full = 1",
                          "local i = FAA(back, 1)  full = 1  item[i] = v",
                          "atomic { item[back] = v  back = back + 1  full = 1 }"],
        "deq()": ["local f = FAA(front, 1)  await f < back  return item[f]",
                  "local f = FAA(front, 1)  await item[f] != 0  return item[f]",
                  "local f = front  await item[f] != 0  front = f + 1  return item[f]",
                  "atomic { await full == 1  full = 0 }  local f = FAA(front, 1)  return item[f]",
                  "local f = front  await f < back  front = f + 1  return item[f]"],
    }, ["any", "enq(any)", "deq()", "{ enq(any) ; deq() }"]),
    "test-and-set": (0, test_and_set, "x : bit = 0", """
  state t = 0
  op tas() { local was = t  t = 1  return was }
  op reset() { t = 0 }
""", {
        "tas()": ["local t = x  x = 1  return t", "return SWAP(x, 1)",
                  "if x == 1 { return 1 }  x = 1  return 0"],
        "reset()": ["x = 0", "local t = x  x = 1 - t"],
    }, ["any", "tas()", "{ tas() ; reset() }"]),
    "map": ((), bounded_cells, "val : 0..2[2], there : bit[2] = 0", """
  state val : 0..2[2] = 0
  op get(k) { return val[k] }
  op put(k, v) { val[k] = v }
  op delete(k) { local was = val[k]  val[k] = 0  return was != 0 }
  op size() { return min(val[0], 1) + min(val[1], 1) }
""", {
        "get(k : 0..1)": ["if there[k] == 1 { return val[k] }  return 0",
                          "local v = val[k]  if there[k] == 1 { return v }  return 0"],
        "put(k : 0..1, v : 1..2)": ["val[k] = v  there[k] = 1", "there[k] = 1  val[k] = v",
                                    "atomic { val[k] = v  there[k] = 1 }"],
        "delete(k : 0..1)": ["if there[k] == 1 { there[k] = 0  return true }  return false",
                             "return CAS(there[k], 1, 0)"],
        "size()": ["local a = there[0]  local b = there[1]  return a + b"],
    }, ["any", "put(any, any) | size()", "put(any, 1) | get(any)", "delete(any) | put(0, 1)"]),
    "lock": (1, permits, "taken : bit = 0, waiting : 0..3 = 0", """
  state left = 1
  op lock() { await left == 1  left = 0 }
  op unlock() { await left == 0  left = 1 }
  op try_lock() { if left == 0 { return false }  left = 0  return true }
""", {
        "lock()": ["await taken == 0  taken = 1", "atomic { await taken == 0  taken = 1 }",
                   "FAA(waiting, 1)  atomic { await taken == 0  taken = 1 }  FAA(waiting, 0 - 1)",
                   "if taken == 0 { taken = 1 } else { atomic { await taken == 0  taken = 1 } }"],
        "unlock()": ["taken = 0", "local w = waiting  if w == 0 { taken = 0 }", "local t = taken  taken = 1 - t"],
        "try_lock()": ["return CAS(taken, 0, 1)", "if taken == 0 { taken = 1  return true }  return false"],
    }, ["{ lock() ; unlock() }", "try_lock()", "lock()"]),
    "semaphore": (0, permits, "n : 0..6 = 0, waiting : 0..3 = 0", """
  state left = 0
  op acquire() { await left > 0  left = left - 1 }
  op release() { left = left + 1 }
  op try_acquire() { if left == 0 { return false }  left = left - 1  return true }
  op available() { return left }
""", {
        "acquire()": ["await n > 0  FAA(n, 0 - 1)", "atomic { await n > 0  n = n - 1 }",
                      "await n > 0  local t = n  if t > 0 { n = t - 1 }"],
        "release()": ["FAA(n, 1)", "local t = n  n = t + 1", "n = 1"],
        "try_acquire()": ["local t = n  if t == 0 { return false }  n = t - 1  return true",
                          "local t = n  if t == 0 { return false }  return CAS(n, t, t - 1)"],
        "available()": ["return n"],
    }, ["any", "acquire()", "release()", "release() | available()", "{ release() ; acquire() }"]),
}


def declared(code):  # one statement per line
    return "\n".join("    " + part for part in code.split("  "))


def named_model(rng, name):
    initial, step, shared, spec, operations, programs = KINDS[name]
    text = "object O {\n  shared %s\n" % shared
    for head, codes in operations.items():
        text += "  op %s {\n%s\n  }\n" % (head, declared(rng.choice(codes)))
    text += "}\nspec {%s}\nclients { %s }\n" % (spec, random_clients(rng, programs))
    return text, (initial, step)


def random_clients(rng, programs):
    shape = rng.choice([(1, 3), (2, 2), (1, 2, 2), (2, 3), (1, 1, 1), (1, 1, 2), (2, 2, 2)])
    return " ; ".join("1 x %s at most %d" % (rng.choice(programs), n) for n in shape)


# ---- Random code: variables x, y, locals a, b, the argument v. What it does alone, in Python, is a
# function of these that returns the next values, or nothing if it waits.

def code(text, **becomes):
    """A line that stores: the right sides are functions of all values before it."""
    def run(at):
        return [{**at, **{name: value(at) for name, value in becomes.items()}}]
    return text, run


LINES = [
    code("a = x", a=lambda e: e["x"]),
    code("a = x", a=lambda e: e["x"]),
    code("b = y", b=lambda e: e["y"]),
    code("x = a", x=lambda e: e["a"]),
    code("x = v", x=lambda e: e["v"]),
    code("y = v", y=lambda e: e["v"]),
    code("x = (a + 1) % 3", x=lambda e: (e["a"] + 1) % 3),
    code("if y == 1 { a = 2 }", a=lambda e: 2 if e["y"] == 1 else e["a"]),
    code("if a == 1 { y = 1 } else { x = 1 }", y=lambda e: 1 if e["a"] == 1 else e["y"],
         x=lambda e: e["x"] if e["a"] == 1 else 1),
    code("if CAS(x, a, v) { b = 1 }", b=lambda e: 1 if e["x"] == e["a"] else e["b"],
         x=lambda e: e["v"] if e["x"] == e["a"] else e["x"]),
    code("a = SWAP(x, v)", a=lambda e: e["x"], x=lambda e: e["v"]),
    code("atomic { a = x  x = (a + 1) % 3 }", a=lambda e: e["x"], x=lambda e: (e["x"] + 1) % 3),
    ("a = choose(0..1)", lambda e: [{**e, "a": 0}, {**e, "a": 1}]),
    ("await x != 1", lambda e: [e] if e["x"] != 1 else []),
    ("await y == 0", lambda e: [e] if e["y"] == 0 else []),
]


def random_code(rng):
    text, spec, bodies = "", "", {}
    for name in "f", "g":
        lines, result = rng.sample(LINES, rng.randint(1, 3)), rng.choice("abv")
        frame = "    local a : 0..2 = 0\n    local b : 0..1 = 0\n%s    return %s\n  }\n" % (
            "".join("    %s\n" % line for line, _ in lines), result)
        text += "  op %s(v : 0..1) {\n%s" % (name, frame)
        # The specification has neither CAS nor SWAP.
        for word, plain in (("if CAS(x, a, v) { b = 1 }", "if x == a { x = v  b = 1 }"),
                            ("a = SWAP(x, v)", "a = x  x = v"),
                            ("atomic { a = x  x = (a + 1) % 3 }", "a = x  x = (a + 1) % 3")):
            frame = frame.replace(word, plain)
        spec += "  op %s(v) {\n%s" % (name, frame)
        bodies[name] = (lines, result)

    def step(state, method, args):
        lines, result = bodies[method]
        ways = [{"x": state[0], "y": state[1], "a": 0, "b": 0, "v": args[0]}]
        for _, run in lines:
            ways = [after for way in ways for after in run(way)]
        return list(dict.fromkeys((way[result], (way["x"], way["y"])) for way in ways))

    clients = random_clients(rng, ["any", "any", "f(any)", "{ f(1) ; g(0) }"])
    return ("object O {\n  shared x : 0..2 = 0, y : bit = 0\n%s}\n"
            "spec {\n  state x : 0..2 = 0, y : bit = 0\n%s}\nclients { %s }\n" %
            (text, spec, clients), ((0, 0), step))


def random_model(rng):
    """Returns: its name, its text, and the object that it should be, for brute_force.py."""
    name = rng.choice(sorted(KINDS) + 4 * ["random code"])
    return (name, *(random_code(rng) if name == "random code" else named_model(rng, name)))
