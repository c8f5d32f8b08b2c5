// SPDX-License-Identifier: MIT
#include <memory>
#include <thread>

#include "program.hpp"

PLUMB_HOLDS(copies) {
  int destroyed = 0;
  {
    std::shared_ptr<int> value(new int(1), [&](int* p) {
      ++destroyed;
      delete p;
    });
    std::thread other([copy = value] { assert(*copy == 1); });
    value.reset();
    other.join();
  }
  assert(destroyed == 1);
}

// The counts are safe; the pointer itself is a variable like others.
PLUMB_FINDS("race", one_for_two) {
  // On the heap: clang 14 does not instrument the members of objects on the stack, though their
  // address is known elsewhere.
  const auto value = std::make_unique<std::shared_ptr<int>>(std::make_shared<int>(1));
  std::thread other([&] { value->reset(); });
  const std::shared_ptr<int> copy = *value;
  other.join();
  assert(copy == nullptr || *copy == 1);
}

PLUMB_CASE("use-after-free", "--ignore race --preemptions 2", raw_pointer_outlives) {
  auto value = std::make_shared<int>(1);
  int* const raw = value.get();
  std::thread other([&, copy = std::move(value)]() mutable { copy.reset(); });
  const int seen = *raw;
  other.join();
  assert(seen == 1);
}

PLUMB_HOLDS(weak) {
  auto value = std::make_shared<int>(1);
  std::weak_ptr<int> weak = value;
  std::thread other([&] {
    if (const auto strong = weak.lock()) assert(*strong == 1);
  });
  value.reset();
  other.join();
  assert(weak.expired());
}

// In libstdc++ 12 by a spin bit in the pointer to the counts, which load() gives back with a
// relaxed operation: that is a race by the letter of the standard.
namespace {
void load_and_store() {
  const auto value = std::make_unique<std::atomic<std::shared_ptr<int>>>(std::make_shared<int>(1));
  std::thread other([&] { value->store(std::make_shared<int>(2)); });
  const std::shared_ptr<int> seen = value->load();
  assert(*seen == 1 || *seen == 2);
  other.join();
}
}  // namespace

PLUMB_FINDS("race", atomic_pointer_of_libstdcxx_12) { load_and_store(); }
PLUMB_CASE(nullptr, "--strategy dfs --preemptions 2 --ignore race", atomic_pointer) {
  load_and_store();
}
