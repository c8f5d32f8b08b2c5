// SPDX-License-Identifier: MIT
// The algorithm of Wing & Gong with Lowe's cache, as Horn & Kroening give it in "Faster
// linearizability checking via P-compositionality" (Algorithms 1 and 2): the baseline.
//
// Walk along the history. At a call, see whether the specification allows the operation in the
// present state; if so, linearize it provisionally: push it on the stack `calls`, lift call and
// return out of the list, and start again at the front. At a return we are stuck: this operation
// had to be linearized before, so take the last provisional one back and try what follows it.
// A cache of configurations (set of linearized operations, state) keeps us from arriving at the
// same place twice: what follows depends on the configuration only (Lowe).
//
// The set is a string of n bits, all of which is stored with every configuration. That is what
// this algorithm costs, some 450 MiB for 4 x 70,000 operations in 24 partitions and 10 GB without
// partitions, and we leave it so: jit.cpp shows how to do without. What is done well here:
//
//  * The hash of a set is the xor of one random word for each member (Zobrist), so it changes with
//    a member in constant time (section 5.1). The set is copied when it is new, not to look it up.
//  * Configurations lie one after the other in large blocks; the table holds their hashes.
//  * Optionally only the last k configurations are kept (section 5.1, LRU). Forgetting one costs
//    time, never the verdict: the search tree is finite without any cache.
//
// Errata of the paper: Algorithm 1 does not initialise `entry`; and it must end when no *completed*
// operation is left, for pending ones need not be linearized. Their returns stand behind all
// other entries and so force nothing.
//
// Beyond the paper: nondeterministic specifications (a frame remembers which of the next states it
// took); operations of one process that overlap by their clocks (`after`); and stuck histories,
// where the judged operations are lifted for good, and the search continues through all
// configurations without completed operations until each judged one has been blocked in one.
//
// In a violation everything reachable has been visited, and every configuration was left at its
// first remaining return. So the last one of these is the earliest return that nothing explains.
//
// Partitioning (Algorithm 3) is in partition.cpp. Time and memory: up to 2^n * states
// configurations of n bits; with p operations pending at a time, n * 2^p * states of them.
#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "check/engines/wgl_entries.hpp"
#include "check/problem/automaton.hpp"
#include "check/problem/engine.hpp"

namespace plumb {
namespace {

std::uint64_t random_word(std::uint64_t i) {  // splitmix64
  i = (i + 1) * 0x9e3779b97f4a7c15u;
  i = (i ^ i >> 30) * 0xbf58476d1ce4e5b9u;
  i = (i ^ i >> 27) * 0x94d049bb133111ebu;
  return i ^ i >> 31;
}

// ---- The cache of configurations.

using Word = std::uint64_t;

class ConfigurationCache {
 public:
  ConfigurationCache(std::size_t words, std::size_t lru_entries, Budget& budget)
      : set_bytes_(words * sizeof(Word)), most_(lru_entries), charge_(budget),
        slots_(kFewestSlots) {
    within_budget_ = charge_.add(slots_.size() * sizeof(Slot));
  }

  /// Returns: whether the configuration was not there yet; it is now, within the budget.
  bool insert(const Word* set, StateId state, std::uint64_t hash) {
    for (std::size_t at = hash & mask(); slots_[at].record; at = (at + 1) & mask()) {
      Record* record = slots_[at].record;
      if (slots_[at].hash != hash || record->state != state ||
          std::memcmp(set_of(record), set, set_bytes_) != 0)
        continue;
      if (most_) use(record);
      return false;
    }
    Record* record = most_ && size_ == most_ ? evict() : allocate();
    if (!record) return true;
    record->state = state;
    record->hash = hash;
    std::memcpy(set_of(record), set, set_bytes_);
    if (most_) link_as_newest(record);
    if (++size_ * 4 > slots_.size() * 3) grow_table();
    place(hash, record);
    ++inserted_;
    return true;
  }

  bool within_budget() const { return within_budget_; }
  std::uint64_t inserted() const { return inserted_; }
  std::size_t bytes() const { return charge_.held(); }

 private:
  struct Record {  // followed by the set
    std::uint64_t hash = 0;
    Record *newer = this, *older = this;  // LRU only: a ring through ends_
    StateId state = 0;
  };
  static_assert(sizeof(Record) % alignof(Word) == 0);
  static Word* set_of(Record* record) { return reinterpret_cast<Word*>(record + 1); }
  struct Slot {
    std::uint64_t hash = 0;
    Record* record = nullptr;
  };
  static constexpr std::size_t kFewestSlots = 64, kSmallestBlock = 1 << 10, kLargestBlock = 1 << 22;

