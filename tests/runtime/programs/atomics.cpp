// SPDX-License-Identifier: MIT
// Atomic operations in all their shapes.
#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>

#include "program.hpp"

namespace {
struct alignas(16) Pair {
  std::uint64_t a, b;
  friend bool operator==(const Pair&, const Pair&) = default;
};
struct Odd {
  unsigned char bytes[3];
};
}  // namespace

PLUMB_HOLDS(sixteen_bytes) {
  std::atomic<Pair> pair(Pair{0, 0});
  auto add = [&] {
    Pair old = pair.load();
    while (!pair.compare_exchange_weak(old, Pair{old.a + 1, old.b + 2})) {}
  };
  std::thread other(add);
  add();
  other.join();
  assert((pair.load() == Pair{2, 4}));
}

PLUMB_FINDS("assertion", sixteen_bytes_lost_update) {
  std::atomic<Pair> pair(Pair{0, 0});
  auto add = [&] {
    const Pair old = pair.load();
    pair.store(Pair{old.a + 1, old.b + 2});
  };
  std::thread other(add);
  add();
  other.join();
  assert(pair.load().a == 2);
}

PLUMB_HOLDS(odd_size) {
  std::atomic<Odd> odd(Odd{{0, 0, 0}});
  auto add = [&] {
    Odd old = odd.load(), next;
    do {
      next = old;
      ++next.bytes[2];
    } while (!odd.compare_exchange_strong(old, next));
  };
  std::thread other(add);
  add();
  other.join();
  assert(odd.load().bytes[2] == 2);
}

PLUMB_FINDS("assertion", odd_size_lost_update) {
  std::atomic<Odd> odd(Odd{{0, 0, 0}});
  auto add = [&] {
    Odd next = odd.load();
    ++next.bytes[2];
    odd.store(next);
  };
  std::thread other(add);
  add();
  other.join();
  assert(odd.load().bytes[2] == 2);
}

PLUMB_HOLDS(reference) {
  int count = 0;
  auto add = [&] { std::atomic_ref(count).fetch_add(1); };
  std::thread other(add);
  add();
  other.join();
  assert(count == 2);
}

PLUMB_FINDS("race", reference_and_plain) {
  int count = 0;
  std::thread other([&] { std::atomic_ref(count).fetch_add(1); });
  ++count;
  other.join();
}

PLUMB_HOLDS(builtins) {
  int a = 0, b = 0;
  auto add = [&] {
    __sync_fetch_and_add(&a, 1);
    __atomic_fetch_add(&b, 1, __ATOMIC_ACQ_REL);
  };
  std::thread other(add);
  add();
  other.join();
  assert(a == 2 && b == 2);
}

PLUMB_FINDS("assertion", builtins_lost_update) {
  int a = 0;
  auto add = [&] {
    const int old = __atomic_load_n(&a, __ATOMIC_SEQ_CST);
    __atomic_store_n(&a, old + 1, __ATOMIC_SEQ_CST);
  };
  std::thread other(add);
  add();
  other.join();
  assert(a == 2);
}

// volatile is not for threads.
PLUMB_FINDS("race", volatile_flag) {
  volatile bool ready = false;
  std::thread other([&] { ready = true; });
  const bool seen = ready;
  other.join();
  assert(seen || !seen);
}

PLUMB_HOLDS(volatile_under_join) {
  volatile int value = 0;
  std::thread other([&] { value = 1; });
  other.join();
  assert(value == 1);
}

PLUMB_HOLDS(release_and_acquire) {
  int value = 0;
  std::atomic<bool> ready = false;
  std::thread other([&] {
    value = 1;
    ready.store(true, std::memory_order_release);
  });
  if (ready.load(std::memory_order_acquire)) assert(value == 1);
  other.join();
}

PLUMB_FINDS("race", relaxed) {
  int value = 0;
  std::atomic<bool> ready = false;
  std::thread other([&] {
    value = 1;
    ready.store(true, std::memory_order_relaxed);
  });
  if (ready.load(std::memory_order_relaxed)) assert(value == 1);
  other.join();
}

namespace {
struct Shape {
  virtual ~Shape() = default;
  virtual int corners() const = 0;
};
struct Square : Shape {
  int count = 4;
  int corners() const override { return count; }
};
}  // namespace

PLUMB_HOLDS(virtual_call) {
  const std::unique_ptr<Shape> shape = std::make_unique<Square>();
  std::thread other([&] { assert(shape->corners() == 4); });
  assert(shape->corners() == 4);
  other.join();
}

PLUMB_FINDS("use-after-free", virtual_call_of_what_is_deleted) {
  Shape* const shape = new Square;
  std::thread other([=] { delete shape; });
  assert(shape->corners() == 4);
  other.join();
}
