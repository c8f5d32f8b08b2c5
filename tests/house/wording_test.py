# SPDX-License-Identifier: MIT
"""Sentences that we have replaced do not come back: in messages, help, pages, comments, golden
files. Each line of PHRASES is a regular expression, with what to write instead. A phrase may be
spread over lines, as comments, or as parts of one string."""
import bisect
import re

import tree

FOLDERS = ["src", "include", "docs", "viewer/src", "tests/golden", "README.md", "HACKING.md",
           "NEWS.md"]
TEXT = {".cpp", ".hpp", ".def", ".md", ".1", ".ts", ".json", ".txt", ".out", ".golden", ""}

PHRASES = """
if (it|they) did, this can ?not be explained => No placement of the other N operations explains this.
explain all that was seen => every observed history has a serial witness
a loop that only looked => a read-only loop was assumed to be a spin-wait
schedules that were drawn => random schedules
that differ in their values only => equal-up-to-renaming values
asks which thread it is on => reads its thread id
(?<!no )\\bwith reason\\b => as the specification allows
whole number that makes sense => an integer from LOW to HIGH
that came from outside => the cause is external
did not go on => was stopped and not resumed
free of what is no block => invalid free
the time was up => time limit reached
\\bBeware: => Warning:
\\b[Gg]oes on\\b => continues
is no C\\+\\+ exception left => uncaught exception of a non-C++ kind
goes round in a loop => all runnable threads spin without progress
is about one test; say which => needs exactly one --test
\\bAgain: => Replay:
may have done nothing than can be tried => too many optional operations (limit N)
Less is asked of => X is relaxed and omitted here
gives it a reason to wait => it blocks in no serial order
Before it declined => Not applicable:
no time was left to see => minimisation reached its time limit
the check before could not be stopped => skipped: the previous check did not stop
found out from their contents => detected from content
how jit goes about it => search order of jit
tell processes apart that do the same => disable process symmetry
need not return as soon as it can => disable eager returns
when it is large, at once, or not => auto: for large models; now; never
was observed that was not there => the flow of values is consistent
goes wrong in line => fails at line
keeps the search of another program => belongs to another program
does not go with => cannot be combined with
one of its own kind => not a built-in type
never comes to an end by him => an operation diverges on its own
the text can ?not be meant => where the text is evidently a misprint
was so by somebody else => was killed externally
\\bfor ever\\b => forever
\\b[Cc]an not\\b => cannot
second of CPU => per CPU second
\\b(somebody|Somebody|nobody else's)\\b => name who: a thread, a process, a reader
\\b(is|was|are|were) told\\b => is reported, is written
\\ba second, a row a step => per second, one row per step
\\bcannot stand here\\b => is not allowed here
\\b[Nn]obody (ever|had|wrote|writes)\\b => no operation had
unless said => default:
cut off: make it again => truncated: create it again
waits without a reason => blocks, although no serial order blocks it
(operations|executions|states|histories|events|times|steps|inputs) a second => per second
""".strip().splitlines()

IDENTIFIERS = """
\\bstand\\( => block_until
\\blooked\\( => note_spin_read
\\b(tell|Told)\\b(?=[ (&{;]) => render, Rendered
\\bRan\\b(?=[ &{;(]) => RunResult
\\basked_who\\b => read_thread_id
\\bwrote_older\\b => wrote_prior_heap
\\bown_\\b => object_settings_
\\ba_\\b => args_
""".strip().splitlines()


# Between two words of a sentence: the end of a line, with the quotes or the comment around it.
BREAK = re.compile(r'"?[ \t]*\n[ \t]*(?:///?[ \t]*|\*[ \t]+|"(?=[^"\n]))?')


def rules(table):
    for row in table:
        pattern, instead = row.split(" => ")
        yield re.compile(pattern), instead


def join_lines(text):
    """The text on one line, and a function from a place in it to the number of the line."""
    pieces, starts, at, length = [], [0], 0, 0
    for gap in BREAK.finditer(text):
        piece = text[at:gap.start()]
        # A string that is continued has its space inside.
        separator = "" if piece.endswith(" ") else " "
        pieces.append(piece + separator)
        length += len(piece) + len(separator)
        starts.append(length)
        at = gap.end()
    return "".join(pieces) + text[at:], lambda place: bisect.bisect_right(starts, place)


def find_faults(root):
    phrases, identifiers = list(rules(PHRASES)), list(rules(IDENTIFIERS))
    for path in tree.files(root, FOLDERS, TEXT):
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        joined, number_at = join_lines(text)
        for pattern, instead in phrases:
            for found in pattern.finditer(joined):
                yield path, number_at(found.start()), f"'{found.group(0)}': write: {instead}"
        is_code = path.suffix in tree.CODE
        for number, line in enumerate(text.splitlines(), 1):
            code = line.split("//")[0] if is_code else ""
            for pattern, instead in identifiers:
                if pattern.search(code):
                    yield path, number, f"'{pattern.search(code).group(0)}': write: {instead}"


tree.main(find_faults)
