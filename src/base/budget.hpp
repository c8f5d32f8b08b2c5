// SPDX-License-Identifier: MIT
// What a search may spend. One budget is shared by all parts of a check and by every engine that
// works on them; engines ask often and stop at once, keeping what they have covered.
//
// Time and memory are limited by the user alone. How long to try this or that inside a check is
// counted in steps, which engines report: so the load of the machine changes no answer.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "base/resident.hpp"
#include "plumb/verdict.hpp"

namespace plumb {

/// About so many steps take a second on a quiet machine, give or take a factor of three.
inline constexpr std::uint64_t kStepsPerSecond = 3'000'000;

class Budget {
 public:
  using Clock = std::chrono::steady_clock;
  using Stop = StopReason;

  Budget() = default;
  Budget(double timeout_seconds, std::size_t memory_bytes, const std::atomic<bool>* interrupt)
      : memory_(memory_bytes), at_start_(memory_bytes ? resident_bytes() : 0),
        interrupt_(interrupt), beside_(at_start_) {
    if (timeout_seconds > 0)
      deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                     std::chrono::duration<double>(timeout_seconds));
  }

  /// A part of the work: at most so many steps (0: any number), and that share of the time that is
  /// left. Everything else, and what it spends, is the whole's. Requires: `whole` outlives it.
  Budget(Budget& whole, std::uint64_t steps, double share = 1)
      : whole_(&whole), most_steps_(steps), deadline_(whole.deadline_) {
    if (share < 1 && deadline_ != Clock::time_point::max()) {
      const auto now = Clock::now();
      deadline_ = now + std::chrono::duration_cast<Clock::duration>(
                            share * std::max(Clock::duration::zero(), deadline_ - now));
    }
  }
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;

  /// True once the search must end. `steps`: done since it was asked last.
  /// Costs a clock reading: ask every thousand steps or so.
  bool exhausted(std::uint64_t steps = 0) {
    spend(steps);
    if (stopped() != Stop::none) return true;
    if (most_steps_ && spent() >= most_steps_) stop(Stop::search_limit);
    if (interrupt_ && interrupt_->load(std::memory_order_relaxed)) stop(Stop::interrupted);
    if (whole_ && whole_->exhausted()) stop(whole_->stopped());
    if (memory_ || deadline_ != Clock::time_point::max()) {
      const auto now = Clock::now();
      if (now >= deadline_) stop(Stop::time_limit);
      if (memory_) sample_memory(now);
    }
    return stopped() != Stop::none;
  }

  /// Takes note of steps, for work that is too short to be stopped.
  void spend(std::uint64_t steps) {
    for (Budget* b = this; b && steps; b = b->whole_)
      b->spent_.fetch_add(steps, std::memory_order_relaxed);
  }
  std::uint64_t spent() const { return spent_.load(std::memory_order_relaxed); }

  /// Takes note of memory that is about to be used; false if there is not so much.
  bool charge(std::size_t bytes) {
    if (whole_) {
      if (whole_->charge(bytes)) return true;
      stop(whole_->stopped());
      return false;
    }
    const std::size_t now = used_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    std::size_t peak = peak_.load(std::memory_order_relaxed);
    while (now > peak && !peak_.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {}
    if (memory_ == 0 || now + beside_.load(std::memory_order_relaxed) <= memory_) return true;
    look_at_the_process(now - bytes);
    if (now + beside_.load(std::memory_order_relaxed) <= memory_) return true;
    stop(Stop::memory_limit);
    return false;
  }
  void release(std::size_t bytes) {
    if (whole_) whole_->release(bytes);
    else used_.fetch_sub(bytes, std::memory_order_relaxed);
  }

  /// The first reason stays.
  void stop(Stop reason) {
    Stop none = Stop::none;
    stop_.compare_exchange_strong(none, reason, std::memory_order_relaxed);
  }
  Stop stopped() const { return stop_.load(std::memory_order_relaxed); }
  std::size_t used() const {
    return whole_ ? whole_->used() : used_.load(std::memory_order_relaxed);
  }
  std::size_t peak() const {
    return whole_ ? whole_->peak() : peak_.load(std::memory_order_relaxed);
  }
  std::size_t memory_limit() const { return whole_ ? whole_->memory_limit() : memory_; }

 private:
  /// What is charged leaves out the history, and what specifications and allocators take. So the
  /// whole process is looked at as well, every few milliseconds; between two looks, whatever was
  /// there beside the charges is taken to be there still.
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
    if (look_at_the_process(used()) > memory_) stop(Stop::memory_limit);
  }

  Budget* whole_ = nullptr;       // of which this is a part
  std::uint64_t most_steps_ = 0;  // 0: no limit
  Clock::time_point deadline_ = Clock::time_point::max();
  std::size_t memory_ = 0;    // 0: no limit
  std::size_t at_start_ = 0;  // of the process
  const std::atomic<bool>* interrupt_ = nullptr;
  std::atomic<Stop> stop_{Stop::none};
  std::atomic<std::uint64_t> spent_{0};
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
