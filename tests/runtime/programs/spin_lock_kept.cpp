// SPDX-License-Identifier: MIT
//! : livelock
//! --ignore livelock: holds
#include <atomic>

#include <plumb/explore.hpp>

int main(int argc, char** argv) {
  return plumb::explore_main(argc, argv, [] {
    std::atomic<bool> taken{false};
    const auto work = [&taken] {
      while (taken.exchange(true)) {}
    };
    plumb::parallel(work, work);
  });
}
