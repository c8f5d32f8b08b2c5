// SPDX-License-Identifier: MIT
// Dynamic partial-order reduction that loses no maximal history. dpor.cpp says why.
#pragma once

#include "explore/state.hpp"

namespace plumb::explore {

struct DporOptions {
  /// Forget that calls and returns are ordered. Histories are lost: only for tests that show it,
  /// and for programs without operations.
  bool memory_only = false;
  std::uint32_t depth = 1 << 16;  // choices in an execution
  std::uint32_t index_from = 64;  // in shorter ones, to look at all steps is faster than an index
};

/// Lists of the actions of a thread (dpor_index.cpp): all, those whose step calls, returns, touches
/// more than is listed elsewhere; then, of those that have races, all, and those that might have
/// touched more than is listed elsewhere.
enum class DporList : std::uint8_t { steps, calls, returns, wide, late, late_wide, count };

struct DporHead : StateHead {
  std::uint32_t memory_only = 0;
  std::uint32_t depth = 0;  // entries of the stack, one a choice
  std::uint32_t index_from = 0;
  /// Offsets into the memory; 0 is none.
  std::uint64_t top = 0;                 // the stack ends here,
  std::uint64_t top_entry = 0;           // with this entry
  std::uint64_t last_action = 0;         // the last entry that is an action
  std::uint64_t cursor = 0;              // the entry of the next choice; top: it is new
  std::uint64_t running = 0;             // the action whose step is under way
  std::uint64_t last[kMaxThreads] = {};  // of each thread, in this execution: its last action
  /// Of the index, which lies at the end of the memory; it is not part of a checkpoint.
  std::uint64_t indexed = 0;  // the last action in it
  std::uint32_t table = 0;    // its hash table begins there,
  std::uint32_t nodes = 0;    // and below it the nodes, with the last one here
  std::uint32_t slots = 0, used_slots = 0;
  std::uint32_t threads = 0;  // that took a step, ever
  /// Of a search that is divided (dpor_split.cpp): an action, when whose thread is explored it
  /// stops; and the action up to which the stack is that of another search, which reports are for.
  std::uint64_t stop_at = 0;
  std::uint64_t given_at = 0;
  std::uint64_t reports = 0;  // they begin there
  std::uint32_t report_count = 0;
  std::uint32_t report_slots = 0;  // of the hash table of reports, which ends the memory
  std::uint32_t lists[static_cast<int>(DporList::count)][kMaxThreads] = {};  // the last nodes
};

class Dpor final : public FlatStrategy {
 public:
  /// A step that touches more than so many words is compared with all others.
  static constexpr int kMostWords = 8;

  /// The memory is aligned to 8 bytes and holds at least room(options).
  Dpor(const DporOptions& options, std::span<std::byte> memory);
  explicit Dpor(std::span<std::byte> memory);
  static std::size_t room(const DporOptions& options);

  int choose(const Point& point) override;
  int choose_value(int count, int cost) override;
  void taken(const Step& step) override;
  void ended(std::uint32_t waiting, std::span<const Step> next) override;
  bool advance() override;
  bool rewind() override;
  std::span<const std::byte> used() const override;

  bool split(std::span<std::byte> other) override;
  bool joins() const override { return true; }
  bool join(std::span<const std::byte> part) override;
  /// In memory to which used() was copied, before it runs there.
  void begin_elsewhere();

 private:
  struct Clock;
  struct Entry;
  struct Action;
  struct Value;
  struct Sleeper;
  struct Node;
  struct Slot;
  class Earlier;
  friend class PlainRaces;  // a test: the definition of races

  Entry& entry(std::uint64_t offset) const;
  Action& action(std::uint64_t offset) const;
  template <class E>
  E* push(std::size_t bytes);

  std::uint64_t first_entry() const;
  void restart();
  bool find_next(bool is_explored);
  static std::uint64_t left_of_thread(const Action& node);
  static std::uint64_t next_of(const Action& node);
  static void sleep_all(Action& node);
  bool related(const Step& a, const Step& b) const;
  int explore_new(const Point& point);
  int begin_step(std::uint64_t offset, const Point& point);
  void executed(const Step& step);
  struct Second;
  struct Past;
  Past races(const Second& second);
  void late_races(std::uint64_t last);
  void wait_for_locks(std::uint32_t threads, std::span<const Step> next, std::uint64_t before);
  struct Spans;
  template <class Is>
  void find_spans(std::uint64_t first, std::uint64_t last, int whose, Is is_in_v, Spans& v) const;
  void reverse(std::uint64_t first, const Second& second, Clock past);
  struct Report;
  void add_to_source_set(const Report& report);
  bool is_in_source_set(const Report& report) const;
  std::uint64_t divisible(std::uint32_t& depth) const;
  void finish();
  Report& report(std::uint32_t number) const;
  bool make_report_slots(std::uint32_t slots);
  void note(const Report& report);

  Node& node(std::uint32_t offset) const;
  Slot& slot(std::uint32_t number) const;
  template <class Is>
  std::uint32_t last_that(std::uint32_t from, Is is) const;
  std::uint64_t first_after(std::uint32_t from, std::uint64_t first) const;
  std::uint32_t others(int thread) const { return head_->threads & ~(1u << thread); }
  std::uint32_t& list(DporList which, int thread) const;
  Slot& slot_of(std::uint64_t word, int thread);
  void append(std::uint32_t& last, std::uint32_t action);
  void add_to_index(std::uint64_t offset);
  bool make_index(std::uint32_t slots);
  bool is_short() const { return head_->depth < head_->index_from; }
  bool index_up_to(std::uint64_t last);
  bool index_next();
  bool make_room_in_index();
  void forget_action(std::uint64_t offset);

  DporHead* head_;
  std::size_t size_;         // for the stack and its index
  std::size_t memory_;       // all
  bool is_indexed_ = false;  // by this process: another may have died while it wrote
};

}  // namespace plumb::explore
