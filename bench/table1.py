# SPDX-License-Identifier: MIT
"""Table 1 of Liu et al., "Verifying linearizability via optimized refinement checking", 2013: states,
seconds and memory without reductions, with symmetry (SR), with partial-order reduction (POR), with both,
the gain of both, and with all of Plumb's reductions. Each row has three lines: the paper's figures
(states and seconds, from an Intel Xeon server of that time with 32 GB; "-": out of memory there), ours if
every process makes one call, and ours if they call forever, or three times where something grows with
every call.

The paper's models are not public. Its counts match one call per process, although its text says that
clients continue; so both are measured. Compare growth and the effect of reductions, not single counts.
The last column drops pairs that others make superfluous (antichain); do not compare its counts with the
other columns.
"""
import argparse
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PLUMB = os.path.join(ROOT, "build/release/bin/plumb")

NONE = ["--no-glue", "--no-symmetry", "--no-antichain", "--no-generators"]
SYMMETRY = [o for o in NONE if o != "--no-symmetry"]
VARIANTS = {
    "no reduction": NONE,
    "SR": SYMMETRY,
    "POR": NONE + ["--por"],
    "SR and POR": SYMMETRY + ["--por"],
    "Plumb": [],
}


FOR_EVER = 0


class Model:
    """A file in models/, its constants, and how often its clients call in the second measurement: forever,
    unless its state grows with every call. Its constant OPS is then the number of calls."""

    def __init__(self, file, options=(), calls=FOR_EVER, **constants):
        self.file, self.options, self.calls, self.constants = file, list(options), calls, constants

    def path(self):
        return os.path.join(ROOT, "models", self.file + ".plumb")

    def text(self, calls):
        """With clients that make this many calls each."""
        with open(self.path()) as file:
            head, clients = file.read().rsplit("clients", 1)
        clients = re.sub(r"\s*at most \w+", "", clients)
        if calls != FOR_EVER:
            clients = re.sub(r"(?<=[)\w])\s*(;|}|\n\s*(?=\S))", rf" at most {calls} \1", clients)
        return head + "clients" + clients

    def settings(self, calls):
        values = self.constants if self.calls == FOR_EVER else {**self.constants, "OPS": calls}
        return [word for name, value in values.items() for word in ("--set", f"{name}={value}")]


def register(k, processes):
    return Model("register", K=k, READERS=processes - 1)


def counter(size, processes):
    return Model("counter", SIZE=size, N=processes)


def points(size, processes):
    return Model("counter_points", ["--linearization-points"], SIZE=size, N=processes)


# As many nodes as the queue has room for, and the dummy node. A path ends where no node is left.
def queue(size, processes):
    return Model("queue_michael_scott", ["--cut-is-bound"], N=processes, VALUES=1,
                 NODES=max(size, processes) + 1)


def buggy_queue(size, processes):
    return Model("queue_shann", calls=3, N=processes, SIZE=size)


# The size of a tree: its nodes, of which one is the root.
def snzi(size, processes):
    return Model("snzi", calls=3, N=processes, LEAVES=size - 1)


# Name, processes, model, and the paper's (states, seconds) for none, SR, POR, both.
ROWS = [
    ("4-valued register", 3, register(4, 3),
     [(9338, 0.40), (4938, 1.46), (2443, 0.38), (1498, 0.36)]),
    ("4-valued register", 4, register(4, 4),
     [(186316, 8.96), (36440, 26.3), (32222, 5.22), (7845, 4.00)]),
    ("4-valued register", 5, register(4, 5),
     [(4032362, 377), (228560, 717), (457101, 123), (33944, 64)]),
    ("4-valued register", 6, register(4, 6),
     [None, (1292755, 21747), (7028550, 3935), (134461, 1609)]),
    ("4-valued register", 7, register(4, 7), [None, None, None, (484723, 53110)]),
    ("3-valued register", 4, register(3, 4),
     [(52381, 2.72), (10764, 7.42), (12028, 1.63), (3114, 1.27)]),
    ("5-valued register", 4, register(5, 4),
     [(507082, 22.7), (96184, 73.5), (71021, 12.7), (16377, 8.66)]),
    ("6-valued register", 4, register(6, 4),
     [(1160625, 49.2), (215620, 195), (138053, 34.9), (30636, 19.1)]),
    ("7-valued register", 4, register(7, 4),
     [(2352897, 107), (430595, 370), (245634, 60.8), (52908, 31.4)]),
    ("counter of size 4", 3, counter(4, 3), [(3674, 0.31), (669, 0.44), (2910, 0.36), (556, 0.30)]),
    ("counter of size 4", 4, counter(4, 4),
     [(124558, 7.63), (5935, 6.93), (101037, 11.8), (4879, 5.59)]),
    ("counter of size 4", 5, counter(4, 5),
     [(5970298, 673), (59977, 409), (4853123, 1074), (53115, 389)]),
    ("counter of size 4", 6, counter(4, 6), [None, (694620, 52187), None, (636815, 53010)]),
    ("counter of size 2", 5, counter(2, 5),
     [(4569968, 490), (49947, 351), (3766611, 825), (42999, 298)]),
    ("counter of size 3", 5, counter(3, 5),
     [(5665598, 637), (58083, 419), (4645898, 985), (51932, 357)]),
    ("counter of size 5", 5, counter(5, 5),
     [(6002458, 659), (60124, 398), (4874975, 1030), (53670, 391)]),
    ("counter of size 4 (points)", 3, points(4, 3),
     [(535, 0.06), (114, 0.23), (198, 0.11), (62, 0.04)]),
    ("counter of size 4 (points)", 4, points(4, 4),
     [(9165, 0.25), (536, 0.41), (2796, 0.41), (320, 0.28)]),
    ("counter of size 4 (points)", 5, points(4, 5),
     [(190367, 5.40), (2495, 9.13), (52510, 6.74), (877, 4.79)]),
    ("counter of size 4 (points)", 6, points(4, 6),
     [(4536325, 147), (11221, 454), (1165367, 168), (4488, 262)]),
    ("counter of size 4 (points)", 7, points(4, 7), [None, (48918, 30184), None, (28652, 27593)]),
    ("counter of size 2 (points)", 5, points(2, 5),
     [(175747, 5.08), (2384, 8.7), (48604, 6.3), (875, 4.86)]),
    ("counter of size 3 (points)", 5, points(3, 5),
     [(189527, 5.72), (2490, 8.5), (52270, 6.3), (885, 4.9)]),
    ("counter of size 5 (points)", 5, points(5, 5),
     [(190367, 5.35), (2495, 8.32), (52510, 6.37), (877, 4.66)]),
    ("queue of size 3", 3, queue(3, 3),
     [(181591, 10.2), (31637, 14.6), (76283, 18.6), (15267, 8.45)]),
    ("queue of size 3", 4, queue(3, 4), [None, (1417457, 3173), None, (773064, 2068)]),
    ("buggy queue of size 2", 3, buggy_queue(2, 3),
     [(86736, 4.23), (74920, 33), (74920, 0.93), (477, 0.36)]),
    ("SNZI of size 2", 2, snzi(2, 2), [(17629, 0.90), (8824, 1.6), (6406, 1.44), (3461, 1.03)]),
    ("SNZI of size 3", 3, snzi(3, 3), [None, None, None, (3524553, 5224)]),
]


