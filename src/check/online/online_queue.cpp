// SPDX-License-Identifier: MIT
// A stream of a queue or a bag: the rules of src/check/monitors/queue.cpp, event by event.
//
// Each value is inside at most once at a time, so that every deq has one enq. An
// event is looked at when the operations called before it have returned, so results are known:
//
//  * A value is certainly inside from the return of its enq to the call of its deq.
//  * At the return of a deq of v, no value may be inside whose enq had returned before the enq of v
//    was called: it would have had to come out first. Values inside are kept in the order in which
//    their enqs returned, so the first of them decides.
//  * A deq that found nothing needs a moment, between its call and its return, at which nothing
//    was certainly inside; the last such moment is kept.
//
// A crashed deq may have taken any one value. It is used when a value must be gone for the second
// rule to hold; then there is no choice which one, so this is exact. For the third rule there is,
// and the stream is undecided from there on.
//
// O(1) amortised an event; memory: the values inside and what overlaps the oldest open operation.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <unordered_map>
#include <unordered_set>

#include "base/budget.hpp"
#include "check/online/online.hpp"
#include "spec/families.hpp"

namespace plumb {
namespace {

constexpr std::uint64_t kNever = ~std::uint64_t{0};

class OnlineQueue final : public Online {
 public:
  OnlineQueue(StreamPart part, const StreamOptions& options)
      : Online(std::move(part)), options_(options),
        ordered_(part_.specification->family() != Family::bag) {
    engine_ = ordered_ ? "queue" : "bag";
    segment_ = options.segment;
    const auto initial = initial_content(*part_.specification, part_.initial);
    for (const Value v : initial.value_or(std::vector<Value>{})) {
      Stay& stay = stay_of(v);
      if (stay.added != kNever) {
        give_up(fmt::format("{} is inside twice from the start", v.to_string()), 1);
        return;
      }
      stay.added = now_++;
      stay.inside_from = now_++;
      inside_.push_back(stays_[v]);
      initial_.push_back(v);
      ++certain_;
    }
    start_ = now_;
  }

  Handle call(StreamedOp op) override {
    ++operations_;
    ops_.push_back({std::move(op)});
    events_.push_back({first_op_ + ops_.size() - 1, false});
    return static_cast<Handle>(first_op_ + ops_.size() - 1);
  }
  void returned(Handle handle, Value result, std::uint64_t line) override {
    Op& op = at(handle);
    op.op.result = result;
    op.op.return_line = line;
    op.op.fate = Fate::returned;
    events_.push_back({number_of(handle), true});
  }
  void crashed(Handle handle) override { at(handle).op.fate = Fate::crashed; }
  std::uint64_t waiting() const override { return events_.size(); }

  Status settle(bool last) override {
    while (!events_.empty() && verdict_ == Verdict::holds) {
      const Waiting event = events_.front();
      Op& op = ops_[event.op - first_op_];
      if (!event.is_return && op.op.fate == Fate::pending) {
        if (!last) break;
        op.op.fate = Fate::crashed;  // it will not return any more
      }
      events_.pop_front();
      if (certain_ == 0) last_empty_ = now_;
      if (event.is_return) op.ret = now_;
      else op.call = now_;
      if (Status s = step(op, event.is_return); !s.ok()) return s;
      ++now_;
      forget();
    }
    if (verdict_ != Verdict::holds) {
      events_.clear();
    } else if (events_.size() > options_.most_waiting) {
      const StreamedOp& open = ops_[events_.front().op - first_op_].op;
      give_up(fmt::format("an operation has not returned for {} events", events_.size()),
              open.call_line);
    }
    return {};
  }

 private:
  struct Op {
    StreamedOp op;
    std::uint64_t call = kNever, ret = kNever;  // moments
  };
  struct Waiting {
    std::uint64_t op;  // number in the stream
    bool is_return;
  };
  // One value, from the call of its enq, or of its deq if that was earlier, to the return of its
  // deq; kept a little longer for counterexamples.
  struct Stay {
    Value value;
    std::uint64_t added = kNever;        // its enq was called
    std::uint64_t inside_from = kNever;  // its enq returned
    std::uint64_t taken = kNever;        // its deq was called
    bool removed = false;                // its deq returned
    Op enq, deq;                         // once they have returned
  };
  using StayPointer = std::shared_ptr<Stay>;

  Stay& stay_of(Value v) {
    StayPointer& stay = stays_[v];
    if (!stay) {
      stay = std::make_shared<Stay>();
      stay->value = v;
    }
    return *stay;
  }

  // Handles are the low bits of an operation's number; open ones are never 2^32 apart.
  std::uint64_t number_of(Handle handle) const {
    return first_op_ + static_cast<Handle>(handle - static_cast<Handle>(first_op_));
  }
  Op& at(Handle handle) { return ops_[number_of(handle) - first_op_]; }