  // Records of one size, cut from blocks that grow from small to large.
  Record* allocate() {
    const std::size_t size = sizeof(Record) + set_bytes_;
    if (block_left_ < size) {
      block_size_ = std::max(size, std::min(block_size_ * 2, kLargestBlock));
      if (!charge_.add(block_size_)) return within_budget_ = false, nullptr;
      blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(block_size_));
      block_left_ = block_size_;
    }
    std::byte* at = blocks_.back().get() + (block_size_ - block_left_);
    block_left_ -= size;
    return new (at) Record;
  }

  std::size_t mask() const { return slots_.size() - 1; }
  void place(std::uint64_t hash, Record* record) {
    std::size_t at = hash & mask();
    while (slots_[at].record) at = (at + 1) & mask();
    slots_[at] = {hash, record};
  }
  void grow_table() {
    const std::size_t old_bytes = slots_.size() * sizeof(Slot);
    if (!charge_.add(2 * old_bytes)) {  // for a moment both are there
      within_budget_ = false;
      return;
    }
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.record) place(slot.hash, slot.record);
    charge_.hold(charge_.held() - old_bytes);
  }

  // ---- Least recently used first.
  void use(Record* record) {
    unlink(record);
    link_as_newest(record);
  }
  static void unlink(Record* record) {
    record->newer->older = record->older;
    record->older->newer = record->newer;
  }
  void link_as_newest(Record* record) {
    record->newer = &ends_;
    record->older = ends_.older;
    ends_.older->newer = record;
    ends_.older = record;
  }
  Record* evict() {
    Record* oldest = ends_.newer;
    unlink(oldest);
    // Linear probing without tombstones: what follows the hole moves up if it may.
    std::size_t hole = oldest->hash & mask();
    while (slots_[hole].record != oldest) hole = (hole + 1) & mask();
    for (std::size_t at = (hole + 1) & mask(); slots_[at].record; at = (at + 1) & mask()) {
      const std::size_t home = slots_[at].hash & mask();
      if (((at - home) & mask()) < ((at - hole) & mask())) continue;
      slots_[hole] = slots_[at];
      hole = at;
    }
    slots_[hole].record = nullptr;
    --size_;
    return oldest;
  }

  const std::size_t set_bytes_, most_;  // most_ 0: no limit
  Charge charge_;
  bool within_budget_ = true;
  std::vector<Slot> slots_;  // a power of two of them, at most three quarters in use
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::size_t block_size_ = kSmallestBlock / 2, block_left_ = 0;
  std::size_t size_ = 0;
  std::uint64_t inserted_ = 0;
  Record ends_;
};

// ---- The search.

class Wgl {
 public:
  Wgl(const Problem& problem, Budget& budget, const EngineOptions& options)
      : problem_(problem), budget_(budget), automaton_(problem), history_(problem),
        linearized_((problem.ops.size() + 63) / 64),
        cache_(linearized_.size(), options.lru_entries, budget), charge_(budget),
        chained_(problem.chained()),
        ask_every_(std::clamp<std::uint64_t>(kCopiedBetween / (linearized_.size() + 1), 16, 1024)),
        completed_left_(problem.completed()), completed_(completed_left_) {
    zobrist_.reserve(problem.ops.size());
    for (std::uint64_t op = 0; op < problem.ops.size(); ++op) zobrist_.push_back(random_word(op));
    for (OperationId op = 0; problem.stuck && op < problem.ops.size(); ++op) {
      if (!problem.ops[op].judged) continue;
      history_.lift(history_.call_of(op));
      judged_.push_back(op);
    }
    unjustified_ = judged_.size();
    justified_.resize(judged_.size());
    justification_.resize(judged_.size());
    calls_.reserve(problem.ops.size());
    fixed_bytes_ = history_.bytes() + zobrist_.capacity() * sizeof(std::uint64_t) +
                   calls_.capacity() * sizeof(Frame);
  }

  Answer run() {
    const Verdict verdict = search();
    Answer answer;
    answer.engine = "wgl";
    answer.verdict = verdict;
    answer.covered = verdict == Verdict::holds ? completed_ : covered_;
    if (verdict == Verdict::holds) {
      if (judged_.empty()) justification_.push_back(order());
      answer.witnesses = std::move(justification_);
    } else if (verdict == Verdict::undecided) {
      answer.reason = describe_stop(budget_);
    } else if (covered_ < completed_) {
      answer.failing_event = EntryList::position(furthest_);
    } else {
      std::size_t i = 0;
      while (justified_[i]) ++i;
      answer.unjustified = judged_[i];
    }
    answer.stats.configurations = cache_.inserted();
    answer.stats.steps = steps_;
    answer.stats.states = automaton_.space().size();
    answer.stats.bytes = cache_.bytes() + charge_.held();
    return answer;
  }

 private:
  using Entry = EntryList::Entry;
  static constexpr std::uint64_t kCopiedBetween = 1 << 18;  // words, between two questions
  struct Frame {
    Entry entry;
    StateId state;         // before it
    std::uint32_t choice;  // which of the next states was taken
  };

