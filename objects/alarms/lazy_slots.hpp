// SPDX-License-Identifier: MIT
// A counter that also counts each thread's increments; a thread allocates its own slot, under a
// lock, at its first call.
//
// Source: Line-Up (Burckhardt et al., PLDI 2010), section 5.6, the last of four reasons why correct
// code is not conflict-serializable: "A thread performs lazy initialization, acquiring a global
// lock. This work does not affect the current operation in any way, but breaks serializability."
//
// Verdict: linearizable.
#pragma once

#include <atomic>
#include <list>
#include <mutex>
#include <thread>

namespace plumb::objects {

class LazySlots {
 public:
  /// Returns: the count before.
  int increment() {
    ++own_slot().count;
    return count_.fetch_add(1);
  }

 private:
  struct Slot {
    std::thread::id owner;
    int count = 0;  // used by its owner only
  };

  Slot& own_slot() {
    const std::lock_guard lock(mutex_);
    for (Slot& slot : slots_) {
      if (slot.owner == std::this_thread::get_id()) return slot;
    }
    return slots_.emplace_back(Slot{std::this_thread::get_id()});
  }

  std::mutex mutex_;  // of the list
  std::list<Slot> slots_;
  std::atomic<int> count_{0};
};

}  // namespace plumb::objects