def verify(model, calls, options, args):
    command = [PLUMB, "verify", "-", "--json", "--timeout", str(args.limit_seconds), "--memory",
               str(args.limit_mb), *model.options, *options, *model.settings(calls)]
    if args.jobs:
        command += ["--jobs", str(args.jobs)]
    run = subprocess.run(command, input=model.text(calls), capture_output=True, text=True)
    if run.returncode not in (0, 1, 2):
        sys.exit(f"{' '.join(command)}: {run.stderr}")
    report = json.loads(run.stdout)
    if report["verdict"] == "undecided":
        # Which limit was reached: time or memory.
        return "> {:.0f} MiB".format(args.limit_mb) if "memory" in report["reason"] else \
               "> {:g} s".format(args.limit_seconds)
    return report["scope"]["states"], report["seconds"], report["peak_bytes"] / 2**20


def cell(figures):
    if figures is None:
        return "-"
    if isinstance(figures, str):
        return figures
    states, seconds, *mib = figures
    time = "{:,.0f} s" if seconds >= 100 else "{:.3g} s" if seconds >= 0.1 else "{:.3f} s"
    return "{:,}  ".format(states) + time.format(seconds) + "".join(f"  {m:.0f} MiB" for m in mib)


def gain(none, both):
    """Of states and of time."""
    if not isinstance(none, tuple) or not isinstance(both, tuple):
        return "-"
    return " ".join("{:.1f}%".format(100 * (1 - b / max(n, 1e-9))) for n, b in zip(none[:2], both))


def line(cells):
    widths = [12, 28, 28, 28, 28, 14, 28]
    print("".join(c.ljust(w) for c, w in zip(cells, widths)).rstrip(), flush=True)


def measure(model, calls, args, cut):
    """One line, with how often the clients call. A variant past its limit is not tried on a larger model."""
    how_often = {FOR_EVER: "forever", 1: "one call"}.get(calls, f"{calls} calls")
    if not os.path.exists(model.path()):
        return line(["  " + how_often, "there is no models/{}.plumb".format(model.file)])
    found = []
    for variant, options in VARIANTS.items():
        smaller = (limit for file, times, name, constants, limit in cut
                   if (file, times, name) == (model.file, calls, variant)
                   and all(constants[c] <= model.constants[c] for c in constants))
        figures = next(smaller, None) or verify(model, calls, options, args)
        if isinstance(figures, str):
            cut.append((model.file, calls, variant, model.constants, figures))
        found.append(figures)
    line(["  " + how_often, *map(cell, found[:4]), gain(found[0], found[3]), cell(found[4])])


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit-seconds", type=float, default=120, metavar="N",
                        help="for each figure; default: 120, so ten minutes a row")
    parser.add_argument("--limit-mb", type=int, default=16384, metavar="N",
                        help="MiB for each figure; default: 16384")
    parser.add_argument("--clients", choices=["once", "more", "both"], default="both",
                        help="how often they call; default: both")
    parser.add_argument("--jobs", type=int, default=0, metavar="N", help="default: all cores")
    parser.add_argument("--only", default="", metavar="TEXT", help="rows whose names contain it")
    args = parser.parse_args()
    print("states, time{} and memory; limits {:g} s, {} MiB".format(
        "" if args.jobs != 1 else " of one thread", args.limit_seconds, args.limit_mb))
    names = list(VARIANTS)
    line(["", *names[:4], "gain", names[4]])
    cut = []
    for name, processes, model, paper in ROWS:
        if args.only not in name:
            continue
        print("{}, {} processes".format(name, processes), flush=True)
        line(["  paper", *map(cell, paper), gain(paper[0], paper[3])])
        for calls in {"once": [1], "more": [model.calls]}.get(args.clients, [1, model.calls]):
            measure(model, calls, args, cut)


if __name__ == "__main__":
    main()
