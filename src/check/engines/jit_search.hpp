// SPDX-License-Identifier: MIT
// The just-in-time search (jit.cpp): its configurations and moves. What it remembers, how it ends
// and the two ways through the configurations have a file each.
#pragma once

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>
#include <vector>

#include "base/chunked.hpp"
#include "check/engines/jit_window.hpp"
#include "check/problem/automaton.hpp"
#include "check/problem/engine.hpp"

namespace plumb::jit {

/// Over masks of kWords words; 0: as many as it takes.
template <std::size_t kWords>
class Search {
 public:
  Search(const Problem& problem, const Window& window, Budget& budget, const EngineOptions& options)
      : problem_(problem), window_(window), budget_(budget), options_(options),
        words_(kWords ? kWords : std::max<std::size_t>(1, (window.slots + 63) / 64)),
        charge_(budget), automaton_(problem), masks_(words()), slot_op_(window.slots, kNone),
        active_(words()), pure_(words()), optional_(words()), mask_(words()),
        chosen_(problem.labels.size()), table_(1024, kNone) {
    for (OperationId op = 0; op < problem.ops.size(); ++op)
      if (problem.stuck && problem.ops[op].judged) judged_.push_back(op);
    reasons_.resize(judged_.size());
  }

  Answer depth_first(std::uint64_t most_configurations);  // jit_depth_first.hpp
  Answer breadth_first();                                 // jit_breadth_first.hpp

 private:
  using Word = std::uint64_t;
  struct Node {           // a configuration that was explored; its mask is in masks_
    std::uint32_t event;  // the return that blocks it, or the end
    StateId state;
    std::uint32_t parent;  // where it came from,
    OperationId op;        // by linearizing this operation
    std::uint32_t hash;
    std::uint32_t order_size;  // so many operations are linearized (depth first)
    std::uint32_t same_hash;   // the one before it
  };
  struct Child {
    std::uint32_t event;
    StateId state;  // just after the operation
    std::uint32_t parent;
    OperationId op;
  };

  /// Which child to explore first: one that spends no optional operation, then the furthest.
  bool better(const Child& a, const Child& b) const {
    const bool a_free = problem_.ops[a.op].completed(), b_free = problem_.ops[b.op].completed();
    return a_free != b_free ? a_free : a.event > b.event;
  }

  constexpr std::size_t words() const { return kWords ? kWords : words_; }
  static bool test(const Word* m, std::uint32_t bit) { return m[bit >> 6] >> (bit & 63) & 1; }
  static void set(Word* m, std::uint32_t bit) { m[bit >> 6] |= Word{1} << (bit & 63); }
  static void clear(Word* m, std::uint32_t bit) { m[bit >> 6] &= ~(Word{1} << (bit & 63)); }
  std::uint32_t end() const { return static_cast<std::uint32_t>(window_.steps.size()); }

  // ---- The cursor: which operations are pending just before event `at_`.
  void forward() {
    const Step step = window_.steps[at_++];
    if (step.is_return) leave(step.slot);
    else enter(step);
  }
  void backward() {
    const Step step = window_.steps[--at_];
    if (step.is_return) enter(step);
    else leave(step.slot);
  }
  void enter(Step step) {
    slot_op_[step.slot] = step.op;
    set(active_.data(), step.slot);
    if (step.pure) set(pure_.data(), step.slot);
    else if (step.optional) set(optional_.data(), step.slot);
  }
  void leave(std::uint32_t slot) {
    clear(active_.data(), slot);
    clear(pure_.data(), slot);
    clear(optional_.data(), slot);
  }
  void go_to(std::uint32_t event) {
    while (at_ < event) forward();
    while (at_ > event) backward();
  }

  // ---- Moves, on the working configuration (at_, mask_, state_).
  bool enabled(OperationId op) const {
    if (!window_.chained) return true;
    const OperationId before = problem_.ops[op].after;
    if (before == kNone || window_.slot[before] == kNone) return true;
    const std::uint32_t slot = window_.slot[before];
    if (slot_op_[slot] == before && test(active_.data(), slot)) return test(mask_.data(), slot);
    return at_ > 0 && problem_.ops[before].ret < position(at_ - 1) + 1;  // it is over
  }
  /// Where the event stands in the problem.
  std::uint32_t position(std::uint32_t at) const {
    const Step step = window_.steps[at];
    return step.is_return ? problem_.ops[step.op].ret : problem_.ops[step.op].call;
  }
  void commit_if_legal(OperationId op) {
    if (enabled(op) && automaton_.legal(state_, problem_.ops[op].label))
      set(mask_.data(), window_.slot[op]), emit(op);
  }
  /// Linearizes every pending pure operation that is legal in the present state.
  void saturate() {
    for (bool again = true; again;) {
      again = false;
      for (std::size_t i = 0; i < words(); ++i)
        for (Word rest = pure_[i] & ~mask_[i]; rest; rest &= rest - 1) {
          const auto slot = static_cast<std::uint32_t>(i * 64 + std::countr_zero(rest));
          commit_if_legal(slot_op_[slot]);
          again |= window_.chained && test(mask_.data(), slot);
        }
    }
  }
  /// Continues until a return blocks, or to the end.
  void advance() {
    for (; at_ < end(); forward()) {
      const Step step = window_.steps[at_];
      if (step.is_return) {
        if (!test(mask_.data(), step.slot)) return;
        clear(mask_.data(), step.slot);
      } else if (step.pure && enabled(step.op) &&
                 automaton_.legal(state_, problem_.ops[step.op].label)) {
        set(mask_.data(), step.slot);
        emit(step.op);
      }
    }
  }
  void linearize(OperationId op, StateId state) {
    set(mask_.data(), window_.slot[op]);
    emit(op);
    state_ = state;
    saturate();
  }
  void emit(OperationId op) {
    if (recording_) order_.push_back(op);
  }

