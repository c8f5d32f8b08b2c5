# SPDX-License-Identifier: MIT
"""Figure 7 of Guerraoui & Vukolic, "A scalable and oblivious atomicity assertion", 2008, on one
machine. Tromp's register with a given number of writes and reads is model checked with its history in
variables, and an assertion on it at every return: none (dummy), CLMT, literal SOAR (soar-literal), our
online version (soar). The product, which keeps no history, is the last column (Plumb). Each cell has
states and seconds; "-": stopped at the limit, or refused (CLMT tries all relations, at most 2^26).

The last line is the product with clients that call forever: a proof for any number of writes and reads.
"""
import argparse
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PLUMB = os.path.join(ROOT, "build/release/bin/plumb")
ENGINES = ["dummy", "clmt", "soar-literal", "soar", "product"]


def verify(model, options, args):
    command = [PLUMB, "verify", os.path.join(ROOT, "models", model), "--json", "--timeout",
               str(args.timeout), "--memory", str(args.memory), *options]
    if args.jobs:
        command += ["--jobs", str(args.jobs)]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode == 64:
        return None
    if run.returncode not in (0, 1, 2):
        sys.exit(run.stderr)
    return json.loads(run.stdout)


def cell(report):
    if report is None or report["verdict"] == "undecided":
        return "-"
    if report["verdict"] != "holds":
        return report["verdict"]
    return "{:,} {:.3f} s".format(report["scope"]["states"], report["seconds"])


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--writes", type=int, default=4, metavar="N", help="up to; default: 4")
    parser.add_argument("--reads", type=int, default=4, metavar="N", help="up to; default: 4")
    parser.add_argument("--timeout", type=float, default=600, metavar="SECONDS",
                        help="of a cell; default: 600")
    parser.add_argument("--memory", type=int, default=16384, metavar="MIB")
    parser.add_argument("--jobs", type=int, default=0, metavar="N")
    args = parser.parse_args()
    widths = [15] + [24] * len(ENGINES)
    line = lambda cells: print("".join(c.ljust(w) for c, w in zip(cells, widths)).rstrip(),
                               flush=True)
    line(["writes, reads", *["Plumb" if e == "product" else e for e in ENGINES]])
    cut = {}  # by engine: grids as large as one past its limit are not tried
    for writes in range(1, args.writes + 1):
        for reads in range(1, args.reads + 1):
            cells = []
            for engine in ENGINES:
                if any(writes >= w and reads >= r for w, r in cut.get(engine, [])):
                    cells.append("-")
                    continue
                report = verify("register_tromp_few.plumb",
                                ["--engine", engine, "--set", f"WRITES={writes}", "--set",
                                 f"READS={reads}"], args)
                cells.append(cell(report))
                if cells[-1] == "-":
                    cut.setdefault(engine, []).append((writes, reads))
            line([f"{writes}, {reads}", *cells])
    line(["any", *[""] * (len(ENGINES) - 1), cell(verify("register_tromp.plumb", [], args))])


if __name__ == "__main__":
    main()
