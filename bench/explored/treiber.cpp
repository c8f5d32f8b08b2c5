// SPDX-License-Identifier: MIT
// A Treiber stack whose threads push and pop once each, with their operations recorded; nodes are
// not freed. The number of threads comes from the environment (THREADS).
#include <cstdlib>

#include <plumb/explore.hpp>

#include "../../objects/stacks/treiber_stack.hpp"

using Stack = plumb::objects::TreiberStack<>;

int main(int argc, char** argv) {
  const int threads = std::atoi(std::getenv("THREADS"));
  return plumb::explore_main(argc, argv, [threads] {
    Stack stack;
    plumb_parallel(
        threads,
        [](int number, void* stack) {
          plumb_call(2 * number);
          static_cast<Stack*>(stack)->push(number);
          plumb_return(0);
          plumb_call(2 * number + 1);
          plumb_return(static_cast<std::uint64_t>(static_cast<Stack*>(stack)->pop()));
        },
        &stack);
  });
}
