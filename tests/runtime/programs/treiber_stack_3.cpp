// SPDX-License-Identifier: MIT
//! --strategy dfs --preemptions 2 --start-points: holds, 690 executions
//! --strategy dfs --preemptions -1 --max-executions 2000000: holds, 1,710,522 executions
//! --strategy dfs --preemptions -1 --max-executions 2000000 --jobs 2: holds, 1,710,522 executions
//! --strategy dpor: holds, 25,680 executions
#include <plumb/explore.hpp>

#include "../../../objects/stacks/treiber_stack.hpp"

int main(int argc, char** argv) {
  return plumb::explore_main(argc, argv, [] {
    plumb::objects::TreiberStack<> stack;
    const auto work = [&stack] {
      stack.push(1);
      stack.pop();
    };
    plumb::parallel(work, work, work);
  });
}
