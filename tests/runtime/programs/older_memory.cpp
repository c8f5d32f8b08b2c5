// SPDX-License-Identifier: MIT
// What was allocated before the first execution is put back between executions.
#include "program.hpp"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace {

std::mutex mutex;
std::vector<int> numbers = {1, 2, 3};
std::map<int, std::string> names = {{1, "one, too long to be kept in place"}, {2, "two"}};
std::string text = "a text that is too long to be kept in place";
std::unique_ptr<std::atomic<int>> counter = std::make_unique<std::atomic<int>>(5);
char* const copied = strdup("before");
auto* const grown = static_cast<char*>(std::realloc(std::malloc(3), 100));

const std::vector<int>& table() {
  static const std::vector<int> all(100'000, 7);
  return all;
}
const std::size_t made = table().size();

// What two threads do to it, and what is there at the end.
template <class F, class G>
void twice(F f, G at_end) {
  std::thread other([&] {
    const std::lock_guard lock(mutex);
    f(1);
  });
  {
    const std::lock_guard lock(mutex);
    f(2);
  }
  other.join();
  at_end();
}

}  // namespace

PLUMB_HOLDS(vector_grows) {
  assert(numbers.size() == 3);
  twice([](int i) { numbers.push_back(i); },
        [] { assert(numbers.size() == 5 && numbers[0] == 1 && numbers[2] == 3); });
}

PLUMB_HOLDS(elements_change) {
  twice([](int i) { numbers[0] += i; }, [] { assert(numbers[0] == 4); });
}

PLUMB_HOLDS(map_changes) {
  assert(names.size() == 2);
  twice(
      [](int i) {
        names.erase(i);
        names[i + 10] = "new";
      },
      [] { assert(names.size() == 2 && names.begin()->first == 11); });
}

PLUMB_HOLDS(string_grows) {
  assert(text.size() == 43);
  twice([](int) { text += " and becomes longer"; }, [] { assert(text.size() == 81); });
}

PLUMB_HOLDS(atomic_on_the_heap) {
  std::thread other([] { ++*counter; });
  ++*counter;
  other.join();
  assert(*counter == 7);
}

PLUMB_HOLDS(freed_and_there_again) {
  assert(*counter == 5);
  std::thread other([] {});
  other.join();
  counter.reset();
  counter = std::make_unique<std::atomic<int>>(1);
}

PLUMB_HOLDS(large_table) {
  assert(made == 100'000 && table()[99'999] == 7);
  auto& all = const_cast<std::vector<int>&>(table());
  twice([&all](int i) { all[i * 30'000] = i; }, [&all] { assert(all[30'000] + all[60'000] == 3); });
  assert(all[0] == 7);
}

PLUMB_HOLDS(of_the_c_library) {
  assert(std::strcmp(copied, "before") == 0);
  twice(
      [](int i) {
        copied[i] = 'x';
        grown[99] = 1;
      },
      [] { assert(std::strcmp(copied, "bxxore") == 0); });
}

PLUMB_FINDS("race", race_on_older_memory) {
  std::thread other([] { numbers[1] = 5; });
  numbers[1] = 6;
  other.join();
}

PLUMB_FINDS("use-after-free", older_memory_that_is_freed) {
  const std::atomic<int>* const old = counter.get();
  counter.reset();
  std::thread other([old] { assert(old->load() >= 0); });
  other.join();
}

PLUMB_FINDS("double-free", older_memory_that_is_freed_twice) {
  std::atomic<int>* const old = counter.release();
  delete old;
  std::thread other([old] { delete old; });
  other.join();
}

PLUMB_FINDS("out-of-bounds", outside_of_older_memory) {
  std::thread other([] { const_cast<volatile int*>(numbers.data())[3] = 1; });
  other.join();
}

// Blocks that are there before an execution are no leaks of it, and one that it frees is no credit.
PLUMB_CASE("leak", "--leaks --strategy dfs --preemptions 2", leak_beside_older_memory) {
  counter.reset();
  std::thread other([] { text = std::string(100, 'x'); });
  other.join();
}
