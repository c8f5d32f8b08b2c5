// SPDX-License-Identifier: MIT
// A counter that only goes up: inc, fetch_inc and get.
//
// The count passes every number from the initial one on, so what an operation returned says when it
// happened: a get of v while the count was v, a fetch_inc that returned v in the step from v to
// v+1. A step for which no fetch_inc was recorded is made by an inc, or by a fetch_inc that did not
// say. With fetch_inc alone that is sorting by result; in general we go through the events and
// count as late as possible:
//
//  * A get that is called while the count is right takes effect at once; else it waits, and each
//    step serves all who wait for the new count.
//  * At the return of an operation that has not taken effect: step until it has.
//  * The step from v is made by a pending fetch_inc that returned v, else by the pending inc that
//    returns first.
//
// If nobody can make a step, or the count has gone past what the operation returned, no order
// explains the return.
//
// Why it is right. The count only grows, so a step that no return has asked for can be put off: it
// serves the same gets later, before their own returns. Of two incs, exchange them if the one that
// returns later went first. A fetch_inc that returned v can make no other step than that from v,
// and must make it if it returns; so it goes before any inc. (One that never returned but has a
// known result need not: then to spare an inc that does return might be wrong. That mixture is
// declined.)
//
// The failing return is the earliest, unless fetch_incs with results are mixed with incs that
// return: then a fetch_inc may have been served only because it returns later, and the position is
// left open.
//
// O(n log p) for n operations, p of them pending; 13 bytes an operation. The order is made by a
// second pass on demand.
#include <algorithm>
#include <functional>

#include "check/monitors/lazy.hpp"

namespace plumb {
namespace {

enum class CounterAccess : std::uint8_t { gets, fetches, steps, any };

struct Meaning {
  CounterAccess kind = CounterAccess::any;
  std::uint32_t count = kNone;  // above the initial one; kNone: out of reach
};

struct Counting {
  std::vector<Meaning> labels;
  std::int64_t initial = 0;
  bool mixed = false;  // incs that return, and fetch_incs that say what they returned
  std::string reason;  // why the problem is not one of this monitor; empty: it is
};

Counting as_counting(const Problem& problem) {
  Counting result;
  const auto no = [&](std::string why) {
    result.reason = std::move(why);
    return result;
  };
  const Specification& counter = *problem.specification;
  if (counter.family() != Family::counter) return no("not a counter");
  if (problem.stuck) return no("the history is stuck");
  if (problem.chained()) return no("operations of one process overlap");
  for (const BoundLabel& label : problem.labels) {
    const Method& method = counter.methods()[label.method];
    const bool steps = method.role == Role::increments && method.args.empty();
    if (!steps && method.role != Role::reads) return no(method.name + " is not an increment by 1");
  }

  // Whatever state the problem starts in, a get there tells the count.
  const auto space = problem.make_space();
  const std::vector<Value> seen =
      space->results(space->initial(), {*counter.find(Role::reads), {}, {}, false});
  if (seen.size() != 1 || !seen.front().is_integer()) return no("the initial count is not known");
  result.initial = seen.front().as_integer();
  const std::size_t most = problem.ops.size();
  if (result.initial > INT64_MAX - static_cast<std::int64_t>(most)) return no("it may overflow");

  for (const BoundLabel& label : problem.labels) {
    Meaning meaning;
    const Method& method = counter.methods()[label.method];
    if (method.role == Role::increments && (method.returns_nothing || !label.known)) {
      meaning.kind = CounterAccess::steps;
    } else if (label.known) {
      meaning.kind = method.role == Role::reads ? CounterAccess::gets : CounterAccess::fetches;
      const std::int64_t count = label.result.as_integer();
      if (count >= result.initial && count <= result.initial + static_cast<std::int64_t>(most))
        meaning.count = static_cast<std::uint32_t>(count - result.initial);
    }
    result.labels.push_back(meaning);
  }
  bool incs = false, fetches = false, weak_fetches = false;
  for (const Problem::Op& op : problem.ops) {
    const CounterAccess kind = result.labels[op.label].kind;
    if (kind == CounterAccess::steps && op.completed()) incs = true;
    if (kind == CounterAccess::fetches) (op.completed() ? fetches : weak_fetches) = true;
  }
  if (incs && weak_fetches) return no("an increment with a result did not return");
  result.mixed = incs && fetches;
  return result;
}

class Steps : public LazyPass<Steps> {
 public:
  Steps(const Problem& problem, const Counting& counting)
      : LazyPass(problem), labels_(counting.labels), waiting_(problem.ops.size() + 1, kNone),
        fetcher_(problem.ops.size() + 1, kNone), next_waiting_(problem.ops.size(), kNone) {}

