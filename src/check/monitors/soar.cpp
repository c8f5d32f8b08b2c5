// SPDX-License-Identifier: MIT
// SOAR, online: one cell with a single writer; many readers; values may repeat.
//
// Guerraoui & Vukolic, "A scalable and oblivious atomicity assertion" (2008), decide whether a
// single-writer register is atomic in O(n^3), going backwards from the last write (the predicate of
// their Figure 3 is soar_literal.cpp). Forwards it is simpler. The writes are w_1, w_2, ... in real
// time, w_0 is the initial value. An order is a choice, for each read, of the write that it reads
// from, i(r), such that
//
//     w_i has the value that r returned;     w_i was called before r returned;
//     w_j returned before r was called   =>  j <= i(r);
//     r' returned before r was called    =>  i(r') <= i(r).
//
// (w_0 R_0 w_1 R_1 ..., with the reads of each R_i in the order of their calls, is then an order:
// (*) in the proof of their Lemma 1.) All but the second are lower bounds, so the least choice is
// the best one, and reads that return can take it at once:
//
//     read called:        base := the largest of: writes that returned, choices of reads so far
//     read returns v:     i := the least i >= base with value v, among the writes called so far;
//                         there is none: a violation, and this is the earliest failing return
//
// Each choice depends on earlier events only, so it is least by induction, and the past is not
// needed: this is a monitor for a running system as well.
//
// Operations that did not return: reads are left out; a write can only be the last one, and counts
// as called. "Single writer" means that no two writes overlap, whichever processes made them.
//
// The least i is searched in the list of writes of v from its end, in doubling steps: reads see
// recent writes. O(log d) where d writes of v happened during the read; O(n) in practice.
#include <fmt/format.h>

#include <algorithm>

#include "check/monitors/cell.hpp"
#include "check/monitors/monitors.hpp"

namespace plumb {
namespace {

using Kind = CellMove::Kind;
constexpr std::size_t kMostCore = 40;  // operations; a larger core explains nothing

class Soar {
 public:
  Soar(const Problem& problem, Cell cell) : problem_(problem), cell_(std::move(cell)) {
    chosen_.resize(problem.ops.size());
    start_.assign(cell_.values.size() + 1, 0);
    writes_.push_back(kNone);
    ++start_[cell_.initial + 1];
    for (const Problem::Op& op : problem.ops)
      if (const CellMove& m = cell_.moves[op.label]; m.kind == Kind::write) ++start_[m.to + 1];
    for (std::size_t v = 1; v < start_.size(); ++v) start_[v] += start_[v - 1];
    end_.assign(start_.begin(), start_.end() - 1);
    lists_.resize(start_.back());
    writes_.reserve(start_.back());
    reached_by_.reserve(start_.back());
    reached_by_.push_back(kNone);
    lists_[end_[cell_.initial]++] = 0;
  }

  void run(Budget& budget, Answer& answer);
  std::vector<OperationId> order() const;
  std::size_t bytes() const {
    return cell_.moves.capacity() * sizeof cell_.moves[0] +
           cell_.values.capacity() * sizeof cell_.values[0] +
           (chosen_.capacity() + start_.capacity() + end_.capacity() + lists_.capacity() +
            writes_.capacity() + reached_by_.capacity()) *
               sizeof(std::uint32_t);
  }

 private:
  const CellMove& move(OperationId op) const { return cell_.move(problem_, op); }
  std::uint32_t choose(CellValue v, std::uint32_t base) const;
  void refute(OperationId read, Answer& answer) const;
  bool is_over(std::uint32_t write, OperationId before) const {
    return problem_.ops[writes_[write]].ret < problem_.ops[before].call;
  }
  bool was_reached(std::uint32_t write, OperationId before) const {
    const OperationId by = reached_by_[write];
    return by != kNone && problem_.ops[by].ret < problem_.ops[before].call;
  }

