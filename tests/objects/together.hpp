// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <thread>
#include <vector>

namespace plumb::objects {

/// Runs work(0), work(1), ... in as many threads, which begin at the same time.
template <class Work>
void together(int threads, Work work) {
  std::atomic<int> missing{threads};
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i)
    all.emplace_back([&work, &missing, i] {
      --missing;
      while (missing.load() > 0) std::this_thread::yield();
      work(i);
    });
  for (std::thread& one : all) one.join();
}

}  // namespace plumb::objects
