// SPDX-License-Identifier: MIT
// Boost's own, unmodified. It reads links of nodes that another thread may be recycling, by plain
// accesses, and finds out afterwards: a data race by the letter of C++.
//! needs: boost/lockfree/stack.hpp
// clang-format off
//! --strategy dfs --preemptions 2 --start-points --schedule-at atomics --ignore race --heap quarantine: holds, 2,646 executions
// clang-format on
//! : race
#include <boost/lockfree/stack.hpp>

#include <plumb/explore.hpp>

int main(int argc, char** argv) {
  return plumb::explore_main(argc, argv, [] {
    boost::lockfree::stack<int> stack(4);
    const auto work = [&stack] {
      stack.push(1);
      int value = 0;
      stack.pop(value);
    };
    plumb::parallel(work, work, work);
  });
}
