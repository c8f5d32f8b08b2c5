// SPDX-License-Identifier: MIT
// The options of an exploration, for --help of `plumb test` and of a program that explores.
#pragma once

namespace plumb::session {

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
  --quiet                only the verdict, one line
)";

}  // namespace plumb::session
