// SPDX-License-Identifier: MIT
// The options of an exploration, and of a test of an object, for --help of `plumb test` and of a
// program that explores.
#pragma once

namespace plumb::session {

inline constexpr char kObjectHelp[] =
    R"(  --test TEXT            this test, such as 'pre push(1); pop | pop, push(2); post pop'; may be repeated
  --operations N         all tests of up to N operations, smallest first (4)
  --threads N            ... on up to N threads (3)
  --random N             and then N tests at random (100)
  --size RxC             ... of R operations on each of C threads (3x3)
  --sequence TEXT        what tests are made of: operations that are called one after the other; may be
                         repeated (each operation by itself)
  --pre TEXT, --post TEXT
                         what the main thread calls before and after the others
  --without METHOD       leave a method out; may be repeated
  --classic              only results are judged, not that an operation waits for ever
  --allow-nondeterminism METHOD
                         it may have several outcomes; all that it has serially are right; may be repeated
  --spec NAME            the specification, instead of what the class does serially: queue, bag, ...
  --quasi METHOD=K       with --spec or .against(): calls may be out of order by so much; may be repeated
  --relaxation NAME      what that means: strict, distance, lateness, slot, all or def4 (strict)
  --count-permutations   with slot, all or def4: look at all sequentializations and permutations of each
                         history, and count them
  --no-dedup             ... also of those that were seen before
  --compare              count also what a race detector, and a check of conflict serializability, would
                         have reported of the same executions, and show the first cycle
  --all-histories        count all violating histories of a test
  --no-shrink            show a failing test as it was found
  --regression FILE.cpp  write the first failure there, as a program that fails until it is mended
  --first SCHEDULE       with one --test: run this schedule first, if it fits, then the others
  --serial               run the object serially only; with a specification (--spec, .against())
  --observations FILE    the serial histories of one test: read if the file is there, else written
  --shard I/N            only each N-th test, from the I-th on (1/1)
)";

inline constexpr char kHelp[] =
    R"(  --strategy auto|dfs|dpor|pct|pos|random
                         how schedules are chosen; auto: few preemptions first, then all by
                         partial-order reduction, within --max-executions
  --preemptions N        at most N switches away from a thread that could go on; -1: any number (2)
  --max-executions N     give up after so many (1000000); random strategies run so many
  --max-steps N          of one execution (100000)
  --schedule-at auto|atomics|all
                         where threads can be switched: atomics and locks; all accesses; auto: the former
                         and those plain accesses that race
  --heap both|quarantine|fifo|lifo
                         what becomes of freed blocks: never used again, used again late, at once
  --spurious             weak compare-and-swaps and waits may fail for no reason
  --random-values N      a random number is one of 0 to N-1, all of which are tried (2)
  --start-points         the beginning of a thread is a scheduling point too
  --leaks                blocks that are never freed are a finding too
  --keep-going           do not stop at the first finding
  --ignore race,deadlock not findings
  --seed N               of random strategies (1)
  --timeout SECONDS      give up after so long
  --hang SECONDS         an execution hangs that takes no step for so long, of its own time (10)
  --save FILE            keep the search there while it runs, and go on from it if it was ended;
                         not with --jobs
  --jobs N               processes, for dfs with any number of preemptions (1)
  --replay SCHEDULE      run one execution, and show it
  --debug                with --replay: in gdb, which stops at the finding
  --json                 print the report as JSON
  --html FILE            write a page to look at there: timeline, reasons, steps (docs/viewer.md)
  --quiet                only the verdict, one line
  --junit FILE           also write the verdicts there as JUnit does, for CI servers
  --markdown FILE        also add a summary to the end of that file, in GitHub's Markdown
  --color auto|always|never
                         auto: on a terminal, and not where NO_COLOR is set
)";

}  // namespace plumb::session
