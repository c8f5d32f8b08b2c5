# SPDX-License-Identifier: MIT
"""Table 1 of Liu et al., "Verifying linearizability via optimized refinement checking", 2013:
states, seconds and memory without reductions, with symmetry (SR), with partial-order reduction (POR),
with both, and with everything that Plumb has. Below each figure of ours that of the paper, from an
Intel Xeon server of that time with 32 GB, in states and seconds; "-" there: out of memory.

The paper's models are not public, and its counts fit one operation for each process, although its
text says that clients loop; so both are measured (--operations 1, or 0 for looping). What can be
compared is how figures grow and what reductions save, not single counts. Rows of the paper that are
not here need linearization points or models that are not in models/.
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
    "none": NONE,
    "SR": SYMMETRY,
    "POR": NONE + ["--por"],
    "SR+POR": SYMMETRY + ["--por"],
    "Plumb": [],
}


def register(k, processes):
    return "register.plumb", {"K": k, "READERS": processes - 1}


def counter(size, processes):
    return "counter.plumb", {"SIZE": size, "N": processes}


# Name, model and constants, and the paper's (states, seconds) for none, SR, POR, both.
ROWS = [
    ("4-valued register, 3", register(4, 3),
     [(9338, 0.40), (4938, 1.46), (2443, 0.38), (1498, 0.36)]),
    ("4-valued register, 4", register(4, 4),
     [(186316, 8.96), (36440, 26.3), (32222, 5.22), (7845, 4.00)]),
    ("4-valued register, 5", register(4, 5),
     [(4032362, 377), (228560, 717), (457101, 123), (33944, 64)]),
    ("4-valued register, 6", register(4, 6),
     [None, (1292755, 21747), (7028550, 3935), (134461, 1609)]),
    ("4-valued register, 7", register(4, 7), [None, None, None, (484723, 53110)]),
    ("3-valued register, 4", register(3, 4),
     [(52381, 2.72), (10764, 7.42), (12028, 1.63), (3114, 1.27)]),
    ("5-valued register, 4", register(5, 4),
     [(507082, 22.7), (96184, 73.5), (71021, 12.7), (16377, 8.66)]),
    ("6-valued register, 4", register(6, 4),
     [(1160625, 49.2), (215620, 195), (138053, 34.9), (30636, 19.1)]),
    ("7-valued register, 4", register(7, 4),
     [(2352897, 107), (430595, 370), (245634, 60.8), (52908, 31.4)]),
    ("counter of size 4, 3", counter(4, 3),
     [(3674, 0.31), (669, 0.44), (2910, 0.36), (556, 0.30)]),
    ("counter of size 4, 4", counter(4, 4),
     [(124558, 7.63), (5935, 6.93), (101037, 11.8), (4879, 5.59)]),
    ("counter of size 4, 5", counter(4, 5),
     [(5970298, 673), (59977, 409), (4853123, 1074), (53115, 389)]),
    ("counter of size 4, 6", counter(4, 6), [None, (694620, 52187), None, (636815, 53010)]),
    ("counter of size 2, 5", counter(2, 5),
     [(4569968, 490), (49947, 351), (3766611, 825), (42999, 298)]),
    ("counter of size 3, 5", counter(3, 5),
     [(5665598, 637), (58083, 419), (4645898, 985), (51932, 357)]),
    ("counter of size 5, 5", counter(5, 5),
     [(6002458, 659), (60124, 398), (4874975, 1030), (53670, 391)]),
]


def bounded(text, operations):
    """The model with clients that make so many calls each; 0: as it is."""
    if not operations:
        return text
    head, clients = text.rsplit("clients", 1)
    return head + "clients" + re.sub(r"\s*([;}])", rf" at most {operations} \1", clients)


def verify(text, constants, options, args):
    command = [PLUMB, "verify", "-", "--json", "--timeout", str(args.timeout), "--memory",
               str(args.memory), *options]
    if args.jobs:
        command += ["--jobs", str(args.jobs)]
    for name, value in constants.items():
        command += ["--set", f"{name}={value}"]
    run = subprocess.run(command, input=text, capture_output=True, text=True)
    if run.returncode not in (0, 1, 2):
        sys.exit(run.stderr)
    return json.loads(run.stdout)


def cell(report):
    if report["verdict"] == "undecided":
        return "-"
    if report["verdict"] != "holds":
        return report["verdict"]
    return "{:,} {:.2f} s {:.0f} MiB".format(report["scope"]["states"], report["seconds"],
                                             report["peak_bytes"] / 2**20)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--operations", type=int, default=1, metavar="N",
                        help="calls of each process; 0: for ever; default: 1")
    parser.add_argument("--timeout", type=float, default=600, metavar="SECONDS")
    parser.add_argument("--memory", type=int, default=16384, metavar="MIB")
    parser.add_argument("--jobs", type=int, default=0, metavar="N")
    parser.add_argument("--only", default="", metavar="TEXT", help="rows whose names contain it")
    args = parser.parse_args()
    widths = [22] + [30] * len(VARIANTS)
    line = lambda cells: print("".join(c.ljust(w) for c, w in zip(cells, widths)).rstrip(),
                               flush=True)
    line(["", *VARIANTS])
    for name, (file, constants), paper in ROWS:
        if args.only not in name:
            continue
        with open(os.path.join(ROOT, "models", file)) as model:
            text = bounded(model.read(), args.operations)
        line([name] + [cell(verify(text, constants, options, args))
                       for options in VARIANTS.values()])
        line(["  paper"] + ["-" if p is None else "{:,} {:g} s".format(*p) for p in paper])


if __name__ == "__main__":
    main()
