// SPDX-License-Identifier: MIT
// Loops that wait without yielding come to an end: test-and-set, test and test-and-set, tickets.
//! : holds
//! --strategy dfs --preemptions -1: holds
#include <atomic>
#include <cassert>

#include <plumb/explore.hpp>

struct TestAndSet {
  std::atomic<bool> taken{false};
  void lock() {
    while (taken.exchange(true)) {}
  }
  void unlock() { taken.store(false); }
};

struct TestFirst {
  std::atomic<int> taken{0};
  void lock() {
    for (;;) {
      while (taken.load() != 0) {}
      int free = 0;
      if (taken.compare_exchange_strong(free, 1)) return;
    }
  }
  void unlock() { taken.store(0); }
};

struct Tickets {
  std::atomic<int> next{0}, serving{0};
  void lock() {
    const int mine = next.fetch_add(1);
    while (serving.load() != mine) {}
  }
  void unlock() { serving.store(serving.load() + 1); }
};

template <class Lock>
void count_to_two() {
  Lock lock;
  int count = 0;
  const auto work = [&] {
    lock.lock();
    ++count;
    lock.unlock();
  };
  plumb::parallel(work, work);
  assert(count == 2);
}

int main(int argc, char** argv) {
  return plumb::explore_main(argc, argv, [] {
    count_to_two<TestAndSet>();
    count_to_two<TestFirst>();
    count_to_two<Tickets>();
  });
}
