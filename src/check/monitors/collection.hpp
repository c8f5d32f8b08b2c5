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

// ---- For rules.

/// A set of gaps that grows: which is the first one that is not in it? Nearly constant time.
class Gaps {
 public:
  explicit Gaps(std::uint32_t last) : words_(last / 64 + 2), next_(last / 64 + 2) {
    for (std::uint32_t w = 0; w < next_.size(); ++w) next_[w] = w;
  }
  void cover(std::uint32_t first, std::uint32_t last);
  /// From `first` on; beyond the last one if there is none.
  std::uint32_t first_open(std::uint32_t first) {
    const std::uint64_t bits = ~words_[first / 64] & ~std::uint64_t{0} << first % 64;
    if (bits) return first / 64 * 64 + static_cast<std::uint32_t>(__builtin_ctzll(bits));
    const std::uint32_t w = find(first / 64 + 1);
    return w * 64 + static_cast<std::uint32_t>(__builtin_ctzll(~words_[w]));
  }

 private:
  std::uint32_t find(std::uint32_t w) {  // the first word from w on that is not full
    while (next_[w] != w) w = next_[w] = next_[next_[w]];
    return w;
  }
  void put(std::uint32_t w, std::uint64_t bits) {
    words_[w] |= bits;
    if (words_[w] == ~std::uint64_t{0}) next_[w] = w + 1;
  }
  std::vector<std::uint64_t> words_;  // one bit a gap; the last word is never full
  std::vector<std::uint32_t> next_;
};

/// The gaps in which some element is certainly inside.
Gaps cores_of(const Collection& collection);

/// An operation that found nothing although cores cover all its gaps: the first to return.
std::optional<Conflict> find_covered_empty(const Collection& collection);

/// Few elements, of those that `among` allows, whose cores cover the gaps first .. last.
/// Requires: they can.
std::vector<std::uint32_t> cover_with_cores(const Collection& collection, std::uint32_t first,
                                            std::uint32_t last,
                                            const std::vector<bool>* among = nullptr);

/// For each moment before the end, the element with this moment as its `what`; kNone: none.
std::vector<std::uint32_t> by_moment(const Collection& collection, std::uint32_t Element::*what);

/// Makes an order out of gaps: the i-th of `elements` comes in gap in[i] and leaves in gap out[i]
/// (after the end: it stays), an empty removal is in the first gap from its call on that is not in
/// `covered`. In each gap first those leave that leave, in the order of `elements`, having come at
/// the last moment if it is the same gap; then come the empty removals, then the others.
std::vector<OperationId> weave(const Collection& collection,
                               const std::vector<std::uint32_t>& elements,
                               const std::vector<std::uint32_t>& in,
                               const std::vector<std::uint32_t>& out, Gaps& covered);

}  // namespace plumb
