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


def main(find_faults):
    """Prints each fault as FILE:LINE: text; the exit status says whether there were any."""
    root = pathlib.Path(sys.argv[1]).resolve()
    faults = [f"{path.relative_to(root)}:{line}: {text}" for path, line, text in find_faults(root)]
    print("\n".join(faults) if faults else "nothing found")
    sys.exit(1 if faults else 0)
