// SPDX-License-Identifier: MIT
//! : race
//! --ignore race: use-after-free
//! --ignore race --strategy dpor: use-after-free
//! --ignore race --strategy dfs --preemptions -1 --jobs 2: use-after-free
//! --schedule-at all --ignore race --preemptions 2: use-after-free
#include <plumb/explore.hpp>

#include "../../../objects/stacks/treiber_stack.hpp"

int main(int argc, char** argv) {
  return plumb::explore_main(argc, argv, [] {
    plumb::objects::TreiberStack<true> stack;
    const auto work = [&stack] {
      stack.push(1);
      stack.pop();
    };
    plumb::parallel(work, work);
  });
}
