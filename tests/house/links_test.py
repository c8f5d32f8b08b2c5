# SPDX-License-Identifier: MIT
"""What the documents point to exists: relative links with their anchors, and paths of files. A path
starts at the top of the tree or in the document's own folder; `{a,b}` stands for both, `*` for any
name, and NAME in capitals for what a reader fills in."""
import itertools
import re

import tree

LINK = re.compile(r"\]\(([^)\s]+)\)|<(?:img|a)\b[^>]*\b(?:src|href)=\"([^\"]+)\"")
CODE = re.compile(r"(?<!`)`([^`]+)`(?!`)")
PATH = re.compile(r"(?:src|tests|include|docs|objects|models|examples|bench|viewer|cmake)"
                  r"/[\w./*{},-]*")
HEADING = re.compile(r"#+ +(.*?) *#*$")


def anchors(text):
    """The anchors that GitHub gives to the headings of a document."""
    seen = {}
    for _, line, fenced in tree.prose(text):
        heading = HEADING.match(line)
        if fenced or not heading:
            continue
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.group(1))
        name = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
        count = seen.setdefault(name, 0)
        seen[name] += 1
        yield f"{name}-{count}" if count else name


def spelled_out(path):
    """src/{a,b}.hpp: src/a.hpp and src/b.hpp."""
    parts = [part.split(",") if i % 2 else [part] for i, part in enumerate(re.split("[{}]", path))]
    return ["".join(choice) for choice in itertools.product(*parts)]


def paths(line):
    for word in re.split(r"[\s`|]+", line):
        word = re.sub(r":\d+$", "", word.strip("()'\",;:."))
        if PATH.fullmatch(word) and not re.search(r"[A-Z]{3}", word.replace("README", "")):
            yield from spelled_out(word)


def exists(folder, path):
    return any(folder.glob(path.rstrip("/"))) if "*" in path else (folder / path).exists()


def link_fault(root, document, link):
    """What is wrong with the link, or None."""
    if re.match(r"\w+:", link):
        return None
    path, _, anchor = link.partition("#")
    target = document.parent / path if path else document
    if not target.exists():
        return f"{link}: no such file"
    if root not in target.resolve().parents and target.resolve() != root:
        return f"{link}: outside of the tree"
    if anchor and anchor not in anchors(target.read_text()):
        return f"{link}: no such heading"
    return None


def find_faults(root):
    for document in tree.documents(root):
        for number, line, fenced in tree.prose(document.read_text()):
            if fenced:
                continue
            for found in LINK.finditer(CODE.sub("", line)):
                fault = link_fault(root, document, found.group(1) or found.group(2))
                if fault:
                    yield document, number, fault
            for path in paths(line):
                if not exists(root, path) and not exists(document.parent, path):
                    yield document, number, f"`{path}`: no such file"


tree.main(find_faults)
