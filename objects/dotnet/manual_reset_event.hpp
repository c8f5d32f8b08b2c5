// SPDX-License-Identifier: MIT
// ManualResetEventSlim of .NET 4.0: threads wait until it is set; it stays set until it is reset.
//
// One word holds the number of waiting threads and, in its lowest bit, whether the event is set; it
// is changed by compare-and-swap. A waiter adds itself to the number, checks once more whether the
// event is set, and only then sleeps; so a later `set` sees that there is a thread to wake.
// `wait_one` waits like `WaitHandle.WaitOne`: on a handle that is made at its first use.
//
// The mistake of ManualResetEventPre (A in Line-Up's Table 2, explained in section 5.2.1): the new
// word is computed from a second read, not from the one that the compare-and-swap compares with. If
// the word changes between the two reads and is back before the compare-and-swap, that change is
// undone: here the last `set` is lost.
//
// Source: Line-Up (Burckhardt et al., PLDI 2010), Table 1, Figure 9.
//
// Verdict: ManualResetEvent is linearizable, ManualResetEventPre is not. Smallest test: `wait |
// set, reset, set` (three preemptions): wait is stuck, although the event is set at the end.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>

namespace plumb::objects {

template <bool kPre>
class BasicManualResetEvent {
 public:
  BasicManualResetEvent() = default;
  BasicManualResetEvent(const BasicManualResetEvent&) = delete;
  BasicManualResetEvent& operator=(const BasicManualResetEvent&) = delete;
  ~BasicManualResetEvent() { delete handle_.load(); }

  void set() {
    change(kSet, kSet);
    if (word_.load() >= kWaiter) own_.wake_all();
    if (Monitor* handle = handle_.load()) handle->wake_all();
  }

  void reset() { change(kSet, 0); }

  bool is_set() const { return (word_.load() & kSet) != 0; }

  void wait() {
    if (is_set()) return;
    std::unique_lock lock(own_.mutex);
    while (!is_set()) {
      change(~kSet, waiters() + kWaiter);
      if (!is_set()) own_.woken.wait(lock);
      change(~kSet, waiters() - kWaiter);
    }
  }

  void wait_one() {
    Monitor& handle = wait_handle();
    std::unique_lock lock(handle.mutex);
    while (!is_set()) handle.woken.wait(lock);
  }

 private:
  static constexpr unsigned kSet = 1, kWaiter = 2;

  struct Monitor {
    void wake_all() {
      const std::lock_guard lock(mutex);
      woken.notify_all();
    }
    std::mutex mutex;
    std::condition_variable woken;
  };

  unsigned waiters() const { return word_.load() & ~kSet; }

  /// Gives the bits of `mask` the values that they have in `bits`.
  void change(unsigned mask, unsigned bits) {
    while (true) {
      unsigned expected = word_.load();
      const unsigned before = kPre ? word_.load() : expected;
      if (word_.compare_exchange_strong(expected, (before & ~mask) | bits)) return;
    }
  }

  Monitor& wait_handle() {
    Monitor* handle = handle_.load();
    if (handle != nullptr) return *handle;
    auto made = std::make_unique<Monitor>();
    if (handle_.compare_exchange_strong(handle, made.get())) handle = made.release();
    return *handle;
  }

  std::atomic<unsigned> word_{0};
  Monitor own_;
  std::atomic<Monitor*> handle_{nullptr};
};

using ManualResetEvent = BasicManualResetEvent<false>;
using ManualResetEventPre = BasicManualResetEvent<true>;

}  // namespace plumb::objects
