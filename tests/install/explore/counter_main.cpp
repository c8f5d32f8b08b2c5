// SPDX-License-Identifier: MIT
// counter_main right|wrong: the status is that of the exploration.
#include <cassert>
#include <iostream>
#include <string_view>
#include <thread>

#include <plumb/explore.hpp>

#include "counter.hpp"

int main(int argc, char** argv) {
  const bool right = argc > 1 && std::string_view(argv[1]) == "right";
  const plumb::Exploration found = plumb::explore([right] {
    Counter counter;
    const auto visit = [&] { right ? counter.add() : counter.add_in_two_steps(); };
    std::thread other(visit);
    visit();
    other.join();
    assert(counter.value() == 2);
  });
  std::cout << found;
  return found.status();
}