  // Operations that are over, and stays that ended before everything that is open.
  void forget() {
    while (!ops_.empty() && is_over(ops_.front())) ops_.pop_front(), ++first_op_;
    const std::uint64_t oldest = ops_.empty() ? now_ : std::min(now_, ops_.front().call);
    while (!closed_.empty() && closed_.front()->taken < oldest) closed_.pop_front();
    while (removed_.size() > kRemembered) removed_.pop_front();
  }
  static bool is_over(const Op& op) {
    return op.ret != kNever || (op.call != kNever && op.op.fate == Fate::crashed);
  }

  Status step(Op& op, bool is_return) {
    const Method& method = part_.specification->methods()[op.op.method];
    if (method.role == Role::adds) {
      is_return ? enq_returns(op) : enq_called(op);
      covered_ += is_return;
      return {};
    }
    if (method.role != Role::takes) {
      give_up(fmt::format("{} is not decided in a stream; check it as a file", method.name),
              op.op.call_line);
      return {};
    }
    if (op.op.fate == Fate::crashed) {
      ++crashed_;
      some_crashed_ = true;
      return {};
    }
    if (op.op.result.is_nil() && method.nil_is_unrecorded) {
      give_up("a removal does not say what it removed", op.op.return_line);
      return {};
    }
    if (!is_return) {
      if (!op.op.result.is_nil()) deq_called(op);
      return {};
    }
    ++covered_;
    return op.op.result.is_nil() ? empty_returns(op) : deq_returns(op);
  }

  void enq_called(const Op& op) {
    const Value v = op.op.args.front();
    Stay& stay = stay_of(v);
    if (stay.added != kNever)
      give_up(fmt::format("{} is added again while it is inside", v.to_string()), op.op.call_line);
    else if (contested_.contains(v))
      give_up(fmt::format("{} is added again while a removal of it is open", v.to_string()),
              op.op.call_line);
    stay.added = now_;
  }
  void enq_returns(Op& op) {
    const auto at = stays_.find(op.op.args.front());
    const StayPointer stay = at->second;
    stay->inside_from = now_;
    stay->enq = std::move(op);
    if (stay->removed) {
      removed_.push_back(stay);
      stays_.erase(at);
    } else if (stay->taken == kNever) {
      inside_.push_back(stay);
      ++certain_;
    }
  }
  void deq_called(const Op& op) {
    Stay& stay = stay_of(op.op.result);
    if (stay.taken != kNever) {
      // Two removals at once. The second to return is too many, unless the value is added again
      // meanwhile; and then it is unknown which of them took which.
      contested_.insert(op.op.result);
      return;
    }
    stay.taken = now_;
    if (stay.inside_from == kNever) return;
    --certain_;
    closed_.push_back(stays_[op.op.result]);
  }
  Status deq_returns(Op& op) {
    const Value v = op.op.result;
    const auto at = stays_.find(v);
    const StayPointer stay = at == stays_.end() ? nullptr : at->second;
    if (!stay || stay->added == kNever || stay->removed)
      return convict(last_stay_of(v), op, fmt::format("{} was not inside", v.to_string()), true);
    while (ordered_ && first_inside() && inside_.front()->inside_from < stay->added) {
      const Value first = inside_.front()->value;
      if (crashed_ == 0) {
        std::vector<Op> others;
        add_enq(*inside_.front(), others);
        add_enq(*stay, others);
        return convict(std::move(others), op,
                       fmt::format("{} was added before {}, and is still inside", first.to_string(),
                                   v.to_string()));
      }
      --crashed_;  // it took that value
      --certain_;
      inside_.front()->taken = now_;
      stays_.erase(first);
    }
    stay->deq = std::move(op);
    stay->removed = true;
    if (stay->inside_from == kNever) return {};  // its enq has yet to return
    removed_.push_back(stay);
    stays_.erase(at);
    return {};
  }
  // Whether inside_.front() is really there; drops those that were taken since.
  bool first_inside() {
    while (!inside_.empty() && inside_.front()->taken != kNever) inside_.pop_front();
    return !inside_.empty();
  }
  Status empty_returns(Op& op) {
    if (certain_ == 0 || (last_empty_ != kNever && last_empty_ > op.call)) return {};
    if (some_crashed_) {
      give_up("a crashed removal may be why it was empty", op.op.return_line);
      return {};
    }
    // What covers it: everything that was certainly inside at some moment of it.
    std::vector<Op> others;
    for (const StayPointer& stay : closed_)
      if (stay->taken > op.call) add_stay(*stay, others);
    for (const StayPointer& stay : inside_)
      if (stay->taken == kNever) add_stay(*stay, others);
    return convict(std::move(others), op, "there was always something inside");
  }

