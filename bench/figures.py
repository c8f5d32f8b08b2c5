# SPDX-License-Identifier: MIT
"""Figures 4, 5 and 6 of Liu et al., "Verifying linearizability via optimized refinement checking", 2013:
time and memory by the number of processes, without reductions, with symmetry (SR), with partial-order
reduction (POR), with both, and with all of Plumb's reductions. The objects are the 4-valued register, the
counter of size 4, and that counter with linearization points (the caption of Fig. 6 says "stack"; its text
and Table 1 say counter). Bars are logarithmic, like the paper's axes: one step is a factor of two. The
paper's seconds, from its Table 1, are next to ours ("-": out of memory there); it prints no memory figures.

Every process makes one call, which matches the paper's counts (see table1).
"""
import argparse
import math

from table1 import ROWS, VARIANTS, counter, points, register, verify

FIGURES = [
    ("Fig. 4", "4-valued register", lambda processes: register(4, processes)),
    ("Fig. 5", "counter of size 4", lambda processes: counter(4, processes)),
    ("Fig. 6", "counter of size 4 (points)", lambda processes: points(4, processes)),
]


def bar(value, least):
    return "#" * max(1, 1 + round(math.log2(max(value, least) / least)))


def by_paper(name, processes, variant):
    """The paper's seconds; None: it has no such figure, or was out of memory."""
    for row, row_processes, _, paper in ROWS:
        if (row, row_processes) == (name, processes) and variant in list(VARIANTS)[:4]:
            figures = paper[list(VARIANTS).index(variant)]
            return "-" if figures is None else f"{figures[1]:g} s"
    return ""


def draw(title, name, model, args):
    print(f"\n{title}: {name}\n{'processes':11}{'':14}{'seconds':31}{'MiB':31}the paper")
    cut = {}  # a variant past its limit is not tried with more processes
    for processes in range(2, args.processes + 1):
        for variant, options in VARIANTS.items():
            found = cut.get(variant) or verify(model(processes), 1, options, args)
            start = f"{processes if variant == 'no reduction' else '':<11}{variant:14}"
            paper = by_paper(name, processes, variant)
            if isinstance(found, str):
                cut[variant] = found
                print(f"{start}{found:62}{paper}".rstrip(), flush=True)
                continue
            _, seconds, mib = found
            time, memory = f"{seconds:8.3f} {bar(seconds, 0.001)}", f"{mib:7.0f} {bar(mib, 16)}"
            print(f"{start}{time:31}{memory:31}{paper}".rstrip(), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--processes", type=int, default=7, metavar="N", help="at most; default: 7")
    parser.add_argument("--limit-seconds", type=float, default=60, metavar="N", help="for each figure; default: 60")
    parser.add_argument("--limit-mb", type=int, default=16384, metavar="N", help="MiB for each figure; default: 16384")
    parser.add_argument("--jobs", type=int, default=0, metavar="N", help="default: all cores")
    parser.add_argument("--only", default="", metavar="TEXT", help="figures whose names contain it, such as 5")
    args = parser.parse_args()
    for title, name, model in FIGURES:
        if args.only in title:
            draw(title, name, model, args)


if __name__ == "__main__":
    main()
