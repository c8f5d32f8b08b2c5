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
#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <list>
#include <map>

#include "base/chunked.hpp"
#include "check/monitors/cell.hpp"
#include "check/monitors/monitors.hpp"

namespace plumb {
namespace {

using Kind = CellMove::Kind;
constexpr std::size_t kMostValues = 64;

// Events as the search sees them. Operations that change the cell and those that look at it have
// slots of their own; optional ones that only look are left out.
struct Step {
  OperationId op;
  std::uint32_t slot : 30;
  std::uint32_t changes : 1;
  std::uint32_t is_return : 1;
};

struct Slots {
  std::vector<std::uint32_t> free;
  std::uint32_t count = 0;
  std::uint32_t take() {
    if (free.empty()) return count++;
    const std::uint32_t slot = free.back();
    free.pop_back();
    return slot;
  }
};

class Hiding {
 public:
  Hiding(const Problem& problem, const Cell& cell, Budget& budget)
      : problem_(problem), cell_(cell), budget_(budget), charge_(budget) {
    const std::size_t n = problem.ops.size();
    call_.assign(n, kNone);
    slot_.assign(n, kNone);
    Slots changing, looking;
    for (const Event event : problem.events) {
      const OperationId op = event.operation();
      const bool changes = cell.move(problem, op).changes();
      if (!changes && !problem.ops[op].completed()) continue;
      Slots& slots = changes ? changing : looking;
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

  Answer run(bool breadth_first, std::uint64_t most_configurations);

 private:
  // ---- The working configuration, flat: value, last, other, held[], mask.
  std::uint32_t& value() { return c_[0]; }
  std::uint32_t& last() { return c_[1]; }
  std::uint32_t& other() { return c_[2]; }
  std::uint32_t& held(CellValue v) { return c_[held_ + v]; }
  bool linearized(std::uint32_t slot) const { return c_[mask_ + slot / 32] >> slot % 32 & 1; }
  const CellMove& move(OperationId op) const { return cell_.move(problem_, op); }

  struct Action {
    OperationId op;
    enum How : std::uint32_t { now, hidden, there } how;
  };
  struct Pending {
    OperationId op;
    std::uint32_t call, ret;
    CellMove move;
  };
  struct Node {
    std::uint32_t event;       // the return that blocks it, or the end
    std::uint32_t parent;      // node
    std::uint32_t actions;     // that led here from the parent: the first, and
    std::uint32_t count;       // how many
    std::uint32_t same_place;  // the node before it with the same event and value
  };

  // ---- The cursor: which operations are pending just before step at_.
  std::uint32_t end() const { return static_cast<std::uint32_t>(steps_.size()); }
  void toggle(bool entering, Step step) {
    if (!step.changes) {
      looking_[step.slot] = entering ? step.op : kNone;
      return;
    }
    const std::uint32_t bit = 1u << step.slot % 32;
    if (entering) {
      active_[step.slot / 32] |= bit;
      changing_[step.slot] = {step.op, call_[step.op], problem_.ops[step.op].ret, move(step.op)};
    } else {
      active_[step.slot / 32] &= ~bit;
    }
  }
  // The pending operations that change the cell and are not linearized.
  template <class Visit>
  void each_open(const Visit& visit) const {
    for (std::size_t i = 0; i < words_; ++i)
      for (std::uint32_t rest = active_[i] & ~c_[mask_ + i]; rest; rest &= rest - 1)
        visit(changing_[i * 32 + static_cast<std::size_t>(std::countr_zero(rest))]);
  }
  void go_to(std::uint32_t event) {
    for (; at_ < event; ++at_) toggle(!steps_[at_].is_return, steps_[at_]);
    while (at_ > event) --at_, toggle(steps_[at_].is_return, steps_[at_]);
  }

  // ---- Moves in gap at_.
  void mark(OperationId op, Action::How how) {
    c_[mask_ + slot_[op] / 32] |= 1u << slot_[op] % 32;
    actions_now_.push_back({op, how});
  }
  void become(CellValue v) {
    if (v == value()) return;
    held(value()) = at_;
    other() = at_;
    value() = v;
    held(v) = 0;
  }
  void do_now(OperationId op) {
    mark(op, Action::now);
    become(move(op).to);
    if (move(op).kind == Kind::write) last() = at_;
  }
  void hide(OperationId op) {
    mark(op, Action::hidden);
    if (move(op).to == value()) return;
    held(move(op).to) = std::max(held(move(op).to), last());
    other() = std::max(other(), last());
  }
  bool satisfied(OperationId op) {
    const CellMove& m = move(op);
    switch (m.kind) {
      case Kind::read: return value() == m.from || held(m.from) > call_[op];
      case Kind::miss: return value() != m.from || other() > call_[op];
      case Kind::any: return true;
      default: return linearized(slot_[op]);
    }
  }
  // Of the pending plain writes of v that were called before `limit`: the first to return.
  OperationId write_of(CellValue v, std::uint32_t limit) const {
    const Pending* best = nullptr;
    each_open([&](const Pending& p) {
      if (p.move.to == v && p.move.kind == Kind::write && p.call < limit &&
          (!best || p.ret < best->ret))
        best = &p;
    });
    return best ? best->op : kNone;
  }

  // Goes on until a return blocks, or to the end.
  void advance() {
    for (; at_ < end(); go_to(at_ + 1)) {
      const Step step = steps_[at_];
      if (!step.is_return) continue;
      if (!satisfied(step.op)) return;
      if (step.changes) c_[mask_ + step.slot / 32] &= ~(1u << step.slot % 32);
    }
  }
  // Rounds gaps down to what still makes a difference.
  void normalise() {
    std::fill(rounded_.begin(), rounded_.end(), 0);
    const auto raise = [&](std::uint32_t i, std::uint32_t call) {
      if (call < c_[i]) rounded_[i] = std::max(rounded_[i], call + 1);
    };
    each_open([&](const Pending& p) {
      if (p.move.kind != Kind::write) return;
      raise(1, p.call);
      raise(held_ + p.move.to, p.call);
    });
    for (const OperationId op : looking_) {
      if (op == kNone) continue;
      const CellMove& m = move(op);
      if (m.kind == Kind::read) raise(held_ + m.from, call_[op]);
      if (m.kind == Kind::miss && m.from == value()) raise(2, call_[op]);
      if (!satisfied(op)) raise(1, call_[op]);
    }
    std::copy(rounded_.begin() + 1, rounded_.end(), c_.begin() + 1);
    held(value()) = 0;
  }

  // ---- Children of the working configuration, which is blocked.
  void expand(std::uint32_t node);
  void serve_now(std::uint32_t node, OperationId target);
  template <class Visit>
  void each_cas(const Visit& visit);
  void child(std::uint32_t node);

  struct PathNode {
    std::vector<std::uint32_t> configuration;
    std::vector<Action> actions;
  };
  void load(const PathNode& from) {
    c_ = from.configuration;
    actions_now_ = from.actions;
  }
  void load(std::uint32_t node) {
    go_to(nodes_[node]->event);
    std::copy_n(configurations_[node], size_, c_.begin());
    actions_now_.clear();
  }

  // ---- Remembering.
  bool seen();
  bool makes_superfluous(const std::uint32_t* better);
  std::uint32_t remember(std::uint32_t parent);
  std::uint64_t hash_of(const std::uint32_t* c, std::uint32_t event) const {
    return XXH3_64bits_withSeed(c, size_ * sizeof *c, event);
  }
  std::uint64_t place_of(std::uint32_t event, CellValue v) const {
    return std::uint64_t{event} * cell_.values.size() + v;
  }
  bool within_budget() {
    stats_.bytes = nodes_.bytes() + configurations_.bytes() + actions_.bytes() + exact_.size() * 4 +
                   latest_.size() * 16;
    return charge_.hold(stats_.bytes) && !budget_.exhausted();
  }

  // Breadth first has a single configuration. If nothing can be hidden in the past any more, then
  // the history from here on, starting in its value, says it all (Answer::Forced).
  void note_if_forced(std::uint32_t node) {
    const std::uint32_t* c = configurations_[node];
    if (nodes_[node]->event < end() && std::all_of(c + 1, c + mask_, [](auto gap) { return !gap; }))
      forced_ = node;
  }
  Answer::Forced forced();

  std::vector<OperationId> order_of(std::uint32_t node);
  Answer finish(Verdict verdict, std::uint32_t node, const char* reason = "");

  const Problem& problem_;
  const Cell& cell_;
  Budget& budget_;
  Charge charge_;
  SearchStats stats_;
  std::vector<Step> steps_;
  std::vector<std::uint32_t> call_, slot_;  // by operation; calls are positions in steps_
  std::size_t held_ = 0, mask_ = 0, words_ = 0, size_ = 0;

  std::uint32_t at_ = 0;
  std::vector<Pending> changing_;      // by slot: who is pending,
  std::vector<std::uint32_t> active_;  // if this bit is set;
  std::vector<OperationId> looking_;   // by slot: who is pending, or kNone
  std::vector<std::uint32_t> c_, rounded_;
  std::vector<Action> actions_now_;

  Chunked<Node> nodes_;
  Chunked<std::uint32_t> configurations_;  // by node
  Chunked<Action> actions_;
  std::vector<std::uint32_t> exact_ = std::vector<std::uint32_t>(1024, kNone);  // nodes, by hash
  std::vector<std::pair<std::uint64_t, std::uint32_t>> latest_ =  // nodes, by event and value
      std::vector<std::pair<std::uint64_t, std::uint32_t>>(1024, {~std::uint64_t{0}, kNone});
  std::size_t places_ = 0;
  static constexpr std::size_t kMostLooks = 64;

  std::vector<PathNode> path_;
  std::vector<std::uint32_t> fresh_;  // the children just made
  std::uint32_t furthest_ = 0;
  std::uint32_t forced_ = kNone;  // node
};

template <class Visit>
void Hiding::each_cas(const Visit& visit) {
  // One of each label out of the present value, the first to return.
  std::vector<OperationId> firsts;
  each_open([&](const Pending& p) {
    if (p.move.kind != Kind::cas || p.move.from != c_[0]) return;
    const auto same = std::find_if(firsts.begin(), firsts.end(),
                                   [&](OperationId op) { return move(op).to == p.move.to; });
    if (same == firsts.end()) firsts.push_back(p.op);
    else if (p.ret < problem_.ops[*same].ret) *same = p.op;
  });
  for (const OperationId op : firsts) visit(op);
}

// Case 2, from the working configuration.
void Hiding::serve_now(std::uint32_t node, OperationId target) {
  const CellMove& t = move(target);
  const PathNode here{c_, actions_now_};
  const auto with_write_of = [&](CellValue v) {
    load(here);
    const OperationId write = t.kind == Kind::write ? target : write_of(v, kNone);
    if (write == kNone) return;
    do_now(write);
    child(node);
  };
  if (t.kind == Kind::write) with_write_of(t.to);
  if (t.kind == Kind::read) with_write_of(t.from);
  if (t.kind == Kind::miss)
    for (CellValue v = 0; v < cell_.values.size(); ++v)
      if (v != t.from) with_write_of(v);
}

void Hiding::expand(std::uint32_t node) {
  const std::uint32_t event = at_;
  const OperationId target = steps_[event].op;
  const CellMove& t = move(target);
  fresh_.clear();

  const auto hide_child = [&](OperationId op) {
    if (op == kNone) return;
    load(node);
    hide(op);
    child(node);
  };
  if (t.kind == Kind::write) {
    if (call_[target] < last()) {
      hide_child(target);
    } else if (t.to != value() && held(t.to) > call_[target]) {
      mark(target, Action::there);
      child(node);
    }
  }
  load(node);
  if (t.kind == Kind::read && call_[target] < last()) hide_child(write_of(t.from, last()));
  if (t.kind == Kind::miss && call_[target] < last())
    for (CellValue v = 0; v < cell_.values.size(); ++v) {
      load(node);
      if (v != t.from) hide_child(write_of(v, last()));
    }

  // Cases 2 and 3: paths, breadth first, each node once.
  load(node);
  path_.assign(1, {c_, {}});
  for (std::size_t i = 0; i < path_.size(); ++i) {
    if (i % 1024 == 1023 && !within_budget()) return;
    const PathNode here = path_[i];
    const auto arrive = [&](OperationId by) {  // after a cas
      ++stats_.steps;
      if (by == target || (!t.changes() && satisfied(target))) return child(node);
      for (const PathNode& p : path_)
        if (p.configuration == c_) return;
      path_.push_back({c_, actions_now_});
    };
    go_to(event);
    load(here);
    serve_now(node, target);
    go_to(event);
    load(here);
    each_cas([&](OperationId cas) {
      go_to(event);
      load(here);
      do_now(cas);
      arrive(cas);
    });
    for (CellValue v = 0; v < cell_.values.size(); ++v) {
      go_to(event);
      load(here);
      const OperationId write = write_of(v, kNone);
      if (write == kNone || write == target) continue;
      do_now(write);
      const PathNode there{c_, actions_now_};
      each_cas([&](OperationId cas) {
        go_to(event);
        load(there);
        do_now(cas);
        arrive(cas);
      });
    }
  }
}

// The working configuration has served the target: it goes on as far as it can.
void Hiding::child(std::uint32_t node) {
  advance();
  normalise();
  furthest_ = std::max(furthest_, at_);
  if (!seen()) fresh_.push_back(remember(node));
  go_to(nodes_[node]->event);
}

bool Hiding::makes_superfluous(const std::uint32_t* better) {
  for (std::size_t i = 1; i < mask_; ++i)
    if (better[i] < c_[i]) return false;
  for (std::size_t i = 0; i < words_; ++i) {
    const std::uint32_t mine = c_[mask_ + i], theirs = better[mask_ + i];
    if (theirs & ~mine) return false;  // open here, done there
    for (std::uint32_t rest = mine & ~theirs; rest; rest &= rest - 1) {
      const Pending& p = changing_[i * 32 + static_cast<std::size_t>(std::countr_zero(rest))];
      if (p.ret == kNone) continue;
      if (p.move.kind != Kind::write ||
          (p.call >= better[1] && value() != p.move.to && better[held_ + p.move.to] <= p.call))
        return false;
    }
  }
  return true;
}

bool Hiding::seen() {
  for (std::size_t i = hash_of(c_.data(), at_);; ++i) {
    const std::uint32_t id = exact_[i & (exact_.size() - 1)];
    if (id == kNone) break;
    if (nodes_[id]->event == at_ &&
        std::memcmp(configurations_[id], c_.data(), size_ * sizeof c_[0]) == 0)
      return true;
  }
  const std::uint64_t place = place_of(at_, value());
  std::size_t i = place * 0x9e3779b97f4a7c15u >> 20;
  while (latest_[i & (latest_.size() - 1)].second != kNone &&
         latest_[i & (latest_.size() - 1)].first != place)
    ++i;
  std::uint32_t id = latest_[i & (latest_.size() - 1)].second;
  for (std::size_t looks = 0; id != kNone && looks < kMostLooks; ++looks) {
    if (makes_superfluous(configurations_[id])) return true;
    id = nodes_[id]->same_place;
  }
  return false;
}

std::uint32_t Hiding::remember(std::uint32_t parent) {
  const auto id = static_cast<std::uint32_t>(nodes_.size());
  const auto first = static_cast<std::uint32_t>(actions_.size());
  for (const Action action : actions_now_) *actions_.push() = action;
  *nodes_.push() = {at_, parent, first, static_cast<std::uint32_t>(actions_now_.size()), kNone};
  std::copy(c_.begin(), c_.end(), configurations_.push());

  const auto place_exact = [this](std::uint32_t node) {
    std::size_t i = hash_of(configurations_[node], nodes_[node]->event);
    while (exact_[i & (exact_.size() - 1)] != kNone) ++i;
    exact_[i & (exact_.size() - 1)] = node;
  };
  if (nodes_.size() * 2 > exact_.size()) {
    exact_.assign(exact_.size() * 2, kNone);
    for (std::uint32_t node = 0; node < id; ++node) place_exact(node);
  }
  place_exact(id);

  const auto place = [this](std::uint64_t key) -> std::pair<std::uint64_t, std::uint32_t>& {
    std::size_t i = key * 0x9e3779b97f4a7c15u >> 20;
    while (latest_[i & (latest_.size() - 1)].second != kNone &&
           latest_[i & (latest_.size() - 1)].first != key)
      ++i;
    return latest_[i & (latest_.size() - 1)];
  };
  if (places_ * 2 > latest_.size()) {
    auto old = std::move(latest_);
    latest_.assign(old.size() * 2, {~std::uint64_t{0}, kNone});
    for (const auto& entry : old)
      if (entry.second != kNone) place(entry.first) = entry;
  }
  auto& entry = place(place_of(at_, value()));
  places_ += entry.second == kNone;
  nodes_[id]->same_place = entry.second;
  entry = {place_of(at_, value()), id};
  return id;
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
    if (breadth_first) {
      for (const std::uint32_t id : fresh_) waiting[nodes_[id]->event].push_back(id);
      if (waiting.empty()) return finish(Verdict::violation, node);
      auto& earliest = waiting.begin()->second;
      node = earliest.back();
      if (waiting.size() == 1 && earliest.size() == 1) note_if_forced(node);
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

// The order: first what changes the cell, with its gap; then whoever looks at it, where it can.
std::vector<OperationId> Hiding::order_of(std::uint32_t node) {
  struct Placed {
    OperationId op;
    std::uint32_t gap;
  };
  std::vector<std::uint32_t> trail;
  for (; nodes_[node]->parent != kNone; node = nodes_[node]->parent) trail.push_back(node);
  std::list<Placed> changes;
  auto last = changes.end();
  std::vector<OperationId> lookers;
  for (auto at = trail.rbegin(); at != trail.rend(); ++at) {
    const std::uint32_t gap = nodes_[nodes_[*at]->parent]->event;
    for (std::uint32_t i = 0; i < nodes_[*at]->count; ++i) {
      const Action action = *actions_[nodes_[*at]->actions + i];
      if (action.how == Action::there) {
        lookers.push_back(action.op);
      } else if (action.how == Action::hidden) {
        changes.insert(last, {action.op, last->gap});
      } else {
        changes.push_back({action.op, gap});
        if (move(action.op).kind == Kind::write) last = std::prev(changes.end());
      }
    }
  }
  // Stays of the cell at one value: [from, to] in gaps; `index` changes are before it.
  struct Stay {
    std::uint32_t from, to, index;
    CellValue value;
  };
  std::vector<Stay> stays = {{0, kNone, 0, cell_.initial}};
  std::vector<OperationId> sequence;
  for (const Placed& change : changes) {
    sequence.push_back(change.op);
    stays.back().to = change.gap;
    stays.push_back(
        {change.gap, kNone, static_cast<std::uint32_t>(sequence.size()), move(change.op).to});
  }
  std::vector<std::vector<std::uint32_t>> stays_of(cell_.values.size());
  for (std::uint32_t i = 0; i < stays.size(); ++i) stays_of[stays[i].value].push_back(i);
  for (OperationId op = 0; op < problem_.ops.size(); ++op)
    if (call_[op] != kNone && !move(op).changes()) lookers.push_back(op);

  struct Look {
    std::uint32_t index, gap;
    OperationId op;
  };
  std::vector<Look> looks;
  for (const OperationId op : lookers) {
    const CellMove& m = move(op);
    const std::uint32_t first = call_[op] + 1;  // the first gap that it may be in
    const auto ends_late = [&](std::uint32_t i) { return stays[i].to >= first; };
    std::uint32_t stay = 0;
    if (m.kind == Kind::read || m.kind == Kind::write) {
      const auto& list = stays_of[m.kind == Kind::read ? m.from : m.to];
      stay = *std::partition_point(list.begin(), list.end(),
                                   [&](std::uint32_t i) { return !ends_late(i); });
    } else {
      stay = static_cast<std::uint32_t>(
          std::partition_point(stays.begin(), stays.end(),
                               [&](const Stay& s) { return s.to < first; }) -
          stays.begin());
      while (m.kind == Kind::miss && stays[stay].value == m.from) ++stay;
    }
    looks.push_back({stays[stay].index, std::max(first, stays[stay].from), op});
  }
  std::sort(looks.begin(), looks.end(), [](const Look& a, const Look& b) {
    return std::tie(a.index, a.gap, a.op) < std::tie(b.index, b.gap, b.op);
  });
  std::vector<OperationId> order;
  auto look = looks.begin();
  for (std::uint32_t i = 0; i <= sequence.size(); ++i) {
    for (; look != looks.end() && look->index == i; ++look) order.push_back(look->op);
    if (i < sequence.size()) order.push_back(sequence[i]);
  }
  return order;
}

Answer::Forced Hiding::forced() {
  Answer::Forced forced;
  load(forced_);
  forced.position = problem_.ops[steps_[at_].op].ret;
  for (std::size_t i = 0; i < words_; ++i)
    for (std::uint32_t rest = active_[i] & c_[mask_ + i]; rest; rest &= rest - 1)
      forced.linearized.push_back(
          changing_[i * 32 + static_cast<std::size_t>(std::countr_zero(rest))].op);
  forced.space = space_with(problem_, cell_, value());
  forced.state = forced.space->initial();
  return forced;
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
  if (verdict == Verdict::violation && forced_ != kNone) answer.forced = forced();
  return answer;
}

}  // namespace

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
