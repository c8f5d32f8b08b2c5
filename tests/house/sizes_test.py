# SPDX-License-Identifier: MIT
"""No file in src/ has over 500 lines, no function over 60, but for the exceptions below. No line of
prose in the documents has over 100 columns; fenced blocks and tables may.

Functions are found by the layout that clang-format gives them: a body ends at the brace in the
column where its first line began. (clang-tidy's readability-function-size counts the same by the
syntax tree, in the long tests.)"""
import re

import tree

LINES_OF_FILE = 500
LINES_OF_FUNCTION = 60
COLUMNS_OF_PROSE = 100

# At most ten: (file, text in the function's first line, why it is one function).
EXCEPTIONS = []

NO_FUNCTION = re.compile(r"\s*(namespace|class|struct|enum|union|extern|if|for|while|switch|else|do"
                         r"|case|default|try|return|using|typedef)\b|\s*[}#{]")


def first_line(lines, i):
    """Where the declaration begins whose last line, with the opening brace, is line i."""
    while i > 0:
        before = lines[i - 1].strip()
        if not before or before.startswith(("//", "#", "template", "requires")):
            break
        if before.endswith((";", "{", "}", "public:", "private:", "protected:")):
            break
        i -= 1
    return i


def functions(lines):
    """(first line, number of lines, its text) of all that has parameters and a body."""
    for i, line in enumerate(lines):
        if not line.endswith("{"):
            continue
        start = first_line(lines, i)
        text = " ".join(part.strip() for part in lines[start: i + 1])
        if NO_FUNCTION.match(lines[start]) or "(" not in text or re.search(r"[^=!<>]= *{$", text):
            continue
        indent = lines[start][: len(lines[start]) - len(lines[start].lstrip())]
        for j in range(i + 1, len(lines)):
            if lines[j].startswith(indent + "}"):
                yield start, j - start + 1, text
                break


def wide_prose(root):
    for document in tree.documents(root):
        for number, line, fenced in tree.prose(document.read_text()):
            if len(line) > COLUMNS_OF_PROSE and not fenced and not tree.is_table(line):
                yield document, number, f"{len(line)} columns; the most is {COLUMNS_OF_PROSE}"


def find_faults(root):
    assert len(EXCEPTIONS) <= 10
    unused = set(EXCEPTIONS)
    for path in tree.files(root, ["src"], tree.CODE):
        lines = path.read_text().splitlines()
        name = str(path.relative_to(root))
        if len(lines) > LINES_OF_FILE:
            yield path, 1, f"{len(lines)} lines; the most is {LINES_OF_FILE}"
        for start, size, text in functions(lines):
            if size <= LINES_OF_FUNCTION:
                continue
            known = [e for e in EXCEPTIONS if e[0] == name and e[1] in text]
            unused -= set(known)
            if not known:
                yield path, start + 1, f"a function of {size} lines; the most is {LINES_OF_FUNCTION}"
    for name, text, _ in unused:
        yield root / name, 1, f"{text} is no exception any more: remove it from sizes_test.py"
    yield from wide_prose(root)


tree.main(find_faults)
