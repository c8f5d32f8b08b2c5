// SPDX-License-Identifier: MIT
// In a queue that is out of order by k, a wrong guess at the order of two overlapping enqs shows
// only when their elements leave, which may be hundreds of operations later; to go back one step at
// a time from there is hopeless. But all that the restrictions ask of a run are two orders, that of
// the enqs and that of the deqs: an element is overtaken by each that comes after it in the one and
// before it in the other, however enqs and deqs interleave. And two exchanges never hurt:
//
// * enq(a), enq(b) overlap and follow each other, and b leaves before a: put b first. Then b has
//   one less before it, a is overtaken once less, and nothing else changes.
// * deq() = b, deq() = a overlap and follow each other, and a was added before b: let a leave
//   first.
//
// So each order should follow the other as far as happens-before allows. We begin with the middle
// of each deq and go back and forth. What then is still too far out, one element in a thousand or
// so, is moved by hand: it, or a neighbour, by a few places in one of the orders, if that makes it
// better in sum; if not, two or three moves together.
//
// Given both orders, all that is left to a search is how they interleave. An empty answer can make
// that impossible: then what is around it is left to the search, too.
#include "check/property/quasi/value_order.hpp"

#include <algorithm>
#include <array>
#include <queue>
#include <utility>

#include "check/property/quasi/stays.hpp"

namespace plumb::quasi {
namespace {

/// Places of the elements in two orders: 0 is how they come, 1 how they leave (those that stay
/// last).
class TwoOrders {
 public:
  TwoOrders(const Problem& problem, std::vector<Stay> stays, Relaxation relaxation,
            const Factors& factors)
      : problem_(problem), stays_(std::move(stays)), elements_(stays_.size()) {
    const std::uint32_t most = *std::max_element(factors.factor.begin(), factors.factor.end());
    for (std::size_t e = 0; e < stays_.size(); ++e) {
      const bool leaves = stays_[e].deq != kNone;
      elements_[e].most_ahead =
          leaves && relaxation != Relaxation::lateness
              ? factors.of(problem.labels[problem.ops[stays_[e].deq].label].method)
              : kMostFactor;
      elements_[e].most_overtaken = relaxation == Relaxation::distance ? kMostFactor : most;
    }
  }

  /// Returns: whether nothing is too far out.
  bool arrange() {
    std::vector<std::uint64_t> rank(stays_.size());
    for (std::size_t e = 0; e < stays_.size(); ++e)
      rank[e] = stays_[e].deq == kNone ? ~std::uint64_t{0} : begin(1, e) + end(1, e);
    for (int round = 0; round < kRounds; ++round)
      for (const int which : {0, 1}) {
        sort(which, rank);
        for (std::uint32_t i = 0; i < orders_[which].size(); ++i) rank[orders_[which][i]] = i;
      }
    if (!count()) return false;
    bool good = true;
    for (Element e = 0; e < elements_.size(); ++e)
      while (good && excess(e) > 0) good = improve(e);
    return good;
  }

  /// The operations, in that order.
  std::vector<OperationId> operations(int which) const {
    std::vector<OperationId> all;
    for (const Element e : orders_[which])
      if (const OperationId op = which == 0 ? stays_[e].enq : stays_[e].deq; op != kNone)
        all.push_back(op);
    return all;
  }

 private:
  using Element = std::uint32_t;
  static constexpr int kRounds = 3, kMostMoves = 3;
  static constexpr std::uint64_t kMostTries = 100'000;  // to make one element better
  static constexpr std::uint32_t kNeighbours = 8;       // on each side
  static constexpr std::size_t kMostInversions = 64;    // an element, on average

  struct Counts {
    std::array<std::uint32_t, 2> place = {};
    std::uint32_t ahead = 0, overtaken = 0;
    std::uint32_t most_ahead = 0, most_overtaken = 0;
  };

  // Real time. What stays leaves after everything.
  std::uint64_t begin(int which, Element e) const {
    const OperationId op = which == 0 ? stays_[e].enq : stays_[e].deq;
    return op == kNone ? std::uint64_t{kNone} + e : problem_.ops[op].call;
  }
  std::uint64_t end(int which, Element e) const {
    const OperationId op = which == 0 ? stays_[e].enq : stays_[e].deq;
    return op == kNone ? std::uint64_t{kNone} + e : problem_.ops[op].ret;
  }

  // Of those that may come next by happens-before, always the one of least rank.
  void sort(int which, const std::vector<std::uint64_t>& rank) {
    using Entry = std::pair<std::uint64_t, Element>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
    std::vector<Entry> begins, ends;
    for (Element e = 0; e < stays_.size(); ++e) {
      begins.emplace_back(begin(which, e), e);
      ends.emplace_back(end(which, e), e);
    }
    std::sort(begins.begin(), begins.end());
    std::sort(ends.begin(), ends.end());
    std::vector<bool> placed(stays_.size(), false);
    orders_[which].clear();
    std::size_t begun = 0, ended = 0;
    while (orders_[which].size() < stays_.size()) {
      while (placed[ends[ended].second]) ++ended;
      for (; begun < begins.size() && begins[begun].first <= ends[ended].first; ++begun)
        ready.emplace(rank[begins[begun].second], begins[begun].second);
      const Element e = ready.top().second;
      ready.pop();
      placed[e] = true;
      elements_[e].place[which] = static_cast<std::uint32_t>(orders_[which].size());
      orders_[which].push_back(e);
    }
  }

