// SPDX-License-Identifier: MIT
// Zones: one cell where every value is put at most once, by a write or by a cas that succeeded.
//
// Gibbons & Korach ("Testing shared memories", 1997). Who saw v saw the one write of v, so a value
// is there once, for one stretch of time. The *cluster* of v is its write with all its reads. Let
//
//     f = the first return of the cluster,   s = the last call of the cluster.
//
// If f < s, v is certainly there from f to s (a forward zone); else the whole cluster fits into any
// instant between s and f (a backward zone). A cluster A must come before B iff f(A) < s(B): some
// operation of A returned before one of B was called. The initial value is written before time
// began (f = s = 0; other times are positions of events, plus one).
//
// With cas(u -> v) the stretches of u and v touch, so clusters form a *chain*, and a chain is what
// the above says of a cluster: a block that nothing can come between. So a history is linearizable
// iff
//
//  1. what was seen was there: from the start, written, or made by a cas of something that was
//     (no cas is its own ancestor), and no two cas start from one value;
//  2. inside a chain w1 reads1 w2 reads2 ..., nothing returned before something that stands before
//     it was called;
//  3. no two chains have to come before one another: not both f(A) < s(B) and f(B) < s(A).
//
// Necessary: shown above. Sufficient: order chains by the lower end of their zones, min(f, s). If B
// is later than A by that order, yet f(B) < s(A), then min(f,s)(A) < f(B) < s(A), so f(A) is that
// lower end, and f(A) < min(f,s)(B) <= s(B): rule 3 fails. So the order respects happens-before
// between chains, and inside a chain it is rule 2; reads of one value go in the order of calls.
// It follows that one pass in this order, with the largest s so far, finds a pair that breaks
// rule 3 if there is one.
//
// Operations that did not return: reads are left out. A write or a cas stays iff an operation
// that returned saw what it put, or what a chain of cas made of it; else leaving it out changes
// nothing for any other. A cas that failed is not for zones ("it lies outside the zones of its
// value" is necessary, not sufficient: tests/paper/refuted_rules_test.cpp).
//
// O(n): lower ends are positions of events, so they are put in order by an array.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "check/monitors/cell.hpp"
#include "check/monitors/monitors.hpp"

namespace plumb {
namespace {

using Kind = CellMove::Kind;
using Time = std::uint32_t;  // position of an event, plus 1; 0: before all; kNone: never

struct Cluster {
  OperationId writer = kNone;
  OperationId because = kNone;  // a completed operation without which the value need not be there
  CellValue next = kNone;       // what a cas made of it
  Time first_return = kNone;    // of its reads; at the end, in the first cluster of a chain:
  Time last_call = 0;           // of the whole chain
};

class Zones {
 public:
  Zones(const Problem& problem, Cell cell) : problem_(problem), cell_(std::move(cell)) {
    clusters_.resize(cell_.values.size());
    chain_at_.assign(problem.events.size() + 1, kNone);
  }

  /// Returns: why it is not for zones; empty: it is.
  std::string collect();
  /// Returns: whether rules 1 to 3 hold.
  bool decide() { return link() && measure() && compare(); }
  /// Requires: decide().
  std::vector<OperationId> order() const;

  const std::vector<OperationId>& core() const { return core_; }
  const std::string& reason() const { return reason_; }
  std::uint32_t failing_event() const {
    std::uint32_t last = 0;
    for (const OperationId op : core_) last = std::max(last, problem_.ops[op].ret);
    return last;
  }
  std::size_t bytes() const {
    return cell_.moves.capacity() * sizeof cell_.moves[0] +
           cell_.values.capacity() * sizeof cell_.values[0] +
           clusters_.capacity() * sizeof clusters_[0] + chain_at_.capacity() * sizeof chain_at_[0];
  }

 private:
  const CellMove& move(OperationId op) const { return cell_.move(problem_, op); }
  Time call(OperationId op) const { return problem_.ops[op].call + 1; }
  Time ret(OperationId op) const {
    return problem_.ops[op].completed() ? problem_.ops[op].ret + 1 : kNone;
  }
  OperationId at(Time time) const { return problem_.events[time - 1].operation(); }
  std::string words(OperationId op) const { return in_words(problem_, cell_, op); }
  std::string words_of(CellValue v) const { return cell_.values[v].to_string(); }

  bool link();
  bool measure();
  bool compare();
  bool refute(std::vector<OperationId> core, std::string reason) {
    std::sort(core.begin(), core.end());
    core.erase(std::unique(core.begin(), core.end()), core.end());
    core_ = std::move(core);
    reason_ = std::move(reason);
    return false;
  }
  bool refute_order(OperationId early, OperationId late);
  bool refute_pair(const Cluster& a, const Cluster& b);

