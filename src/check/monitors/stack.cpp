// SPDX-License-Identifier: MIT
// LIFO stack: the youngest element leaves first.
//
// With elements that can be told apart (see collection.hpp, also for l, a, b and r) we need for
// each element a gap to come, l < in <= a, and a gap to leave, b < out <= r, such that the stays of
// any two are apart or one inside the other. An element without a core can come and leave in one
// gap, at any moment, without affecting any other operation. The cores of the others form groups:
// those whose union has no hole, from A, the first a, to B, the last b. The stays of a group have
// no hole either, so if they are nested, then one of them contains all others. It is an element
// with l < A and r > B, a root. Any root will do: if there is a solution in which another one is
// outermost, let this one come before and leave after all others of the group; stays that were
// nested still are. So take a root, remove it from the group, and go on with the groups that the
// others form. If a group has no root, it is a violation; and those elements of it that make a
// chain of cores from A to B are one by themselves, for they are a group from A to B without a
// root. A pop that found nothing needs a gap without cores.
//
// Groups are taken from left to right, a root before what is inside it. Then A never decreases, so
// the candidates, elements with l < A, only become more. They are kept in a tree by a, with r, that
// finds the first with r > B; it is a root if its a < B. The end of the group that begins at A is
// where the number of a's and the number of b's from A on are equal for the first time: a second
// tree, with sums and least sums of prefixes, finds it, and forgets an element in logarithmic time.
//
// Pops that did not return: by trial, see collection.hpp. Greedy orders are wrong
// (tests/paper/refuted_rules_test.cpp).
//
// O(n log n).
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "check/monitors/gaps.hpp"
#include "check/monitors/monitors.hpp"

namespace plumb {
namespace {

// +1, -1 or nothing at each moment. Which is the first moment from one on with the sum 0?
class Balance {
 public:
  explicit Balance(std::size_t moments)
      : leaves_(std::bit_ceil(moments / kBlock + 1)), signs_(leaves_ * kBlock),
        nodes_(2 * leaves_) {}

  void put(std::uint32_t moment, int sign) { signs_[moment] = static_cast<signed char>(sign); }
  void build() {
    for (std::size_t block = 0; block < leaves_; ++block) sum_up_block(block);
    for (std::size_t i = leaves_; i-- > 1;) sum_up(i);
  }
  int operator[](std::uint32_t moment) const { return signs_[moment]; }

  void remove(std::uint32_t moment) {
    signs_[moment] = 0;
    sum_up_block(moment / kBlock);
    for (std::size_t i = (leaves_ + moment / kBlock) / 2; i > 0; i /= 2) sum_up(i);
  }

  /// kNone: none.
  std::uint32_t first_zero(std::uint32_t from) const {
    int sum = 0;
    std::size_t i = from;
    do {
      sum += signs_[i];
      if (sum == 0) return static_cast<std::uint32_t>(i);
    } while (++i % kBlock != 0);
    std::size_t node = leaves_ + from / kBlock;
    for (;; node /= 2) {  // up, until the right neighbour has it
      if (node == 1) return kNone;
      if (node % 2 == 1) continue;
      if (sum + nodes_[node + 1].least <= 0) break;
      sum += nodes_[node + 1].sum;
    }
    for (++node; node < leaves_;) {  // down
      node *= 2;
      if (sum + nodes_[node].least > 0) sum += nodes_[node++].sum;
    }
    for (i = (node - leaves_) * kBlock;; ++i)
      if ((sum += signs_[i]) == 0) return static_cast<std::uint32_t>(i);
  }

 private:
  static constexpr std::size_t kBlock = 16;
  struct Node {
    int sum = 0, least = 0;  // least: of the sums of its prefixes that are not empty
  };
  void sum_up_block(std::size_t block) {
    int sum = 0, least = 1 << 30;
    for (std::size_t i = block * kBlock; i < (block + 1) * kBlock; ++i) {
      sum += signs_[i];
      least = std::min(least, sum);
    }
    nodes_[leaves_ + block] = {sum, least};
  }
  void sum_up(std::size_t i) {
    const Node &left = nodes_[2 * i], &right = nodes_[2 * i + 1];
    nodes_[i] = {left.sum + right.sum, std::min(left.least, left.sum + right.least)};
  }

  std::size_t leaves_;
  std::vector<signed char> signs_;
  std::vector<Node> nodes_;
};

// Numbers by index, at first 0. Which is the first one above a limit?
class Heights {
 public:
  explicit Heights(std::size_t size) : leaves_(std::bit_ceil(size + 1)), nodes_(2 * leaves_) {}

  void set(std::uint32_t index, std::uint32_t height) {
    std::size_t i = leaves_ + index;
    nodes_[i] = height;
    for (i /= 2; i > 0; i /= 2) {
      const std::uint32_t higher = std::max(nodes_[2 * i], nodes_[2 * i + 1]);
      if (nodes_[i] == higher) return;
      nodes_[i] = higher;
    }
  }
  /// kNone: none.
  std::uint32_t first_above(std::uint32_t limit) const {
    if (nodes_[1] <= limit) return kNone;
    std::size_t i = 1;
    while (i < leaves_) {
      i *= 2;
      if (nodes_[i] <= limit) ++i;
    }
    return static_cast<std::uint32_t>(i - leaves_);
  }

 private:
  std::size_t leaves_;
  std::vector<std::uint32_t> nodes_;
};

class StackRule : public CollectionRule {
 public:
  const char* engine() const override { return "stack"; }
  Family family() const override { return Family::stack; }
  std::optional<Conflict> find_conflict(const Collection& collection) const override {
    if (auto conflict = find_covered_empty(collection)) return conflict;
    return take_apart(collection, [](std::uint32_t, std::uint32_t, std::uint32_t) {});
  }
  std::vector<OperationId> make_order(const Collection& collection) const override;

