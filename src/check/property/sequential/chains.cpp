// SPDX-License-Identifier: MIT
// The search for sequential consistency. All operations overlap, which the other engines do not
// count on; so a configuration is a place in each process:
//
//     (how many operations of each process are done, state)
//
// at most n^p of them times the states, p processes. Of these we keep those that were seen. A pure
// operation that is next in its process and legal goes at once: in any completion it could be moved
// here. A write may not go while the value that it would overwrite is still to be read and not to
// be written again. Otherwise the next operations are tried in the order in which they returned, so
// a history that is nearly linearizable is followed as it happened.
#include <algorithm>
#include <map>
#include <unordered_set>

#include "check/property/sequential/sequential.hpp"

namespace plumb {
namespace {

class Chains {
 public:
  Chains(const Problem& problem, Budget& budget)
      : problem_(problem), budget_(budget), charge_(budget), space_(problem.make_space()) {
    std::vector<bool> awaited(problem.ops.size(), false);
    for (const Problem::Op& op : problem.ops)
      if (op.after != kNone) awaited[op.after] = true;
    for (OperationId op = 0; op < problem.ops.size(); ++op)
      if (problem.pure[problem.ops[op].label] && (problem.ops[op].completed() || awaited[op]))
        observed_.insert(label(op).result);
    std::vector<std::uint32_t> chain_of(problem.ops.size());
    for (OperationId op = 0; op < problem.ops.size(); ++op) {
      const Problem::Op& o = problem.ops[op];
      if (!o.completed() && !awaited[op] && !may_help(op)) continue;
      const bool goes_on = o.after != kNone && chains_[chain_of[o.after]].back() == o.after;
      if (!goes_on) {
        // Behind an operation that another follows, too, where clocks let a process continue
        // although an operation of it was pending.
        Root root;
        if (o.after != kNone) {
          root.chain = chain_of[o.after];
          const auto& before = chains_[root.chain];
          root.done = static_cast<std::uint32_t>(std::find(before.begin(), before.end(), o.after) -
                                                 before.begin() + 1);
        }
        roots_.push_back(root);
        needed_.push_back(0);
        chains_.emplace_back();
      }
      chain_of[op] = goes_on ? chain_of[o.after] : static_cast<std::uint32_t>(chains_.size() - 1);
      auto& chain = chains_[chain_of[op]];
      chain.push_back(op);
      if (o.completed()) needed_[chain_of[op]] = static_cast<std::uint32_t>(chain.size());
    }
    number_contents();
  }

  Answer run() {
    Answer answer;
    answer.engine = "chains";
    std::vector<std::uint32_t> start(chains_.size() + 1, 0);
    start.back() = space_->initial();
    bool found = enter(std::move(start));
    while (!found && !stack_.empty()) {
      if (++answer.stats.steps % 256 == 0 && budget_.exhausted(256)) break;
      Frame& top = stack_.back();
      if (top.next == top.moves.size()) {
        stack_.pop_back();
        take_back(stack_.empty() ? 0 : stack_.back().order_size);
        continue;
      }
      take_back(top.order_size);
      const auto [chain, state] = top.moves[top.next++];
      std::vector<std::uint32_t> next = top.key;
      place(chains_[chain][next[chain]]);
      ++next[chain];
      next.back() = state;
      found = enter(std::move(next));
      if (!charge_.hold(bytes())) break;
    }
    answer.stats.configurations = seen_.size();
    answer.stats.states = space_->size();
    answer.stats.bytes = bytes();
    answer.covered = covered_;
    if (found) {
      answer.verdict = Verdict::holds;
      answer.covered = problem_.completed();
      answer.witnesses.push_back(order_);
    } else if (budget_.stopped() != Budget::Stop::none) {
      answer.reason = describe_stop(budget_);
    } else {
      answer.verdict = Verdict::violation;
    }
    return answer;
  }

 private:
  struct Content {
    std::uint32_t cell, content;
  };
  struct Root {  // a chain may begin when so many operations of another are done
    std::uint32_t chain = kNone, done = 0;
  };
  struct Frame {
    std::vector<std::uint32_t> key;  // places, then the state
    std::vector<std::pair<std::uint32_t, StateId>> moves;
    std::size_t next = 0, order_size = 0;
  };
  struct Hash {
    std::size_t operator()(const std::vector<std::uint32_t>& key) const {
      std::uint64_t h = 0x9e3779b97f4a7c15u;
      for (const std::uint32_t x : key) h = (h ^ x ^ h >> 29) * 0xff51afd7ed558ccdu;
      return h ^ h >> 32;
    }
  };

