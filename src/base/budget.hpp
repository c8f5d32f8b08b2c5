// SPDX-License-Identifier: MIT
// What a search may spend. One budget is shared by all partitions of a check and by every engine
// that works on them; engines ask often and stop at once, keeping what they have covered.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "base/resident.hpp"

namespace plumb {

class Budget {
 public:
  using Clock = std::chrono::steady_clock;

  enum class Stop : int { none, timeout, memory, interrupted, no_longer_needed };

  Budget() = default;
  Budget(double timeout_seconds, std::size_t memory_bytes, const std::atomic<bool>* interrupt)
      : memory_(memory_bytes), at_start_(memory_bytes ? resident_bytes() : 0),
        interrupt_(interrupt), beside_(at_start_) {
    if (timeout_seconds > 0)
      deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                     std::chrono::duration<double>(timeout_seconds));
  }

  /// True once the search must end. Costs a clock reading: ask every thousand steps or so.
  bool exhausted() {
    if (stop_.load(std::memory_order_relaxed) != Stop::none) return true;
    if (interrupt_ && interrupt_->load(std::memory_order_relaxed)) stop(Stop::interrupted);
    if (memory_ || deadline_ != Clock::time_point::max()) {
      const auto now = Clock::now();
      if (now >= deadline_) stop(Stop::timeout);
      if (memory_) sample_memory(now);
    }
    return stop_.load(std::memory_order_relaxed) != Stop::none;
  }

  /// Takes note of memory that is about to be used; false if there is not so much.
  bool charge(std::size_t bytes) {
    const std::size_t now = used_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    std::size_t peak = peak_.load(std::memory_order_relaxed);
    while (now > peak && !peak_.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {}
    if (memory_ == 0 || now + beside_.load(std::memory_order_relaxed) <= memory_) return true;
    look_at_the_process(now - bytes);
    if (now + beside_.load(std::memory_order_relaxed) <= memory_) return true;
    stop(Stop::memory);
    return false;
  }
  void release(std::size_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }

  /// At most so many seconds, and no more than are left here: for a part of the work.
  double at_most(double seconds) const {
    if (deadline_ == Clock::time_point::max()) return seconds;
    const double left = std::chrono::duration<double>(deadline_ - Clock::now()).count();
    return std::clamp(left, 0.001, seconds);
  }

  /// The first reason stays.
  void stop(Stop reason) {
    Stop none = Stop::none;
    stop_.compare_exchange_strong(none, reason, std::memory_order_relaxed);
  }
  Stop stopped() const { return stop_.load(std::memory_order_relaxed); }
  std::size_t used() const { return used_.load(std::memory_order_relaxed); }
  std::size_t peak() const { return peak_.load(std::memory_order_relaxed); }
  std::size_t memory_limit() const { return memory_; }

 private:
  // What is charged leaves out the history, and what specifications and allocators take. So the
  // whole process is looked at as well, every few milliseconds; between two looks, whatever was
  // there beside the charges is taken to be there still.
  std::size_t look_at_the_process(std::size_t used) {
    const std::size_t resident = resident_bytes();
    beside_ = std::max(at_start_, resident > used ? resident - used : 0);
    return resident;
  }

  void sample_memory(Clock::time_point now) {
    const auto tick = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch());
    auto last = last_sample_.load(std::memory_order_relaxed);
    if (tick.count() < last + 2) return;
    if (!last_sample_.compare_exchange_strong(last, tick.count(), std::memory_order_relaxed))
      return;
    if (look_at_the_process(used()) > memory_) stop(Stop::memory);
  }

  Clock::time_point deadline_ = Clock::time_point::max();
  std::size_t memory_ = 0;    // 0: no limit
  std::size_t at_start_ = 0;  // of the process
  const std::atomic<bool>* interrupt_ = nullptr;
  std::atomic<Stop> stop_{Stop::none};
  std::atomic<std::size_t> used_{0}, peak_{0}, beside_{0};
  std::atomic<std::int64_t> last_sample_{0};
};

/// Memory that one data structure holds against a budget; returned when it goes out of scope.
class Charge {
 public:
  explicit Charge(Budget& budget) : budget_(budget) {}
  Charge(const Charge&) = delete;
  Charge& operator=(const Charge&) = delete;
  ~Charge() { budget_.release(held_); }
  /// Sets what is held now; false if the budget does not allow it.
  bool hold(std::size_t bytes) {
    if (bytes <= held_) return budget_.release(held_ - bytes), held_ = bytes, true;
    const bool granted = budget_.charge(bytes - held_);
    held_ = bytes;
    return granted;
  }
  bool add(std::size_t bytes) { return hold(held_ + bytes); }
  std::size_t held() const { return held_; }

 private:
  Budget& budget_;
  std::size_t held_ = 0;
};

}  // namespace plumb