  // Algorithm 1.
  Verdict search() {
    if (done()) return Verdict::holds;
    Entry entry = history_.first();
    std::uint32_t choice = 0;  // of the next states of `entry`, the first one to try
    for (;;) {
      if (++steps_ % ask_every_ == 0 && !may_go_on()) return Verdict::undecided;
      if (history_.is_call(entry)) {
        if (linearize(entry, choice)) {
          if (!cache_.within_budget()) return Verdict::undecided;
          if (done()) return Verdict::holds;
          entry = history_.first();
        } else {
          entry = history_.next(entry);
        }
        choice = 0;
      } else {
        if (completed_left_ > 0) furthest_ = std::max(furthest_, entry);
        if (calls_.empty()) return Verdict::violation;
        entry = calls_.back().entry;
        choice = calls_.back().choice + 1;
        take_back();
      }
    }
  }

  // Lines 3-14: if that leads to a configuration which is not in the cache.
  bool linearize(Entry entry, std::uint32_t choice) {
    const OperationId op = history_.operation(entry);
    if (!enabled(op)) return false;
    flip(op);
    const auto next = automaton_.step(state_, problem_.ops[op].label);
    while (choice < next.size() &&
           !cache_.insert(linearized_.data(), next[choice],
                          hash_ ^ random_word(~std::uint64_t{next[choice]})))
      ++choice;
    if (choice >= next.size()) {
      flip(op);
      return false;
    }
    calls_.push_back({entry, state_, choice});
    state_ = next[choice];
    history_.lift(entry);
    if (problem_.ops[op].completed()) --completed_left_;
    covered_ = std::max(covered_, completed_ - completed_left_);
    return true;
  }

  // Lines 20-23.
  void take_back() {
    const Frame frame = calls_.back();
    calls_.pop_back();
    const OperationId op = history_.operation(frame.entry);
    state_ = frame.state;
    flip(op);
    history_.unlift(frame.entry);
    if (problem_.ops[op].completed()) ++completed_left_;
  }

  void flip(OperationId op) {
    linearized_[op / 64] ^= Word{1} << op % 64;
    hash_ ^= zobrist_[op];
  }

  // Whether the search may end here, and with `holds`.
  bool done() {
    if (completed_left_ > 0) return false;
    for (std::size_t i = 0; i < judged_.size(); ++i) {
      if (justified_[i] || !automaton_.blocked(state_, problem_.ops[judged_[i]].label)) continue;
      justified_[i] = true;
      justification_[i] = order();
      --unjustified_;
    }
    return unjustified_ == 0;
  }

  bool enabled(OperationId op) const {
    if (!chained_ || problem_.ops[op].after == kNone) return true;
    const OperationId before = problem_.ops[op].after;
    return linearized_[before / 64] >> before % 64 & 1;
  }

  bool may_go_on() {
    // Its steps are short: to copy eight words is as much as one of other engines.
    const std::uint64_t copying = ask_every_ * (linearized_.size() + 7) / 8;
    const std::uint64_t before = std::exchange(charged_work_, automaton_.work());
    return charge_.hold(fixed_bytes_ + automaton_.bytes() + automaton_.bytes_soon()) &&
           !budget_.exhausted(copying + charged_work_ - before);
  }

  std::vector<OperationId> order() const {
    std::vector<OperationId> result;
    result.reserve(calls_.size());
    for (const Frame& frame : calls_) result.push_back(history_.operation(frame.entry));
    return result;
  }

  const Problem& problem_;
  Budget& budget_;
  Automaton automaton_;
  EntryList history_;
  std::vector<Word> linearized_;
  std::uint64_t hash_ = 0;  // of linearized_
  StateId state_ = automaton_.initial();
  ConfigurationCache cache_;
  Charge charge_;
  const bool chained_;
  // A step copies a set, so in a long history the budget must be asked more often.
  const std::uint64_t ask_every_;
  std::size_t completed_left_;
  const std::size_t completed_;
  std::vector<std::uint64_t> zobrist_;  // by operation
  std::vector<Frame> calls_;
  std::size_t fixed_bytes_ = 0;
  std::uint64_t charged_work_ = 0;  // of the automaton

  std::vector<OperationId> judged_;
  std::size_t unjustified_ = 0;
  std::vector<bool> justified_;
  std::vector<std::vector<OperationId>> justification_;  // by judged operation

  Entry furthest_ = EntryList::kHead;  // return that was the first one left
  std::size_t covered_ = 0;
  std::uint64_t steps_ = 0;
};

}  // namespace

Answer decide_wgl(const Problem& problem, Budget& budget, const EngineOptions& options) {
  return Wgl(problem, budget, options).run();
}

}  // namespace plumb
