// SPDX-License-Identifier: MIT
// Boost's own, unmodified. It reads links of nodes that another thread may be recycling, by plain
// accesses, and finds out afterwards: a data race by the letter of C++.
//! needs: boost/lockfree/queue.hpp
// clang-format off
//! --strategy dfs --preemptions 2 --start-points --schedule-at atomics --ignore race --heap quarantine: holds, 10,524 executions
// clang-format on
//! : race
#include <boost/lockfree/queue.hpp>

#include <plumb/explore.hpp>

int main(int argc, char** argv) {
  return plumb::explore_main(argc, argv, [] {
    boost::lockfree::queue<int> queue(4);
    const auto work = [&queue] {
      queue.push(1);
      int value = 0;
      queue.pop(value);
    };
    plumb::parallel(work, work, work);
  });
}
