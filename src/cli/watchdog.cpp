// SPDX-License-Identifier: MIT
#include "cli/watchdog.hpp"

#include <csignal>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>

#include "base/clock.hpp"
#include "base/resident.hpp"
#include "base/text.hpp"

namespace plumb::cli {
namespace {

// The limits hold within a tenth: ask at the limit, leave before that tenth is used up. A search
// needs some time to give back gigabytes, and only a report of its own says how far it came.
constexpr double kLeaveTime = 1.08;
// Memory cannot be given back in time, and between two looks a thread can fill some more: so ask
// before the limit, leave at it, and look the more often the nearer it is.
constexpr double kAskMemory = 0.95, kLeaveMemory = 1;
constexpr double kFillRate = 4e9;  // bytes per second: more than two cores fill with new pages
constexpr double kLongestPoll = 0.005, kShortestPoll = 0.0005;  // seconds
constexpr double kLookAtChildren = 0.02;  // seconds; a compiler grows more slowly than a search
constexpr double kInterruptGrace = 0.5, kMemoryGrace = 1;  // seconds

volatile std::sig_atomic_t g_signals = 0;

void on_signal(int) {
  if (g_signals > 0) std::_Exit(to_int(ExitStatus::interrupted));
  g_signals = 1;
}

struct Ending {
  std::mutex mutex;
  std::condition_variable changed;
  bool ended = false;
};

}  // namespace

void catch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  // nohup wants that a terminal which goes away does not matter.
  struct sigaction hangup = {};
  if (sigaction(SIGHUP, nullptr, &hangup) == 0 && hangup.sa_handler != SIG_IGN)
    sigaction(SIGHUP, &action, nullptr);
}

bool interrupted() { return g_signals > 0; }

Watched watch(const Limits& limits, std::atomic<bool>& stop, std::function<void()> work,
              const std::function<void(double)>& tick) {
  // Shared with the thread, which may outlive this call.
  const auto ending = std::make_shared<Ending>();
  const auto start = Clock::now();
  std::thread worker([ending, work = std::move(work)] {
    work();
    const std::lock_guard lock(ending->mutex);
    ending->ended = true;
    ending->changed.notify_one();
  });

  Watched watched;
  double leave_at = 0;  // seconds; 0: not asked to stop yet
  const auto ask = [&](StopReason cut, double grace) {
    if (watched.cut != StopReason::none) return;
    watched.cut = cut;
    leave_at = watched.seconds + grace;
    stop = true;
  };
  const double timeout = limits.timeout_seconds, memory = static_cast<double>(limits.memory_bytes);
  const double by_time =
      timeout > 0 ? std::clamp(timeout / 100, kShortestPoll, kLongestPoll) : kLongestPoll;
  double poll = by_time;
  double of_children = 0, next_look_at_children = 0;

  std::unique_lock lock(ending->mutex);
  while (!ending->changed.wait_for(lock, std::chrono::duration<double>(poll),
                                   [&] { return ending->ended; })) {
    watched.seconds = since(start);
    if (memory > 0 && watched.seconds >= next_look_at_children) {
      of_children = static_cast<double>(descendants_resident_bytes());
      next_look_at_children = watched.seconds + kLookAtChildren;
    }
    const double resident = memory > 0 ? static_cast<double>(resident_bytes()) + of_children : 0;
    if (interrupted()) ask(StopReason::interrupted, kInterruptGrace);
    if (timeout > 0 && watched.seconds >= timeout)
      ask(StopReason::time_limit, timeout * kLeaveTime - watched.seconds);
    if (memory > 0 && resident >= memory * kAskMemory) ask(StopReason::memory_limit, kMemoryGrace);
    const bool too_late =
        watched.cut != StopReason::none && watched.seconds >= leave_at && !limits.patient;
    const bool too_much = memory > 0 && resident >= memory * kLeaveMemory;
    if (too_late || too_much) {
      watched.finished = false;
      worker.detach();
      return watched;
    }
    tick(watched.seconds);
    if (memory > 0)
      poll = std::min(by_time, std::max((memory - resident) / kFillRate, kShortestPoll));
  }
  lock.unlock();
  worker.join();
  watched.seconds = since(start);
  return watched;
}

Error cut_while_reading(StopReason cut, const std::string& file) {
  return {ErrorKind::missing_file,
          cut == StopReason::interrupted ? "interrupted while it was read"
                                         : "the limit was reached while it was read",
          "a pipe needs a writer", text::file_words(file)};
}

ExitStatus status_of_cut(StopReason cut) {
  return cut == StopReason::interrupted ? ExitStatus::interrupted : ExitStatus::undecided;
}

}  // namespace plumb::cli
