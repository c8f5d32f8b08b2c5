// SPDX-License-Identifier: MIT
// Regular and safe registers (Lamport, "On interprocess communication", 1986), with many writers.
//
// a precedes b if a returned before b was called; they overlap if neither precedes the other. The
// initial value is a write that precedes all operations. Lamport has one writer; of the ways to
// have many, this is the weakest of Shao, Pierce & Welch ("Multi-writer consistency conditions for
// shared memory objects", 2003), MWR-weak:
//
//     regular:  each read r returns the value of a write w that r does not precede, such that there
//               is no write w' where w precedes w' and w' precedes r;
//     safe:     the same for each read that overlaps no write; the others may return anything.
//
// With one writer these are Lamport's. A write that overlaps r always qualifies. Operations without
// a return precede nothing: such a write may be read forever and overwrites nothing, and such a
// read is not judged. Only real time counts; that one process read 2 before 1 does not.
//
// Of all writes that precede r let m be the one that was called last. If any w' comes between w and
// r, then m does: w returned before w' was called, which is not after m was called. So w qualifies
// iff it was called before r returned and returned after m was called. Of the writes of a value
// that were called so far, the one that returns last is the best, whatever r is. One pass over the
// events therefore does, with m and that best write kept up to date:
//
//     write called:    best(its value) := it, if it returns later
//     write returns:   m := it, if it was called later
//     read called:     remember m
//     read returns v:  best(v) must have returned after m was called, or not at all
//
// O(n) after the values are numbered. The map from reads to their writes is the evidence.
#include "check/property/registers/reads.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "check/problem/engine.hpp"

namespace plumb {
namespace {

using Kind = CellMove::Kind;

class Reads {
 public:
  Reads(ReadProperty property, const Problem& problem, const Cell& cell)
      : safe_(property == ReadProperty::safe), problem_(problem), cell_(cell),
        best_(cell.values.size(), kNone), at_call_(problem.ops.size()) {}

  ReadsAnswer run(Budget& budget) {
    ReadsAnswer answer;
    answer.from.assign(problem_.ops.size(), kNone);
    for (std::uint32_t position = 0; position < problem_.events.size(); ++position) {
      if (position % 65536 == 0 && budget.exhausted(std::min(position, 65536u))) {
        answer.reason = describe_stop(budget);
        return answer;
      }
      const Event event = problem_.events[position];
      const OperationId op = event.operation();
      const CellMove& move = cell_.move(problem_, op);
      if (move.kind == Kind::write) {
        event.is_return() ? write_returns(op) : write_called(op, move.to);
      } else if (!event.is_return()) {
        at_call_[op] = {last_, writes_, open_ > 0};
      } else if (move.kind == Kind::read) {
        answer.from[op] = source_of(op, move.from);
        if (answer.from[op] == kNone) {
          refute(op, answer);
          return answer;
        }
      } else {
        answer.from[op] = kAnything;  // it does not say what it returned
      }
      answer.covered += event.is_return();
    }
    answer.verdict = Verdict::holds;
    return answer;
  }

 private:
  struct AtCall {
    OperationId last = kNone;  // m
    std::uint32_t writes = 0;  // called so far
    bool open = false;         // one of them had not returned
  };

  void write_called(OperationId op, CellValue value) {
    ++writes_;
    ++open_;
    OperationId& best = best_[value];
    if (best == kNone || problem_.ops[op].ret > problem_.ops[best].ret) best = op;
  }
  void write_returns(OperationId op) {
    --open_;
    if (last_ == kNone || op > last_)
      last_ = op;  // operations are numbered in order of their calls
  }

  OperationId source_of(OperationId read, CellValue value) const {
    const AtCall& then = at_call_[read];
    const OperationId best = best_[value];
    if (best != kNone && qualifies(best, then.last)) return best;
    if (then.last == kNone && value == cell_.initial) return kInitialValue;
    if (safe_ && (then.open || writes_ > then.writes)) return kAnything;
    return kNone;
  }
  bool qualifies(OperationId write, OperationId last) const {
    return last == kNone || problem_.ops[write].ret > problem_.ops[last].call;
  }

