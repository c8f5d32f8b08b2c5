// SPDX-License-Identifier: MIT
//! : race
//! --ignore race: assertion
#include <cassert>
#include <list>

#include <plumb/explore.hpp>

int main(int argc, char** argv) {
  return plumb::explore_main(argc, argv, [] {
    std::list<int> queue;
    plumb::parallel([&queue] { queue.push_back(1); }, [&queue] { queue.push_back(2); });
    assert(queue.size() == 2);
  });
}
