// SPDX-License-Identifier: MIT
// Windowed just-in-time search: the generic engine.
//
// Wing & Gong's search remembers which of the n operations are linearized. Most of that is known
// anyway. Let e be the earliest return that we have not passed: whatever returned before e is
// linearized, or we could not have passed it; whatever is called after e is not. Only operations
// that are pending at e are open, at most one per process (and the crashed ones). So we give each
// operation a slot when it is called, free the slot when it returns, and a configuration is
//
//     (e, mask: the slots that are linearized, state)
//
// of some 20 bytes instead of n bits. "Just in time" (Lowe's word): an operation is linearized only
// when a return blocks us, that is, when its own bit is not set; until then calls are merely noted.
//
//     advance:  a call: note it;  a return whose bit is set: free the slot;  else stop at it
//     children: linearize any one pending operation, then advance
//
// Four prunings, each switchable, each cross-checked against the definition:
//
//  * Pure labels. A label that changes no state in which it is legal (a read, a failed cas) is
//    linearized as soon as it is legal, without a branch: in any completion it can be moved here.
//    (That the *current* state stays the same is not enough: write(1) in state 1 must not be
//    hurried, because it may be needed later.)
//  * Earliest deadline first. Of pending operations with equal labels the one that returns first
//    is linearized first: exchange the two in any completion.
//  * Domination. Two configurations at the same e and state that differ only in pure and in
//    optional operations: more pure ones linearized is better (the completion of the other works,
//    less what is done already), fewer optional ones used up is better (the completion of the
//    other does not use them).
//  * Pending operations that would be pure are left out.
//
// Depth first keeps every configuration and finds orders fast; of the children the one that
// advances furthest goes first. Breadth first keeps the configurations of one return only, and so
// fails at the earliest return that nothing explains. (So does depth first once it has seen
// everything: the furthest return that blocked it.) By default depth first runs with a budget,
// then breadth first takes over.
//
// Stuck histories (Line-Up, Definition 2): the judged operations are left out of the search; each
// of them needs a final state, its own if need be, in which the specification blocks it.
//
// Cost: O(2^p * states) configurations per return in the worst case, p operations pending; linear
// in the length of the history at fixed concurrency.
#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

#include "base/chunked.hpp"
#include "check/problem/automaton.hpp"
#include "check/problem/engine.hpp"

namespace plumb {
namespace {

// Events as the search sees them: with slots, without operations that can not matter.
struct Step {
  OperationId op;
  std::uint32_t slot : 29;
  std::uint32_t is_return : 1;
  std::uint32_t pure : 1;
  std::uint32_t optional : 1;  // it did not return, and no order within a process concerns it
};

struct Window {
  std::vector<Step> steps;
  std::vector<std::uint32_t> slot;  // by operation, kNone: left out
  std::vector<bool> linked;         // by operation: it has `after`, or is another's
  std::size_t slots = 0;
  bool chained = false;  // some are linked
};

Window make_window(const Problem& problem, const EngineOptions& options) {
  Window w;
  w.slots = options.first_slot;
  w.slot.assign(problem.ops.size(), kNone);
  w.steps.reserve(problem.events.size());
  for (OperationId op = 0; op < problem.ops.size(); ++op)
    if (const OperationId before = problem.ops[op].after; before != kNone) {
      w.linked.resize(problem.ops.size());
      w.linked[op] = w.linked[before] = w.chained = true;
    }
  std::vector<std::uint32_t> free;
  for (const Event event : problem.events) {
    const OperationId op = event.operation();
    const Problem::Op& o = problem.ops[op];
    const bool pure = problem.pure[o.label], linked = w.chained && w.linked[op];
    if (!event.is_return()) {
      if (!o.completed() && (o.judged || (pure && !linked))) continue;
      if (free.empty()) free.push_back(static_cast<std::uint32_t>(w.slots++));
      w.slot[op] = free.back();
      free.pop_back();
    } else {
      free.push_back(w.slot[op]);
    }
    // One that another waits for is not freely optional: the other's completion may need it.
    const bool optional = !o.completed() && !linked;
    w.steps.push_back(
        {op, w.slot[op] & 0x1fffffff, event.is_return(), pure && options.pure_labels, optional});
  }
  return w;
}

// The search over masks of kWords words; 0: as many as it takes.
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

