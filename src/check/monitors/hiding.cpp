// SPDX-License-Identifier: MIT
// Lazy hiding: one cell with few values, many busy clients, crashed writes, cas.
//
// A generic search multiplies the orders of concurrent writes. Most of them do not matter: a write
// may stand just before another plain write, where nobody but a read of its own sees it. So we
// decide as late as possible, and let the past be filled in. Time is counted in events; a move that
// is made while return e blocks us happens "in gap e". A configuration at return e is
//
//     value   the present one
//     mask    the pending writes and cas that are linearized; reads need no bit
//     last    the gap of the last plain write: before it, other writes can be hidden
//     held[v] the last gap in which v was there, for v other than the present value
//     other   the last gap in which a value other than the present one was there
//
// A read of v called at i is satisfied if v is there or held[v] > i; a failed cas(a,_) if another
// value is there or other > i; a write or a cas if its bit is set. At the return of an operation t
// that is not satisfied, the children are, t being served last in its gap and all else postponed:
//
//  1. Hide. A plain write w called before `last` is inserted just before that last plain write:
//     no later state changes, and its value was there for an instant in gap `last`. w is t itself,
//     or, if t is a read, a write of what it saw. A write whose value was there anyway after its
//     call is inserted there.
//  2. Now. t itself if it is a write, else a write that serves it.
//  3. Paths of cas out of the present value until t is served, or until case 2 serves it. A plain
//     write inside a path must be followed by a cas at once; any other can be hidden later. (Also
//     a write of the value that is there: it makes a place to hide others.)
//
// Of writes (or cas) with equal labels the one that returns first goes first: what remains can do
// whatever the other could, for both can be hidden in the same places from now on.
//
// Two configurations with the same e and value: A makes B superfluous if its last, held and other
// are no earlier, and every operation that is open in B is open in A, and what is open in A alone
// is optional or a plain write that costs nothing (it can be hidden, or its value was there). Open
// plain writes are a stock to draw from: fewer linearized is better. Gaps are rounded down to the
// latest call that they concern, so that equal means equal.
//
// Depth first, the furthest child first, finds orders; breadth first refutes, and finds those
// orders that depth first misses. They take turns, with limits that grow by eight, so that
// neither's bad day costs much. Cost: at most values * (p+1)^(values+2) * 2^p configurations a
// return with p operations pending; measured: a handful, with 50 busy clients some 30.
//
// Cross-checked against brute force with every setting (tests/oracle/monitors_agree_test.cpp).
#include "check/monitors/hiding.hpp"

#include <map>

namespace plumb {
namespace {

constexpr std::size_t kMostValues = 64;

struct HidingSlots {
  std::vector<std::uint32_t> free;
  std::uint32_t count = 0;
  std::uint32_t take() {
    if (free.empty()) return count++;
    const std::uint32_t slot = free.back();
    free.pop_back();
    return slot;
  }
};

}  // namespace

Hiding::Hiding(const Problem& problem, const Cell& cell, Budget& budget)
    : problem_(problem), cell_(cell), budget_(budget), charge_(budget) {
  const std::size_t n = problem.ops.size();
  call_.assign(n, kNone);
  slot_.assign(n, kNone);
  HidingSlots changing, looking;
  for (const Event event : problem.events) {
    const OperationId op = event.operation();
    const bool changes = cell.move(problem, op).changes();
    if (!changes && !problem.ops[op].completed()) continue;
    HidingSlots& slots = changes ? changing : looking;
    if (event.is_return()) {
      slots.free.push_back(slot_[op]);
    } else {
      slot_[op] = slots.take();
      call_[op] = static_cast<std::uint32_t>(steps_.size());
    }
    steps_.push_back({op, slot_[op] & 0x3fffffff, changes, event.is_return()});
  }
  held_ = 3;
  mask_ = held_ + cell.values.size();
  words_ = (changing.count + 31) / 32;
  size_ = mask_ + words_;
  configurations_ = Chunked<std::uint32_t>(size_);
  c_.assign(size_, 0);
  changing_.assign(changing.count, {});
  active_.assign(words_, 0);
  looking_.assign(looking.count, kNone);
  rounded_.assign(mask_, 0);
}

Answer Hiding::run(bool breadth_first, std::uint64_t most_configurations) {
  value() = cell_.initial;
  advance();
  normalise();
  furthest_ = at_;
  std::vector<std::uint32_t> stack;                             // depth first
  std::map<std::uint32_t, std::vector<std::uint32_t>> waiting;  // breadth first: by event
  std::uint32_t node = remember(kNone);
  for (std::uint64_t expansions = 0;; ++expansions) {
    if (nodes_[node]->event == end()) return finish(Verdict::holds, node);
    if (nodes_.size() > most_configurations)
      return finish(Verdict::undecided, node, "search limit");
    if (expansions % 64 == 0 && !within_budget())
      return finish(Verdict::undecided, node, describe_stop(budget_).c_str());
    load(node);
    expand(node);
    if (budget_.stopped() != Budget::Stop::none)
      return finish(Verdict::undecided, node, describe_stop(budget_).c_str());
    if (breadth_first) {
      for (const std::uint32_t id : fresh_) waiting[nodes_[id]->event].push_back(id);
      if (waiting.empty()) return finish(Verdict::violation, node);
      auto& earliest = waiting.begin()->second;
      node = earliest.back();
      earliest.pop_back();
      if (earliest.empty()) waiting.erase(waiting.begin());
      stats_.peak_frontier = std::max<std::uint64_t>(stats_.peak_frontier, waiting.size());
    } else {
      const auto further = [this](std::uint32_t a, std::uint32_t b) {
        return nodes_[a]->event < nodes_[b]->event;
      };
      std::stable_sort(fresh_.begin(), fresh_.end(), further);
      stack.insert(stack.end(), fresh_.begin(), fresh_.end());
      if (stack.empty()) return finish(Verdict::violation, node);
      node = stack.back();
      stack.pop_back();
    }
  }
}

Answer Hiding::finish(Verdict verdict, std::uint32_t node, const char* reason) {
  Answer answer;
  answer.engine = "hiding";
  answer.verdict = verdict;
  answer.reason = reason;
  within_budget();
  stats_.configurations = nodes_.size();
  stats_.states = cell_.values.size();
  answer.stats = stats_;
  answer.covered = static_cast<std::uint64_t>(std::count_if(
      steps_.begin(), steps_.begin() + furthest_, [](Step step) { return step.is_return; }));
  if (verdict == Verdict::holds) answer.witnesses.push_back(order_of(node));
  if (verdict == Verdict::violation) answer.failing_event = problem_.ops[steps_[furthest_].op].ret;
  return answer;
}

Answer decide_hiding(const Problem& problem, Budget& budget, const EngineOptions& options) {
  const Cell cell = as_cell(problem);
  if (!cell.reason.empty()) return not_for("hiding", cell.reason);
  if (cell.values.size() > kMostValues) return not_for("hiding", "more than 64 values");
  const auto run = [&](bool breadth_first, std::uint64_t most) {
    return Hiding(problem, cell, budget).run(breadth_first, most);
  };
  if (options.breadth_first || options.depth_first)
    return run(options.breadth_first, ~std::uint64_t{0});
  for (std::uint64_t most = 10'000 + 2 * problem.ops.size();; most *= 8)
    for (const bool breadth_first : {false, true}) {
      Answer answer = run(breadth_first, breadth_first ? 4 * most : most);
      if (answer.verdict != Verdict::undecided || budget.stopped() != Budget::Stop::none)
        return answer;
    }
}

}  // namespace plumb
