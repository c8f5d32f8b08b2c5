// SPDX-License-Identifier: MIT
// Two threads, each pushes and pops. A retry uses what the compare-and-swap has read; nodes are not
// freed.
//! --strategy dfs --preemptions -1 --start-points: holds, 438 executions
//! --strategy dfs --preemptions 2 --start-points: holds, 42 executions
//! --strategy dfs --preemptions -1: holds, 126 executions
//! --strategy dpor: holds, 40 executions
//! : holds
#include <plumb/explore.hpp>

#include "../../../objects/stacks/treiber_stack.hpp"

int main(int argc, char** argv) {
  return plumb::explore_main(argc, argv, [] {
    plumb::objects::TreiberStack<> stack;
    const auto work = [&stack] {
      stack.push(1);
      stack.pop();
    };
    plumb::parallel(work, work);
  });
}