 private:
  /// Calls visit(root, A, B) for each group.
  template <class Visit>
  std::optional<Conflict> take_apart(const Collection& collection, const Visit& visit) const;
  Conflict explain(const Collection& collection, const Balance& rest, std::uint32_t first,
                   std::uint32_t last) const;
};

template <class Visit>
std::optional<Conflict> StackRule::take_apart(const Collection& collection,
                                              const Visit& visit) const {
  const auto& elements = collection.elements;
  const auto n = static_cast<std::uint32_t>(elements.size());
  const std::uint32_t never = collection.end + 1;  // b of those that stay
  Balance rest(collection.end);
  Heights candidates(n);
  std::vector<std::uint32_t> by_a, rank(n);
  for (const std::uint32_t i : by_moment(collection, &Element::a)) {
    if (i == kNone || !elements[i].has_core()) continue;
    rank[i] = static_cast<std::uint32_t>(by_a.size());
    by_a.push_back(i);
    rest.put(elements[i].a, 1);
    if (!elements[i].stays()) rest.put(elements[i].b, -1);
  }
  rest.build();

  for (std::uint32_t first = 0, called = 0;;) {
    while (first < collection.end && rest[first] == 0) ++first;
    if (first == collection.end) return {};
    const std::uint32_t last = std::min(rest.first_zero(first), never);
    for (; called < n && elements[called].l < first; ++called)
      if (elements[called].has_core()) candidates.set(rank[called], elements[called].r);
    const std::uint32_t found = candidates.first_above(last);
    if (found == kNone || elements[by_a[found]].a > last)
      return explain(collection, rest, first, last);
    const Element& root = elements[by_a[found]];
    visit(by_a[found], first, last);
    candidates.set(found, 0);
    rest.remove(root.a);
    if (!root.stays()) rest.remove(root.b);
  }
}

// The elements from moment `first` to `last` are a group without a root.
Conflict StackRule::explain(const Collection& collection, const Balance& rest, std::uint32_t first,
                            std::uint32_t last) const {
  const auto& elements = collection.elements;
  std::vector<bool> members(elements.size());
  for (std::uint32_t i = 0; i < elements.size(); ++i)
    members[i] = elements[i].a >= first && elements[i].a < last && elements[i].has_core() &&
                 rest[elements[i].a] != 0;
  Conflict conflict;
  conflict.elements =
      cover_with_cores(collection, first + 1, std::min(last, collection.end), &members);
  for (const std::uint32_t i : conflict.elements) {
    conflict.needs(elements[i].add);
    if (elements[i].l < first) conflict.needs(elements[i].take);  // else it is no root anyway
  }
  if (conflict.elements.size() == 2) {
    const Element &below = elements[conflict.elements[0]], &above = elements[conflict.elements[1]];
    conflict.reason = fmt::format(
        "{0} was pushed after {1}, but {1} was popped {2}", collection.value_of(above).to_string(),
        collection.value_of(below).to_string(), above.stays() ? "while it was there" : "before it");
  } else {
    conflict.reason =
        fmt::format("the stays of {} overlap, and none of them can contain the others",
                    collection.list(conflict.elements));
  }
  return conflict;
}

std::vector<OperationId> StackRule::make_order(const Collection& collection) const {
  const auto& elements = collection.elements;
  const auto n = static_cast<std::uint32_t>(elements.size());
  // What needs a single gap: elements without a core, then (from n on) pops that found nothing.
  const std::size_t points = n + collection.empties.size();
  std::vector<std::uint32_t> first_in(collection.end + 1, kNone), next(points);
  const auto place = [&](std::size_t point, std::uint32_t gap) {
    next[point] = first_in[gap];
    first_in[gap] = static_cast<std::uint32_t>(point);
  };
  for (std::uint32_t i = 0; i < n; ++i)
    if (!elements[i].has_core()) place(i, elements[i].b + 1);
  if (!collection.empties.empty()) {
    Gaps covered = cores_of(collection);
    for (std::size_t i = 0; i < collection.empties.size(); ++i)
      place(n + i, covered.first_open(collection.empties[i].call + 1));
  }

  std::vector<OperationId> order;
  order.reserve(2 * points);
  const auto come = [&](const Element& e) {
    if (e.is_operation()) order.push_back(e.add);
  };
  std::uint32_t gap = 0;  // points before it are placed
  const auto place_up_to = [&](std::uint32_t last) {
    for (; gap <= last; ++gap)
      for (std::uint32_t p = first_in[gap]; p != kNone; p = next[p]) {
        if (p >= n) {
          order.push_back(collection.empties[p - n].op);
        } else {
          come(elements[p]);
          order.push_back(elements[p].take);
        }
      }
  };
  std::vector<std::pair<std::uint32_t, std::uint32_t>> inside;  // roots, the outermost first; last
  const auto leave_before = [&](std::uint32_t moment) {
    for (; !inside.empty() && inside.back().second < moment; inside.pop_back()) {
      place_up_to(inside.back().second);
      order.push_back(elements[inside.back().first].take);
    }
  };
  take_apart(collection, [&](std::uint32_t root, std::uint32_t first, std::uint32_t last) {
    leave_before(first);
    place_up_to(first);
    come(elements[root]);
    inside.emplace_back(root, last);
  });
  leave_before(collection.end);
  place_up_to(collection.end);
  return order;
}

}  // namespace

Answer decide_stack(const Problem& problem, Budget& budget, const EngineOptions&) {
  return decide_collection(problem, budget, std::make_shared<StackRule>());
}

}  // namespace plumb
