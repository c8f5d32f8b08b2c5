// SPDX-License-Identifier: MIT
// The search of lazy hiding (hiding.cpp): its configurations and moves. Children, memory and orders
// have a file each.
#pragma once

#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/chunked.hpp"
#include "check/monitors/cell.hpp"
#include "check/monitors/monitors.hpp"

namespace plumb {

class Hiding {
 public:
  Hiding(const Problem& problem, const Cell& cell, Budget& budget);

  Answer run(bool breadth_first, std::uint64_t most_configurations);

 private:
  /// Events as the search sees them. Operations that change the cell and those that look at it have
  /// slots of their own; optional ones that only look are left out.
  struct Step {
    OperationId op;
    std::uint32_t slot : 30;
    std::uint32_t changes : 1;
    std::uint32_t is_return : 1;
  };

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
  /// The pending operations that change the cell and are not linearized.
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
    if (move(op).kind == CellMove::Kind::write) last() = at_;
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
      case CellMove::Kind::read: return value() == m.from || held(m.from) > call_[op];
      case CellMove::Kind::miss: return value() != m.from || other() > call_[op];
      case CellMove::Kind::any: return true;
      default: return linearized(slot_[op]);
    }
  }
  /// Of the pending plain writes of v that were called before `limit`: the first to return.
  OperationId write_of(CellValue v, std::uint32_t limit) const {
    const Pending* best = nullptr;
    each_open([&](const Pending& p) {
      if (p.move.to == v && p.move.kind == CellMove::Kind::write && p.call < limit &&
          (!best || p.ret < best->ret))
        best = &p;
    });
    return best ? best->op : kNone;
  }

  /// Continues until a return blocks, or to the end.
  void advance() {
    for (; at_ < end(); go_to(at_ + 1)) {
      const Step step = steps_[at_];
      if (!step.is_return) continue;
      if (!satisfied(step.op)) return;
      if (step.changes) c_[mask_ + step.slot / 32] &= ~(1u << step.slot % 32);
    }
  }
  /// Rounds gaps down to what still makes a difference.
  void normalise() {
    std::fill(rounded_.begin(), rounded_.end(), 0);
    const auto raise = [&](std::uint32_t i, std::uint32_t call) {
      if (call < c_[i]) rounded_[i] = std::max(rounded_[i], call + 1);
    };
    each_open([&](const Pending& p) {
      if (p.move.kind != CellMove::Kind::write) return;
      raise(1, p.call);
      raise(held_ + p.move.to, p.call);
    });
    for (const OperationId op : looking_) {
      if (op == kNone) continue;
      const CellMove& m = move(op);
      if (m.kind == CellMove::Kind::read) raise(held_ + m.from, call_[op]);
      if (m.kind == CellMove::Kind::miss && m.from == value()) raise(2, call_[op]);
      if (!satisfied(op)) raise(1, call_[op]);
    }
    std::copy(rounded_.begin() + 1, rounded_.end(), c_.begin() + 1);
    held(value()) = 0;
  }

  // ---- Children of the working configuration, which is blocked.
  void expand(std::uint32_t node);
  void extend_path(std::uint32_t event);
  void serve_now(std::uint32_t node, OperationId target);
  void hide_for(std::uint32_t node, OperationId target);
  std::vector<OperationId> first_cas_each() const;
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
  bool seen();  // something that makes it superfluous
  bool makes_superfluous(const std::uint32_t* better);
  std::uint32_t remember(std::uint32_t parent);
  void place_exact(std::uint32_t node);
  std::pair<std::uint64_t, std::uint32_t>& latest_at(std::uint64_t place);
  std::uint64_t hash_of(const std::uint32_t* c, std::uint32_t event) const {
    return XXH3_64bits_withSeed(c, size_ * sizeof *c, event);
  }
  std::uint64_t place_of(std::uint32_t event, CellValue v) const {
    return std::uint64_t{event} * cell_.values.size() + v;
  }
  bool within_budget() {
    stats_.bytes = nodes_.bytes() + configurations_.bytes() + actions_.bytes() + exact_.size() * 4 +
                   latest_.size() * 16;
    const std::uint64_t work = stats_.steps + nodes_.size();
    const std::uint64_t before = std::exchange(charged_steps_, work);
    return charge_.hold(stats_.bytes) && !budget_.exhausted(work - before);
  }

  /// What changes the cell, in order, each in its gap; and whom its value served where it was.
  struct Placed {
    OperationId op;
    std::uint32_t gap;
  };
  struct Changes {
    std::vector<Placed> placed;
    std::vector<OperationId> lookers;
  };
  Changes changes_up_to(std::uint32_t node) const;
  std::vector<OperationId> order_of(std::uint32_t node) const;
  Answer finish(Verdict verdict, std::uint32_t node, const char* reason = "");

  const Problem& problem_;
  const Cell& cell_;
  Budget& budget_;
  Charge charge_;
  SearchStats stats_;
  std::uint64_t charged_steps_ = 0;
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
  std::unordered_multimap<std::uint64_t, std::size_t> on_path_;  // by hash
  std::vector<std::uint32_t> fresh_;                             // the children just made
  std::uint32_t furthest_ = 0;
};

}  // namespace plumb
