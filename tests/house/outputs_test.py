# SPDX-License-Identifier: MIT
"""Files are written by OutputFile (src/base/output_file.hpp), which neither loses nor tears one. What
else opens a file to write has a reason, below."""
import re

import tree

WRITES = re.compile(r"\b(ofstream|fstream)\b(?!>)|\bO_(WRONLY|RDWR|CREAT|TRUNC)\b|\bmk(o?s)?temp\b|\bcreat\(|\bfreopen\("
                    r"|\bfopen\([^;]*\"[wa]")

REASONS = {
    "src/base/output_file.cpp": "it is the class",
    "src/base/compiler_driver.cpp": "what a compiler prints, in a folder of our own",
    "src/model/native/native.cpp": "compiled code: made in a folder of our own, put into the cache by a rename",
    "src/spec/compile_file.cpp": "the same",
    "src/spec/precompiled_headers.cpp": "the same",
    "src/history/recorder.cpp": "a recording is read while it is written",
    "src/session/process.cpp": "/dev/null",
}


def find_faults(root):
    unused = set(REASONS)
    for path in tree.files(root, ["src"], tree.CODE):
        name = str(path.relative_to(root))
        if name.startswith("src/runtime/"):
            continue  # it is in the program under test, and wraps the same functions for it
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if not WRITES.search(line.split("//")[0]):
                continue
            unused.discard(name)
            if name not in REASONS:
                yield path, number, "opens a file to write: use OutputFile"
    for name in sorted(unused):
        yield root / name, 1, "opens no file to write any more: remove it from outputs_test.py"


tree.main(find_faults)
