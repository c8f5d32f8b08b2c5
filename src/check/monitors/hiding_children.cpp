// SPDX-License-Identifier: MIT
// Lazy hiding: the children of a configuration that a return blocks.
#include "check/monitors/hiding.hpp"

namespace plumb {

// Of the cas out of the present value one of each label, the first to return.
std::vector<OperationId> Hiding::first_cas_each() const {
  std::vector<OperationId> firsts;
  each_open([&](const Pending& p) {
    if (p.move.kind != CellMove::Kind::cas || p.move.from != c_[0]) return;
    const auto same = std::find_if(firsts.begin(), firsts.end(),
                                   [&](OperationId op) { return move(op).to == p.move.to; });
    if (same == firsts.end()) firsts.push_back(p.op);
    else if (p.ret < problem_.ops[*same].ret) *same = p.op;
  });
  return firsts;
}

// Case 2, from the working configuration.
void Hiding::serve_now(std::uint32_t node, OperationId target) {
  const CellMove& t = move(target);
  const PathNode here{c_, actions_now_};
  const auto with_write_of = [&](CellValue v) {
    load(here);
    const OperationId write = t.kind == CellMove::Kind::write ? target : write_of(v, kNone);
    if (write == kNone) return;
    do_now(write);
    child(node);
  };
  if (t.kind == CellMove::Kind::write) with_write_of(t.to);
  if (t.kind == CellMove::Kind::read) with_write_of(t.from);
  if (t.kind == CellMove::Kind::miss)
    for (CellValue v = 0; v < cell_.values.size(); ++v)
      if (v != t.from) with_write_of(v);
}

// Case 1.
void Hiding::hide_for(std::uint32_t node, OperationId target) {
  const CellMove& t = move(target);
  const auto hide_child = [&](OperationId op) {
    if (op == kNone) return;
    load(node);
    hide(op);
    child(node);
  };
  if (t.kind == CellMove::Kind::write) {
    if (call_[target] < last()) {
      hide_child(target);
    } else if (t.to != value() && held(t.to) > call_[target]) {
      mark(target, Action::there);
      child(node);
    }
  }
  load(node);
  if (t.kind == CellMove::Kind::read && call_[target] < last())
    hide_child(write_of(t.from, last()));
  if (t.kind == CellMove::Kind::miss && call_[target] < last())
    for (CellValue v = 0; v < cell_.values.size(); ++v) {
      load(node);
      if (v != t.from) hide_child(write_of(v, last()));
    }
}

// By the working configuration, unless it is there.
void Hiding::extend_path(std::uint32_t event) {
  const std::uint64_t hash = hash_of(c_.data(), event);
  const auto [begin, end] = on_path_.equal_range(hash);
  if (std::any_of(begin, end,
                  [this](const auto& p) { return path_[p.second].configuration == c_; }))
    return;
  on_path_.emplace(hash, path_.size());
  path_.push_back({c_, actions_now_});
}

// If the budget ends on the way, some children are missing.
void Hiding::expand(std::uint32_t node) {
  const std::uint32_t event = at_;
  const OperationId target = steps_[event].op;
  const CellMove& t = move(target);
  fresh_.clear();
  hide_for(node, target);

  // Cases 2 and 3: paths, breadth first, each node once.
  const auto go_back_to = [&](const PathNode& from) {
    go_to(event);
    load(from);
  };
  load(node);
  path_.assign(1, {c_, {}});
  on_path_ = {{hash_of(c_.data(), event), 0}};
  for (std::size_t i = 0; i < path_.size(); ++i) {
    if (i % 64 == 63 && !within_budget()) return;
    const PathNode here = path_[i];
    const auto each_cas_from = [&](const PathNode& from) {
      go_back_to(from);
      for (const OperationId cas : first_cas_each()) {
        go_back_to(from);
        do_now(cas);
        ++stats_.steps;
        if (cas == target || (!t.changes() && satisfied(target))) {
          child(node);
          continue;
        }
        extend_path(event);
      }
    };
    go_back_to(here);
    serve_now(node, target);
    each_cas_from(here);
    for (CellValue v = 0; v < cell_.values.size(); ++v) {
      go_back_to(here);
      const OperationId write = write_of(v, kNone);
      if (write == kNone || write == target) continue;
      do_now(write);
      each_cas_from({c_, actions_now_});
    }
  }
}

// The working configuration has served the target: it continues as far as it can.
void Hiding::child(std::uint32_t node) {
  advance();
  normalise();
  furthest_ = std::max(furthest_, at_);
  if (!seen()) fresh_.push_back(remember(node));
  go_to(nodes_[node]->event);
}

}  // namespace plumb