  std::uint32_t count() const { return count_; }  // above the initial one
  std::uint64_t steps() const { return count_; }
  std::uint64_t states() const { return std::uint64_t{count_} + 1; }
  std::size_t bytes() const {
    return done_.capacity() + incs_.capacity() * 8 +
           (waiting_.capacity() + fetcher_.capacity() + next_waiting_.capacity()) * 4;
  }

 private:
  friend LazyPass<Steps>;

  void called(OperationId op) {
    const Problem::Op& o = problem_.ops[op];
    const Meaning& meaning = labels_[o.label];
    switch (meaning.kind) {
      case CounterAccess::steps:
        incs_.push_back(std::uint64_t{o.ret} << 32 | op);  // kNone is after all returns
        std::push_heap(incs_.begin(), incs_.end(), std::greater<>());
        break;
      case CounterAccess::fetches:
        if (meaning.count != kNone && meaning.count >= count_) {
          OperationId& first = fetcher_[meaning.count];
          if (first == kNone || o.ret < problem_.ops[first].ret) first = op;
        }
        break;
      case CounterAccess::gets:
        if (!o.completed() || meaning.count == kNone) break;
        if (meaning.count == count_) {
          commit(op);
        } else if (meaning.count > count_) {
          next_waiting_[op] = waiting_[meaning.count];
          waiting_[meaning.count] = op;
        }
        break;
      case CounterAccess::any:
        if (o.completed()) commit(op);
    }
  }

  bool returned(OperationId op) {
    const Meaning& meaning = labels_[problem_.ops[op].label];
    while (!done_[op]) {
      if (meaning.kind != CounterAccess::steps &&
          (meaning.count == kNone || count_ > meaning.count))
        return false;
      if (!step()) return false;
    }
    return true;
  }

  bool step() {
    if (const OperationId fetcher = fetcher_[count_]; fetcher != kNone) {
      commit(fetcher);
    } else {
      if (incs_.empty()) return false;
      commit(static_cast<OperationId>(incs_.front()));
      std::pop_heap(incs_.begin(), incs_.end(), std::greater<>());
      incs_.pop_back();
    }
    ++count_;
    for (OperationId op = waiting_[count_]; op != kNone; op = next_waiting_[op]) commit(op);
    return true;
  }

  const std::vector<Meaning>& labels_;
  std::uint32_t count_ = 0;                     // above the initial one
  std::vector<std::uint64_t> incs_;             // heap of (return, operation)
  std::vector<OperationId> waiting_, fetcher_;  // by count: first get, fetch_inc to return first
  std::vector<OperationId> next_waiting_;       // by operation
};

// The count had gone past what `culprit` returned: another operation that shows it all by itself.
// Either it returned as much before the culprit was called, or both made the same step.
std::vector<OperationId> core_of(const Problem& problem, const Counting& counting,
                                 OperationId culprit) {
  const Problem::Op& c = problem.ops[culprit];
  const Meaning& at = counting.labels[c.label];
  if (at.count == kNone || at.kind == CounterAccess::steps) return {};
  for (OperationId op = 0; op < problem.ops.size(); ++op) {
    const Problem::Op& o = problem.ops[op];
    const Meaning& m = counting.labels[o.label];
    if (op == culprit || o.ret > c.ret || m.count == kNone) continue;
    const bool before = o.ret < c.call && m.count + (m.kind == CounterAccess::fetches) > at.count;
    const bool twice = m.kind == CounterAccess::fetches && at.kind == CounterAccess::fetches &&
                       m.count == at.count;
    if (before || twice) return {std::min(op, culprit), std::max(op, culprit)};
  }
  return {};
}

std::string why(const Problem& problem, const Counting& counting, OperationId culprit,
                std::uint32_t count) {
  const BoundLabel& label = problem.labels[problem.ops[culprit].label];
  const Meaning& at = counting.labels[problem.ops[culprit].label];
  if (at.kind == CounterAccess::steps) return "no operation can have made the step before it";
  const std::string returned = label.result.to_string();
  if (label.result.as_integer() < counting.initial) return "the count was never " + returned;
  if (at.count != kNone && count > at.count) return "the count had gone past " + returned;
  return "the count cannot have reached " + returned + " in time";
}

}  // namespace

Answer decide_counter(const Problem& problem, Budget& budget, const EngineOptions&) {
  const auto explain = [&](Answer& answer, const Counting& counting, const Steps& steps) {
    const OperationId culprit = problem.events[answer.failing_event].operation();
    answer.reason = why(problem, counting, culprit, steps.count());
    answer.core = core_of(problem, counting, culprit);
    if (counting.mixed) answer.failing_event = kNone;
  };
  return decide_lazily<Steps>("counter", problem, budget, as_counting, explain);
}

}  // namespace plumb
