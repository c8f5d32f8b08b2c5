#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A campaign that is killed, again and again, ends with the report of one that was left alone.

    killed_test.py PLUMB OBJECTS [KILLS]        when, PLUMB_SEED says
"""
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time

MEASURED = re.compile(r"\w*seconds|peak_bytes")
MEASURED_IN_TEXT = re.compile(r' time="[^"]*"|, [\d.]+ s\)')
# Tests that fail, and shrink to few; that have races, where threads are then switched; that are not decided.
CAMPAIGNS = {
    "failing": ["queues/iqueue.cpp", "--operations", "3", "--random", "200", "--size", "3x2"],
    "racing": ["queues/single_list_queue.cpp", "--ignore", "race", "--operations", "3", "--random", "100", "--size", "2x2"],
    "undecided": ["queues/michael_scott_queue.cpp", "--operations", "3", "--random", "150", "--size", "3x2",
                  "--max-executions", "300", "--strategy", "dfs"],
}


def begin(plumb, objects, campaign, save, junit):
    file, *options = campaign
    command = [plumb, "test", os.path.join(objects, file), *options, "--keep-going", "--json", "--junit", junit]
    if save:
        command += ["--save", save]
    return subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def without_measured(fields):
    return {name: value for name, value in fields.items() if not MEASURED.fullmatch(name)}


def finish(process, junit):
    """Its status, and all that it says but for what was measured."""
    out, err = process.communicate(timeout=900)
    if process.returncode not in (0, 1, 2):
        sys.exit(f"status {process.returncode}: {out[:1000]}{err[:1000]}")
    report = json.dumps(json.loads(out, object_hook=without_measured), indent=1)
    with open(junit, encoding="utf-8") as file:
        return process.returncode, MEASURED_IN_TEXT.sub("", report + file.read())


def different_lines(first, second):
    return "\n".join(f"  {a.strip()}   {b.strip()}" for a, b in zip(first.splitlines(), second.splitlines()) if a != b)


def check(plumb, objects, campaign, kills, draw):
    """What is wrong, and how often it had begun when it was killed."""
    resumed = 0
    with tempfile.TemporaryDirectory() as folder:
        save, junit = os.path.join(folder, "kept"), os.path.join(folder, "junit.xml")
        alone = finish(begin(plumb, objects, campaign, "", junit), junit)
        start = time.time()
        finish(begin(plumb, objects, campaign, "", junit), junit)
        usual = time.time() - start
        while kills > 0:
            process = begin(plumb, objects, campaign, save, junit)
            time.sleep(draw.uniform(0, usual))
            if process.poll() is None:
                process.kill()
                process.communicate()
                kills -= 1
                resumed += 1 if os.path.exists(save) and os.path.getsize(save) > 0 else 0
            elif (ended := finish(process, junit)) != alone:
                return f"killed before:\n{different_lines(alone[1], ended[1])}", resumed
        ended = finish(begin(plumb, objects, campaign, save, junit), junit)
        if os.path.exists(save):
            return "what was kept is still there", resumed
    return "" if ended == alone else f"{different_lines(alone[1], ended[1])}", resumed


def main():
    plumb, objects, *rest = sys.argv[1:]
    kills = int(rest[0]) if rest else 20
    seed = int(os.environ.get("PLUMB_SEED", 1))
    print(f"PLUMB_SEED={seed}")
    draw = random.Random(seed)
    wrong = 0
    for name, campaign in CAMPAIGNS.items():
        why, resumed = check(plumb, objects, campaign, kills, draw)
        print(f"{name}: killed {kills} times, {resumed} with tests to go on from: {why or 'the same report'}", flush=True)
        wrong += 1 if why or resumed == 0 else 0
    sys.exit(1 if wrong else 0)


main()
