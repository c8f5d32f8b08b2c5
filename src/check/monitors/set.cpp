// SPDX-License-Identifier: MIT
// One key of a set: insert, remove and contains, each of which says what it found. Values may come
// and go as often as they like.
//
// The key is there or not: one bit. An operation is a flip (an insert or a remove that succeeded)
// or a look (anything else: it needs the bit to have a value, and leaves it). We go through the
// events and flip as late as possible:
//
//  * A look that is called while the bit is right takes effect at once; else it waits for a flip,
//    and every flip serves all who wait for the new value.
//  * At the return of a look that still waits: flip once. At the return of a flip that has not
//    taken effect: flip until it has, which is once or twice.
//  * A flip is made by the pending operation of that direction that returns first.
//
// If nobody is there to make a flip, the return at hand is the earliest that no order explains.
//
// Why it is right. If the history has an order at all, it has one that begins with our flips, all
// others being later than the event at hand; by induction over the events. Let f1, f2, ... be the
// flips that such an order makes just before the next return e, of an operation x.
//  * x has taken effect: they can be made just after e instead, for whoever makes them or is served
//    by them is still pending then.
//  * x is a look that waits: f1 serves it; f2 and so on can be made after e.
//  * x is a flip: it is one of them, and can change places with f1 or f2, whichever has its
//    direction; the rest can be made after e.
// And whoever makes f1 can change places with the operation of its direction that returns first:
// both are pending now, and the place of the first suits the other. What never returned comes last.
// This looks at the future only to see who returns first, so it is exact for every prefix as well.
//
// O(n log p) for n operations, p of them pending; one byte an operation. The order is made by a
// second pass on demand.
#include <algorithm>
#include <functional>

#include "check/monitors/lazy.hpp"

namespace plumb {
namespace {

enum class SetAccess : std::uint8_t { sees_absent, sees_present, inserts, removes, any };

// What the labels mean for the one key.
struct Key {
  std::vector<SetAccess> kinds;  // by label
  std::optional<Value> key;
  bool present = false;  // at the start
  std::string reason;    // why the problem is not one key of a set; empty: it is
};

Key as_key(const Problem& problem) {
  Key result;
  const auto no = [&](std::string why) {
    result.reason = std::move(why);
    return result;
  };
  const Specification& set = *problem.specification;
  if (set.family() != Family::set) return no("not a set");
  if (problem.stuck) return no("the history is stuck");
  if (problem.chained()) return no("operations of one process overlap");
  std::vector<bool> returns(problem.labels.size());
  for (const Problem::Op& op : problem.ops)
    if (op.completed()) returns[op.label] = true;

  for (LabelId l = 0; l < problem.labels.size(); ++l) {
    const BoundLabel& label = problem.labels[l];
    const Method& method = set.methods()[label.method];
    const bool adds = method.role == Role::adds, looks = method.role == Role::contains;
    if (!adds && !looks && method.role != Role::removes)
      return no(method.name + " concerns all keys");
    if (result.key && *result.key != label.args[0]) return no("there are several keys");
    result.key = label.args[0];
    const bool yes = label.known && label.result.as_boolean();
    if (looks) {
      result.kinds.push_back(
          !label.known ? SetAccess::any : (yes ? SetAccess::sees_present : SetAccess::sees_absent));
      continue;
    }
    if (!label.known && returns[l]) return no(method.name + " has no recorded result");
    const bool flips = yes || !label.known;
    if (adds) result.kinds.push_back(flips ? SetAccess::inserts : SetAccess::sees_present);
    else result.kinds.push_back(flips ? SetAccess::removes : SetAccess::sees_absent);
  }
  if (!result.key) return result;
  // Whatever state the problem starts in, a look there tells.
  const auto space = problem.make_space();
  const Value args[] = {*result.key};
  const std::vector<Value> seen =
      space->results(space->initial(), {*set.find(Role::contains), args, {}, false});
  if (seen.size() != 1) return no("the initial elements are not known");
  result.present = seen.front().as_boolean();
  return result;
}

class Flips : public LazyPass<Flips> {
 public:
  Flips(const Problem& problem, const Key& key)
      : LazyPass(problem), kinds_(key.kinds), present_(key.present) {}

  std::uint64_t steps() const { return flips_; }
  std::uint64_t states() const { return 2; }
  bool present() const { return present_; }
  std::size_t bytes() const {
    return done_.capacity() + (flippers_[0].capacity() + flippers_[1].capacity()) * 8 +
           (waiting_[0].capacity() + waiting_[1].capacity()) * 4;
  }

 private:
  friend LazyPass<Flips>;

  void called(OperationId op) {
    const Problem::Op& o = problem_.ops[op];
    const SetAccess kind = kinds_[o.label];
    if (kind == SetAccess::inserts || kind == SetAccess::removes) {
      auto& heap = flippers_[kind == SetAccess::inserts];
      heap.push_back(std::uint64_t{o.ret} << 32 | op);  // kNone is after all returns
      std::push_heap(heap.begin(), heap.end(), std::greater<>());
    } else if (o.completed()) {
      const bool wanted = kind == SetAccess::sees_present;
      if (kind == SetAccess::any || wanted == present_) commit(op);
      else waiting_[wanted].push_back(op);
    }
  }

  bool returned(OperationId op) {
    // A flip that has not taken effect is the first to return of its direction: at most the second
    // flip is its own.
    while (!done_[op])
      if (!flip()) return false;
    return true;
  }

  bool flip() {
    auto& heap = flippers_[!present_];
    if (heap.empty()) return false;
    commit(static_cast<OperationId>(heap.front()));
    std::pop_heap(heap.begin(), heap.end(), std::greater<>());
    heap.pop_back();
    present_ = !present_;
    ++flips_;
    for (const OperationId op : waiting_[present_]) commit(op);
    waiting_[present_].clear();
    return true;
  }

  const std::vector<SetAccess>& kinds_;
  bool present_;
  std::vector<std::uint64_t> flippers_[2];  // removes, inserts: heaps of (return, operation)
  std::vector<OperationId> waiting_[2];     // for absence, for presence
  std::uint64_t flips_ = 0;
};

}  // namespace

Answer decide_set(const Problem& problem, Budget& budget, const EngineOptions&) {
  const auto explain = [](Answer& answer, const Key& key, const Flips& flips) {
    const std::string name = key.key->to_string();
    answer.reason = flips.present()
                        ? name + " was there, and no operation can have removed it in time"
                        : name + " was absent, and no operation can have inserted it in time";
  };
  return decide_lazily<Flips>("set", problem, budget, as_key, explain);
}

}  // namespace plumb
