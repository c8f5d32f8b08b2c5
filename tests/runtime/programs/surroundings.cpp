// SPDX-License-Identifier: MIT
// What a program may use besides threads: output, large frames, exceptions, bytes.
#include "program.hpp"

#include <alloca.h>

#include <atomic>
#include <cstring>
#include <iostream>
#include <thread>

// What the C library keeps for each thread is there (the tables of characters), and its buffer
// outlives an execution.
PLUMB_HOLDS(output) {
  std::thread other([] {
    std::printf("%d %f\n", 1, 2.5);
    std::cout << 1.5 << std::endl;
  });
  std::printf("%s\n", std::to_string(2.5).c_str());
  other.join();
}

PLUMB_HOLDS(large_frames) {
  std::thread other([] {
    char frame[1'000'000];
    std::memset(frame, 1, sizeof frame);
    auto* const more = static_cast<char*>(alloca(2'000'000));
    std::memset(more, 2, 2'000'000);
    assert(frame[999'999] == 1 && more[7] == 2);
  });
  other.join();
}

// What the unwinder does only once in a process is not part of the first execution.
PLUMB_CASE(nullptr, "", initialiser_that_throws_once) {
  static std::atomic<int> tries{0};
  struct Throws {
    Throws() {
      if (tries++ == 0) throw 1;
    }
  };
  const auto work = [] {
    try {
      static const Throws once;
    } catch (int) {}
  };
  std::thread other(work);
  work();
  other.join();
  assert(tries <= 2);
}

PLUMB_FINDS("race", bytes_of_a_string) {
  static char text[16];
  static std::atomic<bool> ready{false};
  std::thread other([] {
    const char* const from = "hello, world";
    for (int i = 0; from[i] != 0; ++i) text[i] = from[i];
    ready.store(true, std::memory_order_relaxed);
  });
  if (ready.load(std::memory_order_relaxed)) {
    const volatile char seen = text[6];
    (void)seen;
  }
  other.join();
}

// Nobody waits for it, so what main does afterwards is not ordered after it.
PLUMB_CASE("assertion", "--strategy dpor", detached) {
  static std::atomic<int> value{0};
  static std::atomic<bool> done{false};
  std::thread other([] {
    value = 1;
    done = true;
  });
  other.detach();
  assert(value == 0 || value == 1);
  const int seen = value;
  if (done) assert(seen == 1);
}

// More readers than fit into a processor's word or two are all remembered.
PLUMB_FINDS("race", eighth_thread_writes) {
  static volatile int value = 0;  // or clang sees that it cannot be negative
  std::thread readers[7];
  for (std::thread& reader : readers) reader = std::thread([] { assert(value >= 0); });
  for (int i = 1; i < 7; ++i) readers[i].join();
  value = 1;
  readers[0].join();
}

// A loop that gives up by itself is not one that waits forever.
PLUMB_HOLDS(bounded_spin) {
  static std::atomic<bool> go{false};
  std::thread other([] {
    for (int i = 0; i < 3000; ++i) {
      if (go) return;
    }
  });
  other.join();
}

// plumb::parallel waits for its own threads only.
PLUMB_HOLDS(parallel_beside_a_thread) {
  static std::atomic<bool> stop{false};
  std::thread background([] {
    while (!stop) {}
  });
  plumb::parallel([] {}, [] { plumb::parallel([] {}, [] {}); });
  stop = true;
  background.join();
}