  const Problem& problem_;
  Cell cell_;
  std::vector<std::uint32_t> chosen_;    // by operation. A write: its number. A read: base, then i
  std::vector<OperationId> writes_;      // by number
  std::vector<OperationId> reached_by_;  // by number of a write: the first read to choose it or
                                         // a later one, if that was before it returned
  std::vector<std::uint32_t> lists_;     // numbers of writes, ascending, value by value:
  std::vector<std::uint32_t> start_, end_;  // the writes of v that were called so far
};

// The least write of v from `base` on that was called; kNone: there is none.
std::uint32_t Soar::choose(CellValue v, std::uint32_t base) const {
  const std::uint32_t *begin = lists_.data() + start_[v], *end = lists_.data() + end_[v];
  if (begin == end || end[-1] < base) return kNone;
  const std::uint32_t* found = end - 1;  // it is here or before
  for (std::ptrdiff_t step = 1; found != begin; step *= 2) {
    const std::uint32_t* earlier = found - std::min(step, found - begin);
    if (*earlier < base) return *std::lower_bound(earlier + 1, found, base);
    found = earlier;
  }
  return *found;
}

void Soar::run(Budget& budget, Answer& answer) {
  std::uint32_t base = 0;  // the largest of: writes that returned, choices of reads
  for (std::uint32_t position = 0; position < problem_.events.size(); ++position) {
    if (position % 65536 == 0 && budget.exhausted(std::min(position, 65536u))) {
      answer.reason = describe_stop(budget);
      return;
    }
    const Event event = problem_.events[position];
    const OperationId op = event.operation();
    const CellMove& m = move(op);
    if (m.kind == Kind::write) {
      if (event.is_return()) {
        base = std::max(base, chosen_[op]);
      } else {
        chosen_[op] = static_cast<std::uint32_t>(writes_.size());
        lists_[end_[m.to]++] = chosen_[op];
        writes_.push_back(op);
        reached_by_.push_back(kNone);
      }
    } else if (!event.is_return()) {
      chosen_[op] = base;
    } else if (m.kind == Kind::read) {  // else it does not say what it saw: base will do
      const std::uint32_t write = choose(m.from, chosen_[op]);
      if (write == kNone) {
        answer.failing_event = position;
        return refute(op, answer);
      }
      if (write > base) {
        // Only writes that were called are chosen, so there is at most one that did not return.
        reached_by_[write] = op;
        base = write;
      }
      chosen_[op] = write;
    }
    answer.covered += event.is_return();
  }
  answer.verdict = Verdict::holds;
}

std::vector<OperationId> Soar::order() const {
  // Counted by choice: each write, then its reads in the order of their calls.
  std::vector<std::uint32_t> place(writes_.size() + 1, 0);
  const auto each = [&](auto&& visit) {
    for (OperationId op = 0; op < problem_.ops.size(); ++op)
      if (problem_.ops[op].completed()) visit(op);
  };
  each([&](OperationId op) { ++place[chosen_[op] + 1]; });
  // A last write that did not return took effect iff an operation read it.
  const OperationId last = writes_.back();
  const bool pending = last != kNone && !problem_.ops[last].completed();
  const bool read = pending && place.back() > 0;
  if (read) ++place.back();
  for (std::size_t i = 1; i < place.size(); ++i) place[i] += place[i - 1];
  std::vector<OperationId> order(place.back());
  for (std::uint32_t i = 1; i < writes_.size(); ++i)
    if (i + 1 < writes_.size() || !pending || read) order[place[i]++] = writes_[i];
  each([&](OperationId op) {
    if (move(op).kind != Kind::write) order[place[chosen_[op]]++] = op;
  });
  return order;
}

// Why `read`, which returned v, cannot have read from a write before its base b: w_b had returned,
// or a read r' had chosen it. In the first case the writes of v before w_b suffice with w_b, for
// they returned before it was called. In the second they suffice with whatever shows that r', which
// returned v', cannot have read from a write before w_b; that is asked in the same way of the base
// of r', since between the two there is no write of v'. All other operations may be weakened.
void Soar::refute(OperationId read, Answer& answer) const {
  answer.verdict = Verdict::violation;
  const auto value = [&](OperationId op) { return cell_.values[move(op).from].to_string(); };
  const std::string& method = method_name(problem_, read);
  const std::string what = fmt::format("the {} returned {}", method, value(read));
  std::vector<OperationId> core;
  OperationId at = read;
  for (std::uint32_t base = chosen_[read];;) {
    core.push_back(at);
    const CellValue v = move(at).from;
    const std::uint32_t *begin = lists_.data() + start_[v], *end = lists_.data() + end_[v];
    const std::uint32_t* older = std::lower_bound(begin, end, base);
    if (older == begin) {
      if (at == read) answer.reason = fmt::format("{}, which no operation had written", what);
      break;
    }
    for (const std::uint32_t* i = begin; i != older && core.size() <= kMostCore; ++i)
      if (*i > 0) core.push_back(writes_[*i]);
    if (core.size() > kMostCore) break;
    if (is_over(base, at)) {
      core.push_back(writes_[base]);
      break;
    }
    at = reached_by_[base];
    do --base;
    while (base > 0 && !is_over(base, at) && !was_reached(base, at));
  }
  if (answer.reason.empty()) {
    const std::uint32_t base = chosen_[read];
    answer.reason =
        is_over(base, read)
            ? fmt::format("{} although {} had returned before it was called", what,
                          in_words(problem_, cell_, writes_[base]))
            : fmt::format("{} although an earlier {} had returned {}, which was written later",
                          what, method, value(reached_by_[base]));
  }
  if (core.size() > kMostCore) return;
  std::sort(core.begin(), core.end());
  core.erase(std::unique(core.begin(), core.end()), core.end());
  answer.core = std::move(core);
}

}  // namespace

Answer decide_soar(const Problem& problem, Budget& budget, const EngineOptions&) {
  if (std::string reason = why_not_single_writer(problem); !reason.empty())
    return not_for("soar", std::move(reason));
  Cell cell = as_cell(problem);
  if (!cell.reason.empty()) return not_for("soar", cell.reason);
  const auto soar = std::make_shared<Soar>(problem, std::move(cell));
  Charge charge(budget);
  if (!charge.hold(soar->bytes())) return not_for("soar", describe_stop(budget));

  Answer answer;
  answer.engine = "soar";
  soar->run(budget, answer);
  answer.stats.bytes = soar->bytes();
  if (answer.verdict == Verdict::holds) answer.prove = [soar] { return soar->order(); };
  return answer;
}

}  // namespace plumb