  Answer depth_first(std::uint64_t most_configurations);
  Answer breadth_first();

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

  // Which child to explore first: one that spends no optional operation, then the furthest.
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
  // Where the event stands in the problem.
  std::uint32_t position(std::uint32_t at) const {
    const Step step = window_.steps[at];
    return step.is_return ? problem_.ops[step.op].ret : problem_.ops[step.op].call;
  }
  void commit_if_legal(OperationId op) {
    if (enabled(op) && automaton_.legal(state_, problem_.ops[op].label))
      set(mask_.data(), window_.slot[op]), emit(op);
  }
  // Linearizes every pending pure operation that is legal in the present state.
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
  // Goes on until a return blocks, or to the end.
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

  // The operations worth linearizing next, from the working configuration: the blocked one first.
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
  // An optional operation that changes nothing, unless another waits for it.
  bool of_no_use(OperationId op) const {
    return !problem_.ops[op].completed() && !(window_.chained && window_.linked[op]);
  }
  bool earlier(OperationId a, OperationId b) const {
    return std::pair(problem_.ops[a].ret, a) < std::pair(problem_.ops[b].ret, b);
  }

  // ---- Remembering.
  std::uint32_t hash_of_working() const {
    std::uint64_t h = (std::uint64_t{at_} << 32 | state_) * 0x9e3779b97f4a7c15u;
    for (std::size_t i = 0; i < words(); ++i) {
      h ^= strict(i) & mask_[i];
      h *= 0xff51afd7ed558ccdu;
      h ^= h >> 32;
    }
    return static_cast<std::uint32_t>(h ^ h >> 29);
  }
  // Slots in which two configurations must agree to be comparable.
  Word strict(std::size_t i) const {
    return options_.domination ? active_[i] & ~pure_[i] & ~optional_[i] : ~Word{0};
  }
  // The working configuration is no better than the remembered one.
  bool dominated_by(const Word* other) const {
    for (std::size_t i = 0; i < words(); ++i) {
      const Word mine = mask_[i], theirs = other[i];
      if ((mine ^ theirs) & strict(i)) return false;
      if (mine & ~theirs & pure_[i]) return false;
      if (theirs & ~mine & optional_[i]) return false;
    }
    return true;
  }
  // Configurations of one hash are a list, latest first: with many crashed operations it can be
  // long, and looking at the latest ones only costs time at worst, never the verdict.
  bool seen(std::uint32_t hash) const {
    std::uint32_t id = table_[slot_of(hash)];
    for (std::size_t looks = 0; id != kNone && looks < kMostLooks; ++looks) {
      const Node& node = *nodes_[id];
      if (node.event == at_ && node.state == state_ && dominated_by(masks_[id])) return true;
      id = node.same_hash;
    }
    return false;
  }
  std::uint32_t remember(std::uint32_t hash, std::uint32_t parent, OperationId op) {
    const auto id = static_cast<std::uint32_t>(nodes_.size());
    *nodes_.push() = {at_,  state_, parent, op, hash, static_cast<std::uint32_t>(order_.size()),
                      kNone};
    std::copy_n(mask_.data(), words(), masks_.push());
    if ((hashes_ + 1) * 2 > table_.size()) {
      table_.assign(table_.size() * 2, kNone);
      hashes_ = 0;
      for (std::uint32_t i = 0; i < id; ++i) place(i);
    }
    place(id);
    return id;
  }
  std::size_t slot_of(std::uint32_t hash) const {
    std::size_t i = hash & (table_.size() - 1);
    while (table_[i] != kNone && nodes_[table_[i]]->hash != hash) i = (i + 1) & (table_.size() - 1);
    return i;
  }
  void place(std::uint32_t id) {
    std::uint32_t& head = table_[slot_of(nodes_[id]->hash)];
    hashes_ += head == kNone;
    nodes_[id]->same_hash = std::exchange(head, id);
  }
  void forget() {
    if (table_.size() > 64 * (nodes_.size() + 16)) {
      table_.assign(1024, kNone);
    } else {
      for (std::uint32_t id = 0; id < nodes_.size(); ++id) {
        std::size_t i = nodes_[id]->hash & (table_.size() - 1);
        for (; table_[i] != kNone; i = (i + 1) & (table_.size() - 1)) table_[i] = kNone;
      }
    }
    nodes_.clear();
    masks_.clear();
    hashes_ = 0;
  }
  bool within_budget() {
    const std::size_t bytes = nodes_.bytes() + masks_.bytes() + table_.capacity() * 4 +
                              stack_.capacity() * sizeof(Child) + trail_.bytes() +
                              automaton_.bytes();
    stats_.bytes = std::max<std::uint64_t>(stats_.bytes, bytes);
    return charge_.hold(bytes + automaton_.bytes_soon()) && !budget_.exhausted();
  }

