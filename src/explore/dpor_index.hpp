// SPDX-License-Identifier: MIT
// Where in an execution the steps are that another step may depend on. dpor_index.cpp says how.
#pragma once

#include <cstdint>

#include "explore/dpor_stack.hpp"

namespace plumb::explore {

/// A member of a list: an action of one thread that has something in common with the others of the
/// list. Offsets into the memory; 0 is none.
struct Dpor::Node {
  std::uint32_t previous;  // the node before it in the list
  std::uint32_t jump;      // one long before it, so that a search takes logarithmic time
  std::uint32_t depth;     // nodes up to this one
  std::uint32_t action;
  std::uint32_t head;  // where the last node of the list is noted
};

/// The accesses of a thread to eight bytes of memory.
struct Dpor::Slot {
  std::uint64_t word;  // address / 8 + 1; 0: the slot is free
  std::uint32_t thread;
  std::uint32_t reads, writes;            // of what steps did: the last nodes
  std::uint32_t late_reads, late_writes;  // of what steps that have races might have done
};

inline Dpor::Node& Dpor::node(std::uint32_t offset) const {
  return *reinterpret_cast<Node*>(reinterpret_cast<std::byte*>(head_) + offset);
}
inline Dpor::Slot& Dpor::slot(std::uint32_t number) const {
  return reinterpret_cast<Slot*>(reinterpret_cast<std::byte*>(head_) + head_->table)[number];
}

/// The first node from this one backwards of which `is` holds; 0: of none. Requires: if it holds of
/// an action, then of all before it in the list.
template <class Is>
std::uint32_t Dpor::last_that(std::uint32_t from, Is is) const {
  while (from != 0 && !is(node(from).action)) {
    const std::uint32_t jump = node(from).jump;
    from = jump != 0 && !is(node(jump).action) ? jump : node(from).previous;
  }
  return from;
}

/// Of each thread: those of its steps that are in a part of the execution that is being reversed.
struct Dpor::Spans {
  std::uint32_t threads = 0;          // those that have some
  std::uint32_t begins[kMaxThreads];  // uninitialised: the first of each,
  std::uint32_t ends[kMaxThreads];    // and the last
};

/// The first node of this node's list whose action comes after `first`. Requires: its own does.
inline std::uint64_t Dpor::first_after(std::uint32_t from, std::uint64_t first) const {
  const auto is_after = [&](std::uint32_t at) { return at != 0 && node(at).action > first; };
  while (is_after(node(from).previous))
    from = is_after(node(from).jump) ? node(from).jump : node(from).previous;
  return node(from).action;
}

/// What earlier steps are asked: did they do something that a step depends on? Or, those that have
/// races: might they have, had they come earlier?
enum class DporAsked : std::uint8_t { did, might_have };

/// The actions of other threads that a step may depend on, the latest first. There are others among
/// them, so each is to be compared with the step.
class Dpor::Earlier {
 public:
  /// The last action of each thread that is asked for.
  struct UpTo {
    std::uint32_t all = 0;
    const std::uint32_t* of = nullptr;
    std::uint32_t operator()(int thread) const { return of != nullptr ? of[thread] : all; }
  };

  Earlier(const Dpor& dpor, const Step& step, DporAsked asked, std::uint32_t threads, UpTo last)
      : dpor_(dpor), asked_(asked), threads_(threads), last_(last) {
    if (dpor.is_short()) all_ = dpor.head_->last_action;
    else find(step);
  }

  /// The next one that does not happen before what has this clock; 0: there is none. Requires: the
  /// clock only grows, and what happens before a step that is in it is also in it.
  std::uint64_t next(const Clock& past) {
    return count_ == 0 ? next_of_all(past) : next_of_lists(past);
  }

 private:
  struct Place {
    std::uint32_t node, action;
  };

  void add(std::uint32_t newest, std::uint32_t last);
  void add_word(std::uint64_t word, bool writes);

  void find(const Step& step);
  std::uint64_t next_of_lists(const Clock& past);
  std::uint64_t next_of_all(const Clock& past) {
    while (all_ != 0) {
      const std::uint64_t here = all_;
      const Action& action = dpor_.action(here);
      const int t = action.thread();
      all_ = action.previous_action;
      if ((threads_ >> t & 1) != 0 && here <= last_(t) && past.at[t] < action.clock.at[t])
        return here;
    }
    return 0;
  }

  const Dpor& dpor_;
  const DporAsked asked_;
  const std::uint32_t threads_;
  const UpTo last_;
  std::uint64_t all_ = 0;  // of a short execution: the next one of all its actions
  int count_ = 0;
  Place places_[kMaxThreads * (2 * kMostWords + 4)];  // uninitialised
};

}  // namespace plumb::explore
