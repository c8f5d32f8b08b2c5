# SPDX-License-Identifier: MIT
"""What the tests of the sources share: the files of a tree, and how a failure is reported."""
import pathlib
import sys

CODE = {".cpp", ".hpp"}


def files(root, folders, suffixes):
    """Files below the folders, in a fixed order; a folder may be a single file."""
    for folder in folders:
        start = root / folder
        paths = [start] if start.is_file() else sorted(start.rglob("*"))
        for path in paths:
            if path.is_file() and (not suffixes or path.suffix in suffixes):
                yield path


def documents(root):
    """The documents for people, in a fixed order."""
    yield from (root / name for name in ("README.md", "HACKING.md", "NEWS.md", "SECURITY.md"))
    yield from sorted((root / "docs").glob("*.md"))
    for folder in ("bench", "examples", "models", "objects", "tests", "viewer"):
        yield from sorted((root / folder).rglob("README.md"))


def prose(text):
    """(number, line, whether it is in a fenced block) of a document; the fences belong to it."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        is_fence = line.lstrip().startswith("```")
        yield number, line, fenced or is_fence
        fenced = fenced != is_fence


def is_table(line):
    return line.lstrip().startswith("|")


def main(find_faults):
    """Prints each fault as FILE:LINE: text; the exit status says whether there were any."""
    root = pathlib.Path(sys.argv[1]).resolve()
    faults = [f"{path.relative_to(root)}:{line}: {text}" for path, line, text in find_faults(root)]
    print("\n".join(faults) if faults else "nothing found")
    sys.exit(1 if faults else 0)
