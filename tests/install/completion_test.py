#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""completion_test.py PLUMB PREFIX: the shells complete every option that --help lists, and no other."""
import glob
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import time

PLUMB = sys.argv[1]
COMMANDS = ["check", "test", "verify", "replay", "convert"]


def run(*command, text=None):
    return subprocess.run(command, input=text, check=True, stdout=subprocess.PIPE,
                          encoding="utf-8").stdout


def listed(command):
    """The options at the beginning of a line of --help: "-o,--output FILE", "--pre TEXT, --post TEXT"."""
    found = set()
    for line in run(PLUMB, command, "--help").splitlines():
        if not line.startswith("  -"):
            continue
        for part in re.split(r"  +", line.strip())[0].split(","):
            found.update(re.findall(r"^ ?(--?[a-z][a-z-]*)", part))
    return found


def bash(*words):
    script = (run(PLUMB, "completion", "bash") +
              'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _plumb; printf "%s\\n" "${COMPREPLY[@]}"')
    return set(run("bash", "--norc", "-c", script, "bash", *words).split())


class Zsh:
    """zsh completes only on a terminal, so it gets one."""

    def __init__(self, folder):
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM="dumb", LC_ALL="C.UTF-8")
            os.execvp("zsh", ["zsh", "-f", "-i"])
        self.type(f"stty cols 200 rows 400; fpath=({folder} $fpath); LISTMAX=10000; unsetopt auto_menu; "
                  "autoload -U compinit; compinit -u -D; echo rea''dy\n")
        self.missing(["^ready"])

    def type(self, text):
        os.write(self.terminal, text.encode())

    def missing(self, patterns, seconds=300):
        """What has not been shown after so long."""
        shown, left, end = "", patterns, time.time() + seconds
        while time.time() < end:
            if select.select([self.terminal], [], [], 0.2)[0]:
                shown += os.read(self.terminal, 65536).decode(errors="replace").replace("\r", "")
            left = [pattern for pattern in patterns if not re.search(pattern, shown, re.M)]
            if not left:
                break
        return left

    def end(self):
        os.close(self.terminal)
        os.waitpid(self.pid, 0)


def main():
    wrong = 0

    def expect(what, good, got):
        nonlocal wrong
        if not good:
            wrong += 1
            print(f"{what}: {got}")

    commands = set(COMMANDS)
    first = bash("plumb", "")
    expect("bash: commands", commands < first and "completion" not in first, first)
    expect("a command starts with ve", bash("plumb", "ve") == {"verify"}, bash("plumb", "ve"))
    # Those that --help of plumb itself lists, so that none is forgotten here.
    known = set(re.findall(r"^  ([a-z]+) ", run(PLUMB, "--help").split("Subcommands:")[1], re.M))
    expect("--help has other commands", known >= commands, known)
    for command in sorted(known):
        options = listed(command)
        expect(f"{command} --help", len(options) > 2, options)
        got = bash("plumb", command, "-")
        expect(f"bash: {command}", got == options, got ^ options)
    for words, values in ((["--search", ""], {"dfs", "bfs"}), (["--search", "=", "d"], {"dfs"}),
                          (["--search", "="], {"dfs", "bfs"}), (["--lru", ""], set()),
                          (["--spec", "que"], {"queue"}), (["--witness", ""], set())):
        got = bash("plumb", "check", *words)
        expect(f"bash: check {words}", got == values, got)
    if not shutil.which("zsh"):
        print("zsh is not installed: only bash was tested")
    else:
        folder, = glob.glob(sys.argv[2] + "/share/zsh/*")
        subprocess.run(["zsh", "-n", folder + "/_plumb"], check=True)
        shell = Zsh(folder)
        # Those with the same help are on one line.
        lines = {f"plumb {command} --": [rf"^(--[a-z-]+ +)*{option} " for option in listed(command)
                                         if option.startswith("--")] for command in known}
        lines["plumb check --search="] = ["^bfs", "dfs"]
        for line, patterns in lines.items():
            shell.type(line + "\t\t")  # the first may only add what all have in common
            missing = shell.missing(patterns)
            expect(f"zsh: {line}", not missing, missing)
            shell.type("\x15")
        shell.end()
    print(f"{wrong} wrong")
    return 1 if wrong else 0


sys.exit(main())