  void refute(OperationId read, ReadsAnswer& answer) const {
    answer.verdict = Verdict::violation;
    answer.from.clear();
    answer.culprit = read;
    const CellValue seen = cell_.move(problem_, read).from;
    const OperationId last = at_call_[read].last;
    answer.stale = best_[seen];
    if (answer.stale != kNone || seen == cell_.initial) answer.overwriter = last;
    std::vector<bool> listed(cell_.values.size(), false);
    const auto list = [&](CellValue value) {
      if (!listed[value]) answer.possible.push_back(value);
      listed[value] = true;
    };
    if (last == kNone) list(cell_.initial);
    for (OperationId op = 0; op < problem_.ops.size(); ++op) {
      const CellMove& move = cell_.move(problem_, op);
      if (problem_.ops[op].call > problem_.ops[read].ret) break;
      if (move.kind != Kind::write) continue;
      if (qualifies(op, last)) list(move.to);
      answer.stale_writes += move.to == seen;
    }
  }

  bool safe_;
  const Problem& problem_;
  const Cell& cell_;
  std::vector<OperationId> best_;  // by value
  std::vector<AtCall> at_call_;    // by operation; of reads
  OperationId last_ = kNone;       // m, now
  std::uint32_t writes_ = 0, open_ = 0;
};

}  // namespace

ReadsAnswer decide_reads(ReadProperty property, const Problem& problem, const Cell& cell,
                         Budget& budget) {
  return Reads(property, problem, cell).run(budget);
}

// Not the pass above once more: for each read, the latest call among the writes that precede it is
// looked up in the writes sorted by their returns, and overlaps are counted by two such look-ups.
std::string verify_reads_from(ReadProperty property, const Problem& problem, const Cell& cell,
                              const std::vector<OperationId>& from) {
  struct Write {
    std::uint32_t ret, latest_call;  // latest: of this write and those that returned before it
  };
  std::vector<Write> by_return;
  std::vector<std::uint32_t> calls;
  for (OperationId op = 0; op < problem.ops.size(); ++op) {
    if (cell.move(problem, op).kind != Kind::write) continue;
    const Problem::Op& o = problem.ops[op];
    calls.push_back(o.call);
    if (o.completed()) by_return.push_back({o.ret, o.call});
  }
  std::sort(calls.begin(), calls.end());
  std::sort(by_return.begin(), by_return.end(),
            [](const Write& a, const Write& b) { return a.ret < b.ret; });
  for (std::size_t i = 1; i < by_return.size(); ++i)
    by_return[i].latest_call = std::max(by_return[i].latest_call, by_return[i - 1].latest_call);

  if (from.size() != problem.ops.size()) return "the map has the wrong size";
  for (OperationId op = 0; op < problem.ops.size(); ++op) {
    const CellMove& move = cell.move(problem, op);
    const Problem::Op& r = problem.ops[op];
    if (!r.completed() || move.kind != Kind::read) continue;
    const auto before =
        std::lower_bound(by_return.begin(), by_return.end(), r.call,
                         [](const Write& w, std::uint32_t at) { return w.ret < at; });
    const auto preceding = static_cast<std::size_t>(before - by_return.begin());
    const OperationId w = from[op];
    if (w == kAnything) {
      const auto called = static_cast<std::size_t>(
          std::lower_bound(calls.begin(), calls.end(), r.ret) - calls.begin());
      if (property != ReadProperty::safe || called <= preceding)
        return fmt::format("operation {} overlaps no write", op);
    } else if (w == kInitialValue) {
      if (move.from != cell.initial || preceding > 0)
        return fmt::format("operation {} cannot have read the initial value", op);
    } else if (w >= problem.ops.size() || cell.move(problem, w).kind != Kind::write) {
      return fmt::format("operation {} reads from nothing", op);
    } else if (cell.move(problem, w).to != move.from || problem.ops[w].call > r.ret ||
               (preceding > 0 && problem.ops[w].ret < by_return[preceding - 1].latest_call)) {
      return fmt::format("operation {} cannot have read from operation {}", op, w);
    }
  }
  return {};
}

}  // namespace plumb