  // ---- Ends.
  // At the end of the events, in a final state. Returns: whether the question is settled.
  bool reached_end(std::uint32_t trail) {
    const Reason here{trail, recording_ ? order_ : std::vector<OperationId>{}};
    bool all = true;
    for (std::size_t j = 0; j < judged_.size(); ++j) {
      if (!reasons_[j] && automaton_.blocked(state_, problem_.ops[judged_[j]].label))
        reasons_[j] = here;
      all &= reasons_[j].has_value();
    }
    if (judged_.empty()) reasons_.assign(1, here);
    linearizable_ = true;
    return all;
  }
  void start() {
    go_to(0);
    std::fill(mask_.begin(), mask_.end(), 0);
    order_.clear();
    state_ = automaton_.initial();
    advance();
  }
  // Breadth first: the order along a trail.
  std::vector<OperationId> replay(std::uint32_t trail) {
    std::vector<Trail> choices;
    for (; trail != kNone; trail = choices.back().parent) choices.push_back(*trail_[trail]);
    recording_ = true;
    start();
    for (auto choice = choices.rbegin(); choice != choices.rend(); ++choice) {
      linearize(choice->op, choice->state);
      advance();
    }
    recording_ = false;
    return std::move(order_);
  }
  Answer conclude(bool settled) {
    Answer answer;
    answer.engine = "jit";
    finish_stats(answer);
    if (forced_at_ != kNone) {
      answer.forced = {forced_at_, forced_linearized_, automaton_.space().fork(forced_state_), 0};
      answer.forced.state = answer.forced.space->initial();
    }
    if (settled) {
      answer.verdict = Verdict::holds;
      if (!options_.witness) return answer;
      for (auto& reason : reasons_)
        answer.witnesses.push_back(recording_ ? std::move(reason->order) : replay(reason->trail));
      return answer;
    }
    answer.verdict = Verdict::violation;
    if (linearizable_) {
      const auto open = std::find(reasons_.begin(), reasons_.end(), std::nullopt);
      answer.unjustified = judged_[static_cast<std::size_t>(open - reasons_.begin())];
      return answer;
    }
    answer.failing_event = position(furthest_);
    return answer;
  }
  Answer give_up() {
    Answer answer;
    answer.engine = "jit";
    answer.reason = describe_stop(budget_);
    finish_stats(answer);
    return answer;
  }
  void finish_stats(Answer& answer) {
    within_budget();  // takes the last measure of the tables
    stats_.states = automaton_.space().size();
    stats_.configurations = std::max<std::uint64_t>(stats_.configurations, nodes_.size());
    answer.stats = stats_;
    answer.covered = static_cast<std::uint64_t>(
        std::count_if(window_.steps.begin(), window_.steps.begin() + furthest_,
                      [](Step step) { return step.is_return; }));
  }

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
  Chunked<Node> nodes_;
  Chunked<Word> masks_;
  Chunked<Trail> trail_;
  // Cursor and working configuration.
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

// ---- Depth first.

template <std::size_t kWords>
Answer Search<kWords>::depth_first(std::uint64_t most_configurations) {
  recording_ = true;
  start();
  furthest_ = at_;
  std::uint32_t current = remember(hash_of_working(), kNone, kNone);
  const auto move_to_child = [this](std::uint32_t parent, OperationId op, StateId state) {
    const Node& node = *nodes_[parent];
    go_to(node.event);
    std::copy_n(masks_[parent], words(), mask_.begin());
    order_.resize(node.order_size);
    linearize(op, state);
    advance();
    furthest_ = std::max(furthest_, at_);
    return hash_of_working();
  };
  for (std::uint64_t expansions = 0;; ++expansions) {
    if (at_ == end() && reached_end(current)) return conclude(true);
    if (nodes_.size() > most_configurations || (expansions % 256 == 0 && !within_budget()))
      return give_up();

    // All children; the one that advances furthest is explored next, the others wait.
    const StateId state = state_;
    const std::size_t base = stack_.size();
    std::size_t best = base;
    std::uint32_t hash = 0, best_hash = 0;
    candidates(list_);
    for (const OperationId op : list_) {
      const auto successors = automaton_.step(state, problem_.ops[op].label);
      next_.assign(successors.begin(), successors.end());
      for (const StateId next : next_) {
        if (next == state && of_no_use(op)) continue;
        ++stats_.steps;
        hash = move_to_child(current, op, next);
        if (seen(hash)) continue;
        stack_.push_back({at_, next, current, op});
        if (stack_.size() == base + 1 || better(stack_.back(), stack_[best])) {
          best = stack_.size() - 1;
          best_hash = hash;
        }
      }
    }
    if (stack_.size() > base) {
      const Child child = stack_[best];
      stack_.erase(stack_.begin() + static_cast<std::ptrdiff_t>(best));
      std::stable_sort(stack_.begin() + static_cast<std::ptrdiff_t>(base), stack_.end(),
                       [this](const Child& a, const Child& b) { return better(b, a); });
      if (list_.size() > 1 || next_.size() > 1) move_to_child(current, child.op, child.state);
      current = remember(best_hash, child.parent, child.op);
      continue;
    }
    do {
      if (stack_.empty()) return conclude(false);
      const Child child = stack_.back();
      stack_.pop_back();
      hash = move_to_child(child.parent, child.op, child.state);
      current = seen(hash) ? kNone : remember(hash, child.parent, child.op);
    } while (current == kNone);
  }
}

// ---- Breadth first. Nodes are the configurations at the present event only; how they came about
// is kept apart, in the trail.

template <std::size_t kWords>
Answer Search<kWords>::breadth_first() {
  struct Configuration {
    StateId state;
    std::uint32_t trail;
  };
  std::vector<Configuration> frontier;
  std::vector<Word> frontier_masks;
  const auto load = [&](const Word* mask, StateId state) {
    std::copy_n(mask, words(), mask_.begin());
    state_ = state;
  };
  const auto keep = [&](std::uint32_t trail) {
    frontier.push_back({state_, trail});
    frontier_masks.insert(frontier_masks.end(), mask_.begin(), mask_.end());
  };
  const auto remember_if_new = [&](std::uint32_t parent, OperationId op) {
    const std::uint32_t hash = hash_of_working();
    if (seen(hash)) return;
    std::uint32_t trail = parent;
    if (op != kNone) {
      trail = static_cast<std::uint32_t>(trail_.size());
      *trail_.push() = {parent, op, state_};
      ++stats_.configurations;
    }
    remember(hash, trail, op);
  };
  // Closes the frontier under linearizing pending operations. A configuration in which `target` is
  // linearized goes on to the next frontier; the others are expanded. At the end (target kNone)
  // all are expanded, and `settled` tells whether the question is.
  const auto close = [&](OperationId target, bool& settled) {
    forget();
    for (std::size_t i = 0; i < frontier.size(); ++i) {
      load(&frontier_masks[i * words()], frontier[i].state);
      remember_if_new(frontier[i].trail, kNone);
    }
    frontier.clear();
    frontier_masks.clear();
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
      if (i % 256 == 255 && !within_budget()) return false;
      const Node node = *nodes_[i];
      load(masks_[i], node.state);
      if (target == kNone && reached_end(node.parent)) return settled = true, true;
      if (target != kNone && test(mask_.data(), window_.slot[target])) {
        keep(node.parent);
        continue;
      }
      candidates(list_);
      for (const OperationId op : list_) {
        const auto successors = automaton_.step(node.state, problem_.ops[op].label);
        next_.assign(successors.begin(), successors.end());
        for (const StateId next : next_) {
          if (next == node.state && of_no_use(op)) continue;
          ++stats_.steps;
          load(masks_[i], node.state);
          linearize(op, next);
          remember_if_new(node.parent, op);
        }
      }
    }
    stats_.peak_frontier = std::max<std::uint64_t>(stats_.peak_frontier, nodes_.size());
    return true;
  };

