#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds every golden JSON report against the schema, and the schema against broken reports.

usage: validate_schema.py report.schema.json FOLDER
"""
import copy
import json
import pathlib
import sys

try:
    import jsonschema
except ImportError:
    print("python3-jsonschema is not installed")
    sys.exit(77)


def broken_versions(report):
    """Reports that the schema must refuse: it would be no help if it accepted everything."""
    for field in report:
        if field in ("marks", "stopped") or (field == "reason" and report.get("verdict") != "undecided"):
            continue
        without = copy.deepcopy(report)
        del without[field]
        yield f"without {field}", without
    if "summary" in report:
        return
    yield "verdict maybe", {**report, "verdict": "maybe"}
    yield "schema 1", {**report, "schema": 1}
    yield "schema 3", {**report, "schema": 3}
    evidence = report["evidence"]
    for field in evidence:
        if field in ("file", "stale"):
            continue
        without = copy.deepcopy(report)
        del without["evidence"][field]
        if field == "blocking_witnesses":
            continue
        yield f"without evidence.{field}", without


def main():
    schema = json.loads(pathlib.Path(sys.argv[1]).read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    reports = wrong = 0
    for path in sorted(pathlib.Path(sys.argv[2]).glob("*.json")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            reports += 1
            report = json.loads(line)
            for error in validator.iter_errors(report):
                wrong += 1
                print(f"{path.name}:{number}: {error.json_path}: {error.message[:200]}")
            for what, broken in broken_versions(report):
                if validator.is_valid(broken):
                    wrong += 1
                    print(f"{path.name}:{number}: the schema accepts it {what}")
    print(f"{reports} reports, {wrong} errors")
    return 1 if wrong or reports < 8 else 0


sys.exit(main())
