// SPDX-License-Identifier: MIT
// Barrier of .NET 4.0: participants work in phases, and wait for each other at the end of each
// phase.
//
// One word holds the number of arrivals, the number of participants and the phase; the last to
// arrive begins the next phase by one compare-and-swap and wakes the others. Participants may be
// added and removed.
//
// Serial executions cannot show that threads wait for each other (L in Line-Up's Table 2): with two
// participants a single signal_and_wait blocks forever, two concurrent ones do not. This is
// intended: it is the purpose of a barrier.
//
// Source: Line-Up (Burckhardt et al., PLDI 2010), Table 1 and section 5.3.
//
// Verdict: not linearizable. Smallest test: `signal_and_wait | signal_and_wait` (no preemption):
// both return. Without the blocking operations it is linearizable.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <stdexcept>

namespace plumb::objects {

class Barrier {
 public:
  explicit Barrier(std::int16_t participants = 2) : word_(Word{0, participants, 0}) {}

  int participant_count() const { return word_.load().participants; }
  int participants_remaining() const {
    const Word word = word_.load();
    return word.participants - word.arrived;
  }
  int current_phase_number() const { return word_.load().phase; }

  /// Returns: the first phase of the new participant.
  int add_participant() {
    return change([](Word word) { return ++word.participants, word; }).phase;
  }

  /// Throws: std::logic_error if there are none.
  void remove_participant() {
    const Word before = change([](Word word) {
      if (word.participants == 0) throw std::logic_error("there are no participants");
      --word.participants;
      return next_phase_if_complete(word);
    });
    wake_if_over(before.phase);
  }

  void signal_and_wait() {
    arrive_and_wait([] { return false; });
  }

  /// The same with a `CancellationToken`. Throws: std::runtime_error after cancel; the call does
  /// not count as an arrival then.
  void signal_and_wait_or_cancel() {
    const auto canceled = [this] { return canceled_.load(); };
    if (canceled() || !arrive_and_wait(canceled)) throw std::runtime_error("canceled");
  }

  /// `CancelToken`: cancels the token of all calls that wait with one, now and later.
  void cancel_token() {
    canceled_ = true;
    wake_all();
  }

 private:
  struct alignas(8) Word {
    std::int16_t arrived, participants;
    std::int32_t phase;
  };

  /// Returns: the previous word.
  template <class Change>
  Word change(Change how) {
    Word before = word_.load();
    while (!word_.compare_exchange_weak(before, how(before))) {}
    return before;
  }

  static Word next_phase_if_complete(Word word) {
    if (word.arrived == 0 || word.arrived < word.participants) return word;
    return {0, word.participants, word.phase + 1};
  }

  /// Returns: false if it gave up and withdrew its arrival.
  template <class GivesUp>
  bool arrive_and_wait(GivesUp gives_up) {
    const std::int32_t phase = change([](Word word) {
                                 if (word.participants == 0)
                                   throw std::logic_error("there are no participants");
                                 ++word.arrived;
                                 return next_phase_if_complete(word);
                               }).phase;
    if (wake_if_over(phase)) return true;
    std::unique_lock lock(mutex_);
    phase_is_over_.wait(lock, [&] { return is_over(phase) || gives_up(); });
    const Word before = change([phase](Word word) {
      if (word.phase == phase) --word.arrived;
      return word;
    });
    return before.phase != phase;
  }

  bool is_over(std::int32_t phase) const { return word_.load().phase != phase; }

  bool wake_if_over(std::int32_t phase) {
    if (!is_over(phase)) return false;
    wake_all();
    return true;
  }

  void wake_all() {
    const std::lock_guard lock(mutex_);
    phase_is_over_.notify_all();
  }

  std::atomic<Word> word_;
  std::atomic<bool> canceled_{false};
  std::mutex mutex_;
  std::condition_variable phase_is_over_;
};

}  // namespace plumb::objects