  // False: too much is out of order to be worth it.
  bool count() {
    std::vector<bool> gone(stays_.size(), false);
    std::size_t head = 0, inversions = 0;
    for (const Element e : orders_[1]) {
      for (std::size_t i = head; i < elements_[e].place[0]; ++i)
        if (!gone[i]) overtake(orders_[0][i], e, 1), ++inversions;
      if (inversions > kMostInversions * stays_.size()) return false;
      gone[elements_[e].place[0]] = true;
      while (head < gone.size() && gone[head]) ++head;
    }
    return true;
  }
  void overtake(Element slow, Element fast, int by) {
    if (stays_[fast].deq == kNone) return;  // it never leaves
    elements_[fast].ahead += static_cast<std::uint32_t>(by);
    elements_[slow].overtaken += static_cast<std::uint32_t>(by);
  }

  std::int64_t excess(Element e) const {
    const Counts& c = elements_[e];
    return std::max<std::int64_t>(0, std::int64_t{c.ahead} - c.most_ahead) +
           std::max<std::int64_t>(0, std::int64_t{c.overtaken} - c.most_overtaken);
  }

  // Exchanges places i and i + 1 of an order. Returns: how much worse it is; nothing: it may not
  // be.
  std::optional<std::int64_t> exchange(int which, std::size_t i) {
    const Element a = orders_[which][i], b = orders_[which][i + 1];
    if (end(which, a) < begin(which, b)) return std::nullopt;
    const std::int64_t before = excess(a) + excess(b);
    const bool same = elements_[a].place[1 - which] < elements_[b].place[1 - which];
    // In the same order before: now the one that comes later leaves earlier.
    const Element slow = (which == 0) == same ? b : a, fast = slow == a ? b : a;
    overtake(slow, fast, same ? 1 : -1);
    std::swap(orders_[which][i], orders_[which][i + 1]);
    std::swap(elements_[a].place[which], elements_[b].place[which]);
    return excess(a) + excess(b) - before;
  }

  // One move makes nearly every element better; of a hundred thousand, a few need two.
  bool improve(Element e) {
    tries_ = 0;
    for (int moves = 1; moves <= kMostMoves; ++moves)
      if (improve(e, moves, 0)) return true;
    return false;
  }
  // Moves the element, or one near it, by some places in one of the orders, and so on, until it is
  // better in sum. Returns: whether it is; if not, nothing has changed.
  bool improve(Element e, int moves, std::int64_t worse) {
    std::vector<Element> near;
    for (const int order : {0, 1}) {
      const std::uint32_t place = elements_[e].place[order];
      const auto last = static_cast<std::uint32_t>(orders_[order].size() - 1);
      for (std::uint32_t i = place - std::min(place, kNeighbours);
           i <= std::min(last, place + kNeighbours); ++i)
        near.push_back(orders_[order][i]);
    }
    for (const Element x : near)
      for (const int order : {0, 1})
        for (const bool later : {true, false})
          if (move(x, order, later, e, moves, worse)) return true;
    return false;
  }
  bool move(Element x, int which, bool later, Element e, int moves, std::int64_t worse) {
    std::vector<std::size_t> done;
    while (done.size() < kNeighbours && tries_ < kMostTries) {
      const std::size_t place = elements_[x].place[which];
      if (later ? place + 1 == orders_[which].size() : place == 0) break;
      const std::size_t at = later ? place : place - 1;
      const auto change = exchange(which, at);
      if (!change) break;
      ++tries_;
      done.push_back(at);
      worse += *change;
      if (worse < 0) return true;
      if (moves > 1 && worse <= 1 && improve(e, moves - 1, worse)) return true;
    }
    for (auto at = done.rbegin(); at != done.rend(); ++at) exchange(which, *at);
    return false;
  }

  const Problem& problem_;
  std::vector<Stay> stays_;
  std::vector<Counts> elements_;
  std::array<std::vector<Element>, 2> orders_;
  std::uint64_t tries_ = 0;
};

}  // namespace

std::optional<ValueOrder> ValueOrder::guess(const Problem& problem, const Specification& plain,
                                            Relaxation relaxation, const Factors& factors) {
  auto stays = stays_of(problem, plain);
  if (!stays || stays->empty()) return std::nullopt;
  TwoOrders orders(problem, *std::move(stays), relaxation, factors);
  if (!orders.arrange()) return std::nullopt;
  ValueOrder guess;
  for (const int which : {0, 1}) guess.orders_[which] = orders.operations(which);
  guess.loose_.resize(problem.ops.size());
  return guess;
}

Problem ValueOrder::follow(const Problem& problem) const {
  Problem ordered = problem;
  for (const auto& order : orders_) {
    OperationId last = kNone;
    for (const OperationId op : order) {
      if (loose_[op]) continue;
      ordered.ops[op].after = last;
      last = op;
    }
  }
  return ordered;
}

bool ValueOrder::loosen(const Problem& problem, std::uint32_t event) {
  constexpr std::uint32_t kMostTries = 40, kWidth = 40;  // events
  if (++tries_ > kMostTries) return false;
  width_ = event > failed_ ? kWidth : 2 * width_;
  failed_ = std::max(failed_, event);
  const std::uint32_t from = event - std::min(event, width_);
  const auto to = std::min<std::size_t>(problem.events.size(), event + std::size_t{width_} / 2);
  for (std::size_t at = from; at < to; ++at) loose_[problem.events[at].operation()] = true;
  return true;
}

}  // namespace plumb::quasi