  // ---- Counterexamples: where the operations of a stay are.
  void add_stay(const Stay& stay, std::vector<Op>& out) {
    add_enq(stay, out);
    if (stay.removed) out.push_back(stay.deq);
    else
      for (const Op& op : ops_)
        if (op.call == stay.taken && stay.taken != kNever) out.push_back(op);
  }
  void add_enq(const Stay& stay, std::vector<Op>& out) {
    if (stay.added < start_) initial_shown_.push_back(stay.value);
    else if (stay.enq.call != kNever) out.push_back(stay.enq);
    else
      for (const Op& op : ops_)
        if (op.call == stay.added && stay.added != kNever) out.push_back(op);
  }
  std::vector<Op> last_stay_of(Value v) {
    std::vector<Op> found;
    const auto at = stays_.find(v);
    if (at != stays_.end() && at->second->added != kNever) {
      add_stay(*at->second, found);
      return found;
    }
    for (auto stay = removed_.rbegin(); stay != removed_.rend(); ++stay)
      if ((*stay)->value == v) {
        add_stay(**stay, found);
        break;
      }
    return found;
  }

  // The operations that prove it are a history of their own, which a check decides and explains.
  // `explain_by_reason`: the operations shown cannot explain it, for they are not all that there
  // were of the value.
  Status convict(std::vector<Op> others, const Op& culprit, std::string reason,
                 bool explain_by_reason = false) {
    verdict_ = Verdict::violation;
    reason_ = std::move(reason);
    line_ = culprit.op.return_line;
    others.push_back(culprit);
    struct End {
      std::uint64_t moment;
      StreamedEvent event;
    };
    std::vector<End> ends;
    std::vector<const StreamedOp*> ops;
    std::sort(others.begin(), others.end(),
              [](const Op& a, const Op& b) { return a.call < b.call; });
    for (const Op& op : others) {
      const auto number = static_cast<std::uint32_t>(ops.size());
      ops.push_back(&op.op);
      ends.push_back({op.call, {number, false}});
      if (op.ret != kNever) ends.push_back({op.ret, {number, true}});
    }
    std::sort(ends.begin(), ends.end(),
              [](const End& a, const End& b) { return a.moment < b.moment; });
    std::vector<StreamedEvent> events;
    for (const End& end : ends) events.push_back(end.event);
    // Of what was inside from the start, what this is about.
    StreamPart shown = part_;
    auto objects = std::make_shared<std::vector<Object>>(*part_.objects);
    auto& initial = (*objects)[part_.object].initial;
    std::erase_if(initial_, [&](Value v) { return std::ranges::count(initial_shown_, v) == 0; });
    if (initial) initial = Value::list(initial_);
    shown.objects = objects;
    Result<History> history = make_history(shown, ops, events);
    if (!history) return std::move(history.error());
    CheckOptions options;
    options.specification = part_.specification;
    options.excerpt = true;
    options.steps = kEvidenceSteps;
    options.memory_bytes = options_.memory_bytes;
    options.interrupt = options_.interrupt;
    Result<CheckReport> report = check(*history, options);
    if (!report) return std::move(report.error());
    if (report->verdict == Verdict::holds)
      return Error{ErrorKind::internal, "the stream's monitor and the check disagree",
                   "this is a bug in plumb: please report it with the history"};
    if (report->verdict == Verdict::undecided) give_up(report->reason, line_, report->stopped);
    StreamReport evidence;
    evidence.check = std::move(*report);
    if (auto& example = evidence.check.counterexample) {
      if (explain_by_reason)
        example->why = {fmt::format("{}() returned {}, but {}.",
                                    part_.specification->methods()[culprit.op.method].name,
                                    culprit.op.result.to_string(), reason_)};
      if (initial) example->left_state = initial->to_string() + " and perhaps others";
    }
    evidence.history = std::move(*history);
    evidence_ = std::move(evidence);
    return {};
  }

  const StreamOptions& options_;
  const bool ordered_;
  std::deque<Op> ops_;  // from first_op_ on
  std::uint64_t first_op_ = 0;
  std::deque<Waiting> events_;
  std::uint64_t now_ = 0, start_ = 0;
  std::vector<Value> initial_, initial_shown_;
  std::unordered_map<Value, StayPointer> stays_;
  std::deque<StayPointer> inside_;   // by the return of their enq; some were taken since
  std::deque<StayPointer> closed_;   // by the call of their deq: those that overlap what is open
  std::deque<StayPointer> removed_;  // the last ones
  static constexpr std::size_t kRemembered = 4096;
  static constexpr std::uint64_t kEvidenceSteps = 10 * kStepsPerSecond;
  std::unordered_set<Value> contested_;
  std::uint64_t certain_ = 0;          // values that are certainly inside now
  std::uint64_t last_empty_ = kNever;  // the last moment at which there were none
  std::uint64_t crashed_ = 0;          // removals that may still have taken something
  bool some_crashed_ = false;
};

}  // namespace

bool is_online_queue(const Specification& specification) {
  return specification.family() == Family::queue || specification.family() == Family::bag;
}

std::unique_ptr<Online> online_queue(StreamPart part, const StreamOptions& options) {
  return std::make_unique<OnlineQueue>(std::move(part), options);
}

}  // namespace plumb
