// SPDX-License-Identifier: MIT
// plumb test examples/explore/lost_update.cpp
#include <atomic>
#include <cassert>
#include <thread>

#include <plumb/explore.hpp>

int main(int argc, char** argv) {
  return plumb::explore_main(argc, argv, [] {
    std::atomic<int> hits{0};
    const auto visit = [&hits] { hits = hits + 1; };
    std::thread other(visit);
    visit();
    other.join();
    assert(hits == 2);
  });
}