  // One that did not return, that nothing waits for, and that is a read, or a write of a value that
  // no read returned, is best left out. (There are reads and writes only, so what a read that
  // counts returned is all that a write can be good for.)
  bool may_help(OperationId op) const {
    return !problem_.pure[problem_.ops[op].label] && observed_.contains(label(op).args.back());
  }
  // What a label writes or reads: a cell with a value, and the cell, both as numbers.
  void number_contents() {
    std::map<std::vector<Value>, std::uint32_t> contents, cells;
    const auto number = [](auto& all, std::vector<Value> what) {
      return all.try_emplace(std::move(what), static_cast<std::uint32_t>(all.size())).first->second;
    };
    for (LabelId l = 0; l < problem_.labels.size(); ++l) {
      const BoundLabel& label = problem_.labels[l];
      std::vector<Value> what(label.args.begin(), label.args.end());
      if (!problem_.pure[l]) what.pop_back();
      const std::uint32_t cell = number(cells, what);
      what.push_back(problem_.pure[l] ? label.result : label.args.back());
      labels_.push_back({cell, number(contents, std::move(what))});
    }
    to_write_.assign(contents.size(), 0);
    to_read_.assign(contents.size(), 0);
    now_.assign(cells.size(), kNone);
    for (LabelId l = 0; l < problem_.labels.size(); ++l) {
      if (!problem_.pure[l] || !problem_.labels[l].known) continue;
      to_.clear();
      space_->step(space_->initial(), problem_.labels[l], to_);
      if (!to_.empty()) now_[labels_[l].cell] = labels_[l].content;
    }
    for (const auto& chain : chains_)
      for (const OperationId op : chain) ++*counter(op);
  }
  // Only reads that must be explained count.
  std::uint32_t* counter(OperationId op) {
    const Problem::Op& o = problem_.ops[op];
    if (!problem_.pure[o.label]) return &to_write_[labels_[o.label].content];
    const bool counts = o.completed() && problem_.labels[o.label].known;
    return counts ? &to_read_[labels_[o.label].content] : &uncounted_;
  }
  void place(OperationId op) {
    const LabelId l = problem_.ops[op].label;
    order_.push_back(op);
    --*counter(op);
    if (!problem_.pure[l]) {
      overwritten_.push_back(now_[labels_[l].cell]);
      now_[labels_[l].cell] = labels_[l].content;
    }
  }
  void take_back(std::size_t size) {
    for (; order_.size() > size; order_.pop_back()) {
      const LabelId l = problem_.ops[order_.back()].label;
      ++*counter(order_.back());
      if (!problem_.pure[l]) {
        now_[labels_[l].cell] = overwritten_.back();
        overwritten_.pop_back();
      }
    }
  }
  bool loses_a_value(OperationId op) const {
    const LabelId l = problem_.ops[op].label;
    const std::uint32_t now = now_[labels_[l].cell];
    return !problem_.pure[l] && now != kNone && now != labels_[l].content && to_read_[now] > 0 &&
           to_write_[now] == 0;
  }

  bool has_next(const std::vector<std::uint32_t>& key, std::uint32_t chain) const {
    const Root& root = roots_[chain];
    return key[chain] < chains_[chain].size() &&
           (root.chain == kNone || key[root.chain] >= root.done);
  }
  const BoundLabel& label(OperationId op) const { return problem_.labels[problem_.ops[op].label]; }
  std::size_t bytes() const {
    return seen_.size() * (4 * (chains_.size() + 1) + 64) +
           stack_.size() * (8 * chains_.size() + sizeof(Frame)) + space_->bytes();
  }

  // A new configuration. Returns: whether it is the end.
  bool enter(std::vector<std::uint32_t> key) {
    for (bool again = true; again;) {
      again = false;
      for (std::uint32_t c = 0; c < chains_.size(); ++c)
        while (has_next(key, c)) {
          const OperationId op = chains_[c][key[c]];
          if (!problem_.pure[problem_.ops[op].label]) break;
          to_.clear();
          space_->step(key.back(), label(op), to_);
          if (to_.empty()) break;
          place(op);
          ++key[c];
          again = true;
        }
    }
    covered_ = std::max<std::uint64_t>(covered_, order_.size());
    bool done = true;
    for (std::uint32_t c = 0; c < chains_.size(); ++c) done = done && key[c] >= needed_[c];
    if (done) return true;
    if (!seen_.insert(key).second) return false;
    Frame frame;
    for (std::uint32_t c = 0; c < chains_.size(); ++c) {
      if (!has_next(key, c) || loses_a_value(chains_[c][key[c]])) continue;
      to_.clear();
      space_->step(key.back(), label(chains_[c][key[c]]), to_);
      for (const StateId state : to_) frame.moves.emplace_back(c, state);
    }
    std::stable_sort(frame.moves.begin(), frame.moves.end(), [&](const auto& a, const auto& b) {
      return problem_.ops[chains_[a.first][key[a.first]]].ret <
             problem_.ops[chains_[b.first][key[b.first]]].ret;
    });
    frame.key = std::move(key);
    frame.order_size = order_.size();
    stack_.push_back(std::move(frame));
    return false;
  }

  const Problem& problem_;
  Budget& budget_;
  Charge charge_;
  std::unique_ptr<StateSpace> space_;
  std::vector<std::vector<OperationId>> chains_;
  std::unordered_set<Value> observed_;  // by reads that count
  std::vector<Root> roots_;             // by chain
  std::vector<std::uint32_t> needed_;   // by chain: up to its last completed operation
  std::unordered_set<std::vector<std::uint32_t>, Hash> seen_;
  std::vector<Frame> stack_;
  std::vector<OperationId> order_;
  std::vector<StateId> to_;
  std::uint64_t covered_ = 0;
  std::vector<Content> labels_;
  std::vector<std::uint32_t> to_write_, to_read_;  // by content: operations that are not placed
  std::vector<std::uint32_t> now_;          // by cell: its content; kNone: no read returns it
  std::vector<std::uint32_t> overwritten_;  // by writes of order_
  std::uint32_t uncounted_ = 0;
};

}  // namespace

Answer decide_chains(const Problem& problem, Budget& budget, const EngineOptions&) {
  return Chains(problem, budget).run();
}

}  // namespace plumb