  const Problem& problem_;
  Cell cell_;
  std::vector<Cluster> clusters_;    // by value
  std::vector<CellValue> chain_at_;  // by the lower end of the zone: the chain's first value
  std::vector<OperationId> core_;
  std::string reason_;
};

std::string Zones::collect() {
  for (OperationId op = 0; op < problem_.ops.size(); ++op) {
    const CellMove& m = move(op);
    if (m.changes()) {
      Cluster& cluster = clusters_[m.to];
      if (m.to == cell_.initial) return words_of(m.to) + " is written, and there from the start";
      if (cluster.writer != kNone) return fmt::format("{} is written twice", words_of(m.to));
      cluster.writer = op;
    } else if (problem_.ops[op].completed()) {
      if (m.kind == Kind::miss) return "a cas failed";
      if (m.kind == Kind::any) return "a read has no recorded result";
      Cluster& cluster = clusters_[m.from];
      cluster.first_return = std::min(cluster.first_return, ret(op));
      cluster.last_call = call(op);  // operations are numbered in the order of their calls
    }
  }
  return {};
}

// Rule 1; finds out which operations that did not return are needed.
bool Zones::link() {
  for (CellValue v = 0; v < clusters_.size(); ++v) {
    Time first = clusters_[v].first_return;
    if (clusters_[v].writer != kNone) first = std::min(first, ret(clusters_[v].writer));
    if (first == kNone) continue;
    const OperationId witness = at(first);
    for (CellValue u = v; clusters_[u].because == kNone;) {
      Cluster& cluster = clusters_[u];
      cluster.because = witness;
      if (u == cell_.initial) break;
      if (cluster.writer == kNone)
        return refute({witness}, fmt::format("{} happened, but no operation wrote {}",
                                             words(witness), words_of(u)));
      if (move(cluster.writer).kind == Kind::write) break;
      u = move(cluster.writer).from;
      if (clusters_[u].because == witness)
        return refute({witness}, fmt::format("{} happened, but {} comes only from itself",
                                             words(witness), words_of(u)));
    }
  }
  for (CellValue v = 0; v < clusters_.size(); ++v) {
    const Cluster& cluster = clusters_[v];
    if (cluster.because == kNone || cluster.writer == kNone) continue;
    const CellMove& m = move(cluster.writer);
    if (m.kind != Kind::cas) continue;
    CellValue& next = clusters_[m.from].next;
    if (next != kNone)
      return refute(
          {clusters_[next].because, cluster.because},
          fmt::format("{} and {} cannot both succeed: {} is there once",
                      words(clusters_[next].writer), words(cluster.writer), words_of(m.from)));
    next = v;
  }
  return true;
}

// Rule 2; the zones of chains.
bool Zones::measure() {
  for (CellValue root = 0; root < clusters_.size(); ++root) {
    Cluster& first = clusters_[root];
    if (first.because == kNone) continue;
    const bool initial = root == cell_.initial;
    if (!initial && move(first.writer).kind == Kind::cas) continue;
    Time f = initial ? 0 : kNone, s = 0;
    for (CellValue v = root; v != kNone; v = clusters_[v].next) {
      const Cluster& cluster = clusters_[v];
      if (cluster.writer != kNone) {
        if (ret(cluster.writer) < s) return refute_order(at(s), cluster.writer);
        f = std::min(f, ret(cluster.writer));
        s = std::max(s, call(cluster.writer));
      }
      if (cluster.first_return < s) return refute_order(at(s), at(cluster.first_return));
      f = std::min(f, cluster.first_return);
      s = std::max(s, cluster.last_call);
    }
    first.first_return = f;
    first.last_call = s;
    chain_at_[std::min(f, s)] = root;
  }
  return true;
}

// Rule 3.
bool Zones::compare() {
  const Cluster* last = nullptr;  // of the chains so far: the one with the last call
  for (const CellValue root : chain_at_) {
    if (root == kNone) continue;
    const Cluster& chain = clusters_[root];
    if (last && chain.first_return < last->last_call) return refute_pair(*last, chain);
    if (!last || chain.last_call > last->last_call) last = &chain;
  }
  return true;
}

// `late` returned before `early` was called, though it stands after it in their chain. If `early`
// puts a value, `late` alone is impossible: it comes from that.
bool Zones::refute_order(OperationId early, OperationId late) {
  const std::string what =
      fmt::format("{} returned before {} was called", words(late), words(early));
  if (move(early).changes()) return refute({late}, what);
  return refute({early, late},
                fmt::format("{}, and {} was gone", what, words_of(move(early).from)));
}

// Chains a and b have to come before one another. Their first returns and last calls show it, and
// often fewer of them: an operation may be left out if its chain without it does as well.
bool Zones::refute_pair(const Cluster& a, const Cluster& b) {
  struct Side {
    std::vector<OperationId> ops;  // first to return, last called
    bool initial;
  };
  Side sides[2];
  for (int i = 0; i < 2; ++i) {
    const Cluster& c = i == 0 ? a : b;
    sides[i].initial = c.first_return == 0;
    if (!sides[i].initial) sides[i].ops.push_back(at(c.first_return));
    if (sides[i].ops != std::vector{at(c.last_call)}) sides[i].ops.push_back(at(c.last_call));
  }
  const auto first_return = [&](const Side& side) {
    Time first = side.initial ? 0 : kNone;
    for (const OperationId op : side.ops) first = std::min(first, ret(op));
    return first;
  };
  const auto last_call = [&](const Side& side) {
    Time last = 0;
    for (const OperationId op : side.ops) last = std::max(last, call(op));
    return last;
  };
  const auto conflict = [&] {
    return first_return(sides[0]) < last_call(sides[1]) &&
           first_return(sides[1]) < last_call(sides[0]);
  };
  // The last to return goes first, so that the core is complete early.
  std::vector<std::pair<Time, Side*>> candidates;
  for (Side& side : sides)
    for (const OperationId op : side.ops) candidates.emplace_back(ret(op), &side);
  std::sort(candidates.begin(), candidates.end(), std::greater<>());
  for (const auto& [time, side] : candidates) {
    if (side->ops.size() < 2) continue;
    const std::vector<OperationId> both = side->ops;
    side->ops = {both[ret(both[0]) == time ? 1 : 0]};
    if (!conflict()) side->ops = both;
  }
  std::vector<OperationId> core;
  for (const Side& side : sides)
    for (const OperationId op : side.ops)  // one that did not return: whoever saw what it put
      core.push_back(problem_.ops[op].completed() ? op : clusters_[move(op).to].because);
  const OperationId a_last = sides[0].ops.back(), b_first = sides[1].ops.front();
  if (sides[0].initial)
    return refute(core,
                  fmt::format("{} was called after {} had returned, but no operation writes {} "
                              "again",
                              words(a_last), words(b_first), words_of(cell_.initial)));
  return refute(core, fmt::format("{} returned before {} was called, and {} before {}",
                                  words(sides[0].ops.front()), words(sides[1].ops.back()),
                                  words(b_first), words(a_last)));
}

std::vector<OperationId> Zones::order() const {
  // The reads of each value, in the order of their calls: [start[v], start[v + 1]).
  std::vector<std::uint32_t> start(clusters_.size() + 2);
  const auto each_read = [&](auto&& visit) {
    for (OperationId op = 0; op < problem_.ops.size(); ++op)
      if (problem_.ops[op].completed() && !move(op).changes()) visit(op, move(op).from);
  };
  each_read([&](OperationId, CellValue v) { ++start[v + 2]; });
  for (std::size_t v = 2; v < start.size(); ++v) start[v] += start[v - 1];
  std::vector<OperationId> reads(start.back());
  each_read([&](OperationId op, CellValue v) { reads[start[v + 1]++] = op; });

  std::vector<OperationId> order;
  order.reserve(problem_.ops.size());
  for (const CellValue root : chain_at_)
    for (CellValue v = root; v != kNone; v = clusters_[v].next) {
      if (clusters_[v].writer != kNone) order.push_back(clusters_[v].writer);
      order.insert(order.end(), reads.begin() + start[v], reads.begin() + start[v + 1]);
    }
  return order;
}

}  // namespace

Answer decide_zones(const Problem& problem, Budget& budget, const EngineOptions&) {
  Cell cell = as_cell(problem);
  if (!cell.reason.empty()) return not_for("zones", cell.reason);
  const auto zones = std::make_shared<Zones>(problem, std::move(cell));
  Charge charge(budget);
  if (!charge.hold(zones->bytes()) || budget.exhausted())
    return not_for("zones", describe_stop(budget));
  if (std::string reason = zones->collect(); !reason.empty())
    return not_for("zones", std::move(reason));

  Answer answer;
  answer.engine = "zones";
  answer.stats.bytes = zones->bytes();
  if (zones->decide()) {
    answer.verdict = Verdict::holds;
    answer.prove = [zones] { return zones->order(); };
    answer.covered = problem.completed();
  } else {
    answer.verdict = Verdict::violation;
    answer.core = zones->core();
    answer.reason = zones->reason();
    answer.failing_event = zones->failing_event();
    answer.covered = returns_before(problem, answer.failing_event);
  }
  return answer;
}

}  // namespace plumb