  go_to(0);
  std::fill(mask_.begin(), mask_.end(), 0);
  state_ = automaton_.initial();
  keep(kNone);
  bool settled = false;
  for (std::uint64_t events = 0; at_ < end(); ++events) {
    if (events % 256 == 0 && !within_budget()) return give_up();
    const Step step = window_.steps[at_];
    const OperationId op = step.op;
    if (step.is_return) {
      furthest_ = at_;
      if (!close(op, settled)) return give_up();
      if (frontier.empty()) return conclude(false);
      for (std::size_t i = 0; i < frontier.size(); ++i)
        clear(&frontier_masks[i * words()], step.slot);
      forward();
      if (frontier.size() == 1 && problem_.ops[op].ret < options_.forced_before) {
        forced_at_ = problem_.ops[op].ret + 1;
        forced_state_ = frontier.front().state;
        forced_linearized_.clear();
        for (std::size_t i = 0; i < words(); ++i)
          for (Word rest = frontier_masks[i]; rest; rest &= rest - 1)
            forced_linearized_.push_back(
                slot_op_[i * 64 + static_cast<std::size_t>(std::countr_zero(rest))]);
      }
      continue;
    }
    forward();
    if (!step.pure) continue;
    for (std::size_t i = 0; i < frontier.size(); ++i) {
      load(&frontier_masks[i * words()], frontier[i].state);
      commit_if_legal(op);
      std::copy_n(mask_.begin(), words(), &frontier_masks[i * words()]);
    }
  }
  furthest_ = at_;
  if (!close(kNone, settled)) return give_up();
  return conclude(settled);
}

template <std::size_t kWords>
Answer run(const Problem& problem, const Window& window, Budget& budget,
           const EngineOptions& options) {
  // Most histories need about one configuration an operation; far more means that depth first has
  // lost its way, and that one return at a time, with domination inside it, may be cheaper.
  const std::uint64_t most = 1'000'000 + 4 * std::uint64_t{problem.ops.size()};
  if (!options.breadth_first) {
    Search<kWords> search(problem, window, budget, options);
    Answer answer = search.depth_first(options.depth_first ? ~std::uint64_t{0} : most);
    if (options.depth_first || answer.verdict != Verdict::undecided ||
        budget.stopped() != Budget::Stop::none)
      return answer;
  }
  Search<kWords> search(problem, window, budget, options);
  return search.breadth_first();
}

}  // namespace

Answer decide_jit(const Problem& problem, Budget& budget, const EngineOptions& options) {
  const Window window = make_window(problem, options);
  switch ((window.slots + 63) / 64) {
    case 0:
    case 1: return run<1>(problem, window, budget, options);
    case 2: return run<2>(problem, window, budget, options);
    case 3:
    case 4: return run<4>(problem, window, budget, options);
    default: return run<0>(problem, window, budget, options);
  }
}

}  // namespace plumb
