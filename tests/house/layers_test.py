# SPDX-License-Identifier: MIT
"""Every #include in src/ points down: into its own folder, or into one that stands lower in the
order of folders in docs/architecture.md (the fenced block `layers`, lowest first)."""
import re

import tree

INCLUDE = re.compile(r'^\s*#\s*include "([^"]+)"')


def read_order(root):
    text = (root / "docs/architecture.md").read_text()
    block = re.search(r"^```layers\n(.*?)^```", text, re.M | re.S)
    if not block:
        raise SystemExit("docs/architecture.md has no block ```layers")
    return [line.split()[0] for line in block.group(1).splitlines() if line.strip()]


def find_faults(root):
    order = read_order(root)
    rank = {folder: i for i, folder in enumerate(order)}
    used = set()
    for path in tree.files(root, ["src", "include"], tree.CODE):
        folder = str(path.parent.relative_to(root)).removeprefix("src/")
        if folder not in rank:
            yield path, 1, f"folder {folder} is not in the order of docs/architecture.md"
            continue
        used.add(folder)
        for number, line in enumerate(path.read_text().splitlines(), 1):
            found = INCLUDE.match(line)
            if not found:
                continue
            name = found.group(1)
            base = "include" if name.startswith("plumb/") else "src"
            target = root / base / name
            if not target.is_file():
                yield path, number, f'"{name}" is not named by its path from {base}/'
                continue
            to = str(target.parent.relative_to(root)).removeprefix("src/")
            if to != folder and rank.get(to, len(order)) >= rank[folder]:
                yield path, number, f"{folder} includes {to}, which does not stand below it"
    for folder in order:
        if folder not in used:
            yield root / "docs/architecture.md", 1, f"the order names {folder}, which has no file"


tree.main(find_faults)
