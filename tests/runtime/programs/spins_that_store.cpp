// SPDX-License-Identifier: MIT
// A loop that stores in each round what is there already only waits. One that stores something else
// does not; and what another thread stores wakes, unless it changes nothing.
#include <array>
#include <atomic>
#include <memory>

#include "program.hpp"

namespace {

constexpr char kAll[] = "--strategy dpor --heap quarantine";

// For one that adds and one that takes; each keeps what it has last seen of the other's index.
class Ring {
 public:
  void add(int value) {
    const unsigned here = end_.load(std::memory_order_relaxed);
    const unsigned next = (here + 1) % kSlots;
    while (next == known_begin_) known_begin_ = begin_.load(std::memory_order_acquire);
    slots_[here] = value;
    end_.store(next, std::memory_order_release);
  }
  int take() {
    const unsigned here = begin_.load(std::memory_order_relaxed);
    while (here == known_end_) known_end_ = end_.load(std::memory_order_acquire);
    const int value = slots_[here];
    begin_.store((here + 1) % kSlots, std::memory_order_release);
    return value;
  }

 private:
  static constexpr unsigned kSlots = 2;
  std::array<int, kSlots> slots_{};
  std::atomic<unsigned> begin_ = 0, end_ = 0;
  unsigned known_begin_ = 0, known_end_ = 0;
};

int global = 0;

}  // namespace

PLUMB_CASE(nullptr, kAll, waits_with_a_plain_copy) {
  Ring ring;
  int taken[3] = {};
  plumb::parallel(
      [&] {
        for (int i = 1; i <= 3; ++i) ring.add(i);
      },
      [&] {
        for (int& value : taken) value = ring.take();
      });
  assert(taken[0] == 1 && taken[1] == 2 && taken[2] == 3);
}

PLUMB_CASE(nullptr, kAll, waits_with_an_atomic_copy) {
  auto go = std::make_unique<std::atomic<int>>(0), copy = std::make_unique<std::atomic<int>>(0);
  plumb::parallel(
      [&] {
        while (copy->load() == 0) copy->store(go->load());
      },
      [&] { go->store(1); });
  assert(copy->load() == 1);
}

PLUMB_CASE(nullptr, kAll, waits_with_a_copy_in_a_global) {
  std::atomic<int> go = 0;
  plumb::parallel(
      [&] {
        while (global == 0) global = go.load();
      },
      [&] { go.store(1); });
  assert(global == 1);
}

PLUMB_CASE("livelock", kAll, waits_in_vain) {
  Ring ring;
  plumb::parallel(
      [&] {
        ring.add(1);
        ring.add(2);
        ring.add(3);
      },
      [&] { ring.take(); });
}

// What is stored differs each time, but what is read does not.
PLUMB_CASE(nullptr, kAll, counts_in_memory) {
  std::atomic<int> go = 0, done = 0;
  auto tries = std::make_unique<int>(0);
  plumb::parallel(
      [&] {
        for (; *tries < 100 && go.load() == 0; ++*tries) {}
        done.store(1);
      },
      [&] {
        while (done.load() == 0) {}
      });
  assert(*tries == 100);
}

PLUMB_CASE(nullptr, kAll, counts_in_an_atomic) {
  std::atomic<int> go = 0, tries = 0, done = 0;
  plumb::parallel(
      [&] {
        for (int i = 0; i < 100 && go.load() == 0; ++i) tries.store(i);
        done.store(1);
      },
      [&] {
        while (done.load() == 0) {}
      });
  assert(tries.load() == 99);
}

// The thread that is waited for waits itself before, and so is suspected, too.
PLUMB_CASE(nullptr, kAll, a_store_of_one_that_waited_wakes) {
  std::atomic<int> go = 0;
  auto seen = std::make_unique<int>(0), done = std::make_unique<int>(0);
  std::atomic<int> ready = 0;
  plumb::parallel(
      [&] {
        go.store(1);
        while (ready.load() == 0) {}
        assert(*done == 7);
      },
      [&] {
        while (*seen == 0) *seen = go.load();
        *done = 7;
        ready.store(1);
      });
}
