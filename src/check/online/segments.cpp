// SPDX-License-Identifier: MIT
// A stream of any object, in segments.
//
// Events wait until there are some thousands of them, then breadth-first search runs over all that
// wait, starting in the state where the last cut was made. Open operations are optional there, with
// any result, so that a violation is one whatever comes later. Where the search had a single
// configuration, every order of the past can be arranged to end in it: the past may be forgotten,
// but for that state and the operations that are still open (the same cut as in minimise.cpp).
//
// One thing needs care. The search drops configurations that spend an optional operation where
// another does not; but an operation that merely has not returned yet is not really optional. So a
// cut is made only before the first call whose operation is open: what is pruned before it was
// pruned rightly.
//
// A segment is as long as what was left over from the one before, so each event is looked at twice
// on average, however busy the stream is. Crashed operations stay forever, unless they took
// effect.
#include <fmt/format.h>

#include <algorithm>

#include "check/online/online.hpp"
#include "check/property/linearizable/linearizable.hpp"

namespace plumb {
namespace {

class Segments final : public Online {
 public:
  Segments(StreamPart part, const StreamOptions& options)
      : Online(std::move(part)), options_(options) {
    segment_ = options.segment;
    engine_ = "jit";
  }

  Handle call(StreamedOp op) override {
    ++operations_;
    Handle slot = static_cast<Handle>(ops_.size());
    if (free_.empty()) {
      ops_.emplace_back();
    } else {
      slot = free_.back();
      free_.pop_back();
    }
    ops_[slot] = std::move(op);
    events_.push_back({slot, false});
    return slot;
  }
  void returned(Handle op, Value result, std::uint64_t line) override {
    ops_[op].result = result;
    ops_[op].return_line = line;
    ops_[op].fate = Fate::returned;
    events_.push_back({op, true});
  }
  void crashed(Handle op) override { ops_[op].fate = Fate::crashed; }
  std::uint64_t waiting() const override { return events_.size() - settled_; }

  Status settle(bool last) override {
    if (verdict_ != Verdict::holds) {
      events_.clear();
      settled_ = 0;
      return {};
    }
    const std::size_t fresh = events_.size() - settled_;
    if (fresh == 0 || (!last && fresh < std::max<std::size_t>(1, settled_))) return {};
    return decide();
  }

 private:
  Status decide() {
    std::vector<const StreamedOp*> ops;
    std::vector<Handle> slot_of;  // by operation of the history
    std::vector<StreamedEvent> events = events_;
    std::vector<std::uint32_t> number(ops_.size(), kNone);
    std::uint32_t first_open = kNone;
    for (std::uint32_t i = 0; i < events.size(); ++i) {
      const Handle slot = events[i].op;
      if (!events[i].is_return) {
        number[slot] = static_cast<std::uint32_t>(ops.size());
        ops.push_back(&ops_[slot]);
        slot_of.push_back(slot);
        if (ops_[slot].fate == Fate::pending && first_open == kNone) first_open = i;
      }
      events[i].op = number[slot];
    }
    Result<History> history = make_history(part_, ops, events);
    if (!history) return std::move(history.error());
    CheckOptions whole;
    whole.specification = part_.specification;
    whole.partition = false;
    Result<Partitioning> parts = make_partitions(*history, whole);
    if (!parts) return std::move(parts.error());
    if (parts->partitions.empty()) return {};
    Partition& part = parts->partitions.front();
    Problem& problem = part.problem;
    problem.origin = origin_;
    problem.origin_state = origin_state_;

    EngineOptions engine;
    engine.breadth_first = true;
    engine.forced_before = first_open;
    engine.witness = false;
    Budget budget(0, options_.memory_bytes, options_.interrupt);
    const Answer answer = decide_jit(problem, budget, engine);
    if (answer.verdict == Verdict::undecided) {
      give_up(answer.reason, ops.front()->call_line, budget.stopped());
      return {};
    }
    if (answer.verdict == Verdict::violation) return refuse(std::move(*history), part, answer);

    settled_ = events_.size();
    // Where states are large, a segment makes as many of them as it has operations.
    if (answer.stats.bytes > kMuch) segment_ = std::max<std::size_t>(segment_ / 2, 256);
    if (answer.forced.position != kNone) cut(answer.forced, slot_of);
    if (events_.size() > options_.most_waiting)
      give_up(
          fmt::format("{} events without a moment at which the past is settled", events_.size()),
          ops.front()->call_line, StopReason::search_limit);
    return {};
  }

  // What happened before the cut is forgotten.
  void cut(const Answer::Forced& forced, const std::vector<Handle>& slot_of) {
    std::vector<bool> done(ops_.size());
    for (const OperationId op : forced.linearized) done[slot_of[op]] = true;
    std::vector<StreamedEvent> rest;
    std::vector<bool> over(ops_.size());
    for (std::uint32_t i = 0; i < forced.position; ++i)
      if (events_[i].is_return) over[events_[i].op] = true, ++covered_;
    for (std::uint32_t i = 0; i < events_.size(); ++i) {
      const StreamedEvent event = events_[i];
      if (!over[event.op] && !done[event.op]) rest.push_back(event);
      else if (over[event.op] ? event.is_return : event.is_return || never_returns(event.op))
        free_.push_back(event.op);
      if (i >= forced.position && event.is_return && done[event.op]) ++covered_;
    }
    events_ = std::move(rest);
    settled_ = events_.size();
    origin_ = forced.space;
    origin_state_ = forced.state;
  }
  bool never_returns(Handle op) const { return ops_[op].fate == Fate::crashed; }

  Status refuse(History history, const Partition& part, const Answer& answer) {
    verdict_ = Verdict::violation;
    const Problem& problem = part.problem;
    const OperationId culprit = problem.events[answer.failing_event].operation();
    line_ = history.return_line[problem.ops[culprit].source];
    Budget budget(0, options_.memory_bytes, options_.interrupt);
    StreamReport report;
    report.check.verdict = Verdict::violation;
    const bool excerpt = problem.origin != nullptr;
    const CheckOptions options;
    Linearizable property(history, options);
    if (Status s = convict(property, history, part, answer, budget, report.check, excerpt); !s.ok())
      return s;
    if (report.check.verdict != Verdict::violation)
      give_up(report.check.reason, line_, report.check.stopped);
    report.history = std::move(history);
    evidence_ = std::move(report);
    return {};
  }

  static constexpr std::size_t kMuch = std::size_t{256} << 20;  // bytes

  const StreamOptions& options_;
  std::vector<StreamedOp> ops_;  // by handle
  std::vector<Handle> free_;
  std::vector<StreamedEvent> events_;  // that wait; their `op` is a handle
  std::size_t settled_ = 0;            // of these, so many have been looked at
  std::shared_ptr<StateSpace> origin_;
  StateId origin_state_ = 0;
};

}  // namespace

std::unique_ptr<Online> online_segments(StreamPart part, const StreamOptions& options) {
  return std::make_unique<Segments>(std::move(part), options);
}

}  // namespace plumb
