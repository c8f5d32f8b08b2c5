// SPDX-License-Identifier: MIT
// Two threads that count for long in a variable of their own, and meet in a shared one in between:
// executions with many steps, of which few depend on each other. The number of steps of an
// execution comes from the environment (STEPS).
#include <array>
#include <atomic>
#include <cstdlib>

#include <plumb/explore.hpp>

namespace {

constexpr int kOperations = 4;  // of each thread

struct Counters {
  std::atomic<int> shared{0};
  std::array<std::atomic<int>, 2> own{};
  int rounds;
};

void count(int number, void* of) {
  auto& counters = *static_cast<Counters*>(of);
  auto& own = counters.own[static_cast<std::size_t>(number)];
  for (int i = 0; i < kOperations; ++i) {
    plumb_call(kOperations * number + i);
    for (int k = 0; k < counters.rounds; ++k) own.fetch_add(1);
    plumb_return(static_cast<std::uint64_t>(counters.shared.fetch_add(1)));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int steps = std::atoi(std::getenv("STEPS"));
  return plumb::explore_main(argc, argv, [steps] {
    Counters counters;
    counters.rounds = steps / (2 * kOperations) - 1;
    plumb_parallel(2, &count, &counters);
  });
}
