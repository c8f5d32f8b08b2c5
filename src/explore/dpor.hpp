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
};

struct DporHead : StateHead {
  std::uint32_t memory_only = 0;
  std::uint32_t depth = 0;  // entries of the stack, one a choice
  /// Offsets into the memory; 0 is none.
  std::uint64_t top = 0;                 // the stack ends here,
  std::uint64_t top_entry = 0;           // with this entry
  std::uint64_t last_action = 0;         // the last entry that is an action
  std::uint64_t cursor = 0;              // the entry of the next choice; top: it is new
  std::uint64_t running = 0;             // the action whose step is under way
  std::uint64_t last[kMaxThreads] = {};  // of each thread, in this execution: its last action
};

class Dpor final : public FlatStrategy {
 public:
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

 private:
  struct Clock;
  struct Entry;
  struct Action;
  struct Value;
  struct Sleeper;

  Entry& entry(std::uint64_t offset) const;
  Action& action(std::uint64_t offset) const;
  template <class E>
  E* push(std::size_t bytes);

  void restart();
  bool related(const Step& a, const Step& b) const;
  int explore_new(const Point& point);
  int begin_step(std::uint64_t offset, const Point& point);
  void executed(const Step& step);
  struct Second;
  Clock races(const Second& second);
  void late_races(std::uint64_t last);
  void wait_for_locks(std::uint32_t threads, std::span<const Step> next, std::uint64_t before);
  void reverse(std::uint64_t first, const Second& second, Clock past);
  void add_to_source_set(Action& node, std::uint64_t initials, std::uint64_t useful, int preferred);

  DporHead* head_;
  std::size_t size_;
};

}  // namespace plumb::explore
