#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""console_test.py PLUMB ROOT: runs the commands that the documents show."""
import glob
import os
import re
import subprocess
import sys

BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)


def without_times(text):
    text = re.sub(r" *\b[0-9.]+ MiB\b", " SIZE MiB", text)
    return re.sub(r" *\b[0-9.]+ s\b", " TIME s", text)


def main():
    plumb, root = sys.argv[1:]
    environment = dict(os.environ, LC_ALL="C.UTF-8",
                       PATH=os.path.dirname(plumb) + ":" + os.environ["PATH"])
    environment.pop("CXX", None)  # a replay command would name it
    # Beside a sanitizer the explorer's runtime cannot be built.
    explores = os.path.exists(os.path.join(os.path.dirname(plumb), "../src/runtime/libplumb_runtime.so"))
    ran, failed = 0, 0
    for path in [os.path.join(root, "README.md"), *sorted(glob.glob(root + "/docs/*.md"))]:
        with open(path, encoding="utf-8") as document:
            text = document.read()
        for block in BLOCK.findall(text):
            for command, expected in COMMAND.findall(block):
                if command.split()[0] not in ("plumb", "cat"):
                    continue
                if command.startswith("plumb test") and not explores:
                    continue
                got = subprocess.run(command, shell=True, cwd=root, env=environment, check=False,
                                     stdout=subprocess.PIPE, encoding="utf-8").stdout
                ran += 1
                if without_times(got) != without_times(expected):
                    failed += 1
                    print(f"{os.path.relpath(path, root)}: {command}\n--- shown\n{expected}"
                          f"--- real\n{got}")
    print(f"{ran} commands, {failed} differ")
    sys.exit(1 if failed or ran == 0 else 0)


if __name__ == "__main__":
    main()
