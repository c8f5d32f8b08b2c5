// SPDX-License-Identifier: MIT
// A problem as elements that come and go: what the monitors of queue, stack, priority queue and bag
// have in common.
//
// Where every value is added once, an element is four moments: its add is called at l and returns
// at a, its removal is called at b and returns at r. Moments are positions of events. "Gap g" is
// the time just before event g; an operation takes effect in a gap after its call and not after its
// return, l < g <= a. So an element is certainly inside in the gaps a+1 .. b, its core, if a < b;
// if not, it may leave in the gap in which it came. Elements that are there from the start are
// added, one after the other, before everything else. What each monitor needs besides is a rule:
// which sets of elements contradict each other.
//
// A value may be added again if that makes no difference. Let A1, A2, ... be its adds in the order
// of their calls and R1, R2, ... its removals in the order of their returns. If each Ri returned
// before A(i+1) was called, Ri took what Ai added: it can be no later add, and by induction the
// earlier ones are gone. So these are different elements that happen to look alike, and no two of
// them are ever inside together. (Of a core that has one of them all its value's removals are part,
// for they are what says who took which.)
//
// A removal that did not return may have taken any element that stayed, or (where its operation
// was weakened, see minimise.cpp) the one that it names, or nothing. Where a rule finds elements
// that contradict each other, one of those among them that stayed must have been taken by such a
// removal, or it is a violation. So we try: each such element with each such removal, and so on.
// Exact, since every order makes one of these choices; but the number of choices is bounded, so
// it may end undecided. For queues and bags there is a best choice (see queue.cpp).
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "check/problem/engine.hpp"

namespace plumb {

struct Element {
  static constexpr OperationId kInitial = 0x80000000u;
  std::uint32_t l = 0, a = 0;         // a: not after r, for it must have come before it left
  std::uint32_t b = 0, r = 0;         // b: not before l
  OperationId add = 0, take = kNone;  // add: see is_operation; take: kNone if it stayed

  /// Else `add` is kInitial and a number: it is there from the start.
  bool is_operation() const { return add < kInitial; }
  bool stays() const { return take == kNone; }
  bool has_core() const { return a < b; }

  /// It leaves by this removal, which is called and returns at these moments.
  void leave(OperationId op, std::uint32_t call, std::uint32_t ret) {
    take = op;
    b = std::max(call, l);
    r = ret;
  }
  /// It is inside in all gaps to the end, and what leaves at the end leaves before it.
  void stay(std::uint32_t end) {
    take = kNone;
    b = end + 1;
    r = end + 2;
  }
};

struct Collection {
  const Problem* problem = nullptr;
  std::vector<Value> initial;
  std::vector<Element> elements;     // by l; not those whose add is pending and that nobody took
  std::vector<std::uint32_t> order;  // of elements, by urgency; only for priority queues
  /// Removals that found nothing, with the moments of their call and return.
  struct Empty {
    OperationId op;
    std::uint32_t call, ret;
  };
  std::vector<Empty> empties;
  /// Removals that did not return, by their calls; `element` kNone: any.
  struct Open {
    OperationId op;
    std::uint32_t call, element;
  };
  std::vector<Open> open;
  /// The completed removals of values that are added again, by value.
  std::vector<std::pair<Value, OperationId>> again;
  bool rivals = false;      // other open removals name elements that completed ones took
  std::uint32_t shift = 0;  // the moment of the history's first event
  std::uint32_t end = 0;    // the last gap: after all events

  Value value_of(const Element& e) const;
  /// "1", "1 and 2", "1, 2 and 3", "1, 2, 3 and 4 others"
  std::string list(const std::vector<std::uint32_t>& some) const;
  const char* take_name(OperationId op) const;
  std::size_t bytes() const;
};

/// Elements (with, or instead, an operation that found nothing) that contradict each other.
struct Conflict {
  std::vector<std::uint32_t> elements;
  OperationId empty = kNone;
  /// What suffices for it where no removal is open; in any order.
  std::vector<OperationId> core;
  std::string reason;

  void needs(OperationId op);  // adds it to the core, unless it is no operation
};

/// What a monitor knows of its object.
class CollectionRule {
 public:
  virtual ~CollectionRule() = default;
  virtual const char* engine() const = 0;
  virtual Family family() const = 0;
  /// Once for each collection, before the others.
  virtual void prepare(Collection&) const {}
  /// Nothing: there is an order.
  virtual std::optional<Conflict> find_conflict(const Collection&) const = 0;
  /// Requires: no conflict.
  virtual std::vector<OperationId> make_order(const Collection&) const = 0;
  /// Whether the first open removal may be given the first element to be added of those that
  /// stayed, the second the second, and so on.
  virtual bool first_come_first_served() const { return false; }
};

Answer decide_collection(const Problem& problem, Budget& budget,
                         std::shared_ptr<const CollectionRule> rule);

}  // namespace plumb
