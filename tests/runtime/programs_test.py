#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""programs_test.py PLUMB FOLDER: runs plumb test on every program, and compares with what it says of itself."""
import argparse
import glob
import json
import os
import re
import shlex
import subprocess
import sys

try:
    import jsonschema
except ImportError:
    jsonschema = None

EXPECTATION = re.compile(r"^//! (.*): ([a-z-]+)(?:, ([\d,]+) executions)?$", re.MULTILINE)


def said(report):
    if report["verdict"] == "violation":
        wrong = report["findings"] or report["failures"]
        return wrong[0]["kind"]
    return report["verdict"]


def against_schema(report):
    """What is wrong with its form."""
    if not jsonschema:
        return ""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    with open(os.path.join(root, "docs/report.schema.json"), encoding="utf-8") as schema:
        errors = list(jsonschema.Draft202012Validator(json.load(schema)).iter_errors(report))
    return errors[0].message if errors else ""


def has_header(header, compiler):
    test = subprocess.run([compiler, "-x", "c++", "-E", "-", "-o", "/dev/null"], input=f"#include <{header}>\n",
                          text=True, capture_output=True, check=False)
    return test.returncode == 0


def check(plumb, program, compiler, optimise):
    """What is wrong with it, a line each, and how many lines were looked at."""
    with open(program, encoding="utf-8") as file:
        text = file.read()
    wrong, lines = [], 0
    needs = re.search(r"^//! needs: (.*)$", text, re.MULTILINE)
    if needs and not has_header(needs.group(1), compiler):
        return [], 0
    link = [f"--link={word}" for line in re.findall(r"^//! link: (.*)$", text, re.MULTILINE) for word in line.split()]
    flags = [f"--flag={word}" for line in re.findall(r"^//! flag: (.*)$", text, re.MULTILINE) for word in line.split()]
    if optimise:
        flags.append("--flag=-" + optimise)
    environment = dict(os.environ, CXX=compiler)
    if '#include "program.hpp"' in text:  # it compares by itself
        run = subprocess.run([plumb, "test", program, *flags, *link], text=True, capture_output=True, env=environment,
                             timeout=600, check=False)
        if run.returncode != 0:
            wrong.append(f"{os.path.basename(program)} ({compiler} {optimise}): status {run.returncode}\n"
                         f"{(run.stdout + run.stderr)[:3000]}")
        return wrong, 1
    for options, expected, count in EXPECTATION.findall(text):
        if options in ("link", "flag", "needs"):
            continue
        lines += 1
        command = [plumb, "test", program, *flags, *link, "--json", *shlex.split(options)]
        run = subprocess.run(command, text=True, capture_output=True, env=environment, timeout=600, check=False)
        where = f"{os.path.basename(program)} ({compiler} {optimise}) {options}"
        try:
            report = json.loads(run.stdout)
        except json.JSONDecodeError:
            wrong.append(f"{where}: status {run.returncode}, no report: {run.stderr[:2000]}")
            continue
        if against_schema(report):
            wrong.append(f"{where}: {against_schema(report)[:1000]}")
        executions = sum(stage["executions"] for stage in report["scope"]["stages"])
        if said(report) != expected:
            wrong.append(f"{where}: {said(report)}, not {expected}\n{json.dumps(report)[:3000]}")
        elif count and executions != int(count.replace(",", "")):
            wrong.append(f"{where}: {executions:,} executions, not {count}")
        elif report["findings"] and not report["findings"][0]["replayed"]:
            wrong.append(f"{where}: the replay did not show it")
        elif run.returncode != {"holds": 0, "undecided": 2}.get(report["verdict"], 1):
            wrong.append(f"{where}: exit status {run.returncode}")
    return wrong, lines


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("plumb")
    parser.add_argument("folder")
    parser.add_argument("--compilers", default="g++", help="separated by commas")
    parser.add_argument("--optimise", default="", help="such as O0,O2; default: what plumb test does")
    parser.add_argument("--only", default="", help="programs whose names contain it")
    args = parser.parse_args()
    wrong, lines, programs = [], 0, 0
    for program in sorted(glob.glob(os.path.join(args.folder, "*.cpp"))):
        if args.only not in program:
            continue
        programs += 1
        for compiler in args.compilers.split(","):
            for optimise in args.optimise.split(","):
                found, looked = check(args.plumb, program, compiler, optimise)
                wrong += found
                lines += looked
    print("\n".join(wrong))
    print(f"{programs} programs, {lines} runs, {len(wrong)} wrong")
    sys.exit(1 if wrong or lines == 0 else 0)


if __name__ == "__main__":
    main()
