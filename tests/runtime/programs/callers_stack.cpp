// SPDX-License-Identifier: MIT
//! --strategy dfs --preemptions 2: holds
// What the body uses of its caller by reference is put back, too.
#include <atomic>
#include <cassert>
#include <string>
#include <thread>
#include <vector>

#include <plumb/explore.hpp>

int main(int argc, char** argv) {
  std::atomic<int> sum{1};
  std::vector<int> order;
  std::string text = "short";
  int large[10'000] = {};
  return plumb::explore_main(argc, argv, [&] {
    assert(sum == 1 && order.empty() && text == "short" && large[7000] == 0);
    std::thread other([&] { sum += 2; });
    sum += 4;
    other.join();
    assert(sum == 7);
    order.push_back(sum);
    text += " and longer than what fits into the object";
    large[7000] = 1;
  });
}