  /// The operations worth linearizing next, from the working configuration: the blocked one first.
  void candidates(std::vector<OperationId>& out) {
    out.clear();
    ++stamp_;
    const bool edf = options_.deadline_first;
    for (std::size_t i = 0; i < words(); ++i)
      for (Word rest = active_[i] & ~mask_[i] & ~pure_[i]; rest; rest &= rest - 1) {
        const OperationId op = slot_op_[i * 64 + static_cast<std::size_t>(std::countr_zero(rest))];
        if (!enabled(op)) continue;
        if (!edf || (window_.chained && window_.linked[op])) {
          out.push_back(op);
          continue;
        }
        Chosen& chosen = chosen_[problem_.ops[op].label];
        if (chosen.stamp != stamp_) {
          chosen = {stamp_, static_cast<std::uint32_t>(out.size())};
          out.push_back(op);
        } else if (earlier(op, out[chosen.index])) {
          out[chosen.index] = op;
        }
      }
    if (at_ < end()) {
      const auto blocked = std::find(out.begin(), out.end(), window_.steps[at_].op);
      if (blocked != out.end()) std::swap(*blocked, out.front());
    }
  }
  /// An optional operation that changes nothing, unless another waits for it: without it is better.
  bool of_no_use(OperationId op) const {
    return options_.domination && !problem_.ops[op].completed() &&
           !(window_.chained && window_.linked[op]);
  }
  bool earlier(OperationId a, OperationId b) const {
    return std::pair(problem_.ops[a].ret, a) < std::pair(problem_.ops[b].ret, b);
  }

  // ---- Remembering (jit_memory.hpp).
  std::uint32_t hash_of_working() const;
  /// Slots in which two configurations must agree to be comparable.
  Word strict(std::size_t i) const;
  /// The working configuration is no better than the remembered one.
  bool dominated_by(const Word* other) const;
  /// Configurations of one hash are a list, latest first: with many crashed operations it can be
  /// long, and looking at the latest ones only costs time at worst, never the verdict.
  bool seen(std::uint32_t hash) const;
  std::uint32_t remember(std::uint32_t hash, std::uint32_t parent, OperationId op);
  std::size_t slot_of(std::uint32_t hash) const;
  void place(std::uint32_t id);
  void forget();
  bool within_budget();
  /// Asks the budget every 256 rounds, and earlier if these have many steps: of a large state, each
  /// may cost as much as a thousand others.
  bool may_continue(std::uint64_t round) {
    return (round % 256 != 0 && stats_.steps - steps_at_last_look_ < 512) || within_budget();
  }

  // ---- Ends (jit_ends.hpp).
  /// At the end of the events, in a final state. Returns: whether the question is settled.
  bool reached_end(std::uint32_t trail);
  void start();
  /// Breadth first: the order along a trail.
  std::vector<OperationId> replay(std::uint32_t trail);
  Answer conclude(bool settled);
  Answer give_up();
  void finish_stats(Answer& answer);

  // ---- Depth first.
  std::uint32_t move_to_child(std::uint32_t parent, OperationId op, StateId state);
  std::uint32_t explore_children(std::uint32_t parent);
  std::uint32_t explore_waiting();

  // ---- Breadth first.
  struct Frontier;
  void load(const Word* mask, StateId state);
  void keep(Frontier& frontier, std::uint32_t trail) const;
  void remember_if_new(std::uint32_t parent, OperationId op);
  std::optional<bool> close(Frontier& frontier, OperationId target);
  void expand(std::uint32_t node);
  void note_if_forced(const Frontier& frontier, OperationId returned);

  struct Chosen {  // of pending operations with one label: which is in the list
    std::uint64_t stamp = 0;
    std::uint32_t index = 0;
  };
  struct Trail {  // breadth first: how a configuration came about
    std::uint32_t parent;
    OperationId op;
    StateId state;
  };
  struct Reason {  // an order up to a final state: its trail or, depth first, itself
    std::uint32_t trail;
    std::vector<OperationId> order;
    bool operator==(const Reason&) const = default;
  };

  const Problem& problem_;
  const Window& window_;
  Budget& budget_;
  const EngineOptions& options_;
  std::size_t words_;
  Charge charge_;
  Automaton automaton_;
  SearchStats stats_;
  std::uint64_t charged_steps_ = 0;
  std::uint64_t steps_at_last_look_ = 0;
  Chunked<Node> nodes_;
  Chunked<Word> masks_;
  Chunked<Trail> trail_;
  /// Cursor and working configuration.
  std::uint32_t at_ = 0;
  std::vector<OperationId> slot_op_;
  std::vector<Word> active_, pure_, optional_;
  std::vector<Word> mask_;
  StateId state_ = 0;
  bool recording_ = false;
  std::vector<OperationId> order_;  // the operations linearized so far, while recording
  std::vector<OperationId> list_;
  std::vector<StateId> next_;
  std::vector<Chosen> chosen_;
  std::uint64_t stamp_ = 0;
  static constexpr std::size_t kMostLooks = 32;
  std::vector<std::uint32_t> table_;  // by hash: the latest node
  std::size_t hashes_ = 0;            // in the table
  std::vector<Child> stack_;
  std::vector<OperationId> judged_;
  std::vector<std::optional<Reason>> reasons_;  // by judged operation; for one that has none: one
  bool linearizable_ = false;                   // some order of the completed ones exists
  std::uint32_t furthest_ = 0;                  // the furthest event that blocked
  std::uint32_t forced_at_ = kNone;             // see Answer::Forced
  StateId forced_state_ = 0;
  std::vector<OperationId> forced_linearized_;
};

}  // namespace plumb::jit
